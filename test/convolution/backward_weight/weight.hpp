#pragma once
// One backward weight through a device operation and through the CPU's plain loops, compared
// exactly: integers, dW and the workspace full of NaN, the workspace exactly as long as asked for.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"

#include "convolution/grouped.hpp"
#include "placed_memory.hpp"
#include <string_view>

namespace ck::test {

/// Dimensions of a tensor from slowest to fastest: g, n (or k of the filter), c (channels) and s
/// (all spatial ones).
struct Order
{
    std::string_view image, filter;
};
inline constexpr Order channels_last{"nsgc", "gnsc"}; // NHWGC, GKYXC, NHWGK
inline constexpr Order groups_first{"gnsc", "gnsc"};  // GNHWC, GKYXC, GNHWK
inline constexpr Order pixels_last{"ngcs", "gnsc"};   // NGCHW, GKYXC, NGKHW
inline constexpr Order taps_last{"ngcs", "gncs"};     // NGCHW, GKCYX, NGKHW

/// Packed, the logical dimensions being g, n, c, spatial.
inline HostTensorDescriptor descriptor(std::vector<std::size_t> lengths, std::string_view order)
{
    std::vector<std::size_t> strides(lengths.size());
    std::size_t next = 1;
    const auto place = [&](std::size_t dimension) {
        strides[dimension] = next;
        next *= lengths[dimension];
    };
    for(std::size_t i = order.size(); i-- > 0;)
        if(order[i] == 's')
            for(std::size_t d = lengths.size(); d-- > 3;)
                place(d);
        else
            place(order[i] == 'g' ? 0 : order[i] == 'n' ? 1 : 2);
    return HostTensorDescriptor(lengths, strides);
}

inline std::vector<std::size_t> tensor_lengths(long_index_t g,
                                               long_index_t n,
                                               long_index_t c,
                                               const std::vector<long_index_t>& rest)
{
    std::vector<std::size_t> all{
        static_cast<std::size_t>(g), static_cast<std::size_t>(n), static_cast<std::size_t>(c)};
    for(const long_index_t length : rest)
        all.push_back(static_cast<std::size_t>(length));
    return all;
}

/// In, Wei, Out data types and operations of a backward weight, of DeviceGroupedConvBwdWeight; the
/// layout tags are those of channel-last tensors, or of pixel-last ones.
template <index_t rank_,
          class T_,
          class Weight_,
          GemmTuning tuning,
          bool by_pixels      = false,
          class WeiOperation_ = PassThrough,
          class InOperation_  = PassThrough,
          class OutOperation_ = PassThrough>
struct Case
{
    static constexpr index_t rank = rank_;
    using T                       = T_;
    using Weight                  = Weight_;
    using WeiOperation            = WeiOperation_;
    using InOperation             = InOperation_;
    using OutOperation            = OutOperation_;
    using Op = tensor_operation::device::DeviceGroupedConvBwdWeightImplicitGemm<
        rank,
        std::conditional_t<by_pixels,
                           tensor_layout::convolution::NGCHW,
                           typename Layouts<rank>::Input>,
        typename Layouts<rank>::Weight,
        std::conditional_t<by_pixels,
                           tensor_layout::convolution::NGKHW,
                           typename Layouts<rank>::Output>,
        T,
        Weight,
        T,
        InOperation,
        WeiOperation,
        OutOperation,
        tuning>;
};

/// The tensors of a problem on both sides.
template <class C>
struct Tensors
{
    using T      = typename C::T;
    using Weight = typename C::Weight;

    Tensors(const ConvParam& p, Order order)
        : problem(p),
          x(descriptor(tensor_lengths(p.G_, p.N_, p.C_, p.input_spatial_lengths_), order.image)),
          w(descriptor(tensor_lengths(p.G_, p.K_, p.C_, p.filter_spatial_lengths_), order.filter)),
          y(descriptor(tensor_lengths(p.G_, p.N_, p.K_, p.output_spatial_lengths_), order.image))
    {
        x.fill_with_integers(), y.fill_with_integers(), w.fill_with_nan();
    }

