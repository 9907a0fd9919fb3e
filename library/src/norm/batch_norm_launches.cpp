// The kernels of batch norm, for each type: forward and backward take three launches each,
// inference takes one.
#include "norm/batch_norm_launches.hpp"

#include "ck/tensor_operation/gpu/norm/apply.hpp"
#include "ck/tensor_operation/gpu/norm/batch_norm.hpp"
#include "ck/tensor_operation/gpu/norm/gradient_apply.hpp"
#include "ck/tensor_operation/gpu/norm/gradient_sums.hpp"
#include "ck/tensor_operation/gpu/norm/statistics.hpp"

#include "norm/gradients.hpp"
#include <algorithm>

namespace ck::norm {

namespace {

template <class Kernel>
Tiling tiling(const BatchNormSpec& spec, std::size_t bytes_of_element)
{
    return Tiling::make(spec.rows,
                        spec.channels,
                        Kernel::vector,
                        Kernel::min_blocks_per_cu,
                        loads_vectors<Kernel>(spec, bytes_of_element));
}

template <class Acc, class Finish>
void combine(const Tiling& t,
             const Acc* partial,
             const typename Finish::Params& finish,
             void* stream)
{
    using Kernel = Combine<OfChannels<Acc, Finish>>;
    const typename Kernel::Params p{Kernel::lanes(t.ranges),
                                    {partial, t.ranges, t.channels, finish}};
    launch<Kernel>(Kernel::grid_size(p), p, stream);
}

template <class T>
void forward(const BatchNormSpec& spec, const BatchNormTensors& given)
{
    using Acc      = AccOf<T>;
    using First    = Statistics<T, Acc>;
    using Last     = Apply<T, Acc>;
    const auto acc = [](const void* p) { return static_cast<const Acc*>(p); };
    const auto out = [](void* p) { return static_cast<Acc*>(p); };
    const Tiling t = tiling<First>(spec, sizeof(T));
    const auto* x  = static_cast<const T*>(given.x);
    const Workspace<Acc> workspace(t, given.workspace);
    Acc *const scale = workspace.channels[0], *const shift = workspace.channels[1],
               *const pivot = workspace.channels[2];
    launch<First>(t.grid_size(), {t, x, pivot, workspace.partial}, given.stream);
    combine<Acc, FinishForward<Acc>>(t,
                                     workspace.partial,
                                     {pivot,
                                      acc(given.weight),
                                      acc(given.bias),
                                      out(given.mean),
                                      out(given.inverse_deviation),
                                      out(given.running_mean),
                                      out(given.running_variance),
                                      scale,
                                      shift,
                                      static_cast<double>(spec.rows),
                                      spec.epsilon,
                                      given.momentum},
                                     given.stream);
    const Tiling last = tiling<Last>(spec, sizeof(T));
    launch<Last>(last.grid_size(),
                 {last,
                  x,
                  static_cast<const T*>(given.residual),
                  static_cast<T*>(given.y),
                  acc(given.mean),
                  scale,
                  shift,
                  nullptr,
                  Acc(0),
                  activation_of<Acc>(spec)},
                 given.stream);
}

template <class T>
void backward(const BatchNormSpec& spec, const BatchNormTensors& given)
{
    using Acc      = AccOf<T>;
    using First    = GradientSums<T, Acc>;
    using Last     = GradientApply<T, Acc>;
    const auto acc = [](const void* p) { return static_cast<const Acc*>(p); };
    const auto out = [](void* p) { return static_cast<Acc*>(p); };
    const Tiling t = tiling<First>(spec, sizeof(T));
    const auto* x  = static_cast<const T*>(given.x);
    const Workspace<Acc> workspace(t, given.workspace);
    Acc *const scale = workspace.channels[0], *const slope = workspace.channels[1],
               *const constant = workspace.channels[2];
    const auto gradient        = first_gradient<T, true>(spec, given);
    auto* const d_residual     = static_cast<T*>(given.d_residual);
    launch<First>(t.grid_size(),
                  {t,
                   x,
                   gradient,
                   d_residual,
                   acc(given.mean),
                   acc(given.inverse_deviation),
                   acc(given.weight),
                   acc(given.bias),
                   workspace.partial},
                  given.stream);
    combine<Acc, FinishBackward<Acc>>(t,
                                      workspace.partial,
                                      {acc(given.weight),
                                       acc(given.inverse_deviation),
                                       out(given.d_weight),
                                       out(given.d_bias),
                                       scale,
                                       slope,
                                       constant,
                                       static_cast<double>(spec.rows)},
                                      given.stream);
    launch<Last>(t.grid_size(),
                 {t,
                  x,
                  last_gradient(gradient, d_residual),
                  static_cast<T*>(given.dx),
                  acc(given.mean),
                  acc(given.bias),
                  scale,
                  slope,
                  constant},
                 given.stream);
}

template <class T>
void inference(const BatchNormSpec& spec, const BatchNormTensors& given)
{
    using Acc           = AccOf<T>;
    using Kernel        = Apply<T, Acc>;
    const auto acc      = [](const void* p) { return static_cast<const Acc*>(p); };
    const auto launched = [&]<class Tiling>(const Tiling& t) {
        launch<Apply<T, Acc, Tiling>>(t.grid_size(),
                                      {t,
                                       static_cast<const T*>(given.x),
                                       static_cast<const T*>(given.residual),
                                       static_cast<T*>(given.y),
                                       acc(given.running_mean),
                                       acc(given.weight),
                                       acc(given.bias),
                                       acc(given.running_variance),
                                       static_cast<Acc>(spec.epsilon),
                                       activation_of<Acc>(spec)},
                                      given.stream);
    };
    Tiling t               = tiling<Kernel>(spec, sizeof(T));
    const long_index_t gap = spec.x_stride == 0 ? 0 : spec.x_stride - spec.channels;
    if(gap == 0)
        return launched(t);
    t.vectors = t.vectors && gap % Kernel::vector == 0;
    launched(StridedTiling{t, gap});
}

} // namespace

std::size_t workspace_size(const BatchNormSpec& spec)
{
    std::size_t bytes = 0;
    with_type(spec.type, [&]<class T>(T) {
        using Acc = AccOf<T>;
        bytes     = sizeof(Acc) *
                std::max(Workspace<Acc>::elements(tiling<Statistics<T, Acc>>(spec, sizeof(T))),
                         Workspace<Acc>::elements(tiling<GradientSums<T, Acc>>(spec, sizeof(T))));
    });
    return bytes;
}

void forward(const BatchNormSpec& spec, const BatchNormTensors& tensors)
{
    with_type(spec.type, [&]<class T>(T) { forward<T>(spec, tensors); });
}
void backward(const BatchNormSpec& spec, const BatchNormTensors& tensors)
{
    with_type(spec.type, [&]<class T>(T) { backward<T>(spec, tensors); });
}
void inference(const BatchNormSpec& spec, const BatchNormTensors& tensors)
{
    with_type(spec.type, [&]<class T>(T) { inference<T>(spec, tensors); });
}

} // namespace ck::norm
