#pragma once
// The consumer warps of GridwiseFilterRowConv: they read X at three taps into registers, multiply
// it with dY, and store dW of these taps at the end.
#include "ck/arch/index.hpp"
#include "ck/arch/local.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/weight_tiles.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"

namespace ck::grid {

/// Kernel: GridwiseFilterRowConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct FilterRowConsumer
{
    /// A fragment is read before the multiplication with the previous
    /// one is started, which would keep the warp until it begins. A tap's first pixel is the
    /// second of the previous tap: what all taps read once is 5 % of the time.
    ///
    /// 192 accumulators leave few registers: a slice is handed back when the next one has been
    /// started, and threads find again what they are.
    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared, index_t thread)
    {
        constexpr index_t steps = pixels / 8, of_slice = steps * taps, fragments = 3;
        static_assert(of_slice % fragments == 0);
        const index_t warp = thread / lanes, lane = thread % lanes, box = warp / 2;
        const auto work       = Kernel::work(p);
        const index_t channel = Fragment::channel(lane, warp % 2);
        Wave wave[taps];
        arch::MatrixA<tuning.instruction> fragment[fragments][1];
        for(Wave& w : wave)
            w.clear();
        for(Wave& w : wave)
            w.begin(); // without it, nvcc 13 serializes multiplications
        PipelineState stage;
        // Where the slice begins in its row.
        index_t column =
            work.first * pixels - quotient(work.first * pixels, p.x.row) * p.x.row.value;
        const index_t quarter = arch::opaque(lane % 4); // index of a pair of eight pixels
        // nvcc 13 has no registers for copies that it knows to be copies.
        const auto zero    = static_cast<std::uint32_t>(arch::opaque(0));
        const auto copy_of = [&](Input x) {
            return __builtin_bit_cast(Input, __builtin_bit_cast(std::uint32_t, x) + zero);
        };
        index_t line = 0, place = 0; // line of the first pixel, and its address
        const index_t from = Kernel::a_bytes + box * p.x.lines * line_bytes;
        const auto load    = [&](auto number) { // loads a slice's fragments
            constexpr index_t step = number / taps, tap = number % taps;
            auto& to = fragment[number % fragments];
            const auto* const x =
                reinterpret_cast<const Input*>(shared.pool + stage.index * p.stage_bytes + from);
            arch::wait_multiplication_groups<fragments - 2>(); // the others do not read it
            arch::pin(to);
            if constexpr(tap == 0)
                line = 2 * (quarter + p.x.rows(column + quarter * 2 + step * 8));
            if constexpr(tap < 2)
                place = Fragment::place(line + 2 * tap + step * 8, arch::opaque(channel));
            const auto& before = fragment[(number + fragments - 1) % fragments][0];
            const auto first   = tap == 0 ? Fragment::pixel(x, place)
                                             : Vector<Input, 2>{copy_of(before[2]), copy_of(before[3])};
            const auto second  = Fragment::pixel(x, tap == 1 ? place : Fragment::next_line(place));
            to[0]              = {first[0], first[1], second[0], second[1]};
        };
        const auto start = [&](auto number, const arch::SharedOperand& b) {
            constexpr index_t step = number / taps, tap = number % taps;
            auto& of = fragment[number % fragments];
            arch::pin(of);
            wave[tap].begin();
            arch::multiply_registers<tuning.instruction, false>(
                __builtin_bit_cast(Words, of[0]),
                b + step * 32,
                reinterpret_cast<arch::MatrixC<tuning.instruction>(&)[Wave::m_tiles]>(wave[tap].c));
            arch::end_multiplication_group();
        };
        const auto wait = [&] { arch::wait(shared.rest.transposed[stage.index], stage.parity); };
        index_t left    = work.end - work.first; // slices
        if(left > 0)
        {
            wait();
            load(Number<0>{});
        }
        for(; left > 0; --left)
        {
            const auto b =
                arch::SharedOperand::make(
                    shared.pool + stage.index * p.stage_bytes, line_bytes, 8 * line_bytes, 0)
                    .of_first_lane();
            unrolled<1, of_slice>([&](auto next) {
                load(next);
                start(Number<next - 1>{}, b);
            });
            arch::wave_sync<lanes>(); // all lanes saw it full and are done with it
            // the previous stage; after the first slice, the last
            if(arch::thread_index() % lanes == 0)
                arch::arrive(
                    shared.rest.pipeline.empty[(stage.index == 0 ? p.stages : stage.index) - 1]);
            stage.advance(p.stages);
            column = p.x.next(column);
            if(left > 1)
            {
                wait();
                load(Number<0>{});
            }
            start(Number<of_slice - 1>{}, b);
        }
        for(Wave& w : wave)
            w.template wait_mma<0>();
        const auto to = Kernel::work(p, arch::opaque(arch::block_index()));
        store(wave,
              p,
              to,
              shared,
              to.channel * Kernel::channels + box * Fragment::channels + channel,
              lane);
    }

private:
    using Wave                    = typename Kernel::Wave;
    using Accumulator             = typename Kernel::Accumulator;
    using Input                   = typename Kernel::Input;
    using Fragment                = typename Kernel::Fragment;
    using C                       = typename Kernel::C;
    static constexpr index_t taps = Kernel::taps, pixels = Kernel::pixels, lanes = Kernel::lanes,
                             line_bytes = Kernel::line_bytes;
    using Words                         = Vector<std::uint32_t, 4>;

    /// Two channels of X at a time: what eight lanes have of a row is 64 bytes of two sectors.
    CK_DEVICE CK_INLINE static void store(const Wave (&wave)[taps],
                                          const auto& p,
                                          const auto& work,
                                          const auto& shared,
                                          index_t channel,
                                          index_t lane)
    {
        const WeightTiles& tiles = p.weight_tiles;
        const index_t x_tap = work.x * taps, tap = tiles.tap(x_tap, work.y, work.z);
        const auto all = [&]<class E>(const arch::GlobalView<E>& view, const auto& value_of) {
            unrolled<0, taps>([&](auto i) {
                const bool exists = channel < tiles.in_channels && x_tap + i < tiles.x_taps;
                const auto column = static_cast<arch::offset_t>(
                    ((tap + i) * tiles.in_channels + channel) * static_cast<index_t>(sizeof(E)));
                unrolled<0, Wave::m_tiles>([&](auto j) {
                    unrolled<0, 2>([&](auto e) {
                        const auto& c = wave[i].c[j][0];
                        view.template store<2>(
                            value_of(c[e], c[e + 2]),
                            exists ? shared.rest.c_rows.c[j * 8 + lane % 4 * 2 + e] + column
                                   : arch::nowhere);
                    });
                });
            });
        };
        const arch::GlobalView<Accumulator> partial(static_cast<Accumulator*>(p.partial_sums.base) +
                                                    work.split * p.partial_sums.partial);
        const auto as_they_are = [](Accumulator first, Accumulator second) {
            return Vector<Accumulator, 2>{first, second};
        };
        if constexpr(std::is_same_v<C, Accumulator> &&
                     thread::is_identity<std::remove_cvref_t<decltype(p.operation_c)>>)
            all(p.partial_sums.base != nullptr ? partial : arch::GlobalView<C>(p.c), as_they_are);
        else if(p.partial_sums.base != nullptr)
            all(partial, as_they_are);
        else
            all(arch::GlobalView<C>(p.c), [&](Accumulator first, Accumulator second) {
                Vector<C, 2> r;
                p.operation_c(r[0], first);
                p.operation_c(r[1], second);
                return r;
            });
    }
};

} // namespace ck::grid
