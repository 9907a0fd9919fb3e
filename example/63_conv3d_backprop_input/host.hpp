#pragma once
// The host side of this example's kernels: the problem from the command line, its tensors in blocks
// of channels, the tiling, a launch, and verification.
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/library/utility/emulation.hpp"

#include "common/conv_example.hpp"
#include "lib/conv_backprop/conv3d_bp_input_api.h"

namespace example {

using ConvBackpropApi::ConvDtype;
using ConvBackpropApi::ConvFormat;
using ConvBackpropApi::TPosition;

/// The kernels' parameters.
struct KernelParameters
{
    ConvBackpropApi::TConv3DBackpropInputTiling tiling;
    half *gradOutput, *weight, *gradInput; // dY in NDC1HWC0, W in FRACTAL_Z_3D, dX in NDC1HWC0
    const float* bias;                     // one for each channel of dX; only for the fused kernel
};

struct Backprop : ConvExample<fp16>
{
    using Direction = BackwardData<Backprop>;

    static Defaults defaults()
    {
        const auto problem = [](index_t k, index_t c, index_t d, index_t hw) {
            return ConvParam(
                3, 1, 1, k, c, {3, 3, 3}, {d, hw, hw}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1});
        };
        return {.on_gpu  = problem(256, 128, 11, 128),
                .on_cpu  = problem(64, 40, 5, 16),
                .grouped = false};
    }
};

/// Elements of a tensor with dimensions g, n, c, d, h, w in blocks of 16 channels: NDC1HWC0; with
/// g, k, c, z, y, x: FRACTAL_Z_3D. Lanes beyond the last channel are zero.
struct Blocks
{
    std::size_t n, c, d, h, w;
    bool of_weight;

    Blocks(const HostTensorDescriptor& t, bool weight)
        : n(t.GetLengths()[1]),
          c(t.GetLengths()[2]),
          d(t.GetLengths()[3]),
          h(t.GetLengths()[4]),
          w(t.GetLengths()[5]),
          of_weight(weight)
    {}
    std::size_t c1() const { return (c + 15) / 16; }
    std::size_t rows() const { return of_weight ? (n + 15) / 16 * 16 : n; }
    std::size_t size() const { return rows() * d * c1() * h * w * 16; }
    std::size_t
    offset(std::size_t in, std::size_t ic, std::size_t id, std::size_t ih, std::size_t iw) const
    {
        const std::size_t block = of_weight
                                      ? (((id * c1() + ic / 16) * h + ih) * w + iw) * rows() + in
                                      : (((in * d + id) * c1() + ic / 16) * h + ih) * w + iw;
        return block * 16 + ic % 16;
    }
    /// Calls f(element of the tensor, element in blocks).
    template <class T, class F>
    void each(Tensor<T>& t, std::vector<fp16>& blocks, F f) const
    {
        for(std::size_t in = 0; in < n; ++in)
            for(std::size_t ic = 0; ic < c; ++ic)
                for(std::size_t id = 0; id < d; ++id)
                    for(std::size_t ih = 0; ih < h; ++ih)
                        for(std::size_t iw = 0; iw < w; ++iw)
                            f(t(0, in, ic, id, ih, iw), blocks[offset(in, ic, id, ih, iw)]);
    }
};

/// A tensor in blocks, on the device.
struct BlocksOnDevice
{
    Blocks layout;
    DeviceMem memory;

    BlocksOnDevice(const HostTensorDescriptor& t, bool weight)
        : layout(t, weight),
          memory(layout.size() * sizeof(fp16))
    {}
    half* pointer() const { return static_cast<half*>(memory.GetDeviceBuffer()); }
    void write(Tensor<fp16>& t) const
    {
        std::vector<fp16> blocks(layout.size(), ck::type_convert<fp16>(0.f));
        layout.each(t, blocks, [](fp16& from, fp16& to) { to = from; });
        memory.ToDevice(blocks.data());
    }
    void read(Tensor<fp16>& t) const
    {
        std::vector<fp16> blocks(layout.size());
        memory.FromDevice(blocks.data());
        layout.each(t, blocks, [](fp16& to, fp16& from) { to = from; });
    }
};

