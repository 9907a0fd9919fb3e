// The kernels of group norm, for each type: forward and backward take three launches each. The
// first and the last are batch norm's, of a matrix for each image.
#include "norm/group_norm_launches.hpp"

#include "ck/tensor_operation/gpu/norm/apply.hpp"
#include "ck/tensor_operation/gpu/norm/gradient_apply.hpp"
#include "ck/tensor_operation/gpu/norm/gradient_sums.hpp"
#include "ck/tensor_operation/gpu/norm/group_norm.hpp"
#include "ck/tensor_operation/gpu/norm/statistics.hpp"

#include "norm/gradients.hpp"
#include "norm/group_norm_params.hpp"
#include <algorithm>

namespace ck::norm {

namespace {

template <class Kernel>
ImageTiling tiling(const GroupNormSpec& spec, std::size_t bytes_of_element)
{
    return ImageTiling::make(spec.images,
                             spec.pixels,
                             spec.channels,
                             spec.groups,
                             Kernel::vector,
                             Kernel::min_blocks_per_cu,
                             loads_vectors<Kernel>(spec, bytes_of_element));
}

template <class Acc>
GroupSums<Acc> sums_of(const ImageTiling& t, const Acc* partial)
{
    return {partial, t.ranges, static_cast<index_t>(t.channels), t.groups()};
}

/// Tiling: ImageTiling, or with a residual ResidualImageTiling.
template <class T, class Tiling>
void forward(const GroupNormSpec& spec, const GroupNormTensors& given)
{
    using Acc           = AccOf<T>;
    using First         = Statistics<T, Acc, ImageTiling>;
    using Second        = Combine<GroupForward<T, Acc>>;
    using Last          = Apply<T, Acc, Tiling>;
    const ImageTiling t = tiling<First>(spec, sizeof(T));
    const auto* x       = static_cast<const T*>(given.x);
    auto* const mean    = static_cast<Acc*>(given.mean);
    const Workspace<Acc> workspace(t, given.workspace, t.images);
    Acc* const* const values = workspace.channels;
    launch<First>(t.grid_size(), {t, x, nullptr, workspace.partial}, given.stream);
    const auto second = combined<GroupForward<T, Acc>>(t.ranges * t.group,
                                                       {sums_of(t, workspace.partial),
                                                        spec.images * spec.groups,
                                                        spec.pixels,
                                                        x,
                                                        parameters<T>(spec, given.weight),
                                                        parameters<T>(spec, given.bias),
                                                        mean,
                                                        static_cast<Acc*>(given.inverse_deviation),
                                                        values[0],
                                                        values[1],
                                                        spec.epsilon});
    launch<Second>(Second::grid_size(second), second, given.stream);
    const Tiling last{tiling<Last>(spec, sizeof(T)).backwards()};
    launch<Last>(last.grid_size(),
                 {last,
                  x,
                  static_cast<const T*>(given.residual),
                  static_cast<T*>(given.y),
                  mean,
                  values[0],
                  values[1],
                  nullptr,
                  Acc(0),
                  activation_of<Acc>(spec)},
                 given.stream);
}

template <class T, class Tiling>
void backward(const GroupNormSpec& spec, const GroupNormTensors& given)
{
    using Acc    = AccOf<T>;
    using First  = GradientSums<T, Acc, Tiling>;
    using Second = CombineGradients<T, Acc>;
    using Last   = GradientApply<T, Acc, Tiling>;
    const Tiling t{tiling<First>(spec, sizeof(T))};
    const auto* const x       = static_cast<const T*>(given.x);
    const auto* const mean    = static_cast<const Acc*>(given.mean);
    const auto weight         = parameters<T>(spec, given.weight);
    const auto bias           = parameters<T>(spec, given.bias);
    const auto* const inverse = static_cast<const Acc*>(given.inverse_deviation);
    const Workspace<Acc> workspace(t, given.workspace, t.images);
    Acc* const* const values = workspace.channels;
    const auto gradient      = first_gradient<T, Tiling::has_residual>(spec, given);
    auto* const d_residual   = static_cast<T*>(given.d_residual);
    launch<First>(t.grid_size(),
                  {t, x, gradient, d_residual, mean, inverse, weight, bias, workspace.partial},
                  given.stream);
    const GroupSums<Acc> sums = sums_of(t, workspace.partial);
    const bool has_channels   = given.d_weight != nullptr || given.d_bias != nullptr;
    const auto of_groups      = combined<GroupBackward<T, Acc>>(t.ranges * t.group,
                                                           {sums,
                                                                 spec.images * spec.groups,
                                                                 spec.pixels,
                                                                 weight,
                                                                 inverse,
                                                                 values[0],
                                                                 values[1],
                                                                 values[2]});
    const auto of_channels =
        combined<ChannelGradients<T, Acc>>(t.ranges * t.images,
                                           {sums,
                                            has_channels ? spec.channels : 0,
                                            t.images,
                                            inverse,
                                            parameters<T>(spec, given.d_weight),
                                            parameters<T>(spec, given.d_bias)});
    const index_t first_blocks = Second::Groups::grid_size(of_groups);
    launch<Second>(first_blocks + Second::Channels::grid_size(of_channels),
                   {first_blocks, of_groups, of_channels},
                   given.stream);
    launch<Last>(t.grid_size(),
                 {Tiling{t.backwards()},
                  x,
                  last_gradient(gradient, d_residual),
                  static_cast<T*>(given.dx),
                  mean,
                  bias,
                  values[0],
                  values[1],
                  values[2]},
                 given.stream);
}

/// f(tiling) with the type of the spec's.
template <class F>
void with_tiling(const GroupNormSpec& spec, const F& f)
{
    if(spec.residual)
        f(ResidualImageTiling{});
    else
        f(ImageTiling{});
}

} // namespace

std::size_t group_workspace_size(const GroupNormSpec& spec)
{
    std::size_t bytes = 0;
    with_type(spec.type, [&]<class T>(T) {
        using Acc     = AccOf<T>;
        const auto of = [&](const ImageTiling& t) { return Workspace<Acc>::elements(t, t.images); };
        bytes =
            sizeof(Acc) * std::max(of(tiling<Statistics<T, Acc, ImageTiling>>(spec, sizeof(T))),
                                   of(tiling<GradientSums<T, Acc, ImageTiling>>(spec, sizeof(T))));
    });
    return bytes;
}

void group_forward(const GroupNormSpec& spec, const GroupNormTensors& tensors)
{
    with_type(spec.type, [&]<class T>(T) {
        with_tiling(spec, [&]<class Tiling>(Tiling) { forward<T, Tiling>(spec, tensors); });
    });
}
void group_backward(const GroupNormSpec& spec, const GroupNormTensors& tensors)
{
    with_type(spec.type, [&]<class T>(T) {
        with_tiling(spec, [&]<class Tiling>(Tiling) { backward<T, Tiling>(spec, tensors); });
    });
}

} // namespace ck::norm
