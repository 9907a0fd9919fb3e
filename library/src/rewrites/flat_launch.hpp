#pragma once
// Launches kernels that visit all elements of tensors with the same lengths.
#include "ck/convolution/problem.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_description/flat_index.hpp"

#include <array>
#include <cstdint>

namespace ck::tensor_operation::device::instance {

template <class Kernel>
void add(LaunchList& list, const typename Kernel::Params& params)
{
    list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(params)), params);
}

/// Whether an address is a multiple of a number of bytes.
inline bool is_aligned(const void* address, index_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) == 0;
}

/// Whether groups of `vector` elements are contiguous in tensor 0 of the index; then makes it an
/// index of such groups. Tensor 1, if its elements are next to each other, is read in groups, too;
/// if not, and in other tensors, each element has a step of its own. aligned: whether tensors 0 and
/// 1 begin at multiples of a group.
template <index_t vector, index_t tensors>
bool make_vectors(FlatIndex<6, tensors>& index, bool aligned)
{
    if(index.dims == 0 || !aligned)
        return false;
    Divisor& last = index.length[index.dims - 1];
    auto& step    = index.stride[index.dims - 1];
    if(step[0] != 1 || last.value % vector != 0)
        return false;
    for(index_t d = 0; d + 1 < index.dims; ++d)
        if(index.stride[d][0] % vector != 0 || (step[1] == 1 && index.stride[d][1] % vector != 0))
            return false;
    last = make_divisor(last.value / vector);
    for(long_index_t& s : step)
        s *= vector;
    index.count /= vector;
    return true;
}

/// A tensor in the form of such a kernel. address: null if it is not accessed.
struct FlatTensor
{
    const void* address;
    TensorStrides strides; ///< elements
    index_t element_bytes;
};

/// Calls f(Number, index) with the most elements, `vector` or 1, that are contiguous in both
/// tensors and aligned to their size, and with an index of groups of that many elements.
template <index_t vector, class F>
auto with_vectors(const TensorLengths& lengths,
                  const std::array<FlatTensor, 2>& tensors,
                  const F& f)
{
    auto index = FlatIndex<6, 2>::make(lengths, std::array{tensors[0].strides, tensors[1].strides});
    bool whole = index.dims > 0;
    if(whole)
    {
        auto& last = index.length[index.dims - 1];
        auto& step = index.stride[index.dims - 1];
        whole      = step[0] == 1 && step[1] == 1 && last.value % vector == 0;
        for(const FlatTensor& tensor : tensors)
            whole = whole && reinterpret_cast<std::uintptr_t>(tensor.address) %
                                     static_cast<std::uintptr_t>(vector * tensor.element_bytes) ==
                                 0;
        for(index_t d = 0; d + 1 < index.dims; ++d)
            whole = whole && index.stride[d][0] % vector == 0 && index.stride[d][1] % vector == 0;
        if(whole)
        {
            last    = make_divisor(last.value / vector);
            step[0] = step[1] = vector;
            index.count /= vector;
        }
    }
    return whole ? f(Number<vector>{}, index) : f(Number<1>{}, index);
}

} // namespace ck::tensor_operation::device::instance
