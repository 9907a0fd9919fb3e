#pragma once
// What the convolution examples share: make the tensors, run the first operation that supports the
// problem, verify the result.
#include "ck/library/utility/emulation.hpp"
#include "ck/library/utility/output.hpp"
#include "ck/stream_config.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "command_line.hpp"
#include "directions.hpp"
#include "engines.hpp"
#include "verify.hpp"
#include <iostream>
#include <tuple>

namespace example {

/// An example is a struct that derives from this one and defines
///   using Direction = Forward<E>, BackwardData<E> or BackwardWeight<E>;
///   template <index_t rank> using Operations = a tuple of device operations, the best first;
///   static Defaults defaults();
/// and whatever differs from the defaults here. T: the type of all tensors.
template <class T>
struct ConvExample
{
    using In        = T;
    using Wei       = T;
    using Out       = T;
    using Operation = PassThrough; ///< on the result
    static Operation operation() { return {}; }
    static constexpr bool keeps_integers = true; ///< operation does
    /// The most by which the operation enlarges a difference of two operands up to `magnitude`.
    static double slope(double /*magnitude*/) { return 1; }
    static constexpr std::array<D, 0> d_tensors{};
    // Whether sums of many numbers still fit the type.
    static constexpr int largest = sizeof(T) == 1 ? 1 : 5;
    static constexpr Fill fill_in{largest, 1.f}, fill_wei{largest, .5f}, fill_out{largest, 1.f};
    static constexpr index_t split_k = 1; ///< backward weight's

    /// Further tensors of a direction, made for a problem. verify() compares them with the values
    /// that follow from the computed result.
    template <index_t rank>
    struct Further
    {
        explicit Further(const ConvParam&) {}
        bool verify(const auto& /*result*/) const { return true; }
    };
};

namespace detail {

template <class E, index_t rank, Engine engine, std::size_t... i>
auto operations(std::index_sequence<i...>)
{
    constexpr auto list =
        tunings<engine, typename E::In, E::Direction::a_along_k, E::Direction::b_along_k>();
    return std::tuple<typename E::Direction::template Operation<rank, list[i]>...>{};
}

} // namespace detail

/// The operations of an engine, for the example's `Operations`.
template <class E, index_t rank, Engine engine>
using GroupedOperations = decltype(detail::operations<E, rank, engine>(
    std::make_index_sequence<2 * instructions<engine, typename E::In>.size()>{}));

/// An example's host tensors and their device copies. D tensors have the result's type.
template <class E, index_t rank>
struct Tensors
{
    Mirrored<typename E::In> in;
    Mirrored<typename E::Wei> wei;
    Mirrored<typename E::Out> out;
    std::vector<Mirrored<typename E::Direction::Result>> ds;
    typename E::template Further<rank> further;

