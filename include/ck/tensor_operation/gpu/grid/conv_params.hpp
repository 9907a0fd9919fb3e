#pragma once
// Types and launch parameters of every implicit-GEMM convolution kernel.
#include "ck/tensor_operation/gpu/block/block_gemm.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/channel_epilogue.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/d_tensors.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/partial_sums.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

#include <tuple>

namespace ck::grid {

/// Element types in memory and the element-wise operations: a and b are applied on load; c on
/// store, and it also reads the D tensors. A or B may be a Tuple, see thread::OperandSource.
///
/// ComputeA, ComputeB: types to which operands are rounded before the multiplication; the
/// instruction must represent them exactly. void: the instruction's own type.
template <class A_,
          class B_,
          class C_,
          class OperationA_,
          class OperationB_,
          class OperationC_,
          class Ds_       = Tuple<>,
          class ComputeA_ = void,
          class ComputeB_ = void>
struct GemmTypes
{
    using Ds         = Ds_;
    using ComputeA   = ComputeA_;
    using ComputeB   = ComputeB_;
    using A          = A_;
    using B          = B_;
    using C          = C_;
    using OperationA = OperationA_;
    using OperationB = OperationB_;
    using OperationC = OperationC_;
};

/// Whether A or B is contiguous along the reduction when a kernel copies it.
template <class Transform>
constexpr bool a_along_k(const GemmTuning& t)
{
    return Transform::a_along_k || t.maps.transposed_first;
}
template <class Transform>
constexpr bool b_along_k(const GemmTuning& t)
{
    return Transform::b_along_k || (t.maps.transposed_first && Transform::a_along_k);
}

/// The part of the configuration on which the block's arithmetic depends.
template <class Transform>
constexpr block::BlockShape block_shape(const GemmTuning& t)
{
    return {t.block_tile.m,
            t.block_tile.n,
            t.block_tile.k,
            t.wave_m,
            t.wave_n,
            t.a_vector,
            t.b_vector,
            a_along_k<Transform>(t) ? block::Contiguous::reduction : block::Contiguous::row,
            b_along_k<Transform>(t) ? block::Contiguous::reduction : block::Contiguous::row,
            t.pipeline == Pipeline::async_copies || t.pipeline == Pipeline::tensor_maps,
            arch::takes_shared(t.instruction),
            t.pipeline == Pipeline::tensor_maps,
            t.pipeline == Pipeline::async_copies &&
                instruction_of(t).requirement == arch::Requirement::mfma_gfx950};
}

/// Distances, in elements, between groups and between sub-batches.
struct Distance
{
    long_index_t group, sub_batch;

    /// Returns the distance from the first group and sub-batch to those of a tile.
    CK_HOST_DEVICE CK_INLINE constexpr long_index_t to(const TileMap::Tile& tile) const
    {
        // Groups and sub-batches are not negative. Unsigned products take fewer instructions.
        return static_cast<std::uint32_t>(tile.group) * group +
               static_cast<std::uint32_t>(tile.sub_batch) * sub_batch;
    }
};

/// Types: GemmTypes.
template <class Transform, class Types>
struct ConvParams
{
    using SourceA = thread::OperandSource<typename Types::A>;
    using SourceB = thread::OperandSource<typename Types::B>;
    using Ds      = DTensors<typename Types::Ds>;

    typename SourceA::Pointer a;
    typename SourceB::Pointer b;
    typename Types::C* c;
    typename Types::OperationA operation_a;
    typename Types::OperationB operation_b;
    typename Types::OperationC operation_c;
    Transform transform;
    TileMap tiles;
    Distance a_distance, b_distance, c_distance;
    DTensor d[Ds::length];
    PartialSums partial_sums; ///< where a split reduction stores them
    index_t batch;            ///< number of images
    index_t sub_batch_size;   ///< images in a sub-batch; the last one may have fewer
    ChannelEpilogue epilogue; ///< used by kernels for which has_channel_epilogue() is true

    /// The views of a tile's tensors.
    CK_DEVICE CK_INLINE auto views(const TileMap::Tile& tile) const
    {
        return transform.make_phase(tile.phase_index, images(tile));
    }
    CK_DEVICE CK_INLINE index_t images(const TileMap::Tile& tile) const
    {
        return math::min(sub_batch_size, batch - tile.sub_batch * sub_batch_size);
    }

    auto addresses() const { return std::tie(a, b, c, d, partial_sums, epilogue); }
};

} // namespace ck::grid
