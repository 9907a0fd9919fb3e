#pragma once
// The consumer warps of GridwiseTensorMapConv: they multiply a tile's slices as they arrive and
// store C, possibly deferred until after the next tile's slices.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/work.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"

#include <limits>

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapConsumer
{
    using Params        = typename Kernel::Params;
    using SharedStorage = typename Kernel::SharedStorage;
    using Gemm          = typename Kernel::Gemm;
    using Wave          = typename Kernel::Wave;
    using Accumulator   = typename Kernel::Accumulator;
    using Slice         = typename Kernel::Slice;
    using Store         = typename Kernel::Store;
    using Deferred      = typename Kernel::Deferred;
    using Work          = TensorMapWork<Kernel, tuning>;

    static constexpr block::BlockShape shape = Kernel::shape;
    static constexpr bool by_pixels = Kernel::by_pixels, sets_rows_first = Kernel::sets_rows_first,
                          has_half_slices    = Kernel::has_half_slices,
                          has_stream_k_tail  = Kernel::has_stream_k_tail;
    static constexpr index_t deferred_passes = Kernel::deferred_passes;

    /// A sum of slices that is promoted: added to the total by CUDA cores.
    struct Promoted
    {
        decltype(Wave::c) c{};

        CK_DEVICE CK_INLINE void add(const Wave& slice)
        {
            repeat<Wave::m_tiles>([&](index_t m) {
                repeat<Wave::n_tiles>([&](index_t n) {
                    repeat<Wave::instruction.c_values>(
                        [&](index_t v) { c[m][n][v] += slice.c[m][n][v]; });
                });
            });
        }
        CK_DEVICE CK_INLINE void give(Wave& to) const
        {
            repeat<Wave::m_tiles>([&](index_t m) {
                repeat<Wave::n_tiles>([&](index_t n) { to.c[m][n] = c[m][n]; });
            });
        }
    };
    struct Nothing
    {};
    using Total = std::conditional_t<tuning.maps.promoted_accumulation, Promoted, Nothing>;

    /// A consumer warp: multiplies and stores.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared, index_t thread)
    {
        const auto at      = Gemm::place(thread);
        const index_t warp = thread / Gemm::lanes;
        const index_t a_lane =
            Wave::template lane_offset<Gemm::a_layout>(Wave::Side::m, at.wave_m, at.lane);
        const index_t b_lane =
            Wave::template lane_offset<Gemm::b_layout>(Wave::Side::n, at.wave_n, at.lane);
        const auto release = [&](index_t stage) {
            arch::wave_sync<Gemm::lanes>(); // all lanes saw it full and are done with it
            if constexpr(!Kernel::shares)
            {
                if(at.lane == 0)
                    arch::arrive(shared.empty[stage]);
            }
            else if(at.lane < Kernel::cluster_size)
                arch::arrive_in_cluster(shared.empty[stage], at.lane);
        };
        PipelineState stage;
        Work work;
        Deferred deferred;
        for(index_t number = Work::first_number(); work.find(p, number);)
        {
            if(work.slices == 0) // otherwise the first slice tells that the previous one ended
                arch::wait_for_previous_kernel();
            if constexpr(sets_rows_first)
                set_rows(p, shared, work, thread, at);
            Wave wave;
            wave.clear();
            Total total;
            index_t previous = 0;
            index_t whole    = std::numeric_limits<index_t>::max(); // slices until one that is half
            if(has_half_slices && p.half_slices)
                whole = p.tap_slices.value - 1 - work.first +
                        quotient(work.first, p.tap_slices) * p.tap_slices.value;
            for(index_t s = 0; s < work.slices; ++s)
            {
                arch::wait(shared.full[stage.index], stage.parity);
                if constexpr(Kernel::transposes)
                    arch::wait(shared.transposed[stage.index], stage.parity);
                const Slice& slice = shared.slice[stage.index];
                const auto* b      = [&] {
                    if constexpr(Kernel::resident_filters > 0)
                    {
                        arch::wait(shared.resident_full[work.first + s], 0);
                        return shared.resident.slice[work.first + s].b;
                    }
                    else
                        return slice.b;
                }();
                if(has_half_slices && whole == 0)
                    wave.template start<Gemm::a_layout, Gemm::b_layout, Kernel::half_k>(
                        slice.a + a_lane, b + b_lane);
                else
                    wave.template start<Gemm::a_layout, Gemm::b_layout, shape.k>(slice.a + a_lane,
                                                                                 b + b_lane);
                whole = whole == 0 ? p.tap_slices.value - 1 : whole - 1;
                if constexpr(tuning.maps.promoted_accumulation)
                {
                    wave.template wait_mma<0>();
                    release(stage.index);
                    total.add(wave);
                    wave.clear();
                }
                else
                {
                    wave.template wait_mma<
                        Wave::template groups<Gemm::a_layout, Gemm::b_layout, shape.k>>();
                    if(s > 0)
                        release(previous);
                    previous = stage.index;
                }
                stage.advance(tuning.stages);
                deferred.store_pass(shared.store[warp].c, shared.c_rows.c + at.wave_m, at.lane);
            }
            if constexpr(deferred_passes > 0)
            {
                deferred.store_rest(shared.store[warp].c, shared.c_rows.c + at.wave_m, at.lane);
                arch::wave_sync<Gemm::lanes>(); // the rows have been read
            }
            if constexpr(tuning.maps.promoted_accumulation)
                total.give(wave);
            else
            {
                wave.template wait_mma<0>();
                if(work.slices > 0)
                    release(previous);
            }

            // If few registers are left, positions are computed again for each tile.
            const auto to = Gemm::place(Kernel::large && by_pixels ? arch::opaque(thread) : thread);
            if constexpr(by_pixels)
                if(work.is_partial)
                {
                    Store::template store_tile<shape.n>(
                        wave,
                        shared.store[warp],
                        static_cast<Accumulator*>(p.partial_sums.base) +
                            long_index_t{work.partial} * (shape.m * shape.n),
                        to.wave_m,
                        to.wave_n,
                        to.lane);
                    continue;
                }
            const auto views = p.views(work.tile);
            if constexpr(!sets_rows_first)
                set_rows(p, shared, work, thread, to);
            if(has_stream_k_tail && work.is_partial)
                Store::store_partial(wave,
                                     shared.store[warp],
                                     shared.c_rows,
                                     p,
                                     work.partial,
                                     work.tile.phase_index,
                                     to.wave_m,
                                     work.first_column + to.wave_n,
                                     to.lane);
            else if constexpr(deferred_passes > 0)
            {
                const index_t column = work.first_column + to.wave_n,
                              end    = views.c.template extent<1>();
                Store::apply_epilogue(wave,
                                      shared.store[warp],
                                      shared.c_rows,
                                      p,
                                      views,
                                      work.tile,
                                      to.wave_m,
                                      column,
                                      end,
                                      to.lane);
                deferred.defer(wave,
                               shared.store[warp].c,
                               shared.c_rows.c + to.wave_m,
                               Store::base(p, work.tile),
                               column,
                               end,
                               to.lane);
            }
            else
                Store::run(wave,
                           shared.store[warp],
                           shared.c_rows,
                           p,
                           views,
                           work.tile,
                           to.wave_m,
                           work.first_column + to.wave_n,
                           to.lane);
            if(deferred_passes == 0 || work.is_partial)
                arch::wave_sync<Gemm::lanes>(); // the rows have been read
        }
        deferred.store_rest(shared.store[warp].c, shared.c_rows.c + at.wave_m, at.lane);
    }

private:
    /// Sets the entries of the row table that the thread's wave, or the block, uses to store.
    CK_DEVICE CK_INLINE static void set_rows(const Params& p,
                                             SharedStorage& shared,
                                             const Work& work,
                                             index_t thread,
                                             const typename Gemm::Place& at)
    {
        const auto views = p.views(work.tile);
        if constexpr(Kernel::same_rows)
        {
            shared.multiplying.arrive_and_wait(); // the previous tile's rows have been read
            for(index_t r = thread; r < shape.m; r += Kernel::consumers)
                set_row(shared.c_rows, r, r, p, views, work);
            shared.multiplying.arrive_and_wait();
        }
        else
        {
            if(at.lane < shape.wave_m)
                set_row(shared.c_rows,
                        at.wave_m + at.lane,
                        Wave::row(at.wave_m, at.lane),
                        p,
                        views,
                        work);
            arch::wave_sync<Gemm::lanes>();
        }
    }

    /// Sets entry `to` of the table to row r of the tile.
    template <class Views>
    CK_DEVICE CK_INLINE static void set_row(typename Store::Rows& rows,
                                            index_t to,
                                            index_t r,
                                            const Params& p,
                                            const Views& views,
                                            const Work& work)
    {
        if constexpr(has_stream_k_tail)
            if(work.is_partial)
            {
                rows.c[to] =
                    Store::partial_row(p, work.first_row + r, work.rows, p.items.first_row);
                return;
            }
        if(Params::Ds::count == 0 && p.row_stride > 0)
            rows.c[to] = work.first_row + r < work.rows
                             ? static_cast<arch::offset_t>(work.first_row + r) *
                                   static_cast<arch::offset_t>(p.row_stride)
                             : arch::nowhere;
        else
            rows.set(to, p, views, work.first_row + r);
    }
};

} // namespace ck::grid
