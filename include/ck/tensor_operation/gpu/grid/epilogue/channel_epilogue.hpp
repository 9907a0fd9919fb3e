#pragma once
// Scale, bias and activation in kernels that have no operation on the result: chosen when they run,
// so one kernel serves layers with and without. Without, a uniform branch is all that it costs.
#include "ck/arch/memory.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"
#include "ck/tensor_operation/gpu/thread/operand_copy.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <type_traits>

namespace ck::grid {

/// result = activation(scale * sum + bias[group][channel]), computed in floats before the result is
/// rounded to its type.
struct ChannelEpilogue
{
    using Operation = tensor_operation::element_wise::ConvEpilogue;

    const void* bias = nullptr; ///< elements of the result's type, device memory; null: none
    index_t channels = 0;       ///< elements from a group's first bias to the next group's
    bool exists      = false;   ///< whether there is anything to do
    Operation operation{};      ///< its scale and its activation; its places are not looked at

    /// The biases of n neighbouring channels; zeros from channel `end` on, and without a bias.
    template <class Out, index_t n>
    CK_DEVICE CK_INLINE Vector<Out, n> load(index_t group, index_t channel, index_t end) const
    {
        const auto view   = of_group<Out>(group);
        const index_t all = bias == nullptr ? 0 : end;
        Vector<Out, n> r;
        repeat<n>(
            [&](index_t e) { r[e] = view.template load<1>(offset<Out>(channel + e, all))[0]; });
        return r;
    }

    /// What becomes of the sums of n neighbouring channels whose biases load() returned.
    template <class Out, class Sum, index_t n>
    CK_DEVICE CK_INLINE void apply(Vector<Sum, n>& sum, const Vector<Out, n>& biases) const
    {
        if(!exists)
            return;
        repeat<n>([&](index_t e) { sum[e] = biased(sum[e], type_convert<Sum>(biases[e])); });
        with_activation([&](const auto& activation) {
            repeat<n>([&](index_t e) { sum[e] = activation(sum[e]); });
        });
    }

    /// The same of n sums of one channel.
    template <class Out, class Sum, index_t n>
    CK_DEVICE CK_INLINE void apply_to_channel(Vector<Sum, n>& sum, const Out& one) const
    {
        Vector<Out, n> biases;
        repeat<n>([&](index_t e) { biases[e] = one; });
        apply(sum, biases);
    }

    /// The same of all that a wave holds of C. column: of the wave's first, in the group; those
    /// from `end` on are none of C's. side: columns of one of C's tiles where the wave has several
    /// of the same columns side by side, else 0.
    template <class Out, index_t side, class Wave>
    CK_DEVICE CK_INLINE void
    apply(Wave& wave, index_t group, index_t column, index_t end, index_t lane) const
    {
        constexpr index_t run = Wave::run, bytes = run * static_cast<index_t>(sizeof(Out));
        const bool whole_runs =
            run > 1 && end % run == 0 && column % run == 0 && channels % run == 0 &&
            reinterpret_cast<std::uintptr_t>(bias) % static_cast<std::uintptr_t>(bytes) == 0;
        if(whole_runs)
            add<Out, side, run>(wave, group, column, end, lane);
        else
            add<Out, side, 1>(wave, group, column, end, lane);
        with_activation([&](const auto& activation) {
            repeat<Wave::m_tiles>([&](index_t i) {
                repeat<Wave::n_tiles>([&](index_t j) {
                    repeat<Wave::instruction.c_values>(
                        [&](index_t v) { wave.c[i][j][v] = activation(wave.c[i][j][v]); });
                });
            });
        });
    }

private:
    template <class Out>
    CK_DEVICE CK_INLINE arch::GlobalView<const Out> of_group(index_t group) const
    {
        return arch::GlobalView<const Out>(static_cast<const Out*>(bias) +
                                           long_index_t{group} * channels);
    }
    template <class Out>
    CK_DEVICE CK_INLINE static arch::offset_t offset(index_t channel, index_t end)
    {
        return channel < end
                   ? static_cast<arch::offset_t>(channel) * static_cast<arch::offset_t>(sizeof(Out))
                   : arch::nowhere;
    }
    template <class T>
    CK_DEVICE CK_INLINE T biased(T sum, T b) const
    {
        return T(operation.scale) * sum + b;
    }

    /// Scales a wave's sums and adds the biases, loaded `together` at a time.
    template <class Out, index_t side, index_t together, class Wave>
    CK_DEVICE CK_INLINE void
    add(Wave& wave, index_t group, index_t column, index_t end, index_t lane) const
    {
        constexpr index_t run = Wave::run;
        const auto view       = of_group<Out>(group);
        const index_t all = bias == nullptr ? 0 : end, first = Wave::coordinate(lane, 0).n;
        repeat<Wave::n_tiles>([&](index_t j) {
            const index_t of_tile = Wave::tile_column(j) % (side > 0 ? side : 1 << 30);
            Vector<float, run> b{};
            repeat<Wave::instruction.c_values / run>([&](index_t r) {
                const index_t n = Wave::coordinate(0, r * run).n;
                if(r == 0 || n != Wave::coordinate(0, (r - 1) * run).n)
                    repeat<run / together>([&](index_t part) {
                        const auto some = view.template load<together>(
                            offset<Out>(column + of_tile + first + n + part * together, all));
                        repeat<together>([&](index_t e) {
                            b[part * together + e] = type_convert<float>(some[e]);
                        });
                    });
                repeat<Wave::m_tiles>([&](index_t i) {
                    repeat<run>([&](index_t e) {
                        auto& sum = wave.c[i][j][r * run + e];
                        sum       = biased(sum, b[e]);
                    });
                });
            });
        });
    }

    /// f(activation), a function of one sum. The activation is chosen once: its code stands there
    /// for every element.
    template <class F>
    CK_DEVICE CK_INLINE void with_activation(const F& f) const
    {
        using enum Operation::Activation;
        switch(operation.activation)
        {
        case none:
            break;
        case clamp:
            f(of<clamp>());
            break;
        case silu:
            f(of<silu>());
            break;
        case gelu:
            f(of<gelu>());
            break;
        }
    }
    template <Operation::Activation activation>
    CK_DEVICE CK_INLINE auto of() const
    {
        return [this](auto sum) {
            Operation chosen  = operation;
            chosen.activation = activation;
            return chosen.activated(sum);
        };
    }
};

/// Whether kernels of these types apply one. requirement: of their instructions. AMD's do not: some
/// have no registers left for it on gfx1100, and none has been timed. Types: GemmTypes.
template <class Types>
constexpr bool has_channel_epilogue(arch::Requirement requirement)
{
#if defined(CK_LANGUAGE_HIP)
    const bool is_amd = true;
#else
    const bool is_amd = false;
#endif
    using C = typename Types::C;
    return !is_amd && Types::Ds::Size() == 0 && thread::is_identity<typename Types::OperationC> &&
           std::is_same_v<typename Types::A, C> &&
           (std::is_same_v<C, half_t> || std::is_same_v<C, bhalf_t> || std::is_same_v<C, float>)&&(
               requirement == arch::Requirement::none || requirement == arch::Requirement::wgmma ||
               arch::is_mma_sync(requirement));
}

} // namespace ck::grid
