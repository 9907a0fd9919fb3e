#pragma once
// Builds a view: strided(...) | pad<1>(1, 1) | embed<1>({Y, Ho}, {dilation, stride}) |
// merge(Group<0, 2>{}, Group<1>{}). The number in a transform is the index of the top coordinate
// that it replaces, at that point in the chain.
#include "ck/tensor_description/descriptor.hpp"

namespace ck {

/// A length in a builder. From an index_t, the magic numbers are computed on the spot, which only
/// the host should do. Kernels pass Divisors made on the host, or undivided(n) for a length that no
/// coordinate is divided by (it ends up alone or slowest in its top coordinate).
struct Length
{
    Divisor divisor;
    CK_HOST_DEVICE constexpr Length(index_t length) : divisor(make_divisor(length)) {}
    CK_HOST_DEVICE constexpr Length(const Divisor& d) : divisor(d) {}
};

template <index_t top>
struct Pad
{
    index_t low, high;
};
template <index_t top>
struct Slice
{
    index_t begin;
    Divisor length;
};
template <index_t top, index_t count>
struct Embed
{
    Divisor length[count];
    index_t coefficient[count];
};
template <index_t top>
struct Advance
{
    index_t offset;
};
template <index_t top, bool padded>
struct InBlocks
{
    Divisor size, count;
    index_t outer;
};
template <index_t... tops>
struct Group
{};
template <class... Groups>
struct Merge
{};

/// A tensor in memory: lengths and strides of its dimensions, in elements.
template <index_t rank>
CK_HOST_DEVICE constexpr auto strided(const Length (&lengths)[rank], const index_t (&strides)[rank])
{
    static_assert(rank <= max_dims, "a tensor has at most max_dims dimensions");
    constexpr Structure s = [] {
        Structure r;
        r.dims = r.tops = rank;
        for(index_t d = 0; d < rank; ++d)
            r.add_leaf(d, d);
        return r;
    }();
    Descriptor<s> r{};
    repeat<rank>([&](index_t d) {
        r.length[d] = r.top_length[d] = lengths[d].divisor.value;
        r.leaf_length[d]              = lengths[d].divisor;
        r.coefficient[d]              = 1;
        r.leaf_stride[d]              = strides[d];
    });
    return r;
}

/// Adds `low` places before and `high` places after coordinate `top`, which are not valid. Negative
/// amounts remove places. pad<top>(0, 0) only makes the coordinate checked, so that an embed may
/// leave the tensor.
template <index_t top>
CK_HOST_DEVICE constexpr Pad<top> pad(index_t low, index_t high)
{
    return {low, high};
}

/// Keeps `length` places of coordinate `top`, starting at `begin`.
template <index_t top>
CK_HOST_DEVICE constexpr Slice<top> slice(index_t begin, Length length)
{
    return {begin, length.divisor};
}

/// Replaces coordinate `top` by `count` coordinates i: it becomes the sum of coefficient[i] *
/// coordinate i, which must stay inside its extent unless its dimension has been padded.
template <index_t top, index_t count>
CK_HOST_DEVICE constexpr Embed<top, count> embed(const Length (&lengths)[count],
                                                 const index_t (&coefficients)[count])
{
    Embed<top, count> r{};
    repeat<count>([&](index_t i) {
        r.length[i]      = lengths[i].divisor;
        r.coefficient[i] = coefficients[i];
    });
    return r;
}

/// Adds `offset` elements to every step of coordinate `top`, besides what it adds to an index: for
/// a coordinate that selects among tensors at that distance.
template <index_t top>
CK_HOST_DEVICE constexpr Advance<top> advance(index_t offset)
{
    return {offset};
}

/// Splits the fastest digit of coordinate `top`, which must be all of its dimension, into blocks of
/// `size` that are `outer` elements apart. Its index stays the same.
template <index_t top>
CK_HOST_DEVICE constexpr InBlocks<top, false> in_blocks(Length size, index_t outer)
{
    return {size.divisor, {}, outer};
}

/// in_blocks() with `count` whole blocks: places beyond the dimension's length are not valid.
template <index_t top>
CK_HOST_DEVICE constexpr InBlocks<top, true>
in_whole_blocks(Length size, Length count, index_t outer)
{
    return {size.divisor, count.divisor, outer};
}

/// New top coordinates, each a group of old ones, slowest first. Every old one must be in exactly
/// one group.
template <class... Groups>
CK_HOST_DEVICE constexpr Merge<Groups...> merge(Groups...)
{
    return {};
}

namespace detail {

/// The fields that no transform of top coordinates changes.
template <Structure to, Structure from>
CK_HOST_DEVICE CK_INLINE constexpr Descriptor<to> with_bottom_of(const Descriptor<from>& d)
{
    static_assert(to.leaves <= max_leaves, "a descriptor has at most max_leaves leaves");
    Descriptor<to> r{};
    r.base = d.base;
    repeat<from.dims>([&](index_t dim) {
        r.length[dim] = d.length[dim];
        r.origin[dim] = d.origin[dim];
    });
    return r;
}

template <Structure to, Structure from>
CK_HOST_DEVICE CK_INLINE constexpr void
copy_leaf(Descriptor<to>& r, index_t to_leaf, const Descriptor<from>& d, index_t from_leaf)
{
    r.leaf_length[to_leaf] = d.leaf_length[from_leaf];
    r.coefficient[to_leaf] = d.coefficient[from_leaf];
    r.leaf_stride[to_leaf] = d.leaf_stride[from_leaf];
}

template <Structure to, Structure from>
CK_HOST_DEVICE CK_INLINE constexpr Descriptor<to> with_all_of(const Descriptor<from>& d)
{
    Descriptor<to> r = with_bottom_of<to>(d);
    repeat<from.leaves>([&](index_t l) { copy_leaf(r, l, d, l); });
    repeat<from.tops>([&](index_t t) { r.top_length[t] = d.top_length[t]; });
    return r;
}

/// `s` with the only leaf of `top` replaced by `count` leaves, each a top coordinate of its
/// own.
CK_HOST_DEVICE constexpr Structure split(const Structure& s, index_t top, index_t count)
{
    Structure r = s;
    r.tops      = s.tops + count - 1;
    r.leaves    = 0;
    r.bottoms = r.owners = 0;
    for(index_t l = 0; l < s.leaves; ++l)
        for(index_t i = 0; i < (s.top_of(l) == top ? count : 1); ++i)
            r.add_leaf(s.bottom_of(l), s.top_of(l) + (s.top_of(l) > top ? count - 1 : i));
    r.embeddings |= 1u << s.bottom_of(s.first_leaf(top));
    return r;
}

/// The groups of a merge as data: the tops of all groups in a row, and the group of each.
struct Grouping
{
    index_t tops = 0, groups = 0;
    index_t top[max_leaves]{}, group[max_leaves]{};

