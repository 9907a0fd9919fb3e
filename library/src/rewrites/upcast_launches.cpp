// The launches around a convolution that computes eight-bit tensors as f16, for each type.
#include "rewrites/upcast_launches.hpp"

#include "ck/tensor_operation/gpu/grid/gridwise_convert.hpp"

#include "rewrites/flat_launch.hpp"
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

/// Calls f(type) with the type of a name; returns whether there is one. Types with infinities are
/// left out: an infinite f16 means that a sum was too large.
template <class F>
bool with_type(const std::string& name, const F& f)
{
    return [&]<class... T>(Tuple<T...>) {
        return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
    }(Tuple<std::int8_t, f8_t, f8_ocp_t>{});
}

template <class From, class To>
void convert(const TensorLengths& lengths,
             const void* from,
             const TensorStrides& from_strides,
             void* to,
             const TensorStrides& to_strides,
             LaunchList& list)
{
    if(element_count(lengths) == 0)
        return;
    return with_vectors<8>(lengths,
                           {{{to, to_strides, sizeof(To)}, {from, from_strides, sizeof(From)}}},
                           [&](auto vector, const auto& index) {
                               return add<grid::GridwiseConvert<From, To, decltype(vector)::value>>(
                                   list,
                                   {static_cast<const From*>(from), static_cast<To*>(to), index});
                           });
}

/// Calls f(type) with the type of a copy's tensor. Throws std::runtime_error if it has no copies.
template <class F>
void with_type_of(const HalfCopy& how, const F& f)
{
    if(!with_type(how.type, f))
        throw std::runtime_error("tensors of " + how.type + " are not copied to f16");
}

} // namespace

bool has_half_copies(const std::string& type)
{
    return with_type(type, [](auto) {});
}

void copy_to_halves(const HalfCopy& how, const void* tensor, void* copy, LaunchList& list)
{
    return with_type_of(how, [&]<class T>(T) {
        return convert<T, half_t>(how.lengths, tensor, how.original, copy, how.copy, list);
    });
}

void copy_from_halves(const HalfCopy& how, const void* copy, void* tensor, LaunchList& list)
{
    return with_type_of(how, [&]<class T>(T) {
        return convert<half_t, T>(how.lengths, copy, how.copy, tensor, how.original, list);
    });
}

} // namespace ck::tensor_operation::device::instance
