#pragma once
// How references see host tensors: six dimensions (group, two of N K C, D H W), any strides.
#include "ck/convolution/problem.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/library/utility/parallel_for.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ck::tensor_operation::host {

/// Lengths and strides of a tensor with `num_dim_spatial` + 3 dimensions, or one fewer if it has no
/// group.
struct TensorShape
{
    /// G, N or K, C or K, [D] H W or [Z] Y X.
    TensorLengths lengths;
    /// In elements, in the same order.
    TensorStrides strides;

    /// The offset of an element, in elements.
    long_index_t offset(const std::array<long_index_t, 6>& i) const
    {
        return i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2] + i[3] * strides[3] +
               i[4] * strides[4] + i[5] * strides[5];
    }
    /// The three spatial lengths; missing ones are 1.
    Spatial spatial() const { return {lengths[3], lengths[4], lengths[5]}; }
};

/// Throws std::runtime_error if the tensor has another rank.
inline TensorShape
tensor_shape(const HostTensorDescriptor& desc, std::size_t num_dim_spatial, const char* name)
{
    const std::size_t rank = desc.GetNumOfDimension();
    if(rank != num_dim_spatial + 3 && rank != num_dim_spatial + 2)
        throw std::runtime_error("the " + std::string(name) + " tensor has " +
                                 std::to_string(rank) + " dimensions, but must have " +
                                 std::to_string(num_dim_spatial + 3) + ", or " +
                                 std::to_string(num_dim_spatial + 2) + " without groups");
    TensorShape shape{{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}};
    for(std::size_t i = 0; i < rank; ++i)
    {
        const std::size_t from_end = rank - 1 - i;
        // The last num_dim_spatial dimensions end at W; the others end at the second of N K C.
        const std::size_t d =
            from_end < num_dim_spatial ? 5 - from_end : 2 - (from_end - num_dim_spatial);
        shape.lengths[d] = static_cast<long_index_t>(desc.GetLengths()[i]);
        shape.strides[d] = static_cast<long_index_t>(desc.GetStrides()[i]);
    }
    return shape;
}

/// element(index) for every index, contiguous in the given order of dimensions, slowest first.
template <class T, class Element>
std::vector<T>
pack(const TensorLengths& lengths, const std::array<std::size_t, 6>& order, const Element& element)
{
    std::vector<T> packed(static_cast<std::size_t>(element_count(lengths)));
    if(packed.empty())
        return packed;
    const long_index_t row_length = lengths[order[5]];
    const std::size_t rows        = packed.size() / static_cast<std::size_t>(row_length);
    utils::parallel_for(rows, 64, utils::host_threads(), [&](std::size_t begin, std::size_t end) {
        for(std::size_t row = begin; row < end; ++row)
        {
            std::array<long_index_t, 6> index{};
            auto rest = static_cast<long_index_t>(row);
            for(std::size_t d = 5; d-- > 0; rest /= lengths[order[d]])
                index[order[d]] = rest % lengths[order[d]];
            T* to = packed.data() + row * static_cast<std::size_t>(row_length);
            for(index[order[5]] = 0; index[order[5]] < row_length; ++index[order[5]])
                *to++ = element(index);
        }
    });
    return packed;
}

/// The additional tensors of an element-wise operation. All have the shape `lengths`; a tensor may
/// have another length in a dimension if its stride is 0.
template <class T, std::size_t count>
std::array<TensorShape, count> operand_shapes(const std::array<Tensor<T>, count>& tensors,
                                              const TensorLengths& lengths,
                                              std::size_t num_dim_spatial,
                                              const char* name)
{
    std::array<TensorShape, count> shapes;
    std::size_t i = 0;
    for(const Tensor<T>& tensor : tensors)
    {
        shapes[i] = tensor_shape(tensor.mDesc, num_dim_spatial, name);
        for(std::size_t d = 0; d < 6; ++d)
            if(shapes[i].lengths[d] != lengths[d] && shapes[i].strides[d] != 0)
                throw std::runtime_error(
                    "the " + std::string(name) + " tensor " + std::to_string(i) + " has length " +
                    std::to_string(shapes[i].lengths[d]) + " where the convolution's tensor has " +
                    std::to_string(lengths[d]));
        ++i;
    }
    return shapes;
}

/// op(y, x, tensors[0][index], tensors[1][index] ...)
template <class Op, class Y, class X, class T, std::size_t count>
void apply_element_op(const Op& op,
                      Y& y,
                      const X& x,
                      const std::array<Tensor<T>, count>& tensors,
                      const std::array<TensorShape, count>& shapes,
                      const std::array<long_index_t, 6>& index)
{
    [&]<std::size_t... i>(std::index_sequence<i...>)
    {
        op(y, x, tensors[i].data()[shapes[i].offset(index)]...);
    }
    (std::make_index_sequence<count>{});
}

/// A tensor's values as they are multiplied: op(element, additional tensors ...), in `order`.
template <class Operand, class X, class Op, class T, std::size_t count>
std::vector<Operand> packed_operand(const Tensor<X>& tensor,
                                    const TensorShape& shape,
                                    const std::array<std::size_t, 6>& order,
                                    const Op& op,
                                    const std::array<Tensor<T>, count>& tensors,
                                    const std::array<TensorShape, count>& shapes)
{
    return pack<Operand>(shape.lengths, order, [&](const auto& i) {
        Operand value{};
        apply_element_op(op, value, tensor.data()[shape.offset(i)], tensors, shapes, i);
        return value;
    });
}

/// The type of the sum that an operation gets: float, or double if the result is double or an
/// integer, whose sums a float cannot hold.
template <class Result>
using AccumulatedFor = std::
    conditional_t<std::is_same_v<Result, std::int8_t>, double, element_wise::ComputeType<Result>>;

/// Returns store(g, n, d, h, w, sums), which stores op(sum as Accumulated, additional tensors ...)
/// for each channel of a pixel.
template <class Accumulated, class Y, class Op, class T, std::size_t count>
auto pixel_store(Tensor<Y>& tensor,
                 const TensorShape& shape,
                 const Op& op,
                 const std::array<Tensor<T>, count>& tensors,
                 const std::array<TensorShape, count>& shapes)
{
    return [&](long_index_t g,
               long_index_t n,
               long_index_t d,
               long_index_t h,
               long_index_t w,
               const double* sums) {
        for(long_index_t c = 0; c < shape.lengths[2]; ++c)
        {
            const std::array<long_index_t, 6> i{g, n, c, d, h, w};
            apply_element_op(op,
                             tensor.data()[shape.offset(i)],
                             static_cast<Accumulated>(sums[c]),
                             tensors,
                             shapes,
                             i);
        }
    };
}

} // namespace ck::tensor_operation::host
