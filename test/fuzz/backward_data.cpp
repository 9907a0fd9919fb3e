// Backward data: an operation of each family of kernels.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"

#include "fuzz/tunings.hpp"
#include "tables/wgmma.hpp"

namespace ck::fuzz {

const Direction direction = Direction::backward_data;

namespace {

namespace layout = tensor_layout::convolution; // tensors lie as their strides say

template <std::size_t rank, class T, GemmTuning tuning, std::size_t d_count, class Compute>
using GroupedOp = device::DeviceGroupedConvBwdDataImplicitGemm<
    static_cast<index_t>(rank),
    layout::NHWGK,
    layout::GKYXC,
    Times<d_count, layout::NHWGC>,
    layout::NHWGC,
    T,
    T,
    Times<d_count, T>,
    T,
    PassThrough,
    PassThrough,
    Sum<d_count>,
    tuning,
    device::ConvolutionBackwardDataSpecialization::Default,
    Compute>;

template <std::size_t rank, class T, GemmTuning tuning, std::size_t d_count = 0, class Compute = T>
class Grouped : public Of<GroupedOp<rank, T, tuning, d_count, Compute>>
{
public:
    explicit Grouped(const char* engine)
        : Grouped::Of(traits_of<T, tuning>(engine, rank, d_count, false))
    {}

    std::unique_ptr<BaseArgument> argument(const Call& c, const Operation::Pointers& p) override
    {
        const auto tensor             = [](const Lengths& v) { return array_of<index_t, rank>(v); };
        const auto dims               = [](const Spatial& v) { return array_of<index_t, rank>(v); };
        const auto& [x, w, y, d0, d1] = c.tensors;
        return this->op.MakeArgumentPointer(
            p[tensor_y],
            p[tensor_w],
            d_pointers<d_count>(p),
            p[tensor_x],
            tensor(y.lengths),
            tensor(y.strides),
            tensor(w.lengths),
            tensor(w.strides),
            d_arrays<index_t, rank, d_count>(c, &TensorArgument::lengths),
            d_arrays<index_t, rank, d_count>(c, &TensorArgument::strides),
            tensor(x.lengths),
            tensor(x.strides),
            dims(c.stride),
            dims(c.dilation),
            dims(c.pad_low),
            dims(c.pad_high),
            {},
            {},
            {});
    }
};

template <class T, GemmTuning tuning>
using ByListsOp = device::DeviceConvNdBwdDataImplicitGemm<2,
                                                          layout::NHWC,
                                                          layout::KYXC,
                                                          layout::NHWK,
                                                          T,
                                                          T,
                                                          T,
                                                          PassThrough,
                                                          PassThrough,
                                                          PassThrough,
                                                          tuning>;
template <class T, GemmTuning tuning>
class ByLists : public Of<ByListsOp<T, tuning>>
{
public:
    explicit ByLists(const char* engine) : ByLists::Of(list_traits_of<T, tuning>(engine)) {}

    std::unique_ptr<BaseArgument> argument(const Call& c, const Operation::Pointers& p) override
    {
        const ListsOf<2> lists(c);
        return this->op.MakeArgumentPointer(p[tensor_x],
                                            p[tensor_w],
                                            p[tensor_y],
                                            lists.n,
                                            lists.k,
                                            lists.c,
                                            lists.input,
                                            lists.filter,
                                            lists.output,
                                            lists.stride,
                                            lists.dilation,
                                            lists.pad_low,
                                            lists.pad_high,
                                            {},
                                            {},
                                            {});
    }
};

} // namespace

Operations make_operations()
{
    Operations all;
    add<Grouped<1, float, dl_f32>>(all, "dl_f32");
    add<Grouped<2, float, dl_f32>>(all, "dl_f32");
    add<Grouped<3, float, dl_f32>>(all, "dl_f32");
    add<ByLists<float, dl_f32>>(all, "dl_f32 by lists");
    add<Grouped<3, half_t, xdl_f16, 1>>(all, "xdl_f16 with a D tensor");
    add<Grouped<3, half_t, wmma_f16>>(all, "wmma_f16");
    add<Grouped<3, half_t, mma_f16>>(all, "mma_f16");
    add<Grouped<3, half_t, depthwise_f16>>(all, "depthwise_f16");
    add<Grouped<3, half_t, merged_f16, 2>>(all, "merged_f16 with D tensors");
    // Fed by tensor maps.
    constexpr auto f16 = tables::wgmma_f16, tf32 = tables::wgmma_tf32;
    using tables::transposed_first;
    add<Grouped<3, half_t, tables::wgmma_row(f16, 64, 64, 6, 2), 1>>(all,
                                                                     "wgmma_f16 with a D tensor");
    add<Grouped<3, half_t, tables::resident_row(f16, 128, 192, 5, 3)>>(
        all, "wgmma_f16 with kept filters");
    add<Grouped<3, half_t, tables::halo_row(f16, 2, 64, 32, 64)>>(all, "wgmma_f16 by halo tiles");
    add<Grouped<3, half_t, tables::fused_row(f16, 4, 64)>>(all, "wgmma_f16 of fused phases");
    add<Grouped<3, float, tables::columns_first_row(tf32, 64, 128, 4, 2), 0, tf32_t>>(
        all, "wgmma_tf32 columns first");
    add<Grouped<3, float, transposed_first(tables::wgmma_row(tf32, 128, 128, 6, 1)), 0, tf32_t>>(
        all, "wgmma_tf32 ahead");
    return all;
}

} // namespace ck::fuzz
