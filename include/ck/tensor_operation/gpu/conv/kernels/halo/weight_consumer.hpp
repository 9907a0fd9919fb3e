#pragma once
// The consumer warps of GridwiseHaloWeightConv: each warpgroup multiplies dY of a tile of output
// pixels with X at three taps, the columns of one instruction, and stores dW of these taps at the
// end.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

namespace ck::grid {

/// Kernel: GridwiseHaloWeightConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct HaloWeightConsumer
{
    using Wave = typename Kernel::Wave;

    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes,
                      warpgroup   = warp / Kernel::waves_of_warpgroup;
        const auto work           = Kernel::work(p);
        const HaloTiles& x        = p.halo_tiles;
        const HaloTiles::Own& own = x.own;
        const index_t first_tap   = x.line_step[1] * warpgroup;
        PipelineState stage;
        Wave wave;
        wave.clear();
        for(index_t number = work.first; number < work.end; ++number, stage.advance(p.stages))
        {
            shared.rest.pipeline.wait(stage);
            const char* const operands = shared.pool + stage.index * p.stage_bytes;
            const auto a =
                arch::SharedOperand::make(operands, a_bytes, own.group_lines * a_bytes, 0);
            const auto b =
                arch::SharedOperand::make(operands + Kernel::own_bytes + first_tap * b_bytes,
                                          b_bytes,
                                          x.group_lines * b_bytes,
                                          x.line_step[0] * b_bytes);
            wave.begin();
            unrolled<0, Kernel::sub_tiles>([&](auto u) {
                unrolled<0, HaloTiles::sub_tile / k_per_step>([&](auto s) {
                    constexpr index_t group = s * k_per_step / HaloTiles::group;
                    arch::multiply_shared<tuning.instruction, true, true>(
                        a + (u * own.sub_tile_lines + group * own.group_lines) * a_bytes,
                        b + (u * x.sub_tile_lines + group * x.group_lines) * b_bytes,
                        wave.c[0]);
                });
            });
            arch::end_multiplication_group();
            wave.template wait_mma<0>();
            shared.rest.pipeline.release(stage, lane);
        }
        store(wave, p, work, shared, warp, lane);
    }

private:
    static constexpr index_t lanes = Kernel::lanes, k_per_step = Wave::k_per_step;
    static constexpr index_t a_bytes = Kernel::a_bytes, b_bytes = Kernel::b_bytes;

    CK_DEVICE CK_INLINE static void store(
        const Wave& wave, const auto& p, const auto& work, auto& shared, index_t warp, index_t lane)
    {
        using TapWave   = typename Kernel::TapWave;
        const index_t y = work.y * Kernel::warpgroups + warp / Kernel::waves_of_warpgroup;
        if(y >= p.weight_tiles.y_taps)
            return;
        TileMap::Tile of_c{};
        of_c.split       = work.split;
        const auto views = p.views(of_c);
        unrolled<0, Kernel::taps>([&](auto i) {
            const index_t x = work.x * Kernel::taps + i;
            if(x >= p.weight_tiles.x_taps)
                return;
            const index_t column = p.weight_tiles.tap(x, y, work.z) * p.weight_tiles.in_channels;
            TapWave of_tap;
            unrolled<0, TapWave::n_tiles>(
                [&](auto j) { of_tap.c[0][j] = wave.c[0][i * TapWave::n_tiles + j]; });
            Kernel::Store::run(of_tap,
                               shared.rest.store[warp],
                               shared.rest.c_rows,
                               p,
                               views,
                               of_c,
                               warp % Kernel::waves_of_warpgroup * 16,
                               column + work.channel * Kernel::line,
                               lane,
                               column + p.weight_tiles.in_channels);
        });
    }
};

} // namespace ck::grid
