#pragma once
// Runs one of the two copies between an image and the matrix of its windows, and verifies it.
#include "ck/ck.hpp"
#include "ck/library/utility/emulation.hpp"

#include "common/command_line.hpp"
#include "common/tensors.hpp"
#include <numeric>

namespace example {

/// The product of lengths and one more factor.
inline std::size_t size_of(const std::vector<ck::long_index_t>& lengths, ck::long_index_t more)
{
    return static_cast<std::size_t>(
        std::accumulate(lengths.begin(), lengths.end(), more, std::multiplies<>()));
}

template <std::size_t n>
std::array<index_t, n> array_of(const std::vector<ck::long_index_t>& values)
{
    std::array<index_t, n> a{};
    std::copy_n(values.begin(), n, a.begin());
    return a;
}

/// Runs an example, which has Operation<rank>, Reference<rank> and reads_image, on GN[D]HWC images
/// of floats. Returns an exit status.
template <class E, index_t rank>
int run_rearrange(const CommandLine& line)
{
    const ConvParam& p = line.problem;
    const auto out     = p.GetOutputSpatialLengths();
    const HostTensorDescriptor image =
        ck::utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<
            typename Layouts<rank>::In>(p);
    const HostTensorDescriptor matrix(
        std::vector<std::size_t>{static_cast<std::size_t>(p.G_),
                                 size_of(out, p.N_),
                                 size_of(p.filter_spatial_lengths_, p.C_)});
    Mirrored<float> from(E::reads_image ? image : matrix), to(E::reads_image ? matrix : image);
    std::cout << "image: " << image << "\ncolumn matrix: " << matrix << '\n';
    from.fill({}, line.initialisation);
    to.spoil(); // every element must be written

    const Mirrored<float>&i = E::reads_image ? from : to, &m = E::reads_image ? to : from;
    typename E::template Operation<rank> op;
    const auto argument = op.MakeArgumentPointer(from.pointer(),
                                                 to.pointer(),
                                                 static_cast<index_t>(p.G_),
                                                 static_cast<index_t>(p.N_),
                                                 static_cast<index_t>(p.C_),
                                                 array_of<rank>(p.input_spatial_lengths_),
                                                 array_of<rank>(p.filter_spatial_lengths_),
                                                 array_of<rank>(out),
                                                 i.template strides<rank>(),
                                                 m.template strides<0>(),
                                                 array_of<rank>(p.conv_filter_strides_),
                                                 array_of<rank>(p.conv_filter_dilations_),
                                                 array_of<rank>(p.input_left_pads_),
                                                 array_of<rank>(p.input_right_pads_));
    if(!op.IsSupportedArgument(argument.get()))
    {
        std::cout << op.GetTypeString()
                  << " does not support this: " << op.WhyNotSupported(argument.get()) << '\n';
        return 1;
    }
    const int warm_up = ck::arch::emulated || line.repetitions == 0 ? 0 : 5;
    const float ms    = op.MakeInvokerPointer()->Run(
        argument.get(),
        StreamConfig{nullptr, line.repetitions > 0, 1, warm_up, std::max(line.repetitions, 1)});
    if(line.repetitions > 0)
        std::cout << "Perf: " << ms << " ms, "
                  << static_cast<double>(from.device.GetBufferSize() + to.device.GetBufferSize()) /
                         1e6 / ms
                  << " GB/s, ";
    std::cout << op.GetTypeString() << (line.repetitions > 0 ? ck::utils::emulation_note() : "")
              << std::endl;
    to.device.FromDevice(to.host.data());
    if(!line.verify)
        return 0;
    using Reference = typename E::template Reference<rank>;
    Tensor<float> expected(to.host.mDesc);
    Reference::MakeInvoker().Run(Reference::MakeArgument(from.host,
                                                         expected,
                                                         p.filter_spatial_lengths_,
                                                         p.conv_filter_strides_,
                                                         p.conv_filter_dilations_,
                                                         p.input_left_pads_,
                                                         p.input_right_pads_));
    const bool right = to.host.mData == expected.mData; // the same sums in the same order
    std::cout << "verification: " << (right ? "PASS" : "FAIL") << '\n';
    return right ? 0 : 1;
}

template <class E>
int parse_and_run(int argc, char* argv[])
{
    const auto with = [](index_t n, index_t c, index_t length) {
        return ConvParam(2, 2, n, 1, c, {3, 3}, {length, length}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    };
    const Defaults defaults{with(32, 64, 56), with(2, 8, 9)};
    const CommandLine line = parse_command_line(argc, argv, defaults);
    if(line.help)
    {
        print_help(argv[0], defaults);
        return 0;
    }
    switch(line.problem.num_dim_spatial_)
    {
    case 1:
        return run_rearrange<E, 1>(line);
    case 2:
        return run_rearrange<E, 2>(line);
    default:
        return run_rearrange<E, 3>(line);
    }
}

/// main() of such an example.
template <class E>
int rearrange_main(int argc, char* argv[])
{
    return exit_status([&] { return parse_and_run<E>(argc, argv); });
}

} // namespace example
