// The launch that applies a separate epilogue, for each type.
#include "rewrites/separate_epilogue_launches.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_separate_epilogue.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/tuple.hpp"

#include "rewrites/flat_launch.hpp"
#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

using element_wise::ConvEpilogue;
using grid::OperandAccess;

/// Calls f(type) with the type of a name; returns whether there is one.
template <class F>
bool with_type(const std::string& name, const F& f)
{
    return [&]<class... T>(Tuple<T...>) {
        return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
    }(Tuple<double, float, half_t, bhalf_t>{});
}

/// The number of elements in a vector of 16 bytes.
template <class T>
inline constexpr index_t vector_of = 16 / index_t{sizeof(T)};

bool is_added(const EpilogueLaunch& how, std::size_t i)
{
    return (i == 0 ? how.operation.place1 : how.operation.place2) != ConvEpilogue::Place::nowhere;
}

using Elements = FlatIndex<6, 3>;
Elements elements_of(const EpilogueLaunch& how)
{
    std::array<TensorStrides, 3> strides{how.result, how.result, how.result};
    for(std::size_t i = 0; i < how.d.size(); ++i)
        if(is_added(how, i))
            strides[1 + i] = how.d[i].strides;
    return Elements::make(how.lengths, strides);
}

OperandAccess access_of(const EpilogueLaunch& how,
                        const Elements& elements,
                        std::size_t i,
                        index_t vector,
                        index_t bytes)
{
    if(!is_added(how, i))
        return OperandAccess::none;
    const bool aligned = is_aligned(how.d[i].pointer, vector * bytes);
    if(aligned && is_like_result(how, how.d[i]))
        return OperandAccess::like_result;
    const index_t last = elements.dims - 1;
    if(last < 0 || elements.length[last].value % vector != 0)
        return OperandAccess::elements;
    const auto stride = [&](index_t d) { return elements.stride[d][1 + static_cast<index_t>(i)]; };
    if(stride(last) == 0)
        return OperandAccess::repeated;
    bool whole = aligned && stride(last) == 1;
    for(index_t d = 0; d < last; ++d)
        whole = whole && stride(d) % vector == 0;
    return whole ? OperandAccess::vectors : OperandAccess::elements;
}

/// Calls f(Number, index, elements, access of each operand) with vectors that the tensors allow.
template <class T, class F>
auto with_access(const EpilogueLaunch& how, const void* sum, const void* result, const F& f)
{
    constexpr index_t wide  = vector_of<T>;
    constexpr auto bytes    = static_cast<index_t>(sizeof(T));
    const Elements elements = elements_of(how);
    const auto access       = [&](index_t vector) {
        return std::array{access_of(how, elements, 0, vector, bytes),
                          access_of(how, elements, 1, vector, bytes)};
    };
    const auto in_vectors = access(wide);
    // A vector would contain more than one end of shorter rows.
    const bool fits = std::none_of(in_vectors.begin(), in_vectors.end(), [&](OperandAccess a) {
        return a == OperandAccess::elements &&
               (elements.dims == 0 || elements.length[elements.dims - 1].value < wide);
    });
    const std::array<FlatTensor, 2> tensors{{{result, how.result, bytes}, {sum, how.sum, bytes}}};
    const auto with = [&](auto vector, const auto& index) {
        return f(vector, index, elements, access(decltype(vector)::value));
    };
    return fits ? with_vectors<wide>(how.lengths, tensors, with)
                : with_vectors<1>(how.lengths, tensors, with);
}

} // namespace

index_t epilogue_element_bytes(const std::string& type)
{
    index_t bytes = 0;
    with_type(type, [&]<class T>(T) { bytes = sizeof(T); });
    return bytes;
}

bool is_like_result(const EpilogueLaunch& how, const DArgument& d)
{
    for(std::size_t i = 0; i < how.lengths.size(); ++i)
        if(how.lengths[i] > 1 && d.strides[i] != how.result[i])
            return false;
    return true;
}

void apply_epilogue(const EpilogueLaunch& how, const void* sum, void* result, LaunchList& list)
{
    if(element_count(how.lengths) == 0)
        return;
    list.changes_in_place = list.changes_in_place || sum == result;
    const bool known      = with_type(how.type, [&]<class T>(T) {
        with_access<T>(
            how,
            sum,
            result,
            [&](auto vector, const auto& index, const Elements& elements, const auto& access) {
                using Kernel = grid::GridwiseSeparateEpilogue<T, decltype(vector)::value>;
                return add<Kernel>(list,
                                   {static_cast<const T*>(sum),
                                    static_cast<T*>(result),
                                    index,
                                    {static_cast<const T*>(how.d[0].pointer),
                                     static_cast<const T*>(how.d[1].pointer)},
                                    elements,
                                    {access[0], access[1]},
                                    {how.factor[0], how.factor[1]},
                                    how.operation});
            });
    });
    if(!known)
        throw std::runtime_error("results of " + how.type + " have no separate epilogue");
}

double predicted_epilogue(const EpilogueLaunch& how, const void* sum, const void* result)
{
    // Assumed for element-by-element access.
    constexpr double slow_factor = 2;
    if(element_count(how.lengths) == 0)
        return 0;
    double time = 0;
    with_type(how.type, [&]<class T>(T) {
        const auto count = static_cast<double>(element_count(how.lengths));
        double bytes     = 2 * count * sizeof(T); // sums and result
        for(std::size_t i = 0; i < how.d.size(); ++i)
            if(is_added(how, i) && is_like_result(how, how.d[i])) // others stay in the cache
                bytes += count * sizeof(T);
        const index_t vector =
            with_access<T>(how, sum, result, [](auto v, const auto&, const auto&, const auto&) {
                return decltype(v)::value;
            });
        time = predicted_transposition(bytes * (vector == 1 && vector_of<T> > 1 ? slow_factor : 1));
    });
    return time;
}

} // namespace ck::tensor_operation::device::instance
