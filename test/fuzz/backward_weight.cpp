// Backward weight: an operation of each family of kernels.
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"

#include "fuzz/tunings.hpp"
#include "tables/wgmma.hpp"

namespace ck::fuzz {

const Direction direction = Direction::backward_weight;

namespace {

namespace layout = tensor_layout::convolution; // tensors have any strides, except for pixels

template <std::size_t rank, class T, GemmTuning tuning, bool pixels_last, class Compute>
using PlainOp = device::DeviceGroupedConvBwdWeightImplicitGemm<
    static_cast<index_t>(rank),
    std::conditional_t<pixels_last, layout::NGCHW, layout::NHWGC>,
    layout::GKYXC,
    std::conditional_t<pixels_last, layout::NGKHW, layout::NHWGK>,
    T,
    T,
    T,
    PassThrough,
    PassThrough,
    PassThrough,
    tuning,
    Compute>;

template <std::size_t rank, class T, GemmTuning tuning, std::size_t d_count>
using WithDsOp =
    device::DeviceGroupedConvBwdWeightMultipleDImplicitGemm<static_cast<index_t>(rank),
                                                            layout::NHWGC,
                                                            layout::GKYXC,
                                                            layout::NHWGK,
                                                            Times<d_count, layout::GKYXC>,
                                                            T,
                                                            T,
                                                            T,
                                                            Times<d_count, T>,
                                                            PassThrough,
                                                            Sum<d_count>,
                                                            PassThrough,
                                                            tuning>;

template <std::size_t rank, class T, GemmTuning tuning, bool pixels_last = false, class Compute = T>
class Plain : public Of<PlainOp<rank, T, tuning, pixels_last, Compute>>
{
public:
    explicit Plain(const char* engine) : Plain::Of(traits_of<T, tuning>(engine, rank, 0, false)) {}

    std::unique_ptr<BaseArgument> argument(const Call& c, const Operation::Pointers& p) override
    {
        const auto tensor             = [](const Lengths& v) { return array_of<index_t, rank>(v); };
        const auto dims               = [](const Spatial& v) { return array_of<index_t, rank>(v); };
        const auto& [x, w, y, d0, d1] = c.tensors;
        return this->op.MakeArgumentPointer(p[tensor_x],
                                            p[tensor_w],
                                            p[tensor_y],
                                            tensor(x.lengths),
                                            tensor(x.strides),
                                            tensor(w.lengths),
                                            tensor(w.strides),
                                            tensor(y.lengths),
                                            tensor(y.strides),
                                            dims(c.stride),
                                            dims(c.dilation),
                                            dims(c.pad_low),
                                            dims(c.pad_high),
                                            {},
                                            {},
                                            {},
                                            static_cast<index_t>(c.split_k));
    }
};

template <std::size_t rank, class T, GemmTuning tuning, std::size_t d_count>
class WithDs : public Of<WithDsOp<rank, T, tuning, d_count>>
{
public:
    explicit WithDs(const char* engine)
        : WithDs::Of(traits_of<T, tuning>(engine, rank, d_count, false))
    {}

    std::unique_ptr<BaseArgument> argument(const Call& c, const Operation::Pointers& p) override
    {
        const auto tensor             = [](const Lengths& v) { return array_of<index_t, rank>(v); };
        const auto dims               = [](const Spatial& v) { return array_of<index_t, rank>(v); };
        const auto& [x, w, y, d0, d1] = c.tensors;
        return this->op.MakeArgumentPointer(
            p[tensor_x],
            p[tensor_w],
            p[tensor_y],
            d_pointers<d_count>(p),
            tensor(x.lengths),
            tensor(x.strides),
            tensor(w.lengths),
            tensor(w.strides),
            tensor(y.lengths),
            tensor(y.strides),
            d_arrays<index_t, rank, d_count>(c, &TensorArgument::lengths),
            d_arrays<index_t, rank, d_count>(c, &TensorArgument::strides),
            dims(c.stride),
            dims(c.dilation),
            dims(c.pad_low),
            dims(c.pad_high),
            {},
            {},
            {},
            static_cast<index_t>(c.split_k));
    }
};

/// For parts of the sum, a store is a float, and C's vectors are along dW's channels.
constexpr GemmTuning stores(GemmTuning t, index_t c_vector)
{
    t.c_vector = c_vector;
    return t;
}

} // namespace

Operations make_operations()
{
    Operations all;
    add<Plain<1, float, dl_f32>>(all, "dl_f32");
    add<Plain<2, float, dl_f32>>(all, "dl_f32");
    add<Plain<3, float, dl_f32>>(all, "dl_f32");
    add<Plain<2, float, dl_f32, true>>(all, "dl_f32 by pixels");
    add<WithDs<3, half_t, xdl_f16, 1>>(all, "xdl_f16 with a D tensor");
    add<Plain<3, half_t, stores(wmma_f16, 4)>>(all, "wmma_f16");
    add<Plain<3, half_t, stores(mma_f16, 4)>>(all, "mma_f16");
    add<WithDs<2, float, dl_f32, 2>>(all, "dl_f32 with D tensors");
    // Fed by tensor maps.
    constexpr auto f16 = tables::wgmma_f16, tf32 = tables::wgmma_tf32;
    using tables::transposed_first;
    add<Plain<3, half_t, tables::wgmma_row(f16, 64, 64, 6, 2)>>(all, "wgmma_f16");
    add<Plain<3, half_t, tables::wgmma_row(f16, 64, 128, 8, 1, Pipeline::tensor_maps, 2)>>(
        all, "wgmma_f16 by clusters");
    add<WithDs<2, half_t, tables::wgmma_row(f16, 128, 64, 4, 2, Pipeline::async_copies), 1>>(
        all, "wgmma_f16 by copies");
    add<Plain<3, half_t, tables::halo_weight_row(f16, 32, 256)>>(all, "wgmma_f16 by halo tiles");
    add<Plain<3, float, tables::filter_row(tf32), false, tf32_t>>(all, "wgmma_tf32 by filter rows");
    add<Plain<3,
              float,
              transposed_first(tables::columns_first_row(tf32, 160, 128, 5, 1)),
              false,
              tf32_t>>(all, "wgmma_tf32 ahead");
    return all;
}

} // namespace ck::fuzz
