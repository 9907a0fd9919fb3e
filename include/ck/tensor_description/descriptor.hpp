#pragma once
// A tensor view maps coordinates to an offset and validity. It has no memory and no element type.
//
// Every view of a convolution is affine between the digits of its coordinates and memory. A
// descriptor is stored in this collapsed form, whatever chain of transforms created it
// (transforms.hpp):
//
//   bottom dimension  length and origin; `checked` if an index may be outside [0, length)
//   top coordinate    what a caller passes; divided into its leaves, slowest first
//   leaf              one digit: adds coefficient * digit to the index of one bottom dimension
//
// A place is the sum of the parts of its top coordinates: offsets and indices of checked dimensions
// are added. A kernel computes the part of its row once, and updates only the part of the reduction
// as it moves on, which is cheap.
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

namespace ck {

inline constexpr index_t max_dims   = 8;
inline constexpr index_t max_leaves = 16;

/// The part of a descriptor that is known at compile time. Leaves are listed by top coordinate,
/// slowest first. It is a template argument, so it is packed into integers: g++ 12 confuses two
/// class values whose arrays hold the same non-zero elements in different places.
struct Structure
{
    index_t dims          = 0;
    index_t leaves        = 0;
    index_t tops          = 0;
    std::uint64_t bottoms = 0; // 4 bits for each leaf: the bottom dimension that it adds to
    std::uint64_t owners  = 0; // 4 bits for each leaf: the top coordinate that it is a digit of
    std::uint32_t checks  = 0; // 1 bit for each bottom dimension: index may be outside [0, length)
    std::uint32_t embeddings = 0; // 1 bit per bottom dimension: not one leaf with coefficient 1
    std::uint32_t bounds     = 0; // 1 bit per bottom dimension: its top coordinate goes
                                  // beyond [0, length)

    CK_HOST_DEVICE constexpr index_t bottom_of(index_t leaf) const
    {
        return static_cast<index_t>(bottoms >> (4 * leaf) & 15);
    }
    CK_HOST_DEVICE constexpr index_t top_of(index_t leaf) const
    {
        return static_cast<index_t>(owners >> (4 * leaf) & 15);
    }
    CK_HOST_DEVICE constexpr bool checked(index_t dim) const { return checks >> dim & 1; }
    CK_HOST_DEVICE constexpr bool embedded(index_t dim) const { return embeddings >> dim & 1; }
    CK_HOST_DEVICE constexpr bool bounded(index_t dim) const { return bounds >> dim & 1; }

    /// The bounded dimension of a top coordinate, or -1; there is at most one.
    CK_HOST_DEVICE constexpr index_t bounded_of(index_t top) const
    {
        for(index_t l = 0; l < leaves; ++l)
            if(top_of(l) == top && bounded(bottom_of(l)))
                return bottom_of(l);
        return -1;
    }

    CK_HOST_DEVICE constexpr void add_leaf(index_t bottom, index_t top)
    {
        bottoms |= static_cast<std::uint64_t>(bottom) << (4 * leaves);
        owners |= static_cast<std::uint64_t>(top) << (4 * leaves);
        ++leaves;
    }

    CK_HOST_DEVICE constexpr index_t leaf_count(index_t top) const
    {
        index_t count = 0;
        for(index_t l = 0; l < leaves; ++l)
            count += top_of(l) == top;
        return count;
    }
    CK_HOST_DEVICE constexpr index_t first_leaf(index_t top) const
    {
        index_t l = 0;
        while(l < leaves && top_of(l) != top)
            ++l;
        return l;
    }
    CK_HOST_DEVICE constexpr index_t checked_before(index_t dim) const
    {
        index_t count = 0;
        for(index_t d = 0; d < dim; ++d)
            count += checked(d);
        return count;
    }
    CK_HOST_DEVICE constexpr index_t checked_count() const { return checked_before(dims); }
};

/// A coordinate's place in memory: the offset in elements. The offset of a place outside the tensor
/// is meaningless.
struct Place
{
    index_t offset;
    bool valid;
};

/// The part of a place that one top coordinate contributes.
template <Structure s>
struct Part
{
    static constexpr index_t indices = s.checked_count();

    index_t offset;                       // elements
    index_t index[indices ? indices : 1]; // indices of the checked dimensions, in order
    bool valid; // the top coordinate is inside its extent, and inside the bound that it may have
};

namespace detail {
CK_HOST_DEVICE CK_INLINE constexpr bool below(index_t i, index_t length)
{
    return static_cast<std::uint32_t>(i) < static_cast<std::uint32_t>(length);
}
} // namespace detail

template <Structure s>
CK_HOST_DEVICE CK_INLINE constexpr Part<s> combine(const Part<s>& x, const Part<s>& y)
{
    Part<s> sum{math::wrapping_sum(x.offset, y.offset), {}, x.valid && y.valid};
    repeat<Part<s>::indices>(
        [&](index_t i) { sum.index[i] = math::wrapping_sum(x.index[i], y.index[i]); });
    return sum;
}

/// The run-time values of a view: a plain, trivially copyable kernel argument.
template <Structure s>
struct Descriptor
{
    static constexpr Structure structure = s;
    using PartType                       = Part<s>;

