// The launches after the kernel of a convolution of eight-bit floats with scales, for each type.
#include "rewrites/scaled_float8_launches.hpp"

#include "ck/tensor_operation/gpu/grid/gridwise_scale_sums.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/tuple.hpp"

#include "rewrites/flat_launch.hpp"
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

using Index = FlatIndex<6, 3>;

/// Calls f(type) with the type of a name; returns whether there is one.
template <class F>
bool with_type(const std::string& name, const F& f)
{
    return [&]<class... T>(Tuple<T...>) {
        return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
    }(Tuple<float, half_t, bhalf_t>{});
}

/// Adds the launch of results of T in vectors. Returns the number of its blocks.
template <class T, index_t vector>
long_index_t
scale_vectors(const ScaleLaunch& how, const Index& index, void* result, LaunchList& list)
{
    using Kernel       = grid::GridwiseScaleSums<T, vector>;
    const index_t last = index.dims - 1;
    const auto step    = [&](index_t tensor) {
        return last < 0 ? long_index_t{0} : index.stride[last][tensor] / vector;
    };
    const typename Kernel::Params params{static_cast<const float*>(how.sum),
                                         static_cast<T*>(result),
                                         static_cast<const float*>(how.a_scale),
                                         static_cast<const float*>(how.b_scale),
                                         static_cast<const float*>(how.channel_scale),
                                         static_cast<const float*>(how.bias),
                                         how.residual,
                                         static_cast<float*>(how.largest),
                                         index,
                                         step(1),
                                         static_cast<index_t>(step(2)),
                                         grid::residual_type_of(how.residual_type),
                                         how.epilogue};
    add<Kernel>(list, params);
    return Kernel::grid_size(params);
}

template <class T>
long_index_t scale_results_of(const ScaleLaunch& how, void* result, LaunchList& list)
{
    constexpr index_t vector = 4;
    if(element_count(how.lengths) == 0)
        return 0;
    const TensorStrides channel{how.lengths[2], 0, 1, 0, 0, 0};
    auto index         = Index::make(how.lengths, std::array{how.result, how.sums, channel});
    const bool aligned = is_aligned(result, vector * index_t{sizeof(T)}) &&
                         is_aligned(how.sum, vector * index_t{sizeof(float)});
    return make_vectors<vector>(index, aligned) ? scale_vectors<T, vector>(how, index, result, list)
                                                : scale_vectors<T, 1>(how, index, result, list);
}

} // namespace

index_t scaled_element_bytes(const std::string& type)
{
    index_t bytes = 0;
    with_type(type, [&]<class T>(T) { bytes = sizeof(T); });
    return bytes;
}

std::size_t bytes_of_largest(long_index_t elements)
{
    Index index{};
    index.count = elements; // with vectors there are fewer blocks
    return static_cast<std::size_t>(grid::GridwiseScaleSums<float, 1>::blocks(index)) *
           sizeof(float);
}

void scale_sums(const ScaleLaunch& how, void* result, LaunchList& list)
{
    list.changes_in_place = list.changes_in_place || how.residual == result;
    long_index_t blocks   = 0;
    const bool known =
        with_type(how.type, [&]<class T>(T) { blocks = scale_results_of<T>(how, result, list); });
    if(!known)
        throw std::runtime_error("results of " + how.type + " are not made from sums of f32");
    if(how.has_amax)
        add<grid::GridwiseLargest>(
            list, {static_cast<const float*>(how.largest), static_cast<float*>(how.amax), blocks});
}

} // namespace ck::tensor_operation::device::instance
