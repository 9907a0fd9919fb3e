// Times this example's kernel and the library's own backward data on mma.sync alternately, on the
// same problem, and compares their results. Prints medians of the rounds.
//   example_conv3d_backprop_input_compare [verification initialisation rounds [3 N K C ...]]
#include "host.hpp"
#include <numeric>

using namespace ConvCommonApi;
using namespace ConvBackpropApi;

namespace {

template <ConvFormat format>
using TensorOf  = ConvType<TPosition::GM, format, half>;
using InputSize = ConvType<TPosition::GM, ConvFormat::ND, int32_t>;

template <ConvFormat tensor, ConvFormat weight>
CONV_BACKPROP_KERNEL void backprop(CONV_BACKPROP_PARAMETER example::KernelParameters p)
{
    GlobalTensor<half> gradOutputGm, weightGm, gradInputGm;
    gradOutputGm.SetGlobalBuffer(p.gradOutput);
    weightGm.SetGlobalBuffer(p.weight);
    gradInputGm.SetGlobalBuffer(p.gradInput);
    const Share share = p.tiling.share(GetBlockIdx());
    Conv3DBackpropInput<TensorOf<weight>, InputSize, TensorOf<tensor>, TensorOf<tensor>> gradInput_;
    gradInput_.Init(&p.tiling);
    gradInput_.SetSingleShape(share.singleShapeM, share.singleShapeK, share.singleShapeN);
    gradInput_.SetStartPosition(share.dinStartIdx, share.curHoStartIdx);
    gradInput_.SetGradOutput(gradOutputGm[share.offsetA]);
    gradInput_.SetWeight(weightGm[share.offsetB]);
    while(gradInput_.Iterate())
        gradInput_.GetTensorC(gradInputGm[share.offsetC]);
    gradInput_.End();
}

/// The library's tunings for many channels; see library/src/tables/mma.hpp.
constexpr ck::GemmTuning
mma(ck::index_t n, ck::index_t k, ck::index_t wave_n, ck::index_t stages, ck::index_t together)
{
    return {.block_tile        = {128, n, k},
            .wave_m            = 64,
            .wave_n            = wave_n,
            .instruction       = ck::arch::Matrix::mma_f32_16x8x16_f16,
            .a_vector          = 8,
            .b_vector          = 8,
            .c_vector          = 8,
            .pipeline          = ck::Pipeline::async_copies,
            .min_blocks_per_cu = together,
            .stages            = stages};
}
template <std::size_t... i>
auto library_operations(std::index_sequence<i...>)
{
    constexpr std::array rows{
        mma(128, 32, 64, 4, 2), mma(128, 64, 32, 3, 2), mma(64, 32, 32, 4, 3)};
    return std::tuple<example::BackwardData<example::Backprop>::Operation<3, rows[i]>...>{};
}

struct Candidate
{
    std::string name;
    std::function<void(int)> run; // as many launches as it is told
    std::vector<float> ms;
};

int compare(const example::CommandLine& line)
{
    const example::ConvParam& p = line.problem;
    if(p.num_dim_spatial_ != 3)
        throw std::invalid_argument("the problem must have 3 spatial dimensions");
    example::Tensors<example::Backprop, 3> t(p);
    t.wei.fill(example::Backprop::fill_wei, line.initialisation);
    t.out.fill(example::Backprop::fill_out, line.initialisation);
    const example::BlocksOnDevice dy(t.out.host.mDesc, false), w(t.wei.host.mDesc, true),
        dx(t.in.host.mDesc, false);
    dy.write(t.out.host);
    w.write(t.wei.host);
    const example::KernelParameters blocked{
        example::make_tiling(p), dy.pointer(), w.pointer(), dx.pointer(), nullptr};
    const auto pointer = [](const auto& tensor) { return static_cast<half*>(tensor.pointer()); };
    const example::Mirrored<example::fp16> own(t.in.host.mDesc);
    const example::KernelParameters packed{
        example::make_tiling(p, ConvFormat::NDHWC, ConvFormat::NDHWC),
        pointer(t.out),
        pointer(t.wei),
        pointer(own),
        nullptr};

    std::vector<Candidate> candidates;
    const auto object = [&](const char* name, const auto& parameters, auto kernel) {
        candidates.push_back({name,
                              [&parameters, kernel](int times) {
                                  for(int i = 0; i < times; ++i)
                                      HIP_CHECK_ERROR(
                                          Launch(parameters.tiling, nullptr, kernel, parameters));
                              },
                              {}});
    };
    object("object, NDC1HWC0", blocked, &backprop<ConvFormat::NDC1HWC0, ConvFormat::FRACTAL_Z_3D>);
    object("object, NDHWC", packed, &backprop<ConvFormat::NDHWC, ConvFormat::NDHWC>);
    auto library = library_operations(std::make_index_sequence<3>{});
    std::apply(
        [&](auto&... operation) {
            const auto add = [&](auto& op) {
                auto argument = std::shared_ptr<ck::tensor_operation::device::BaseArgument>(
                    example::Backprop::Direction::argument<3>(op, p, t));
                if(!op.IsSupportedArgument(argument.get()))
                    throw std::runtime_error(op.WhyNotSupported(argument.get()));
                candidates.push_back({"library, " + op.GetTypeString(),
                                      [&op, argument](int times) {
                                          auto invoker = op.MakeInvokerPointer();
                                          for(int i = 0; i < times; ++i)
                                              invoker->Run(argument.get(), StreamConfig{});
                                      },
                                      {}});
            };
            (add(operation), ...);
        },
        library);

    const int launches = ck::arch::emulated ? 1 : 10;
    for(int round = 0; round < std::max(line.repetitions, 1); ++round)
        for(Candidate& c : candidates)
        {
            if(!ck::arch::emulated)
                c.run(2);
            ck::Event start, stop;
            start.record(nullptr);
            c.run(launches);
            stop.record(nullptr);
            c.ms.push_back(stop.since(start) / static_cast<float>(launches));
        }
    for(Candidate& c : candidates)
    {
        std::sort(c.ms.begin(), c.ms.end());
        const float ms = c.ms[c.ms.size() / 2];
        std::cout << ms << " ms, " << static_cast<double>(p.GetFlops()) / 1e9 / ms << " TFlops, "
                  << c.name << ck::utils::emulation_note() << '\n';
    }
    if(!line.verify)
        return 0;
    t.in.device.FromDevice(t.in.host.data());
    Tensor<example::fp16> blocks(t.in.host.mDesc), plain(t.in.host.mDesc);
    dx.read(blocks);
    own.device.FromDevice(plain.data());
    std::size_t differ = 0;
    for(std::size_t i = 0; i < plain.size(); ++i)
        differ += float(plain.mData[i]) != float(t.in.host.mData[i]);
    for(std::size_t i = 0; i < blocks.size(); ++i)
        differ += float(blocks.mData[i]) != float(t.in.host.mData[i]);
    std::cout << "elements that differ from the library's: " << differ
              << (line.initialisation == 2 ? " (sums of decimals are rounded in another order)\n"
                                           : "\n");
    return differ == 0 || line.initialisation == 2 ? 0 : 1;
}

} // namespace

int main(int argc, char* argv[])
{
    return example::exit_status([&] {
        const example::Defaults defaults = example::Backprop::defaults();
        example::CommandLine line        = example::parse_command_line(argc, argv, defaults);
        if(line.help)
        {
            example::print_help(argv[0], defaults);
            std::cout << "of this program: repetitions are rounds, 11 without arguments\n";
            return 0;
        }
        if(argc == 1)
            line.repetitions = ck::arch::emulated ? 1 : 11;
        return compare(line);
    });
}
