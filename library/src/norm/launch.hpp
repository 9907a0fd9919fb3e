#pragma once
// What the launches of all norms share.
#include "ck/arch/kernel.hpp"
#include "ck/conv.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/tensor_operation/gpu/norm/tiling.hpp"
#include "ck/utility/data_type.hpp"

#include <iterator>
#include <type_traits>

namespace ck::norm {

/// The type of sums and of channels' values.
template <class T>
using AccOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class F>
void with_type(DataType type, const F& f)
{
    switch(type)
    {
    case DataType::f64:
        return f(double{});
    case DataType::f32:
        return f(float{});
    case DataType::f16:
        return f(half_t{});
    default:
        return f(bhalf_t{});
    }
}

template <class Kernel>
void launch(index_t grid_size, const typename Kernel::Params& params, void* stream)
{
    static_assert(arch::shared_bytes<Kernel> <= 48 << 10, "every GPU has as much");
    HIP_CHECK_ERROR(arch::launch<Kernel>(grid_size, static_cast<hipStream_t>(stream), params));
}

/// Whether a thread loads its channels as a vector. spec: with channels, and the alignment of
/// tensors.
template <class Kernel, class Spec>
bool loads_vectors(const Spec& spec, std::size_t bytes_of_element)
{
    return spec.alignment >= static_cast<std::size_t>(Kernel::vector) * bytes_of_element &&
           spec.channels % Kernel::vector == 0;
}

/// The workspace: sums of ranges, then values for each channel of each matrix.
template <class Acc>
struct Workspace
{
    Acc* partial;
    Acc* channels[3];

    static std::size_t elements(const Tiling& t, long_index_t matrices = 1)
    {
        return before(t, matrices, std::size(Workspace{}.channels));
    }
    Workspace() = default;
    Workspace(const Tiling& t, void* at, long_index_t matrices = 1) : partial(static_cast<Acc*>(at))
    {
        for(std::size_t i = 0; i < std::size(channels); ++i)
            channels[i] = partial + before(t, matrices, i);
    }

private:
    /// Elements before channels[i].
    static std::size_t before(const Tiling& t, long_index_t matrices, std::size_t i)
    {
        return static_cast<std::size_t>(matrices) * static_cast<std::size_t>(t.channels) *
               (2 * static_cast<std::size_t>(t.ranges) + i);
    }
};

} // namespace ck::norm
