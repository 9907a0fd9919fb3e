#pragma once
// The kernels of image to column and column to image: the same table for each
// type.
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/conv/operation/rearrange_operation.hpp"
#include "ck/utility/data_type.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

using RearrangeKernels = std::span<const PlainKernel<RearrangeArguments>>;

/// A kernel whose threads access `bytes` bytes at a time. `column_threads` of them are along the
/// columns, and a thread has four rows of one vector.
template <template <class, class, grid::RearrangeTile> class Kernel,
          class Name,
          class T,
          index_t bytes,
          index_t column_threads>
const PlainKernel<RearrangeArguments>& rearrange_kernel()
{
    constexpr auto vector = bytes / static_cast<index_t>(sizeof(T));
    constexpr grid::RearrangeTile tile{.rows           = 4 * 256 / column_threads,
                                       .columns        = column_threads * vector,
                                       .row_threads    = 256 / column_threads,
                                       .column_threads = column_threads,
                                       .vector         = vector};
    return RearrangeLaunch<Kernel<T, T, tile>, Name>::get();
}

/// Few threads along the columns suit images with few channels.
template <template <class, class, grid::RearrangeTile> class Kernel, class Name, class T>
RearrangeKernels rearrange_kernels_of_type()
{
    static const std::vector<PlainKernel<RearrangeArguments>> kernels{
        rearrange_kernel<Kernel, Name, T, 16, 16>(),
        rearrange_kernel<Kernel, Name, T, 16, 4>(),
        rearrange_kernel<Kernel, Name, T, 8, 8>(),
        rearrange_kernel<Kernel, Name, T, 4, 8>(),
        rearrange_kernel<Kernel, Name, T, sizeof(T), 32>(),
        rearrange_kernel<Kernel, Name, T, sizeof(T), 4>()};
    return kernels;
}

/// Finds the kernels by the names of their types.
template <template <class, class, grid::RearrangeTile> class Kernel, class Name>
RearrangeKernels rearrange_kernels_of(std::string_view in, std::string_view out)
{
    return in != out                      ? RearrangeKernels{}
           : in == type_name<float>       ? rearrange_kernels_of_type<Kernel, Name, float>()
           : in == type_name<half_t>      ? rearrange_kernels_of_type<Kernel, Name, half_t>()
           : in == type_name<bhalf_t>     ? rearrange_kernels_of_type<Kernel, Name, bhalf_t>()
           : in == type_name<std::int8_t> ? rearrange_kernels_of_type<Kernel, Name, std::int8_t>()
                                          : RearrangeKernels{};
}

} // namespace ck::tensor_operation::device::instance
