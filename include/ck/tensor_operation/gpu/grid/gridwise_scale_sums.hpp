#pragma once
// Makes the result of a convolution of eight-bit floats from its sums: scales, adds the bias and
// the residual, applies the activation, rounds. Another kernel finds the largest magnitude.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"
#include "ck/tensor_operation/gpu/grid/residual_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <bit>
#include <cstdint>
#include <tuple>

namespace ck::grid {

/// The largest of some magnitudes. Floats without a sign are in the order of their bits, and NaN is
/// beyond infinity: the order in which they are compared changes nothing.
template <index_t threads>
struct LargestMagnitude
{
    struct SharedStorage
    {
        std::uint32_t of_thread[threads];
    };

    CK_DEVICE CK_INLINE void add(float x)
    {
        const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
        bits                          = bits > magnitude ? bits : magnitude;
    }
    /// Thread 0 writes that of the block. All threads must call it.
    CK_DEVICE CK_INLINE void write(SharedStorage& shared, float* to) const
    {
        const index_t thread     = arch::thread_index();
        shared.of_thread[thread] = bits;
        CK_NOT_UNROLLED
        for(index_t half = threads / 2; half > 0; half /= 2)
        {
            arch::block_sync();
            if(thread >= half)
                continue;
            const std::uint32_t other = shared.of_thread[thread + half];
            if(shared.of_thread[thread] < other)
                shared.of_thread[thread] = other;
        }
        if(thread == 0)
            *to = std::bit_cast<float>(shared.of_thread[0]);
    }

    std::uint32_t bits = 0;
};

/// T: type of the result. A thread computes some vectors that are contiguous in the result.
template <class T, index_t vector>
struct GridwiseScaleSums : FlatVectors<FlatIndex<6, 3>>
{
    using Operation     = tensor_operation::element_wise::ConvEpilogue;
    using Largest       = LargestMagnitude<FlatVectors<FlatIndex<6, 3>>::block_size>;
    using SharedStorage = typename Largest::SharedStorage;

    struct Params
    {
        const float* sum;
        T* result;                      ///< is written
        const float *a_scale, *b_scale; ///< one factor each; null: 1
        const float* channel_scale;     ///< a factor of each channel of all groups; null: 1
        const float* bias;              ///< bias of each channel of all groups; null: 0
        const void* residual;           ///< at the result's offsets
        float* largest;                 ///< written for each block; null: not needed
        /// For each vector: its offset in the result, its offset among the sums, its channel.
        FlatIndex<6, 3> index;
        long_index_t sum_step; ///< among the sums, from an element of a vector to the next
        index_t channel_step;  ///< from an element of a vector to the next
        ResidualType residual_type;
        Operation operation; ///< of the scaled sum, the bias and the residual

        auto addresses() const
        {
            return std::tie(sum, result, a_scale, b_scale, channel_scale, bias, residual, largest);
        }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const float scale =
            (p.a_scale != nullptr ? *p.a_scale : 1.f) * (p.b_scale != nullptr ? *p.b_scale : 1.f);
        Vector<float, vector> sum[together];
        Vector<long_index_t, 3> at[together];
        repeat<together>([&](index_t i) {
            at[i] = place(p.index, i);
            load(p, at[i][1], sum[i]);
        });
        Largest largest;
        p.operation.with_constant_activation([&](auto activation) {
            const Operation operation = p.operation.template with<activation()>();
            repeat<together>([&](index_t i) {
                if(number(i) < p.index.count)
                    store(p, operation, scale, sum[i], at[i], largest);
            });
        });
        if(p.largest != nullptr)
            largest.write(shared, p.largest + arch::block_index());
    }

private:
    CK_DEVICE CK_INLINE static void
    load(const Params& p, long_index_t at, Vector<float, vector>& sum)
    {
        if(p.index.count == 0)
            return;
        if(vector > 1 && p.sum_step == 1)
            sum = *reinterpret_cast<const Vector<float, vector>*>(p.sum + at);
        else
            repeat<vector>([&](index_t e) { sum[e] = p.sum[at + e * p.sum_step]; });
    }

    CK_DEVICE CK_INLINE static void store(const Params& p,
                                          const Operation& operation,
                                          float scale,
                                          const Vector<float, vector>& sum,
                                          const Vector<long_index_t, 3>& at,
                                          Largest& largest)
    {
        Vector<T, vector> result;
        repeat<vector>([&](index_t e) {
            const long_index_t channel = at[2] + e * p.channel_step;
            const float of_channel =
                p.channel_scale != nullptr ? scale * p.channel_scale[channel] : scale;
            const float bias = p.bias != nullptr ? p.bias[channel] : 0.f;
            const float x    = operation.value(
                of_channel * sum[e], bias, residual_at(p.residual, p.residual_type, at[0] + e));
            largest.add(x);
            result[e] = type_convert<T>(x);
        });
        *reinterpret_cast<Vector<T, vector>*>(p.result + at[0]) = result;
    }
};

/// The largest of magnitudes, found by one block.
struct GridwiseLargest
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    using Largest       = LargestMagnitude<block_size>;
    using SharedStorage = Largest::SharedStorage;

    struct Params
    {
        const float* from;
        float* to;          ///< 0 if there are none
        long_index_t count; ///< number of magnitudes

        auto addresses() const { return std::tie(from, to); }
    };

    static constexpr bool starts_early(const Params&) { return true; }
    static constexpr long_index_t grid_size(const Params&) { return 1; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        Largest largest;
        for(long_index_t i = arch::thread_index(); i < p.count; i += block_size)
            largest.add(p.from[i]);
        largest.write(shared, p.to);
    }
};

} // namespace ck::grid