    auto argument(index_t split_k,
                  typename C::WeiOperation wei_operation = {},
                  typename C::InOperation in_operation   = {},
                  typename C::OutOperation out_operation = {}) const
    {
        constexpr index_t rank = C::rank;
        return C::Op::MakeArgument(x.device.GetDeviceBuffer(),
                                   w.device.GetDeviceBuffer(),
                                   y.device.GetDeviceBuffer(),
                                   array_of<rank>(x.host.GetLengths()),
                                   array_of<rank>(x.host.GetStrides()),
                                   array_of<rank>(w.host.GetLengths()),
                                   array_of<rank>(w.host.GetStrides()),
                                   array_of<rank>(y.host.GetLengths()),
                                   array_of<rank>(y.host.GetStrides()),
                                   array_of<rank>(problem.conv_filter_strides_),
                                   array_of<rank>(problem.conv_filter_dilations_),
                                   array_of<rank>(problem.input_left_pads_),
                                   array_of<rank>(problem.input_right_pads_),
                                   in_operation,
                                   wei_operation,
                                   out_operation,
                                   split_k);
    }

    std::vector<Weight> expected(typename C::WeiOperation wei_operation = {},
                                 typename C::InOperation in_operation   = {},
                                 typename C::OutOperation out_operation = {}) const
    {
        using Reference = tensor_operation::host::ReferenceConvBwdWeight<C::rank,
                                                                         T,
                                                                         Weight,
                                                                         T,
                                                                         typename C::InOperation,
                                                                         typename C::WeiOperation,
                                                                         typename C::OutOperation>;
        Tensor<Weight> result(w.host.mDesc);
        auto reference = Reference::MakeInvoker();
        reference.Run(Reference::MakeArgument(x.host,
                                              result,
                                              y.host,
                                              problem.conv_filter_strides_,
                                              problem.conv_filter_dilations_,
                                              problem.input_left_pads_,
                                              problem.input_right_pads_,
                                              in_operation,
                                              wei_operation,
                                              out_operation));
        return result.mData;
    }

    ConvParam problem;
    Mirrored<T> x;
    Mirrored<Weight> w;
    Mirrored<T> y;
};

/// Memory full of NaN of just that many bytes.
class Workspace
{
public:
    explicit Workspace(std::size_t bytes) : memory_(bytes) { memory_.fill(0xFF); }
    void* pointer() const
    {
        return memory_.GetBufferSize() == 0 ? nullptr : memory_.GetDeviceBuffer();
    }

private:
    PlacedMemory memory_;
};

/// dW of the operation, after a check of the workspace. The argument is supported.
template <class Argument, class Op, class Weight>
std::vector<Weight> computed(Op& op, Argument argument, const Mirrored<Weight>& w)
{
    const Workspace workspace(op.GetWorkSpaceSize(&argument));
    op.SetWorkSpacePointer(&argument, workspace.pointer());
    EXPECT_EQ(op.WhyNotSupported(&argument), "");
    op.MakeInvokerPointer()->Run(&argument);
    return w.result();
}

/// Whether an argument without a workspace is supported, too.
enum class Needs
{
    workspace,
    nothing
};
/// In how many parts sums are computed: one and several, some of them empty, or as many as the
/// operation chooses.
inline constexpr index_t part_counts[] = {1, 2, 7, 1000, -1};

/// Compares dW of a problem, computed in each number of parts.
template <class C>
void check_by_parts(const ConvParam& p, Order order = channels_last, Needs needs = Needs::workspace)
{
    typename C::Op op;
    Tensors<C> t(p, order);
    const auto expected = t.expected();
    for(const index_t split : part_counts)
    {
        SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
        t.w.fill_with_nan();
        const auto argument = t.argument(split);
        if(needs == Needs::nothing)
        {
            ASSERT_EQ(op.WhyNotSupported(&argument), "");
        }
        EXPECT_EQ(differences(computed(op, argument, t.w), expected), 0u);
    }
}

/// Returns why the problem is not computed; empty if it is.
template <class C>
std::string why_refused(const ConvParam& p, Order order = channels_last, index_t split_k = 1)
{
    typename C::Op op;
    Tensors<C> t(p, order);
    const auto argument = t.argument(split_k);
    return op.WhyNotSupported(&argument);
}

} // namespace ck::test
