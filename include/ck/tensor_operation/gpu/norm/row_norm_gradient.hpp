#pragma once
// Backward of layer norm and RMS norm over the channels of each pixel. The first launch computes
// dx, and sums the gradients of weight and bias over the rows of each block; it reads x and dy once
// and writes dx once, if a row fits into the registers of its threads. The second adds the sums of
// the blocks.
#include "ck/arch/kernel.hpp"
#include "ck/tensor_operation/gpu/norm/activation.hpp"
#include "ck/tensor_operation/gpu/norm/batch_norm.hpp"
#include "ck/tensor_operation/gpu/norm/row_tiling.hpp"
#include "ck/tensor_operation/gpu/norm/sums.hpp"

namespace ck::norm {

/// count: vectors of each thread. whole: see RowPart.
template <class T, class Acc, index_t count, bool whole>
struct RowNormGradient
{
    static constexpr index_t block_size            = norm::block_size;
    static constexpr index_t min_blocks_per_cu     = 2;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector = wide_vector<T>, vectors = count,
                             most_vectors = !whole           ? count
                                            : sizeof(T) == 2 ? 3
                                                             : 4;
    /// If whole: their weights and biases fit into LDS.
    static constexpr index_t most_channels    = (16 << 10) / sizeof(Acc);
    static constexpr long_index_t most_blocks = 132 * min_blocks_per_cu; // an H200's

    struct Params
    {
        RowTiling tiling;
        RowStatistics<Acc> statistics;
        const T* x;
        const T* dy;
        Activation<Acc> activation;
        T* dx;
        const Acc* mean; ///< null: 0
        const Acc* inverse_deviation;
        Parameters<T, Acc> weight; ///< or null
        Parameters<T, Acc> bias;   ///< or null
        Acc* partial; ///< [blocks][2][channels], written: terms of d_bias and d_weight; or null
    };
    struct SharedStorage
    {
        RowSums<Acc> rows;
        union
        {
            BlockSums<Acc, vector> channels;
            RowParameters<T, Acc, whole ? most_channels : 0> parameters;
        };
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const Part part{p.tiling};
        if constexpr(whole)
        {
            shared.parameters.fill(p.weight, p.bias, p.tiling.channels);
            arch::block_sync();
        }
        /// weight or bias of a piece of a vector; `missing` if it is null.
        const auto parameters = [&](Values& to, bool is_bias, index_t first, index_t q, index_t n) {
            if constexpr(whole)
                shared.parameters.load(to, is_bias, first + q * Part::piece);
            else
                part.parameters(
                    to, is_bias ? p.bias : p.weight, first, q, n, is_bias ? Acc(0) : Acc(1));
        };
        index_t call = 0;
        Acc of_channels[count][2][vector]{};
        bool is_first = true; // row of the block
        each_row(p.tiling, [&](long_index_t row, bool exists, long_index_t) {
            const long_index_t at = row * p.tiling.channels;
            const Acc mean        = p.mean == nullptr ? Acc(0) : p.mean[row],
                      inverse     = p.inverse_deviation[row];
            Elements x[count], dy[count];
            const auto load = [&](index_t chunk) {
                part.load(x, p.x + at, chunk);
                part.load(dy, p.dy + at, chunk);
            };
            if constexpr(whole)
                load(0);
            /// Calls use(v, first channel, channels) for all vectors of the row, and done(chunk).
            const auto each = [&](const auto& use, const auto& done) {
                CK_NOT_UNROLLED
                for(index_t chunk = 0; chunk < (whole ? 1 : p.tiling.chunks); ++chunk)
                {
                    if constexpr(!whole)
                        load(chunk);
                    part.each(chunk, use);
                    done(chunk);
                }
            };
            /// Calls use(q, normalized x, dz, weight) for the pieces of a vector.
            const auto of_pieces = [&](index_t v, index_t first, index_t n, const auto& use) {
                repeat<Part::pieces>([&](index_t q) {
                    Values normal, weight, dz;
                    Part::values(normal, x[v], q);
                    repeat<Part::piece>(
                        [&](index_t e) { normal[e] = (normal[e] - mean) * inverse; });
                    Part::values(dz, dy[v], q);
                    parameters(weight, false, first, q, n);
                    if(p.activation.function != Function::none)
                    {
                        Values z;
                        parameters(z, true, first, q, n);
                        repeat<Part::piece>([&](index_t e) { z[e] += normal[e] * weight[e]; });
                        p.activation.backward(dz, z);
                    }
                    use(q, normal, dz, weight);
                });
            };
            Acc sum[2]{}; // of dz * weight, and of that times the normalized x
            each(
                [&](index_t v, index_t first, index_t n) {
                    of_pieces(v,
                              first,
                              n,
                              [&](index_t q,
                                  const Values& normal,
                                  const Values& dz,
                                  const Values& weight) {
                                  repeat<Part::piece>([&](index_t e) {
                                      const Acc d = dz[e] * weight[e];
                                      sum[0] += Part::has(q, e, n) ? d : Acc(0);
                                      sum[1] += Part::has(q, e, n) ? d * normal[e] : Acc(0);
                                      const index_t i = q * Part::piece + e;
                                      of_channels[v][0][i] += exists ? dz[e] : Acc(0);
                                      of_channels[v][1][i] += exists ? dz[e] * normal[e] : Acc(0);
                                  });
                              });
                },
                [&](index_t chunk) {
                    if(!whole && p.tiling.chunks > 1 && p.partial != nullptr)
                        add(p, part, chunk, is_first, of_channels);
                });
            is_first = false;
            repeat<count>([&](index_t v) { arch::forget(x[v]), arch::forget(dy[v]); });
            shared.rows.add(sum, p.tiling.lanes, call);
            const Acc centre = p.statistics.centers ? p.statistics.mean(sum[0]) : Acc(0),
                      slope  = p.statistics.is_limit(inverse) ? Acc(0) : p.statistics.mean(sum[1]);
            each(
                [&](index_t v, index_t first, index_t n) {
                    of_pieces(v,
                              first,
                              n,
                              [&](index_t q,
                                  const Values& normal,
                                  const Values& dz,
                                  const Values& weight) {
                                  Values dx;
                                  repeat<Part::piece>([&](index_t e) {
                                      dx[e] = inverse *
                                              (dz[e] * weight[e] - centre - normal[e] * slope);
                                  });
                                  Part::put(x[v], dx, q);
                              });
                    if(exists)
                        part.store(p.dx + at, first, n, x[v]);
                },
                [](index_t) {});
        });
        if((whole || p.tiling.chunks == 1) && p.partial != nullptr)
            repeat<count>([&](index_t v) {
                arch::block_sync(); // the previous sums were read
                shared.channels.store({p.tiling.lanes, p.tiling.row_lanes(), whole},
                                      v * p.tiling.lanes * vector,
                                      p.tiling.channels,
                                      of_channels[v],
                                      partial_of_block(p));
            });
    }

private:
    using Part     = RowPart<T, Acc, count, whole>;
    using Elements = typename Part::Elements;
    using Values   = typename Part::Values;