    explicit Tensors(const ConvParam& p)
        : in(ck::utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<
              typename Layouts<rank>::In>(p)),
          wei(ck::utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<
              typename Layouts<rank>::Wei>(p)),
          out(ck::utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<
              typename Layouts<rank>::Out>(p)),
          ds(make_d_tensors(E::d_tensors, E::Direction::result(*this))),
          further(p)
    {}
};

/// The problem in the form of the command line: with groups, or named by its dimensions without.
template <index_t rank>
void print_descriptors(const auto& tensors, bool grouped)
{
    constexpr const char* ungrouped[][3]{{"in_n_c_wi", "wei_k_c_x", "out_n_k_wo"},
                                         {"in_n_c_hi_wi", "wei_k_c_y_x", "out_n_k_ho_wo"},
                                         {"in_n_c_di_hi_wi", "wei_k_c_z_y_x", "out_n_k_do_ho_wo"}};
    constexpr const char* with_groups[]{"in", "wei", "out"};
    const HostTensorDescriptor* const descriptors[]{
        &tensors.in.host.mDesc, &tensors.wei.host.mDesc, &tensors.out.host.mDesc};
    for(int i = 0; i < 3; ++i)
    {
        const auto &lengths = descriptors[i]->GetLengths(), &strides = descriptors[i]->GetStrides();
        if(grouped)
            std::cout << with_groups[i] << ": " << *descriptors[i] << '\n';
        else // one group, the first dimension
            std::cout << ungrouped[rank - 1][i] << ": "
                      << HostTensorDescriptor(std::vector(lengths.begin() + 1, lengths.end()),
                                              std::vector(strides.begin() + 1, strides.end()))
                      << '\n';
    }
    std::cout << std::flush;
}

/// Whether the operation ran; if not, prints why.
template <class E, index_t rank>
bool run_operation(auto op, const CommandLine& line, Tensors<E, rank>& tensors)
{
    using Direction     = typename E::Direction;
    const auto& p       = line.problem;
    const auto argument = Direction::template argument<rank>(op, p, tensors);
    const DeviceMem workspace(op.GetWorkSpaceSize(argument.get()));
    op.SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
    if(!op.IsSupportedArgument(argument.get()))
    {
        std::cout << op.GetTypeString()
                  << " does not support this: " << op.WhyNotSupported(argument.get()) << '\n';
        return false;
    }
    using Argument = typename decltype(op)::Argument;
    static_cast<const Argument&>(*argument).Print(); // the GEMMs of the launch
    Direction::result(tensors).spoil();              // every element must be written
    const int warm_up = ck::arch::emulated || line.repetitions == 0 ? 0 : 5;
    const float ms    = op.MakeInvokerPointer()->Run(
        argument.get(),
        StreamConfig{nullptr, line.repetitions > 0, 1, warm_up, std::max(line.repetitions, 1)});
    if(line.repetitions > 0)
        std::cout << "Perf: " << ms << " ms, " << static_cast<double>(p.GetFlops()) / 1e9 / ms
                  << " TFlops, "
                  << static_cast<double>(
                         p.GetByte<typename E::In, typename E::Wei, typename E::Out>()) /
                         1e6 / ms
                  << " GB/s, " << op.GetTypeString() << ck::utils::emulation_note() << std::endl;
    else
        std::cout << op.GetTypeString() << std::endl;
    return true;
}

template <class E, index_t rank>
int run(const CommandLine& line)
{
    using Direction = typename E::Direction;
    const auto& p   = line.problem;
    Tensors<E, rank> tensors(p);
    print_descriptors<rank>(tensors, E::defaults().grouped);
    tensors.in.fill(E::fill_in, line.initialisation);
    tensors.wei.fill(E::fill_wei, line.initialisation);
    tensors.out.fill(E::fill_out, line.initialisation);
    for(auto& d : tensors.ds)
        d.fill({}, line.initialisation);

    const bool ran = std::apply(
        [&](const auto&... op) { return (run_operation<E, rank>(op, line, tensors) || ...); },
        typename E::template Operations<rank>{});
    if(!ran)
    {
        std::cout << "no operation of this example supports the problem on this device\n";
        return 1;
    }
    auto& result = Direction::result(tensors);
    result.device.FromDevice(result.host.data());
    if(!line.verify)
        return 0;
    Tensor<double> expected(result.host.mDesc);
    Direction::template reference<rank>(p, tensors, expected);
    const auto& a = Direction::first_operand(tensors).host;
    const auto& b = Direction::second_operand(tensors).host;
    Sums sums{Direction::longest_sum(p),
              largest_magnitude(a) * largest_magnitude(b),
              line.initialisation != 2,
              E::keeps_integers,
              1};
    sums.slope       = E::slope(sums.length * sums.magnitude);
    using Operand    = std::remove_cvref_t<decltype(a.mData[0])>;
    const bool right = verify<Operand>(result.host, expected, sums);
    return tensors.further.verify(result.host) && right ? 0 : 1;
}

/// Returns the exit status.
template <class E>
int parse_and_run(int argc, char* argv[])
{
    const Defaults defaults = E::defaults();
    CommandLine line;
    try
    {
        line = parse_command_line(argc, argv, defaults);
    }
    catch(const std::invalid_argument& e)
    {
        std::cerr << e.what() << '\n';
        return 2;
    }
    if(line.help)
    {
        print_help(argv[0], defaults);
        return 0;
    }
    if(ck::arch::emulated && line.default_problem)
        std::cout << "no GPU in this build: the CPU stands in for one, and the problem is "
                  << arguments(defaults.on_cpu, defaults.grouped) << " instead of "
                  << arguments(defaults.on_gpu, defaults.grouped) << '\n';
    try
    {
        switch(line.problem.num_dim_spatial_)
        {
        case 1:
            return run<E, 1>(line);
        case 2:
            return run<E, 2>(line);
        default:
            return run<E, 3>(line);
        }
    }
    catch(const std::bad_alloc&)
    {
        const auto& p = line.problem;
        std::cerr << "error: tensors of " << p.GetInputElements() << ", " << p.GetWeightElements()
                  << " and " << p.GetOutputElements() << " elements do not fit into host memory\n";
        return 1;
    }
    catch(const std::exception& e)
    {
        std::cerr << "error: " << e.what() << '\n';
        return 1;
    }
}

/// main() of an example of a convolution.
template <class E>
int conv_main(int argc, char* argv[])
{
    return ck::utils::checked_output(parse_and_run<E>(argc, argv));
}

} // namespace example