    template <index_t... members>
    CK_HOST_DEVICE constexpr Grouping& add(Group<members...>)
    {
        static_assert(sizeof...(members) > 0, "merge: a group names at least one coordinate");
        ((top[tops] = members, group[tops] = groups, ++tops), ...);
        ++groups;
        return *this;
    }
    CK_HOST_DEVICE constexpr bool is_partition_of(index_t count) const
    {
        index_t seen[max_leaves]{};
        for(index_t i = 0; i < tops; ++i)
            if(top[i] < 0 || top[i] >= count || ++seen[top[i]] != 1)
                return false;
        return tops == count;
    }
};

struct MergedStructure
{
    Structure structure;
    index_t old_leaf[max_leaves]{};
};

CK_HOST_DEVICE constexpr MergedStructure merged(const Structure& s, const Grouping& groups)
{
    MergedStructure r{s, {}};
    Structure& to = r.structure;
    to.tops       = groups.groups;
    to.leaves     = 0;
    to.bottoms = to.owners = 0;
    for(index_t i = 0; i < groups.tops; ++i)
        for(index_t l = 0; l < s.leaves; ++l)
            if(s.top_of(l) == groups.top[i])
            {
                r.old_leaf[to.leaves] = l;
                to.add_leaf(s.bottom_of(l), groups.group[i]);
            }
    return r;
}

} // namespace detail

template <Structure s, index_t top>
CK_HOST_DEVICE CK_INLINE constexpr auto operator|(const Descriptor<s>& d, const Pad<top>& by)
{
    static_assert(0 <= top && top < s.tops, "pad: there is no such top coordinate");
    static_assert(s.leaf_count(top) == 1,
                  "pad: a merged coordinate cannot be padded; pad before merge");
    constexpr index_t leaf = s.first_leaf(top), dim = s.bottom_of(leaf);
    static_assert(!s.embedded(dim),
                  "pad: an embedded coordinate cannot be padded; pad before embed");
    constexpr Structure to = [] {
        Structure r = s;
        r.checks |= 1u << dim;
        return r;
    }();
    // Places that are valid now and inside the current extent become the new [0, length).
    const index_t first = math::max(d.origin[dim], 0);
    const index_t last  = math::min(d.origin[dim] + d.top_length[top], d.length[dim]);

    Descriptor<to> r = detail::with_all_of<to>(d);
    r.length[dim]    = math::max(last - first, 0);
    r.origin[dim]    = d.origin[dim] - first - by.low;
    r.base = math::wrapping_sum(d.base, -math::wrapping_product(by.low, d.leaf_stride[leaf]));
    r.top_length[top]   = math::max(d.top_length[top] + by.low + by.high, 0);
    r.leaf_length[leaf] = make_divisor(r.top_length[top]);
    return r;
}

template <Structure s, index_t top>
CK_HOST_DEVICE CK_INLINE constexpr auto operator|(const Descriptor<s>& d, const Slice<top>& by)
{
    static_assert(0 <= top && top < s.tops, "slice: there is no such top coordinate");
    static_assert(s.leaf_count(top) == 1,
                  "slice: a merged coordinate cannot be sliced; slice before merge");
    constexpr index_t leaf = s.first_leaf(top), dim = s.bottom_of(leaf);
    Descriptor<s> r = d;
    r.base = math::wrapping_sum(d.base, math::wrapping_product(by.begin, d.leaf_stride[leaf]));
    r.origin[dim]       = d.origin[dim] + by.begin * d.coefficient[leaf];
    r.top_length[top]   = by.length.value;
    r.leaf_length[leaf] = by.length;
    return r;
}

template <Structure s, index_t top, index_t count>
CK_HOST_DEVICE CK_INLINE constexpr auto operator|(const Descriptor<s>& d,
                                                  const Embed<top, count>& by)
{
    static_assert(0 <= top && top < s.tops, "embed: there is no such top coordinate");
    static_assert(s.leaf_count(top) == 1,
                  "embed: a merged coordinate cannot be embedded; embed before merge");
    static_assert(s.leaves + count - 1 <= max_leaves,
                  "embed: a descriptor has at most max_leaves leaves");
    constexpr Structure to = detail::split(s, top, count);
    constexpr index_t at   = s.first_leaf(top);
    Descriptor<to> r       = detail::with_bottom_of<to>(d);
    repeat<s.leaves>([&](index_t l) {
        if(l != at)
            detail::copy_leaf(r, l < at ? l : l + count - 1, d, l);
    });
    repeat<s.tops>([&](index_t t) {
        if(t != top)
            r.top_length[t < top ? t : t + count - 1] = d.top_length[t];
    });
    repeat<count>([&](index_t i) {
        r.top_length[top + i] = by.length[i].value;
        r.leaf_length[at + i] = by.length[i];
        r.coefficient[at + i] = math::wrapping_product(d.coefficient[at], by.coefficient[i]);
        r.leaf_stride[at + i] = math::wrapping_product(d.leaf_stride[at], by.coefficient[i]);
    });
    return r;
}

template <Structure s, index_t top>
CK_HOST_DEVICE CK_INLINE constexpr auto operator|(const Descriptor<s>& d, const Advance<top>& by)
{
    static_assert(0 <= top && top < s.tops, "advance: there is no such top coordinate");
    static_assert(s.leaf_count(top) == 1,
                  "advance: a merged coordinate cannot be advanced; advance before merge");
    constexpr index_t leaf = s.first_leaf(top);
    Descriptor<s> r        = d;
    r.leaf_stride[leaf]    = math::wrapping_sum(d.leaf_stride[leaf], by.offset);
    return r;
}

template <Structure s, index_t top, bool padded>
CK_HOST_DEVICE constexpr auto operator|(const Descriptor<s>& d, const InBlocks<top, padded>& by)
{
    static_assert(0 <= top && top < s.tops, "in_blocks: there is no such top coordinate");
    static_assert(padded || s.leaf_count(top) == 1,
                  "in_blocks: a merged coordinate has whole blocks");
    constexpr index_t at = s.first_leaf(top) + s.leaf_count(top) - 1, dim = s.bottom_of(at);
    static_assert(!s.embedded(dim), "in_blocks: an embedded dimension has no blocks");
    constexpr Structure to = [] {
        Structure r = s;
        r.leaves    = 0;
        r.bottoms = r.owners = 0;
        for(index_t l = 0; l < s.leaves; ++l)
            for(index_t i = 0; i < (l == at ? 2 : 1); ++i)
                r.add_leaf(s.bottom_of(l), s.top_of(l));
        r.embeddings |= 1u << dim;
        if(padded)
            r.bounds |= 1u << dim;
        return r;
    }();
    Descriptor<to> r = detail::with_bottom_of<to>(d);
    repeat<s.leaves>([&](index_t l) { detail::copy_leaf(r, l <= at ? l : l + 1, d, l); });
    repeat<s.tops>([&](index_t t) { r.top_length[t] = d.top_length[t]; });
    r.leaf_length[at]     = by.count; // never divided by if it is the slowest
    r.coefficient[at]     = math::wrapping_product(d.coefficient[at], by.size.value);
    r.leaf_stride[at]     = by.outer;
    r.leaf_length[at + 1] = by.size;
    r.coefficient[at + 1] = d.coefficient[at];
    r.leaf_stride[at + 1] = d.leaf_stride[at];
    if constexpr(padded)
    {
        r.top_length[top] = 1;
        unrolled<s.first_leaf(top), at + 2>([&](auto l) {
            r.top_length[top] =
                math::wrapping_product(r.top_length[top], r.leaf_length[l.value].value);
        });
    }
    return r;
}

template <Structure s, class... Groups>
CK_HOST_DEVICE CK_INLINE constexpr auto operator|(const Descriptor<s>& d, Merge<Groups...>)
{
    constexpr detail::Grouping groups = [] {
        detail::Grouping r;
        (r.add(Groups{}), ...);
        return r;
    }();
    static_assert(groups.is_partition_of(s.tops),
                  "merge: every coordinate must be in exactly one group");
    constexpr detail::MergedStructure to = detail::merged(s, groups);
    Descriptor<to.structure> r           = detail::with_bottom_of<to.structure>(d);
    unrolled<0, to.structure.leaves>(
        [&](auto l) { detail::copy_leaf(r, l, d, to.old_leaf[l.value]); });
    repeat<groups.groups>([&](index_t g) { r.top_length[g] = 1; });
    unrolled<0, s.tops>([&](auto i) {
        constexpr index_t group = groups.group[i.value], top = groups.top[i.value];
        r.top_length[group] = math::wrapping_product(r.top_length[group], d.top_length[top]);
    });
    return r;
}

} // namespace ck
