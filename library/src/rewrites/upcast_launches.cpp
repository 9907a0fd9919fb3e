// The launches around a convolution that computes tensors of eight bits as f16, for each type.
#include "rewrites/upcast_launches.hpp"

#include "ck/tensor_operation/gpu/grid/gridwise_convert.hpp"

#include "rewrites/flat_launch.hpp"
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

/// f(type) with the type of a name; whether there is one. Types with infinities are left out: one
/// of f16 is what was too large.
template <class F>
bool with_type(const std::string& name, const F& f)
{
    return [&]<class... T>(Tuple<T...>) {
        return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
    }(Tuple<std::int8_t, f8_t, f8_ocp_t>{});
}

template <class From, class To>
float convert(const TensorLengths& lengths,
              const void* from,
              const TensorStrides& from_strides,
              void* to,
              const TensorStrides& to_strides,
              const StreamConfig& config)
{
    return with_vectors<8>(
        lengths,
        {{{to, to_strides, sizeof(To)}, {from, from_strides, sizeof(From)}}},
        [&](auto vector, const auto& index) {
            return launch<grid::GridwiseConvert<From, To, decltype(vector)::value>>(
                {static_cast<const From*>(from), static_cast<To*>(to), index}, config);
        });
}

/// f(type) with the type of a copy's tensor. Throws std::runtime_error if it has no copies.
template <class F>
float with_type_of(const HalfCopy& how, const F& f)
{
    float time = 0;
    if(!with_type(how.type, [&](auto type) { time = f(type); }))
        throw std::runtime_error("tensors of " + how.type + " are not copied to f16");
    return time;
}

} // namespace

bool has_half_copies(const std::string& type)
{
    return with_type(type, [](auto) {});
}

float copy_to_halves(const HalfCopy& how,
                     const void* tensor,
                     void* copy,
                     const StreamConfig& config)
{
    return with_type_of(how, [&]<class T>(T) {
        return convert<T, half_t>(how.lengths, tensor, how.original, copy, how.copy, config);
    });
}

float copy_from_halves(const HalfCopy& how,
                       const void* copy,
                       void* tensor,
                       const StreamConfig& config)
{
    return with_type_of(how, [&]<class T>(T) {
        return convert<half_t, T>(how.lengths, copy, how.copy, tensor, how.original, config);
    });
}

} // namespace ck::tensor_operation::device::instance
