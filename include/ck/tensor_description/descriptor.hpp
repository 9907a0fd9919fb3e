#pragma once
// What a tensor view is: coordinates in, offset and validity out. No memory, no element type.
//
// Every view of a convolution is affine between the digits of its coordinates and memory, so a
// descriptor is kept collapsed to that, however long the chain of transforms was that made it
// (transforms.hpp):
//
//   bottom dimension   length, origin;  `checked` when an index of it may fall outside of [0,
//   length) top coordinate     what a caller passes; split by division into its leaves, slowest
//   first leaf               one digit: adds coefficient * digit to the index of exactly one bottom
//   dimension
//
// A place is the SUM of the parts of its top coordinates: offsets add, indices of checked
// dimensions add. A kernel evaluates the part of its row once and the part of the reduction as it
// moves on: that is the cheap move.
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

namespace ck {

inline constexpr index_t max_dims   = 8;
inline constexpr index_t max_leaves = 16;

/// What is known of a descriptor at compile time. Leaves are listed by top coordinate, slowest
/// first. A template argument, so packed into integers: g++ 12 takes two class values for the same
/// argument when their arrays hold the same non-zero elements in different places.
struct Structure
{
    index_t dims          = 0;
    index_t leaves        = 0;
    index_t tops          = 0;
    std::uint64_t bottoms = 0; // 4 bits a leaf: the bottom dimension that it adds to
    std::uint64_t owners  = 0; // 4 bits a leaf: the top coordinate that it is a digit of
    std::uint32_t checks  = 0; // 1 bit a bottom dimension: its index may be outside of [0, length)
    std::uint32_t embeddings = 0; // 1 bit a bottom dimension: no longer one leaf with coefficient 1
    std::uint32_t bounds     = 0; // 1 bit a bottom dimension: of one top coordinate, which goes on
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

    /// The bounded dimension of a top coordinate, or -1: it has one at most.
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

/// Where a coordinate lands in memory: offset in elements. Outside of the tensor the offset means
/// nothing.
struct Place
{
    index_t offset;
    bool valid;
};

/// What one top coordinate contributes to a place.
template <Structure s>
struct Part
{
    static constexpr index_t indices = s.checked_count();

    index_t offset;                       // elements
    index_t index[indices ? indices : 1]; // of the checked dimensions, in their order
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

/// The run-time numbers of a view: plain, trivially copyable, a kernel argument.
template <Structure s>
struct Descriptor
{
    static constexpr Structure structure = s;
    using PartType                       = Part<s>;

    index_t base;               // offset of the place whose coordinates are all 0, elements
    index_t length[s.dims];     // of the bottom dimensions
    index_t origin[s.dims];     // index of a bottom dimension when all coordinates are 0
    index_t top_length[s.tops]; // extents of the top coordinates
    Divisor
        leaf_length[s.leaves]; // magic numbers needed but for the slowest leaf of a top coordinate
    index_t coefficient[s.leaves]; // bottom index per digit
    index_t
        leaf_stride[s.leaves]; // elements per digit: coefficient * stride of the bottom dimension

    template <index_t top>
    CK_HOST_DEVICE CK_INLINE constexpr index_t extent() const
    {
        static_assert(0 <= top && top < s.tops, "there is no such top coordinate");
        return top_length[top];
    }

    /// What coordinate `i` of `top` contributes; 0 <= i < 2^31 where the coordinate has more than
    /// one leaf. The part of coordinate 0 carries base and origins, the others do not: a place
    /// needs one part of each.
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

    /// What coordinate `i` of `top` adds to the index of each bottom dimension; those of coordinate
    /// 0 carry the origins. For a tensor of the same lengths in other memory.
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

    /// Whether a sum of one part of each top coordinate is a place inside of the tensor.
    CK_HOST_DEVICE CK_INLINE constexpr bool inside(const Part<s>& sum) const
    {
        bool valid = sum.valid;
        unrolled<0, s.dims>([&](auto dim) {
            if constexpr(s.checked(dim.value))
                valid = valid && detail::below(sum.index[s.checked_before(dim.value)], length[dim]);
        });
        return valid;
    }

    /// The place of one coordinate for each top coordinate.
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

    /// Whether every length that is divided by has its magic numbers.
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
