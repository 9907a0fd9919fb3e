// Grouped GEMM: E = A * B for a list of matrices of different sizes, in one launch. A and E are
// row-major, B is column-major.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/utility/emulation.hpp"
#include "ck/library/utility/output.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_gemm_tuned.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/command_line.hpp"
#include "common/engines.hpp"
#include "common/tensors.hpp"
#include "common/verify.hpp"
#include <tuple>

using namespace example;
using ck::tensor_operation::device::GemmDesc;
using T   = EXAMPLE_TYPE;
using P   = ck::tensor_operation::element_wise::PassThrough;
using Row = ck::tensor_layout::gemm::RowMajor;
using Col = ck::tensor_layout::gemm::ColumnMajor;

constexpr auto list = tunings<Engine::EXAMPLE_ENGINE, T, true, true>();
template <std::size_t i>
using Operation = ck::tensor_operation::device::
    DeviceGroupedGemmTuned<Row, Col, ck::Tuple<>, Row, T, T, ck::Tuple<>, T, P, P, P, list[i]>;

struct Lists
{
    std::vector<GemmDesc> gemms;
    std::vector<Mirrored<T>> a, b, e;
    std::vector<const void*> p_a, p_b;
    std::vector<void*> p_e;

    void add(index_t m, index_t n, index_t k, int initialisation)
    {
        const auto matrix = [](ck::long_index_t lines, ck::long_index_t length) {
            return HostTensorDescriptor({lines, length}, {length, 1});
        };
        gemms.push_back({m, n, k, k, k, n, {}});
        p_a.push_back(a.emplace_back(matrix(m, k)).pointer());
        p_b.push_back(b.emplace_back(matrix(n, k)).pointer());
        p_e.push_back(e.emplace_back(matrix(m, n)).pointer());
        a.back().fill({}, initialisation);
        b.back().fill({5, .5f}, initialisation);
    }
};

/// Whether the operation ran; if not, says why.
bool run(auto op, const CommandLine& line, Lists& lists)
{
    std::vector<std::array<const void*, 0>> no_ds;
    const auto argument =
        op.MakeArgumentPointer(lists.p_a, lists.p_b, no_ds, lists.p_e, lists.gemms, {}, {}, {});
    if(!op.IsSupportedArgument(argument.get()))
    {
        std::cout << op.GetTypeString()
                  << " does not support this: " << op.WhyNotSupported(argument.get()) << '\n';
        return false;
    }
    const DeviceMem workspace(op.GetWorkSpaceSize(argument.get()));
    op.SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
    for(const auto& e : lists.e)
        e.spoil(); // every element must be written
    const int warm_up = ck::arch::emulated || line.repetitions == 0 ? 0 : 5;
    const float ms    = op.MakeInvokerPointer()->Run(
        argument.get(),
        StreamConfig{nullptr, line.repetitions > 0, 1, warm_up, std::max(line.repetitions, 1)});
    double flops = 0, bytes = 0;
    for(const GemmDesc& g : lists.gemms)
    {
        flops += 2. * g.M_ * g.N_ * g.K_;
        bytes += sizeof(T) * (1. * g.M_ * g.K_ + 1. * g.K_ * g.N_ + 1. * g.M_ * g.N_);
    }
    if(line.repetitions > 0)
        std::cout << "Perf: " << ms << " ms, " << flops / 1e9 / ms << " TFlops, "
                  << bytes / 1e6 / ms << " GB/s, " << op.GetTypeString()
                  << ck::utils::emulation_note() << std::endl;
    else
        std::cout << op.GetTypeString() << std::endl;
    HIP_CHECK_ERROR(hipDeviceSynchronize()); // the workspace is in use until then
    return true;
}

/// The reference: a GEMM is a convolution with filters of length 1; rows are pixels, k channels.
bool verify_gemm(std::size_t i, const CommandLine& line, Lists& lists)
{
    const GemmDesc& g = lists.gemms[i];
    auto p            = ck::make_packed_problem<1>(
        1, 1, g.N_, g.K_, {1}, {g.M_}, {1}, {1}, {0}, {0}, ck::PackedOrder::group_first);
    Tensor<double> expected(lists.e[i].host.mDesc);
    const DeviceMem reference(sizeof(double) * expected.size());
    ck::ref::naive_conv_fwd(p,
                            static_cast<const T*>(lists.p_a[i]),
                            static_cast<const T*>(lists.p_b[i]),
                            static_cast<double*>(reference.GetDeviceBuffer()));
    reference.FromDevice(expected.data());
    lists.e[i].device.FromDevice(lists.e[i].host.data());
    const double magnitude =
        largest_magnitude(lists.a[i].host) * largest_magnitude(lists.b[i].host);
    std::cout << g.M_ << " x " << g.N_ << " x " << g.K_ << ": ";
    return verify<T>(lists.e[i].host,
                     expected,
                     {static_cast<double>(g.K_), magnitude, line.initialisation != 2, true, 1});
}

int parse_and_run(int argc, char* argv[])
{
    if(asks_for_help(argc, argv))
    {
        std::cout << "usage: " << argv[0]
                  << " [verification initialisation repetitions [GEMMs]]\n"
                     " verification: 1 compares with a plain sum in double, 0 does not\n"
                     " initialisation: 0 zeros, 1 integers, 2 decimal numbers\n"
                     " repetitions: launches to time; 0 launches once and does not time\n"
                     " GEMMs: their number; each is larger than the one before\n"
                     "default: 1 1 0 16; where the CPU stands in for a GPU 1 1 0 4, and smaller\n"
                     "exit status: 0 done, and right if verified; 1 wrong or not possible; 2 these "
                     "arguments make no sense\n";
        return 0;
    }
    if(argc != 1 && argc != 4 && argc != 5)
        throw std::invalid_argument("there are " + std::to_string(argc - 1) +
                                    " arguments, but must be none, three or four; see --help");
    CommandLine line{};
    if(argc > 1)
        parse_actions(argv, line);
    const index_t count = argc == 5            ? parse_number(argv, 4, "number of GEMMs", 64)
                          : ck::arch::emulated ? 4
                                               : 16;
    const index_t unit  = ck::arch::emulated ? 8 : 64;

    Lists lists;
    if(ck::arch::emulated)
        std::cout << "no GPU in this build: the CPU stands in for one, and the matrices are "
                     "smaller\n";
    for(index_t i = 0; i < count; ++i)
        lists.add(4 * unit * (1 + i), 2 * unit * (1 + i), unit * (2 + i), line.initialisation);

    const bool ran = [&]<std::size_t... i>(std::index_sequence<i...>)
    {
        return (run(Operation<i>{}, line, lists) || ...);
    }
    (std::make_index_sequence<list.size()>{});
    if(!ran)
    {
        std::cout << "no operation of this example runs on this device\n";
        return 1;
    }
    bool right = true;
    for(std::size_t i = 0; line.verify && i < lists.gemms.size(); ++i)
        right = verify_gemm(i, line, lists) && right;
    return right ? 0 : 1;
}

int main(int argc, char* argv[])
{
    return exit_status([&] { return parse_and_run(argc, argv); });
}