/// Throws std::invalid_argument with the reason if there is no tiling.
inline ConvBackpropApi::TConv3DBackpropInputTiling
make_tiling(const ConvParam& p,
            ConvFormat tensor = ConvFormat::NDC1HWC0,
            ConvFormat weight = ConvFormat::FRACTAL_Z_3D)
{
    const auto &f = p.filter_spatial_lengths_, &i = p.input_spatial_lengths_,
               &o = p.output_spatial_lengths_, &s = p.conv_filter_strides_,
               &d = p.conv_filter_dilations_, &low = p.input_left_pads_,
               &high = p.input_right_pads_;
    ConvBackpropApi::Conv3DBpInputTiling tiling;
    const bool sound = tiling.SetWeightType(TPosition::GM, weight, ConvDtype::FLOAT16) &&
                       tiling.SetGradOutputType(TPosition::GM, tensor, ConvDtype::FLOAT16) &&
                       tiling.SetGradInputType(TPosition::GM, tensor, ConvDtype::FLOAT16) &&
                       tiling.SetWeightShape(p.K_, p.C_, f[0], f[1], f[2]) &&
                       tiling.SetGradOutputShape(p.N_, p.K_, o[0], o[1], o[2]) &&
                       tiling.SetInputShape(p.N_, p.C_, i[0], i[1], i[2]) &&
                       tiling.SetPadding(low[0], high[0], low[1], high[1], low[2], high[2]) &&
                       tiling.SetStride(s[0], s[1], s[2]) && tiling.SetDilation(d[0], d[1], d[2]);
    if(!sound)
        throw std::invalid_argument("a length, stride, dilation or pad of the problem is none");
    ConvBackpropApi::TConv3DBackpropInputTiling result;
    if(tiling.GetTiling(result) != 0)
        throw std::invalid_argument("no tiling: " + tiling.GetReason());
    return result;
}

/// launch(parameters) starts the kernel and returns its error. after(sum, c): the kernel's result
/// for a sum of channel c, on the CPU. slope: see Sums. Returns an exit status.
template <class Launch, class After>
int run_kernel(const CommandLine& line, Launch launch, After after, double slope, bool integers)
{
    const ConvParam& p = line.problem;
    if(p.num_dim_spatial_ != 3)
        throw std::invalid_argument("the problem has " + std::to_string(p.num_dim_spatial_) +
                                    " spatial dimensions, but must have 3");
    Tensors<Backprop, 3> t(p);
    print_descriptors<3>(t, false);
    t.wei.fill(Backprop::fill_wei, line.initialisation);
    t.out.fill(Backprop::fill_out, line.initialisation);
    const BlocksOnDevice dy(t.out.host.mDesc, false), w(t.wei.host.mDesc, true),
        dx(t.in.host.mDesc, false);
    dy.write(t.out.host);
    w.write(t.wei.host);
    dx.memory.SetValue(ck::type_convert<fp16>(std::nanf(""))); // every element must be written
    std::vector<float> bias(static_cast<std::size_t>(p.C_));
    for(std::size_t c = 0; c < bias.size(); ++c)
        bias[c] = static_cast<float>(c % 7) - 3;
    const DeviceMem device_bias(bias.size() * sizeof(float));
    device_bias.ToDevice(bias.data());

    const KernelParameters parameters{make_tiling(p),
                                      dy.pointer(),
                                      w.pointer(),
                                      dx.pointer(),
                                      static_cast<const float*>(device_bias.GetDeviceBuffer())};
    const auto& tiling = parameters.tiling;
    std::cout << tiling.workgroups() << " workgroups of " << tiling.threads() << " threads, "
              << ck::arch::describe(static_cast<ck::arch::Matrix>(tiling.instruction)).name
              << std::endl;
    const int warm_up = ck::arch::emulated || line.repetitions == 0 ? 0 : 5;
    const float ms    = ck::time_launches(
        {nullptr, line.repetitions > 0, 0, warm_up, std::max(line.repetitions, 1)},
        [&] { HIP_CHECK_ERROR(launch(parameters)); });
    if(line.repetitions > 0)
        std::cout << "Perf: " << ms << " ms, " << static_cast<double>(p.GetFlops()) / 1e9 / ms
                  << " TFlops" << ck::utils::emulation_note() << std::endl;
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    if(!line.verify)
        return 0;
    dx.read(t.in.host);
    Tensor<double> expected(t.in.host.mDesc);
    Backprop::Direction::template reference<3>(p, t, expected);
    expected.ForEach([&](auto& self, const auto& at) { self(at) = after(self(at), bias[at[2]]); });
    Sums sums{Backprop::Direction::longest_sum(p),
              largest_magnitude(t.out.host) * largest_magnitude(t.wei.host),
              line.initialisation != 2,
              integers,
              slope};
    return verify<fp16>(t.in.host, expected, sums) ? 0 : 1;
}

/// main() of a kernel of this example; the arguments are those of run_kernel().
template <class Launch, class After>
int kernel_main(int argc, char* argv[], Launch launch, After after, double slope, bool integers)
{
    return exit_status([&] {
        const Defaults defaults = Backprop::defaults();
        const CommandLine line  = parse_command_line(argc, argv, defaults);
        if(line.help)
        {
            print_help(argv[0], defaults);
            std::cout << "of this example: there are 3 spatial dimensions\n";
            return 0;
        }
        if(ck::arch::emulated && line.default_problem)
            std::cout << "no GPU in this build: the CPU stands in for one, and the problem is "
                      << arguments(defaults.on_cpu, false) << " instead of "
                      << arguments(defaults.on_gpu, false) << '\n';
        return run_kernel(line, launch, after, slope, integers);
    });
}

} // namespace example
