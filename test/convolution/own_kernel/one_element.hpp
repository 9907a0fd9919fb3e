#pragma once
// A kernel that stands outside of the library, in one file: docs/howto/add_a_kernel.md.
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"

#include <string>

namespace own {

using namespace ck;

/// A value of Pipeline that no other kernel of the program has.
inline constexpr Pipeline one_element{static_cast<int>(Pipeline::other) + 1};

/// Forward and backward data. Each thread computes one element of C, products and sums as floats.
template <class Transform, class Types, GemmTuning tuning>
struct OneElement
{
    using Params = grid::ConvParams<Transform, Types>;
    struct SharedStorage
    {};

    static constexpr index_t block_size            = tuning.block_tile.m * tuning.block_tile.n;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const grid::TileMap::Tile tile = p.tiles(arch::block_index());
        const auto views               = p.views(tile); // A [row, tap, k], B [column, tap, k], C
        const index_t thread           = arch::thread_index(),
                      row = tile.row_tile * tuning.block_tile.m + thread / tuning.block_tile.n,
                      column =
                          tile.column_tile * tuning.block_tile.n + thread % tuning.block_tile.n;
        if(row >= views.c.template extent<0>() || column >= views.c.template extent<1>())
            return;
        const auto *a = begin(p.a, p.a_distance, tile), *b = begin(p.b, p.b_distance, tile);
        float sum = 0;
        for(index_t tap = 0; tap < views.a.template extent<1>(); ++tap)
            for(index_t k = 0; k < views.a.template extent<2>(); ++k)
                if(const auto at = views.a(row, tap, k); at.valid) // else it is padding
                    sum += type_convert<float>(a[at.offset]) *
                           type_convert<float>(b[views.b(column, tap, k).offset]);
        p.operation_c(begin(p.c, p.c_distance, tile)[views.c(row, column).offset], sum);
    }

private:
    /// Where the tile's group and sub-batch begin.
    template <class T>
    CK_DEVICE CK_INLINE static T*
    begin(T* tensor, const grid::Distance& d, const grid::TileMap::Tile& tile)
    {
        return tensor + tile.group * d.group + tile.sub_batch * d.sub_batch;
    }
};

} // namespace own

namespace ck::tensor_operation::device {

/// The launcher: what differs from Launcher, and how long the kernel takes.
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvOneElement
    : Launcher<Direction, Types, tuning, own::OneElement<Transform, Types, tuning>>
{
    using Plan = LaunchPlan<ConvArgument<Types>, grid::ConvParams<Transform, Types>>;

    static Support check(const ConvProblem& p, index_t /*sub_batches*/)
    {
        const long_index_t taps = p.filter[0] * p.filter[1] * p.filter[2];
        return taps <= 1000 ? Support{}
                            : refused("the filter has " + std::to_string(taps) +
                                      " taps, but this kernel is slow from 1000 on");
    }
    static double predict(const Plan& plan, double /*bytes*/, double)
    {
        return flops(plan.problem) / plan.compute_units; // clock cycles
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<own::one_element, Direction, Transform, Types, tuning>
{
    using type = ConvOneElement<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not()
    {
        return Transform::Phase::A::structure.tops != 3 ? "it is for forward and backward data"
               : tuning.a_vector != 1 || tuning.b_vector != 1 || tuning.c_vector != 1
                   ? "threads load and store single elements"
               : tuning.block_tile.m * tuning.block_tile.n != block_size(tuning)
                   ? "a thread computes one element"
                   : nullptr;
    }
};

} // namespace ck::tensor_operation::device
