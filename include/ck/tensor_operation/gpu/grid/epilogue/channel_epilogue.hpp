#pragma once
// Scale, bias, residual and activation in kernels without a template operation on the result. They
// are chosen at run time, so one kernel serves layers with and without them. Without them the only
// cost is a uniform branch.
#include "ck/arch/memory.hpp"
#include "ck/tensor_operation/gpu/element/channel_epilogue.hpp"
#include "ck/tensor_operation/gpu/thread/operand_copy.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"
#include "ck/tensor_operation/operator_transform/merged_forward.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <type_traits>

namespace ck::grid {

/// The form that kernels apply, in float, before the result is rounded to its type.
struct ChannelEpilogue : tensor_operation::element_wise::ChannelEpilogue
{
    using Operation = tensor_operation::element_wise::ConvEpilogue;
    using Place     = Operation::Place;

    /// The biases of n adjacent channels; zeros from channel `end` on, and if there is no bias.
    template <class Out, index_t n>
    CK_DEVICE CK_INLINE Vector<Out, n> load(index_t group, index_t channel, index_t end) const
    {
        const arch::GlobalView<const Out> view(at<Out>(group, 0));
        const index_t all = biases_before(end);
        Vector<Out, n> r;
        repeat<n>(
            [&](index_t e) { r[e] = view.template load<1>(offset<Out>(channel + e, all))[0]; });
        return r;
    }

    /// The residuals of a part of C that begins at `part`, at the same offsets as its elements.
    template <class Out>
    CK_DEVICE CK_INLINE arch::GlobalView<const Out> residuals(const Out* c, const Out* part) const
    {
        const auto* const all = static_cast<const Out*>(residual);
        return arch::GlobalView<const Out>(all == nullptr ? nullptr : all + (part - c));
    }

    /// For kernels that add no residual.
    struct NoResidual
    {};

    /// The results for n adjacent sums, whose biases load() returned. residual_of() returns the
    /// residuals; it is called only if there are any. has_gelu: else the activation is not gelu,
    /// whose code would be repeated for every sum of a loop.
    template <bool has_gelu = false, class Out, class Sum, index_t n, class Residual = NoResidual>
    CK_DEVICE CK_INLINE void
    apply(Vector<Sum, n>& sum, const Vector<Out, n>& biases, const Residual& residual_of = {}) const
    {
        if(!exists)
            return;
        repeat<n>([&](index_t e) { sum[e] = biased(sum[e], type_convert<Sum>(biases[e])); });
        const auto activate = [&] {
            with_activation<has_gelu>([&](const auto& activation) {
                repeat<n>([&](index_t e) { sum[e] = activation(sum[e]); });
            });
        };
        if constexpr(std::is_same_v<Residual, NoResidual>)
            activate();
        else
            in_order(activate, [&] {
                const Vector<Out, n> more = residual_of();
                repeat<n>([&](index_t e) { sum[e] += type_convert<Sum>(more[e]); });
            });
    }

    /// The same of `count` vectors of the same channels, with one branch for all.
    /// residual_of(number).
    template <class Out, class Sum, index_t n, index_t count, class Residual = NoResidual>
    CK_DEVICE CK_INLINE void apply(Vector<Sum, n> (&sum)[count],
                                   const Vector<Out, n>& biases,
                                   const Residual& residual_of = {}) const
    {
        if(!exists)
            return;
        repeat<count>([&](index_t i) {
            repeat<n>(
                [&](index_t e) { sum[i][e] = biased(sum[i][e], type_convert<Sum>(biases[e])); });
        });
        const auto activate = [&] {
            with_activation<false>([&](const auto& activation) {
                repeat<count>([&](index_t i) {
                    repeat<n>([&](index_t e) { sum[i][e] = activation(sum[i][e]); });
                });
            });
        };
        if constexpr(std::is_same_v<Residual, NoResidual>)
            activate();
        else
            in_order(activate, [&] {
                Vector<Out, n> more[count]; // loads that wait together
                repeat<count>([&](index_t i) { more[i] = residual_of(i); });
                repeat<count>([&](index_t i) {
                    repeat<n>([&](index_t e) { sum[i][e] += type_convert<Sum>(more[i][e]); });
                });
            });
    }

    /// The same of n sums of one channel.
    template <class Out, class Sum, index_t n, class Residual>
    CK_DEVICE CK_INLINE void
    apply_to_channel(Vector<Sum, n>& sum, const Out& one, const Residual& residual_of) const
    {
        Vector<Out, n> biases;
        repeat<n>([&](index_t e) { biases[e] = one; });
        apply(sum, biases, residual_of);
    }

