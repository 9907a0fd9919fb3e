#pragma once
// The tunings of the profiler's grouped GEMMs: from the library's tiles, one for wide loads and
// stores and one for any sizes, for the engines of the platform; on the CPU only MFMA. With
// representative instances (CK_INSTANCES) only the last one, which supports any sizes.
#include "ck/tensor_operation/gpu/device/impl/device_grouped_gemm_tuned.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "grouped_gemm_instance.hpp"
#include "tables/dl.hpp"
#include "tables/mma.hpp"
#include "tables/wmma.hpp"
#include "tables/xdl.hpp"
#include <array>
#include <type_traits>
#include <utility>

namespace ck::profiler {

namespace detail {

using namespace tables;

/// An operand that is contiguous along its rows is transposed in registers, four rows at a time.
template <class T>
constexpr Vectors gemm_vectors(bool a_row_major, bool b_row_major)
{
    constexpr index_t widest = 16 / sizeof(T);
    return {a_row_major ? widest : 4, b_row_major ? 4 : widest, widest};
}
inline constexpr Vectors any{1, 1, 1};

template <class T, bool a_row_major, bool b_row_major>
constexpr auto gemm_tunings()
{
    constexpr bool f32 = std::is_same_v<T, float>, f16 = std::is_same_v<T, half_t>,
                   bf16              = std::is_same_v<T, bhalf_t>;
    constexpr Vectors wide           = gemm_vectors<T>(a_row_major, b_row_major);
    [[maybe_unused]] constexpr Dl dl = f32 ? dl_f32 : f16 ? dl_f16 : bf16 ? dl_bf16 : dl_i8;
#if defined(CK_PLATFORM_NVIDIA)
    constexpr Matrix mma = f16 ? mma_f16 : bf16 ? mma_bf16 : mma_i8;
    if constexpr(f32)
        return std::array{dl_64x64(dl, {wide.a, wide.b, 4}), dl_64x64(dl, any)};
    else
        return std::array{mma_double_buffered(mma, {128, 64, 4 * widest(mma)}, 64, 32, wide),
                          mma_double_buffered(mma, {64, 64, 4 * widest(mma)}, 32, 32, any),
                          dl_64x64(dl, any)};
#else
    constexpr Xdl xdl = f32 ? xdl_f32 : f16 ? xdl_f16 : bf16 ? xdl_bf16 : xdl_i8;
    constexpr std::array of_xdl{xdl_128x128(xdl, wide), xdl_64x64(xdl, any)};
#if defined(CK_PLATFORM_HOST)
    return of_xdl;
#else
    if constexpr(f32)
        return join(of_xdl, std::array{dl_64x64(dl, any)});
    else
    {
        constexpr Wmma gfx11 = f16 ? wmma_gfx11_f16 : bf16 ? wmma_gfx11_bf16 : wmma_gfx11_i8;
        constexpr Wmma gfx12 = f16 ? wmma_gfx12_f16 : bf16 ? wmma_gfx12_bf16 : wmma_gfx12_i8;
        return join(of_xdl,
                    std::array{wmma_64x64(gfx11, any), wmma_64x64(gfx12, any), dl_64x64(dl, any)});
    }
#endif
#endif
}

template <class T, class ALayout, class BLayout, GemmTuning tuning>
class GroupedGemmOf final : public GroupedGemmInstance
{
    using PassThrough = tensor_operation::element_wise::PassThrough;
    using Operation =
        tensor_operation::device::DeviceGroupedGemmTuned<ALayout,
                                                         BLayout,
                                                         Tuple<>,
                                                         tensor_layout::gemm::RowMajor,
                                                         T,
                                                         T,
                                                         Tuple<>,
                                                         T,
                                                         PassThrough,
                                                         PassThrough,
                                                         PassThrough,
                                                         tuning>;

public:
    std::string name() const override { return operation_.GetTypeString(); }
    Support supports(GemmList& list) override
    {
        return {operation_.WhyNotSupported(argument(list).get())};
    }
    std::size_t workspace_bytes(GemmList& list) override
    {
        return operation_.GetWorkSpaceSize(argument(list).get());
    }
    float run(GemmList& list, void* workspace, const StreamConfig& config) override
    {
        const auto made = argument(list);
        operation_.SetWorkSpacePointer(made.get(), workspace);
        return operation_.MakeInvokerPointer()->Run(made.get(), config);
    }

private:
    auto argument(GemmList& list)
    {
        std::vector<std::array<const void*, 0>> no_d;
        return operation_.MakeArgumentPointer(list.a, list.b, no_d, list.e, list.gemms, {}, {}, {});
    }

    Operation operation_;
};

template <class T, bool a_row_major, bool b_row_major>
void append_grouped_gemms(GroupedGemms& all)
{
    using Row     = tensor_layout::gemm::RowMajor;
    using Col     = tensor_layout::gemm::ColumnMajor;
    using ALayout = std::conditional_t<a_row_major, Row, Col>;
    using BLayout = std::conditional_t<b_row_major, Row, Col>;
#if defined(CK_INSTANCES_REPRESENTATIVE)
    constexpr static std::array tunings{gemm_tunings<T, a_row_major, b_row_major>().back()};
#else
    constexpr static auto tunings = gemm_tunings<T, a_row_major, b_row_major>();
#endif
    [&]<std::size_t... i>(std::index_sequence<i...>)
    {
        (all.push_back(std::make_unique<GroupedGemmOf<T, ALayout, BLayout, tunings[i]>>()), ...);
    }
    (std::make_index_sequence<tunings.size()>{});
}

} // namespace detail

/// column_major_a: whether instances for that layout are made, too.
template <class T, bool column_major_a>
GroupedGemms make_grouped_gemms(bool a_row_major, bool b_row_major)
{
    GroupedGemms all;
    if(a_row_major && b_row_major)
        detail::append_grouped_gemms<T, true, true>(all);
    else if(a_row_major)
        detail::append_grouped_gemms<T, true, false>(all);
    else if constexpr(column_major_a)
    {
        if(b_row_major)
            detail::append_grouped_gemms<T, false, true>(all);
        else
            detail::append_grouped_gemms<T, false, false>(all);
    }
    return all;
}

} // namespace ck::profiler