    index_t base;               // offset, in elements, of the place whose coordinates are all 0
    index_t length[s.dims];     // lengths of the bottom dimensions
    index_t origin[s.dims];     // index of a bottom dimension when all coordinates are 0
    index_t top_length[s.tops]; // extents of the top coordinates
    Divisor
        leaf_length[s.leaves]; // only the slowest leaf of a top coordinate needs no magic numbers
    index_t coefficient[s.leaves]; // bottom index per digit
    index_t
        leaf_stride[s.leaves]; // elements per digit: coefficient * stride of the bottom dimension

    template <index_t top>
    CK_HOST_DEVICE CK_INLINE constexpr index_t extent() const
    {
        static_assert(0 <= top && top < s.tops, "there is no such top coordinate");
        return top_length[top];
    }

    /// The part of coordinate `i` of `top`; 0 <= i < 2^31 if the coordinate has more than one leaf.
    /// The part of coordinate 0 contains the base and the origins, and other parts do not: a place
    /// needs exactly one part of each top coordinate.
    template <index_t top>
    CK_HOST_DEVICE CK_INLINE constexpr Part<s> part(index_t i) const
    {
        constexpr index_t first = s.first_leaf(top), last = first + s.leaf_count(top) - 1;
        Part<s> result{0, {}, detail::below(i, extent<top>())};
        if constexpr(top == 0)
        {
            result.offset = base;
            unrolled<0, s.dims>([&](auto dim) {
                if constexpr(s.checked(dim.value))
                    result.index[s.checked_before(dim.value)] = origin[dim];
            });
        }
        index_t rest = i;
        unrolled<0, last - first + 1>([&](auto from_fastest) {
            constexpr index_t leaf = last - from_fastest.value, dim = s.bottom_of(leaf);
            index_t digit = rest;
            if constexpr(leaf != first)
            {
                rest  = quotient(digit, leaf_length[leaf]);
                digit = math::wrapping_sum(digit,
                                           -math::wrapping_product(rest, leaf_length[leaf].value));
            }
            result.offset =
                math::wrapping_sum(result.offset, math::wrapping_product(digit, leaf_stride[leaf]));
            if constexpr(s.checked(dim))
            {
                index_t& index = result.index[s.checked_before(dim)];
                index = math::wrapping_sum(index, math::wrapping_product(digit, coefficient[leaf]));
            }
        });
        constexpr index_t bounded = s.bounded_of(top);
        if constexpr(bounded >= 0)
            result.valid = result.valid && detail::below(indices<top>(i)[bounded], length[bounded]);
        return result;
    }

    /// The indices that coordinate `i` of `top` adds to each bottom dimension; those of coordinate
    /// 0 contain the origins. For a tensor with the same lengths in other memory.
    template <index_t top>
    CK_HOST_DEVICE CK_INLINE constexpr Vector<index_t, s.dims> indices(index_t i) const
    {
        constexpr index_t first = s.first_leaf(top), last = first + s.leaf_count(top) - 1;
        Vector<index_t, s.dims> result{};
        if constexpr(top == 0)
            repeat<s.dims>([&](index_t dim) { result[dim] = origin[dim]; });
        index_t rest = i;
        unrolled<0, last - first + 1>([&](auto from_fastest) {
            constexpr index_t leaf = last - from_fastest.value;
            index_t digit          = rest;
            if constexpr(leaf != first)
            {
                rest  = quotient(digit, leaf_length[leaf]);
                digit = math::wrapping_sum(digit,
                                           -math::wrapping_product(rest, leaf_length[leaf].value));
            }
            index_t& index = result[s.bottom_of(leaf)];
            index = math::wrapping_sum(index, math::wrapping_product(digit, coefficient[leaf]));
        });
        return result;
    }

    /// Whether a sum of one part of each top coordinate is a place inside the tensor.
    CK_HOST_DEVICE CK_INLINE constexpr bool inside(const Part<s>& sum) const
    {
        bool valid = sum.valid;
        unrolled<0, s.dims>([&](auto dim) {
            if constexpr(s.checked(dim.value))
                valid = valid && detail::below(sum.index[s.checked_before(dim.value)], length[dim]);
        });
        return valid;
    }

    /// The place for one value of each top coordinate.
    template <class... I>
    CK_HOST_DEVICE CK_INLINE constexpr Place operator()(I... i) const
    {
        static_assert(sizeof...(I) == s.tops, "one index for each top coordinate");
        return [&]<index_t... top>(std::integer_sequence<index_t, top...>)
        {
            const Part<s> sum = sum_of(part<top>(static_cast<index_t>(i))...);
            return Place{sum.offset, inside(sum)};
        }
        (std::make_integer_sequence<index_t, s.tops>{});
    }

    /// Whether all lengths that coordinates are divided by have magic numbers.
    CK_HOST_DEVICE constexpr bool divisible() const
    {
        for(index_t l = 1; l < s.leaves; ++l)
            if(s.top_of(l) == s.top_of(l - 1) && !can_divide(leaf_length[l]))
                return false;
        return true;
    }

private:
    CK_HOST_DEVICE CK_INLINE static constexpr Part<s> sum_of(const Part<s>& p) { return p; }
    template <class... P>
    CK_HOST_DEVICE CK_INLINE static constexpr Part<s>
    sum_of(const Part<s>& x, const Part<s>& y, const P&... more)
    {
        return sum_of(combine(x, y), more...);
    }
};

} // namespace ck
