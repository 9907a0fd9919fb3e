#pragma once
// Forward of layer norm and RMS norm over the channels of each pixel, in one launch: y =
// activation((x - mean) * inverse_deviation * weight + bias). Reads x once and writes y once, if a
// row fits into the registers of its threads.
#include "ck/arch/kernel.hpp"
#include "ck/tensor_operation/gpu/norm/activation.hpp"
#include "ck/tensor_operation/gpu/norm/row_tiling.hpp"

namespace ck::norm {

/// count: vectors of each thread. whole: see RowPart.
template <class T, class Acc, index_t count, bool whole>
struct RowNorm
{
    static constexpr index_t block_size = norm::block_size;
    /// Three for fewer registers: 1024 channels of bf16 took 157 us on an H200, with two blocks
    /// 177.
    static constexpr index_t min_blocks_per_cu     = whole && count == 2 ? 3 : 2;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector = wide_vector<T>, vectors = count,
                             most_vectors = !whole           ? count
                                            : sizeof(T) == 2 ? 3
                                                             : 4;
    /// If whole, the longest row that the registers of a block's threads hold.
    static constexpr index_t most_channels = block_size * most_vectors * vector;
    /// A launch has no more: they keep an H200's multiprocessors busy, and evenly so.
    static constexpr long_index_t most_blocks = 132 * min_blocks_per_cu * (whole ? 1 : 4);

    struct Params
    {
        RowTiling tiling;
        RowStatistics<Acc> statistics;
        const T* x;
        Parameters<T, Acc> weight; ///< or null
        Parameters<T, Acc> bias;   ///< or null
        T* y;
        Acc* mean; ///< null: not stored
        Acc* inverse_deviation;
        Activation<Acc> activation;
    };
    using SharedStorage = RowSums<Acc>;

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& sums)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const Part part{p.tiling};
        index_t call = 0;
        // A thread has the same channels of every row. It loads its part of the next row early.
        typename Part::Words next[count];
        Values weights[count * Part::pieces], biases[count * Part::pieces];
        if constexpr(whole)
        {
            part.load(next, p.x + first_row(p.tiling) * p.tiling.channels);
            part.parameters(weights, p.weight, Acc(1));
            part.parameters(biases, p.bias, Acc(0));
        }
        each_row(p.tiling, [&](long_index_t row, bool exists, long_index_t row_after) {
            const T* const x = p.x + row * p.tiling.channels;
            typename Part::Elements kept[count];
            if constexpr(whole)
            {
                repeat<count>([&](index_t v) {
                    kept[v] = __builtin_bit_cast(typename Part::Elements, next[v]);
                });
                part.load(next, p.x + row_after * p.tiling.channels);
            }
            /// Calls use(v, first channel, channels) for all vectors of the row.
            const auto each = [&](const auto& use) {
                CK_NOT_UNROLLED
                for(index_t chunk = 0; chunk < (whole ? 1 : p.tiling.chunks); ++chunk)
                {
                    if constexpr(!whole)
                        part.load(kept, x, chunk);
                    part.each(chunk, use);
                }
            };
            const auto forget = [&] { repeat<count>([&](index_t v) { arch::forget(kept[v]); }); };
            Acc about{0}; // a mean, which a sum of large numbers makes inexact
            if(p.statistics.centers)
            {
                Acc sum[1]{};
                each([&](index_t v, index_t, index_t n) {
                    of_pieces(kept[v], [&](index_t q, const Values& value) {
                        repeat<Part::piece>(
                            [&](index_t e) { sum[0] += Part::has(q, e, n) ? value[e] : Acc(0); });
                    });
                });
                sums.add(sum, p.tiling.lanes, call);
                about = p.statistics.mean(sum[0]);
                forget();
            }
            Acc sum[2]{};
            each([&](index_t v, index_t, index_t n) {
                of_pieces(kept[v], [&](index_t q, const Values& value) {
                    repeat<Part::piece>([&](index_t e) {
                        const Acc d = Part::has(q, e, n) ? value[e] - about : Acc(0);
                        sum[0] += d;
                        sum[1] += d * d;
                    });
                });
            });
            sums.add(sum, p.tiling.lanes, call);
            forget();
            const Acc more    = p.statistics.centers ? p.statistics.mean(sum[0]) : Acc(0),
                      mean    = about + more,
                      rest    = more - (mean - about), // by which rounding changed the mean
                square        = p.statistics.mean(sum[1]) - more * more,
                      inverse = p.statistics.inverse(square < 0 ? Acc(0) : square);
            if(exists && part.lane == 0)
            {
                if(p.mean != nullptr)
                    p.mean[row] = mean;
                p.inverse_deviation[row] = inverse;
            }
            each([&](index_t v, index_t first, index_t n) {
                of_pieces(kept[v], [&](index_t q, const Values& value) {
                    Values z;
                    const auto scale = [&](const Values& weight, const Values& bias) {
                        repeat<Part::piece>([&](index_t e) {
                            z[e] = (value[e] - mean - rest) * inverse * weight[e] + bias[e];
                        });
                    };
                    if constexpr(whole)
                        scale(weights[v * Part::pieces + q], biases[v * Part::pieces + q]);
                    else
                    {
                        Values weight, bias;
                        part.parameters(weight, p.weight, first, q, n, Acc(1));
                        part.parameters(bias, p.bias, first, q, n, Acc(0));
                        scale(weight, bias);
                    }
                    p.activation.apply(z);
                    Part::put(kept[v], z, q);
                });
                if(exists)
                    part.store(p.y + row * p.tiling.channels, first, n, kept[v]);
            });
        });
    }

private:
    using Part   = RowPart<T, Acc, count, whole>;
    using Values = typename Part::Values;

    /// Calls use(q, values) for the pieces of a vector.
    template <class Use>
    CK_DEVICE CK_INLINE static void of_pieces(const typename Part::Elements& vector, const Use& use)
    {
        repeat<Part::pieces>([&](index_t q) {
            Values value;
            Part::values(value, vector, q);
            use(q, value);
        });
    }
};

} // namespace ck::norm
