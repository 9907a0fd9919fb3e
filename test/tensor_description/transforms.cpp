// Every transform, alone and in random chains, against a model that walks the chain step by step.
#include "ck/tensor_description/transforms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

namespace ck {
namespace {

using Indices = std::vector<index_t>;

/// The same view by definition: each transform maps its coordinates to those below it, and may find
/// them invalid.
struct Model
{
    struct Result
    {
        index_t offset;
        bool valid;
    };
    std::vector<index_t> extents;
    std::function<Result(const Indices&)> at;
};

template <class D>
struct Both
{
    D descriptor;
    Model model;
};

template <index_t rank>
auto both_strided(const std::array<index_t, rank>& lengths,
                  const std::array<index_t, rank>& strides)
{
    auto descriptor = [&]<index_t... d>(std::integer_sequence<index_t, d...>)
    {
        return strided({Length(lengths[d])...}, {strides[d]...});
    }
    (std::make_integer_sequence<index_t, rank>{});
    Model model{{lengths.begin(), lengths.end()}, [strides](const Indices& i) {
                    Model::Result r{0, true};
                    for(std::size_t d = 0; d < rank; ++d)
                        r.offset += i[d] * strides[d];
                    return r;
                }};
    return Both<decltype(descriptor)>{descriptor, model};
}

template <class D, index_t top>
auto operator|(const Both<D>& b, const Pad<top>& t)
{
    Model m         = b.model;
    const index_t n = b.model.extents[top];
    m.extents[top]  = std::max(n + t.low + t.high, 0);
    m.at            = [below = b.model.at, t, n](Indices i) {
        i[top] -= t.low;
        const bool inside     = i[top] >= 0 && i[top] < n;
        const Model::Result r = below(i);
        return Model::Result{r.offset, r.valid && inside};
    };
    auto descriptor = b.descriptor | t;
    return Both<decltype(descriptor)>{descriptor, m};
}

template <class D, index_t top>
auto operator|(const Both<D>& b, const Slice<top>& t)
{
    Model m        = b.model;
    m.extents[top] = t.length.value;
    m.at           = [below = b.model.at, t](Indices i) {
        i[top] += t.begin;
        return below(i);
    };
    auto descriptor = b.descriptor | t;
    return Both<decltype(descriptor)>{descriptor, m};
}

template <class D, index_t top, index_t count>
auto operator|(const Both<D>& b, const Embed<top, count>& t)
{
    Model m = b.model;
    m.extents.erase(m.extents.begin() + top);
    for(index_t i = 0; i < count; ++i)
        m.extents.insert(m.extents.begin() + top + i, t.length[i].value);
    m.at = [below = b.model.at, t](Indices i) {
        index_t sum = 0;
        for(index_t j = 0; j < count; ++j)
            sum += i[top + j] * t.coefficient[j];
        i.erase(i.begin() + top, i.begin() + top + count);
        i.insert(i.begin() + top, sum);
        return below(i);
    };
    auto descriptor = b.descriptor | t;
    return Both<decltype(descriptor)>{descriptor, m};
}

template <class D, class... Groups>
auto operator|(const Both<D>& b, Merge<Groups...> t)
{
    std::vector<Indices> groups;
    const auto add = [&]<index_t... tops>(Group<tops...>) { groups.push_back({tops...}); };
    (add(Groups{}), ...);
    Model m;
    for(const Indices& group : groups)
    {
        m.extents.push_back(1);
        for(const index_t top : group)
            m.extents.back() *= b.model.extents[top];
    }
    m.at = [below = b.model, groups](const Indices& i) {
        Indices lower(below.extents.size());
        for(std::size_t g = 0; g < groups.size(); ++g)
        {
            index_t rest = i[g];
            for(std::size_t t = groups[g].size() - 1; t > 0; --t)
            {
                lower[groups[g][t]] = rest % below.extents[groups[g][t]];
                rest /= below.extents[groups[g][t]];
            }
            lower[groups[g][0]] = rest; // an embed may have taken it out of its extent
        }
        return below.at(lower);
    };
    auto descriptor = b.descriptor | t;
    return Both<decltype(descriptor)>{descriptor, m};
}

Place place(const auto& descriptor, const Indices& i)
{
    constexpr index_t tops = std::remove_cvref_t<decltype(descriptor)>::structure.tops;
    return [&]<index_t... t>(std::integer_sequence<index_t, t...>) { return descriptor(i[t]...); }
    (std::make_integer_sequence<index_t, tops>{});
}

/// Number of valid places; all coordinates inside of the extents, and one step outside of them.
template <class D>
index_t expect_equal(const Both<D>& b)
{
    constexpr index_t tops = D::structure.tops;
    [&]<index_t... t>(std::integer_sequence<index_t, t...>)
    {
        EXPECT_EQ((Indices{b.descriptor.template extent<t>()...}), b.model.extents);
    }
    (std::make_integer_sequence<index_t, tops>{});
    EXPECT_TRUE(b.descriptor.divisible());

    index_t valid = 0;
    Indices i(tops, 0);
    while(true)
    {
        bool inside = true;
        for(index_t t = 0; t < tops; ++t)
            inside = inside && i[t] < b.model.extents[t];
        const Place got = place(b.descriptor, i);
        if(!inside)
        {
            EXPECT_FALSE(got.valid);
        }
        else
        {
            const Model::Result expected = b.model.at(i);
            EXPECT_EQ(got.valid, expected.valid) << ::testing::PrintToString(i);
            if(expected.valid)
            {
                EXPECT_EQ(got.offset, expected.offset) << ::testing::PrintToString(i);
            }
            valid += expected.valid;
        }
        if(::testing::Test::HasFailure())
            return valid;
        index_t t = tops - 1;
        while(t >= 0 && ++i[t] > b.model.extents[t])
            i[t--] = 0;
        if(t < 0)
            return valid;
    }
}

TEST(Transforms, strided)
{
    EXPECT_EQ(expect_equal(both_strided<1>({7}, {3})), 7);
    EXPECT_EQ(expect_equal(both_strided<3>({4, 3, 5}, {100, 7, 2})), 60);
    EXPECT_EQ(expect_equal(both_strided<2>({4, 3}, {0, 1})), 12);
    EXPECT_EQ(expect_equal(both_strided<2>({0, 3}, {3, 1})), 0);
}

TEST(Transforms, pad)
{
    const auto b = both_strided<2>({4, 3}, {3, 1});
    EXPECT_EQ(expect_equal(b | pad<0>(2, 1)), 12);
    EXPECT_EQ(expect_equal(b | pad<0>(0, 0) | pad<1>(5, 6)), 12);
    EXPECT_EQ(expect_equal(b | pad<0>(1, 1) | pad<0>(2, 2)), 12) << "padding adds up";
    EXPECT_EQ(expect_equal(b | pad<0>(-1, -2)), 3) << "negative amounts crop";
    EXPECT_EQ(expect_equal(b | pad<0>(-1, 0) | pad<0>(2, 2)), 9)
        << "what was cropped does not come back";
    EXPECT_EQ(expect_equal(b | pad<0>(-4, 3)), 0);
    EXPECT_EQ(expect_equal(b | pad<1>(-2, 3) | pad<1>(1, -3)), 4);
}

TEST(Transforms, slice)
{
    const auto b = both_strided<2>({6, 5}, {5, 1});
    EXPECT_EQ(expect_equal(b | slice<0>(2, 3)), 15);
    EXPECT_EQ(expect_equal(b | slice<1>(1, 3) | slice<1>(1, 1)), 6);
    EXPECT_EQ(expect_equal(b | slice<0>(2, 3) | pad<0>(2, 2)), 15)
        << "outside of a slice there is only padding";
    EXPECT_EQ(expect_equal(b | pad<0>(2, 2) | slice<0>(1, 4)), 15);
    EXPECT_EQ(expect_equal(b | pad<0>(2, 2) | slice<0>(1, 4) | pad<0>(3, 3)), 15);
    EXPECT_EQ(expect_equal(b | pad<0>(2, 2) | slice<0>(5, 5) | pad<0>(3, 3)), 15);
    EXPECT_EQ(expect_equal(b | embed<0>({3}, {2}) | slice<0>(1, 2)), 10) << "strides may be sliced";
    EXPECT_EQ(expect_equal(b | slice<0>(3, 0)), 0);
}

TEST(Transforms, embed)
{
    const auto b = both_strided<2>({9, 2}, {2, 1});
    EXPECT_EQ(expect_equal(b | embed<0>({3}, {4})), 6);
    EXPECT_EQ(expect_equal(b | embed<0>({3, 3}, {2, 2})), 18);
    EXPECT_EQ(expect_equal(b | embed<0>({2, 2, 2}, {1, 3, 4})), 16);
    EXPECT_EQ(expect_equal(b | slice<0>(8, 1) | embed<0>({3}, {-4})), 6);
    EXPECT_EQ(expect_equal(b | embed<0>({3, 3}, {3, 1}) | embed<1>({2, 2}, {1, 1})), 24);
    // A window that leaves the tensor at both ends: 3 taps, dilation 2, over 9 with pad 2.
    EXPECT_EQ(expect_equal(b | pad<0>(2, 2) | embed<0>({3, 9}, {2, 1})), 2 * (9 + 7 + 7));
    EXPECT_EQ(expect_equal(b | pad<0>(0, 0) | embed<0>({3, 9}, {-2, 1})), 2 * (9 + 7 + 5));
}

TEST(Transforms, merge)
{
    const auto b = both_strided<4>({2, 3, 4, 5}, {1000, 100, 10, 1});
    EXPECT_EQ(expect_equal(b | merge(Group<0, 1, 2, 3>{})), 120);
    EXPECT_EQ(expect_equal(b | merge(Group<3, 0>{}, Group<2>{}, Group<1>{})), 120);
    EXPECT_EQ(expect_equal(b | merge(Group<1>{}, Group<0>{}, Group<3>{}, Group<2>{})), 120);
    EXPECT_EQ(expect_equal(b | merge(Group<2, 1>{}, Group<3, 0>{}) | merge(Group<1, 0>{})), 120);
    EXPECT_EQ(
        expect_equal(b | merge(Group<2, 1>{}, Group<3>{}, Group<0>{}) | embed<1>({2, 3}, {2, 1})),
        144);
    EXPECT_EQ(expect_equal(b | merge(Group<2, 1>{}, Group<3>{}, Group<0>{}) | pad<1>(1, 1)), 120);
}

// ---- random chains: the kinds of transforms are chosen by a compile-time hash, the numbers at run
// time ----

constexpr std::uint32_t next(std::uint32_t hash) { return hash * 1664525u + 1013904223u; }

struct Numbers
{
    std::mt19937 engine;
    index_t operator()(index_t low, index_t high)
    {
        return high <= low ? low
                           : low + static_cast<index_t>(engine() %
                                                        static_cast<std::uint32_t>(high - low + 1));
    }
};

/// Merges the two coordinates `a` and `a + 1` (cyclic), leaving the others, rotated by `a`.
template <index_t a, index_t tops>
auto merge_pair()
{
    return []<index_t... i>(std::integer_sequence<index_t, i...>)
    {
        return merge(Group<(a + i + 2) % tops>{}..., Group<a % tops, (a + 1) % tops>{});
    }
    (std::make_integer_sequence<index_t, tops - 2>{});
}

template <std::uint32_t hash, index_t steps, class D>
index_t expect_chain(const Both<D>& b, Numbers& number)
{
    if constexpr(steps == 0)
        return expect_equal(b);
    else
    {
        constexpr Structure s        = D::structure;
        constexpr std::uint32_t kind = hash >> 28, pick = hash >> 12 & 0xff;
        constexpr index_t top        = static_cast<index_t>(pick) % s.tops;
        constexpr bool single        = s.leaf_count(top) == 1;
        constexpr bool plain         = single && !s.embedded(s.bottom_of(s.first_leaf(top)));
        constexpr std::uint32_t more = next(hash);
        const index_t n              = b.model.extents[top];
        if constexpr(kind < 5 && plain)
            return expect_chain<more, steps - 1>(b | pad<top>(number(-1, 2), number(0, 2)), number);
        else if constexpr(kind < 8 && single)
        {
            const index_t begin = number(0, n / 2);
            return expect_chain<more, steps - 1>(b | slice<top>(begin, number(n / 2, n - begin)),
                                                 number);
        }
        else if constexpr(kind < 13 && single && s.tops < 5)
            return expect_chain<more, steps - 1>(
                b | embed<top>({number(0, 3), number(1, 4)}, {number(-2, 2), number(-1, 3)}),
                number);
        else if constexpr(s.tops >= 2)
            return expect_chain<more, steps - 1>(b | merge_pair<top, s.tops>(), number);
        else
            return expect_chain<more, steps - 1>(b, number);
    }
}

template <std::uint32_t... seeds>
index_t expect_chains(std::integer_sequence<std::uint32_t, seeds...>, Numbers& number)
{
    const auto one = [&]<std::uint32_t hash>() {
        const std::array<index_t, 3> lengths{number(1, 4), number(1, 4), number(2, 4)};
        const std::array<index_t, 3> strides{number(50, 60), number(10, 12), number(1, 2)};
        return expect_chain<hash, 2 + hash % 5>(both_strided<3>(lengths, strides), number);
    };
    return (one.template operator()<next(next(seeds * 2654435761u + 17u))>() + ...);
}

TEST(Transforms, channels_in_blocks)
{
    // [2, 3, 10] with the last in blocks of 4, 1000 elements from one to the next
    const auto plain = strided<3>({2, 3, 10}, {100, 20, 2});
    const auto d     = plain | in_blocks<2>(4, 1000);
    EXPECT_TRUE(d.divisible());
    EXPECT_EQ(d.extent<2>(), 10);
    for(index_t c = 0; c < 12; ++c)
    {
        const Place place = d(1, 2, c);
        EXPECT_EQ(place.offset, 140 + c / 4 * 1000 + c % 4 * 2);
        EXPECT_EQ(place.valid, c < 10);
        EXPECT_EQ(d.indices<2>(c)[2], c);
    }
    // A blocked dimension as the fastest digit of a merged coordinate is whole blocks long.
    const auto merged = plain | merge(Group<0>{}, Group<1, 2>{}) | in_whole_blocks<1>(4, 3, 1000);
    EXPECT_TRUE(merged.divisible());
    EXPECT_EQ(merged.extent<1>(), 36);
    for(index_t i = 0; i < 40; ++i)
    {
        const Place place = merged(1, i);
        const index_t c   = i % 12;
        EXPECT_EQ(place.valid, i < 36 && c < 10);
        EXPECT_EQ(place.offset, 100 + i / 12 * 20 + c / 4 * 1000 + c % 4 * 2);
    }
}

TEST(Transforms, random_chains)
{
    Numbers number{std::mt19937(5)};
    index_t valid = 0;
    for(int repeat = 0; repeat < 40 && !HasFailure(); ++repeat)
        valid += expect_chains(std::make_integer_sequence<std::uint32_t, 24>{}, number);
    EXPECT_GT(valid, 10000) << "most chains must have places to compare";
}

} // namespace
} // namespace ck
