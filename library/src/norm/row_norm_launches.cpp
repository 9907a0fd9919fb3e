// The kernels of layer norm and RMS norm over the channels of each pixel, for each type: forward
// takes one launch, backward one, and another one if it computes gradients of weight or bias.
#include "ck/tensor_operation/gpu/norm/row_norm.hpp"
#include "ck/tensor_operation/gpu/norm/row_norm_gradient.hpp"

#include "norm/group_norm_launches.hpp"
#include "norm/group_norm_params.hpp"
#include <cmath>

namespace ck::norm {

namespace {

template <class Kernel>
RowTiling tiling(const GroupNormSpec& spec)
{
    return RowTiling::make<Kernel>(spec.images * spec.pixels, static_cast<index_t>(spec.channels));
}

/// Calls f(kernel) with the one for a norm: Kernel<type of elements, type of sums, vectors of a
/// thread, whether the row consists of whole vectors and fits>.
template <template <class, class, index_t, bool> class Kernel, class F>
void with_kernel(const GroupNormSpec& spec, const F& f)
{
    with_type(spec.type, [&]<class T>(T) {
        using Acc           = AccOf<T>;
        constexpr auto most = Kernel<T, Acc, 2, true>::most_vectors;
        using Most          = Kernel<T, Acc, most, true>;
        if(!loads_vectors<Most>(spec, sizeof(T)) || spec.channels > Most::most_channels)
            return f(Kernel<T, Acc, 2, false>{});
        // In braces: nvcc 13 discards what follows a switch without them, too.
        if constexpr(!std::is_same_v<T, double>) // of which there are few
        {
            switch(RowTiling::lanes_of(static_cast<index_t>(spec.channels), Most::vector, most)
                       .vectors)
            {
            case 2:
                return f(Kernel<T, Acc, 2, true>{});
            case 3:
                return f(Kernel<T, Acc, 3, true>{});
            }
        }
        f(Most{});
    });
}

template <class Acc>
RowStatistics<Acc> statistics_of(const GroupNormSpec& spec)
{
    constexpr Acc infinity = std::numeric_limits<Acc>::infinity();
    const Acc part         = Acc(1) / static_cast<Acc>(spec.channels);
    if(spec.kind == NormKind::l2)
    {
        const double most = std::sqrt(static_cast<double>(spec.channels)) / spec.epsilon;
        return {false, part, Acc(0), spec.epsilon == 0 ? infinity : static_cast<Acc>(most)};
    }
    return {spec.kind == NormKind::layer, part, static_cast<Acc>(spec.epsilon), infinity};
}

template <class Acc>
Acc* means(const GroupNormSpec& spec, const GroupNormTensors& given)
{
    return spec.kind == NormKind::layer ? static_cast<Acc*>(given.mean) : nullptr;
}

template <class T, class Acc, index_t count, bool whole>
void run(RowNorm<T, Acc, count, whole>, const GroupNormSpec& spec, const GroupNormTensors& given)
{
    using Kernel      = RowNorm<T, Acc, count, whole>;
    const RowTiling t = tiling<Kernel>(spec);
    launch<Kernel>(t.blocks,
                   {t,
                    statistics_of<Acc>(spec),
                    static_cast<const T*>(given.x),
                    parameters<T>(spec, given.weight),
                    parameters<T>(spec, given.bias),
                    static_cast<T*>(given.y),
                    means<Acc>(spec, given),
                    static_cast<Acc*>(given.inverse_deviation),
                    activation_of<Acc>(spec)},
                   given.stream);
}

template <class T, class Acc, index_t count, bool whole>
void run(RowNormGradient<T, Acc, count, whole>,
         const GroupNormSpec& spec,
         const GroupNormTensors& given)
{
    using First             = RowNormGradient<T, Acc, count, whole>;
    using Sums              = OfChannels<Acc, StoreRowGradients<T, Acc>>;
    const RowTiling t       = tiling<First>(spec);
    const bool has_channels = given.d_weight != nullptr || given.d_bias != nullptr;
    auto* const partial     = has_channels ? static_cast<Acc*>(given.workspace) : nullptr;
    launch<First>(t.blocks,
                  {t,
                   statistics_of<Acc>(spec),
                   static_cast<const T*>(given.x),
                   static_cast<const T*>(given.dy),
                   activation_of<Acc>(spec),
                   static_cast<T*>(given.dx),
                   means<Acc>(spec, given),
                   static_cast<const Acc*>(given.inverse_deviation),
                   parameters<T>(spec, given.weight),
                   parameters<T>(spec, given.bias),
                   partial},
                  given.stream);
    if(!has_channels)
        return;
    const auto second =
        combined<Sums>(t.blocks,
                       {partial,
                        t.blocks,
                        spec.channels,
                        {parameters<T>(spec, given.d_weight), parameters<T>(spec, given.d_bias)}});
    launch<Combine<Sums>>(Combine<Sums>::grid_size(second), second, given.stream);
}

} // namespace

std::size_t row_workspace_size(const GroupNormSpec& spec)
{
    std::size_t bytes = 0;
    with_kernel<RowNormGradient>(
        spec,
        [&]<class T, class Acc, index_t count, bool whole>(RowNormGradient<T, Acc, count, whole>) {
            const RowTiling t = tiling<RowNormGradient<T, Acc, count, whole>>(spec);
            bytes             = sizeof(Acc) * 2 * static_cast<std::size_t>(t.blocks) *
                    static_cast<std::size_t>(t.channels);
        });
    return bytes;
}

void row_forward(const GroupNormSpec& spec, const GroupNormTensors& tensors)
{
    with_kernel<RowNorm>(spec, [&](auto kernel) { run(kernel, spec, tensors); });
}
void row_backward(const GroupNormSpec& spec, const GroupNormTensors& tensors)
{
    with_kernel<RowNormGradient>(spec, [&](auto kernel) { run(kernel, spec, tensors); });
}

} // namespace ck::norm
