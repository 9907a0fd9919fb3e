// The kernels of max pooling, for each type: with vectors of channels, and for other numbers of
// channels and alignments with single ones.
#include "pool/max_pool_launches.hpp"

#include "ck/tensor_operation/gpu/pool/max_pool.hpp"

#include "norm/launch.hpp"
#include <algorithm>

namespace ck::pool {

namespace {

Geometry geometry_of(const MaxPoolSpec& s)
{
    const auto extent = [&](std::size_t d) {
        return Extent{static_cast<index_t>(s.input[d]),
                      static_cast<index_t>(s.output[d]),
                      static_cast<index_t>(s.window[d]),
                      static_cast<index_t>(s.strides[d]),
                      static_cast<index_t>(s.pads[d]),
                      static_cast<index_t>(s.dilations[d])};
    };
    return {s.channels, extent(0), extent(1), extent(2)};
}

template <class Kernel>
void launch(const MaxPoolSpec& spec,
            const MaxPoolSpec::Lengths& result,
            const typename Kernel::Params& params,
            void* stream)
{
    const long_index_t threads =
        spec.images * result[0] * result[1] * result[2] * (spec.channels / Kernel::vector);
    norm::launch<Kernel>(static_cast<index_t>((threads - 1) / block_size + 1), params, stream);
}

/// f(T(), vector): the type of elements, and channels of a thread as an std::integral_constant.
template <class F>
void with_vector(const MaxPoolSpec& spec, const F& f)
{
    norm::with_type(spec.type, [&]<class T>(T) {
        constexpr index_t vector = 16 / static_cast<index_t>(sizeof(T));
        if(norm::loads_vectors<MaxPool<T, vector>>(spec, sizeof(T)))
            f(T{}, std::integral_constant<index_t, vector>{});
        else
            f(T{}, std::integral_constant<index_t, 1>{});
    });
}

} // namespace

void forward(const MaxPoolSpec& spec, const MaxPoolTensors& t)
{
    with_vector(spec, [&]<class T, index_t vector>(T, std::integral_constant<index_t, vector>) {
        launch<MaxPool<T, vector>>(spec,
                                   spec.output,
                                   {geometry_of(spec),
                                    spec.images,
                                    static_cast<const T*>(t.x),
                                    static_cast<T*>(t.y),
                                    static_cast<std::uint8_t*>(t.taps)},
                                   t.stream);
    });
}

void backward(const MaxPoolSpec& spec, const MaxPoolTensors& t)
{
    with_vector(spec, [&]<class T, index_t vector>(T, std::integral_constant<index_t, vector>) {
        launch<MaxPoolGradient<T, vector>>(spec,
                                           spec.input,
                                           {geometry_of(spec),
                                            spec.images,
                                            static_cast<const T*>(t.dy),
                                            static_cast<const std::uint8_t*>(t.taps),
                                            static_cast<T*>(t.dx)},
                                           t.stream);
    });
}

} // namespace ck::pool
