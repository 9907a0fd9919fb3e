#pragma once
// A convolution's epilogue as a kernel of its own: applies scale, bias, residual and activation to
// sums that another kernel stored. Works in place or from another tensor.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"
#include "ck/utility/type_convert.hpp"

#include <cstdint>
#include <tuple>

namespace ck::grid {

/// How an operand is read for a vector of the result.
enum class OperandAccess : std::int32_t
{
    none,        ///< not at all
    like_result, ///< at the result's offset, as a vector
    vectors,     ///< at an offset of its own, as a vector
    repeated,    ///< one element, the same for the whole vector
    elements     ///< one by one: the result's fastest dimension may end within the vector
};

/// T: type of all tensors. A thread computes some vectors that are contiguous in the result and the
/// sums; for doubles one, because their functions fill AMD's scalar registers.
template <class T, index_t vector>
struct GridwiseSeparateEpilogue : FlatVectors<FlatIndex<6, 2>, sizeof(T) == 8 ? 1 : 4>
{
    using Operation = tensor_operation::element_wise::ConvEpilogue;
    using Vectors   = FlatVectors<FlatIndex<6, 2>, sizeof(T) == 8 ? 1 : 4>;
    using typename Vectors::SharedStorage;
    using Vectors::blocks, Vectors::number, Vectors::together;

    static constexpr index_t operands = 2;

    struct Params
    {
        const T* sum;
        T* result;
        FlatIndex<6, 2> index; ///< each vector's offset in the result and among the sums
        const T* operand[operands];
        FlatIndex<6, 1 + operands> elements; ///< in the order of `index`; of the result and
                                             ///< operands. OperandAccess::elements: the last length
                                             ///< is at least `vector`
        OperandAccess access[operands];
        float factor[operands]; ///< operands are multiplied by it
        Operation operation;

        auto addresses() const { return std::tie(sum, result, operand); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        if(number(0) >= p.index.count)
            return;
        Elements sum[together], first[together], second[together];
        long_index_t to[together];
        repeat<together>([&](index_t i) {
            // Past the end, use this thread's first vector again: no other thread writes it.
            const long_index_t n = number(i) < p.index.count ? number(i) : number(0);
            const auto at        = p.index(n);
            to[i]                = at[0];
            sum[i]               = *reinterpret_cast<const Elements*>(p.sum + at[1]);
            const Row row        = row_of(p, n * vector);
            first[i]             = operand<0>(p, at[0], row);
            second[i]            = operand<1>(p, at[0], row);
        });
        p.operation.with_constant_activation(
            [&](auto activation) { store<activation()>(p, sum, first, second, to); });
    }

private:
    using Elements = Vector<T, vector>;
    using Compute  = tensor_operation::element_wise::ComputeType<T, T>;
    using Offsets  = Vector<long_index_t, 1 + operands>;

    /// Computes and stores a thread's vectors, at the offsets `to` in the result.
    template <Operation::Activation activation>
    CK_DEVICE CK_INLINE static void store(const Params& p,
                                          const Elements (&sum)[together],
                                          const Elements (&first)[together],
                                          const Elements (&second)[together],
                                          const long_index_t (&to)[together])
    {
        const Operation operation = p.operation.template with<activation>();
        repeat<together>([&](index_t i) {
            if(number(i) >= p.index.count)
                return;
            Elements r;
            repeat<vector>([&](index_t e) {
                r[e] = type_convert<T>(operation.value(
                    type_convert<Compute>(sum[i][e]),
                    static_cast<Compute>(p.factor[0]) * type_convert<Compute>(first[i][e]),
                    static_cast<Compute>(p.factor[1]) * type_convert<Compute>(second[i][e])));
            });
            *reinterpret_cast<Elements*>(p.result + to[i]) = r;
        });
    }

    /// Positions of a vector's operands: its first elements, how many it has before the fastest
    /// dimension ends, and the elements after that.
    struct Row
    {
        Offsets at, next;
        index_t left;
    };

    CK_DEVICE CK_INLINE static bool has_offsets(OperandAccess access)
    {
        return access != OperandAccess::none && access != OperandAccess::like_result;
    }

    /// number: of the vector's first element.
    CK_DEVICE CK_INLINE static Row row_of(const Params& p, long_index_t number)
    {
        Row row{{}, {}, vector};
        if(!has_offsets(p.access[0]) && !has_offsets(p.access[1]))
            return row;
        row.at = p.elements(number);
        if(p.access[0] != OperandAccess::elements && p.access[1] != OperandAccess::elements)
            return row;
        if(p.elements.dims > 0)
            row.left = p.elements.length[p.elements.dims - 1].value - p.elements.last_digit(number);
        if(row.left < vector)
            row.next = p.elements(number + row.left);
        return row;
    }

    /// offset: of the vector in the result.
    template <index_t i>
    CK_DEVICE CK_INLINE static Elements
    operand(const Params& p, long_index_t offset, const Row& row)
    {
        const T* const tensor = p.operand[i];
        Elements r{};
        switch(p.access[i])
        {
        case OperandAccess::none:
            break;
        case OperandAccess::like_result:
            r = *reinterpret_cast<const Elements*>(tensor + offset);
            break;
        case OperandAccess::vectors:
            r = *reinterpret_cast<const Elements*>(tensor + row.at[1 + i]);
            break;
        case OperandAccess::repeated: {
            const T value = tensor[row.at[1 + i]];
            repeat<vector>([&](index_t e) { r[e] = value; });
            break;
        }
        case OperandAccess::elements: {
            const long_index_t step =
                p.elements.dims > 0 ? p.elements.stride[p.elements.dims - 1][1 + i] : 0;
            repeat<vector>([&](index_t e) {
                r[e] = tensor[e < row.left ? row.at[1 + i] + e * step
                                           : row.next[1 + i] + (e - row.left) * step];
            });
            break;
        }
        }
        return r;
    }
};

} // namespace ck::grid
