// The launches around a convolution that computes eight-bit tensors as f16 or bf16, for each type.
#include "rewrites/upcast_launches.hpp"

#include "ck/tensor_operation/gpu/grid/gridwise_convert.hpp"

#include "rewrites/flat_launch.hpp"
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

/// Types that are copied to f16 and back. Types with infinities are left out: an infinite f16 means
/// that a sum was too large.
using ToHalf = Tuple<std::int8_t, f8_t, f8_ocp_t>;
/// Types that are copied to bf16.
using ToBhalf = Tuple<f8_ocp_t, bf8_ocp_t>;

/// Calls f(type) with the one of these types that has a name; returns whether there is one.
template <class... T, class F>
bool with_type(Tuple<T...>, const std::string& name, const F& f)
{
    return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
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

void require(bool known, const UpcastCopy& how)
{
    if(!known)
        throw std::runtime_error("tensors of " + how.type + " are not copied to " + how.as);
}

} // namespace

bool has_half_copies(const std::string& type)
{
    return with_type(ToHalf{}, type, [](auto) {});
}

bool has_bhalf_copies(const std::string& type)
{
    return with_type(ToBhalf{}, type, [](auto) {});
}

void copy_up(const UpcastCopy& how, const void* tensor, void* copy, LaunchList& list)
{
    const auto to = [&]<class To>(To) {
        return [&]<class T>(T) {
            convert<T, To>(how.lengths, tensor, how.original, copy, how.copy, list);
        };
    };
    require(how.as == type_name<half_t> ? with_type(ToHalf{}, how.type, to(half_t{}))
                                        : with_type(ToBhalf{}, how.type, to(bhalf_t{})),
            how);
}

void copy_down(const UpcastCopy& how, const void* copy, void* tensor, LaunchList& list)
{
    require(with_type(ToHalf{},
                      how.type,
                      [&]<class T>(T) {
                          convert<half_t, T>(
                              how.lengths, copy, how.copy, tensor, how.original, list);
                      }),
            how);
}

} // namespace ck::tensor_operation::device::instance