    CK_DEVICE CK_INLINE static Acc* partial_of_block(const Params& p)
    {
        return p.partial + long_index_t{arch::block_index()} * 2 * p.tiling.channels;
    }
    /// Adds a row's terms to the block's sums, and sets them to 0. A block has one row at a time.
    CK_DEVICE CK_INLINE static void add(const Params& p,
                                        const Part& part,
                                        index_t chunk,
                                        bool is_first,
                                        Acc (&sum)[count][2][vector])
    {
        part.each(chunk, [&](index_t v, index_t first, index_t n) {
            repeat<2>([&](index_t s) {
                Acc* const to = partial_of_block(p) + s * p.tiling.channels;
                repeat<vector>([&](index_t e) {
                    if(Part::has(0, e, n))
                    {
                        Acc& all = to[part.channel(first, e)];
                        all      = is_first ? sum[v][s][e] : all + sum[v][s][e];
                    }
                    sum[v][s][e] = Acc(0);
                });
            });
        });
    }
};

/// For OfChannels: stores the gradients of weight and bias.
template <class T, class Acc>
struct StoreRowGradients
{
    struct Params
    {
        Parameters<T, Acc> d_weight; ///< or null
        Parameters<T, Acc> d_bias;   ///< or null
    };

    CK_DEVICE CK_INLINE static void
    run(const Params& p, long_index_t c, double of_bias, double of_weight)
    {
        if(!(p.d_weight == nullptr))
            p.d_weight.store(c, static_cast<Acc>(of_weight));
        if(!(p.d_bias == nullptr))
            p.d_bias.store(c, static_cast<Acc>(of_bias));
    }
};

} // namespace ck::norm