    /// Applies the epilogue to all sums of a wave. column: the wave's first, in the group; columns
    /// from `end` on are outside C. side: columns of one of C's tiles if the wave has several tiles
    /// of the same columns, else 0. add_residual() adds the residuals. It is called in two
    /// places, so it must be forced inline: otherwise, nvcc keeps the sums in local memory.
    template <class Out, index_t side, class Wave, class AddResidual>
    CK_DEVICE CK_INLINE void apply(Wave& wave,
                                   index_t group,
                                   index_t column,
                                   index_t end,
                                   index_t lane,
                                   const AddResidual& add_residual) const
    {
        constexpr index_t run = Wave::run, bytes = run * static_cast<index_t>(sizeof(Out));
        constexpr index_t columns = side > 0 ? side : Wave::n_tiles * Wave::tile_n;
        const Out* const first    = at<Out>(group, column);
        if(column + columns <= biases_before(end) &&
           reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(bytes) == 0)
            add<side>(wave, lane, [&](index_t of_wave) {
                return arch::read_whole<Vector<Out, run>>(first + of_wave);
            });
        else
            add<side>(wave, lane, [&](index_t of_wave) {
                return load<Out, run>(group, column + of_wave, end);
            });
        in_order(
            [&] {
                with_activation<true>([&](const auto& activation) {
                    repeat<Wave::m_tiles>([&](index_t i) {
                        repeat<Wave::n_tiles>([&](index_t j) {
                            repeat<Wave::instruction.c_values>(
                                [&](index_t v) { wave.c[i][j][v] = activation(wave.c[i][j][v]); });
                        });
                    });
                });
            },
            add_residual);
    }

private:
    /// Where a channel's bias is; null without a bias.
    template <class Out>
    CK_DEVICE CK_INLINE const Out* at(index_t group, index_t channel) const
    {
        return bias == nullptr
                   ? nullptr
                   : static_cast<const Out*>(bias) + (long_index_t{group} * channels + channel);
    }
    /// Columns of C before `end` may have no bias: those that fill up a vector.
    CK_DEVICE CK_INLINE index_t biases_before(index_t end) const
    {
        return bias == nullptr ? 0 : math::min(end, channels);
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

    /// Calls activate() and, before or after it, add_residual() if there is a residual.
    template <class Activate, class AddResidual>
    CK_DEVICE CK_INLINE void in_order(const Activate& activate,
                                      const AddResidual& add_residual) const
    {
        if(operation.place2 == Place::before)
            add_residual();
        activate();
        if(operation.place2 == Place::after)
            add_residual();
    }

    /// Scales a wave's sums and adds the biases that get(column of the wave) returns for a run.
    template <index_t side, class Wave, class Get>
    CK_DEVICE CK_INLINE void add(Wave& wave, index_t lane, const Get& get) const
    {
        constexpr index_t run = Wave::run;
        const index_t first   = Wave::coordinate(lane, 0).n;
        repeat<Wave::n_tiles>([&](index_t j) {
            const index_t of_tile = Wave::tile_column(j) % (side > 0 ? side : 1 << 30);
            Vector<float, run> b{};
            repeat<Wave::instruction.c_values / run>([&](index_t r) {
                const index_t n = Wave::coordinate(0, r * run).n;
                if(r == 0 || n != Wave::coordinate(0, (r - 1) * run).n)
                {
                    const auto biases = get(first + (of_tile + n));
                    repeat<run>([&](index_t e) { b[e] = type_convert<float>(biases[e]); });
                }
                repeat<Wave::m_tiles>([&](index_t i) {
                    repeat<run>([&](index_t e) {
                        auto& sum = wave.c[i][j][r * run + e];
                        sum       = biased(sum, b[e]);
                    });
                });
            });
        });
    }

    template <Operation::Activation activation>
    CK_DEVICE CK_INLINE auto of() const
    {
        return [this](auto sum) { return operation.template with<activation>().activated(sum); };
    }

    /// Calls f(activation), a function of one sum whose code is repeated for every element.
    template <bool has_gelu, class F>
    CK_DEVICE CK_INLINE void with_activation(const F& f) const
    {
        using enum Operation::Activation;
        operation.with_constant_activation([&](auto activation) {
            if constexpr(activation() != none && (has_gelu || activation() != gelu))
                f(of<activation()>());
        });
    }
};

/// Whether kernels apply it. Transform must be Forward or MergedForward: kernels for dX store rows
/// without taps separately. requirement: of their instructions. AMD kernels do not apply it: some
/// have no free registers on gfx1100, and none has been timed. Types: GemmTypes.
template <class Transform, class Types>
constexpr bool has_channel_epilogue(arch::Requirement requirement)
{
#if defined(CK_LANGUAGE_HIP)
    const bool is_amd = true;
#else
    const bool is_amd = false;
#endif
    using C = typename Types::C;
    return !is_amd &&
           (std::is_same_v<Transform, Forward> ||
            std::is_same_v<Transform, MergedForward>)&&Types::Ds::Size() == 0 &&
           thread::is_identity<typename Types::OperationC> &&
           std::is_same_v<typename Types::A, C> &&
           (std::is_same_v<C, half_t> || std::is_same_v<C, bhalf_t> || std::is_same_v<C, float>)&&(
               requirement == arch::Requirement::none || requirement == arch::Requirement::wgmma ||
               arch::is_mma_sync(requirement));
}

} // namespace ck::grid
