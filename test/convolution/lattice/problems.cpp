// The lattice of problems, and a test that it contains what it promises.
//
// Labels: compiled alone
#include "convolution/lattice/problems.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <set>
#include <string_view>

namespace ck::test {
namespace {

/// splitmix64: the same draws with every compiler.
class Draw
{
public:
    explicit Draw(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15u + 1} {}

    /// An integer in [first, last].
    long_index_t operator()(long_index_t first, long_index_t last)
    {
        std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
        x               = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x               = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return first +
               static_cast<long_index_t>((x >> 33) % static_cast<std::uint64_t>(last - first + 1));
    }

private:
    std::uint64_t state_;
};

struct Axis
{
    long_index_t input, filter, stride, dilation, pad_low, pad_high;
};

ConvProblem make(const std::vector<Axis>& axes, long_index_t n, long_index_t k, long_index_t c)
{
    ConvProblem p;
    p.rank         = static_cast<index_t>(axes.size());
    p.batch        = n;
    p.out_channels = k;
    p.in_channels  = c;
    for(std::size_t i = 0; i < axes.size(); ++i)
    {
        const std::size_t at = 3 - axes.size() + i;
        p.input[at]          = axes[i].input;
        p.filter[at]         = axes[i].filter;
        p.stride[at]         = axes[i].stride;
        p.dilation[at]       = axes[i].dilation;
        p.pad_low[at]        = axes[i].pad_low;
        p.pad_high[at]       = axes[i].pad_high;
    }
    set_packed_strides(p);
    return p;
}

/// Channels before pixels in X and Y; in W too, or not.
ConvProblem channels_first(ConvProblem p, bool filter_too)
{
    constexpr std::array<std::size_t, 6> image{1, 0, 2, 3, 4, 5}, filter{0, 1, 2, 3, 4, 5};
    p.input_strides  = detail::packed_strides(p.input_lengths(), image);
    p.output_strides = detail::packed_strides(p.output_lengths(), image);
    if(filter_too)
        p.filter_strides = detail::packed_strides(p.filter_lengths(), filter);
    return p;
}

ConvProblem grouped(ConvProblem p, long_index_t groups, PackedOrder order)
{
    p.groups = groups;
    set_packed_strides(p, order);
    return p;
}

void add_groups(std::vector<NamedProblem>& all, const Fit& f)
{
    using enum PackedOrder;
    const index_t k = f.k_multiple, c = f.c_multiple;
    const auto add            = [&](const char* name, ConvProblem p) { all.push_back({name, p}); };
    const ConvProblem strided = make({{7, 3, 2, 1, 1, 1}, {6, 2, 1, 2, 0, 2}}, 2, 3 * k, 2 * c);
    add("three groups inside", grouped(strided, 3, group_inside));
    add("three groups first", grouped(strided, 3, group_first));
    add("many groups of few channels",
        grouped(make({{6, 3, 1, 1, 1, 1}}, 2, 2 * k, c), 37, group_inside));
    add("groups in three dimensions",
        grouped(make({{3, 2, 1, 1, 1, 0}, {4, 1, 2, 1, 0, 0}, {3, 3, 1, 1, 1, 1}}, 1, k, c),
                2,
                group_inside));
    if(k > 1 || c > 1)
        return;
    add("depthwise",
        grouped(make({{9, 3, 1, 1, 1, 1}, {5, 3, 2, 1, 1, 1}}, 2, 1, 1), 70, group_inside));
    add("depthwise, a multiplier of 3, groups first",
        grouped(make({{6, 3, 1, 2, 2, 2}}, 1, 3, 1), 24, group_first));
    add("16 groups of 3 to 5 channels",
        grouped(make({{6, 3, 1, 1, 1, 1}, {5, 3, 2, 1, 1, 0}}, 2, 5, 3), 16, group_inside));
    add("3 channels, 7x7", make({{14, 7, 2, 1, 3, 3}, {12, 7, 2, 1, 3, 3}}, 1, 20, 3));
    add("channels first", channels_first(grouped(strided, 3, group_inside), false));
    add("channels first, the filter's too",
        channels_first(
            grouped(make({{5, 3, 1, 1, 1, 1}, {6, 3, 2, 1, 1, 1}}, 2, 9, 10), 2, group_inside),
            true));
    add("depthwise, channels first",
        channels_first(grouped(make({{7, 3, 1, 1, 1, 1}}, 2, 1, 1), 40, group_inside), false));
}

void add_corners(std::vector<NamedProblem>& all, const Fit& f)
{
    const index_t k = f.k_multiple, c = f.c_multiple;
    const auto add = [&](const char* name, ConvProblem p) { all.push_back({name, p}); };
    add("one element", make({{1, 1, 1, 1, 0, 0}}, 1, k, c));
    add("1x1", make({{5, 1, 1, 1, 0, 0}, {3, 1, 1, 1, 0, 0}}, 2, 3 * k, 5 * c));
    add("1x1 stride 2, phases without taps",
        make({{6, 1, 2, 1, 0, 0}, {5, 1, 2, 1, 0, 0}}, 2, 3 * k, 3 * c));
    add("1x1 padded", make({{3, 1, 1, 1, 1, 2}, {3, 1, 2, 1, 2, 0}}, 1, k, 3 * c));
    add("3x3 stride 2", make({{9, 3, 2, 1, 1, 1}, {7, 3, 2, 1, 1, 1}}, 2, 5 * k, 3 * c));
    add("stride and dilation with a common factor",
        make({{13, 3, 2, 2, 2, 2}, {12, 2, 4, 2, 1, 0}}, 1, 3 * k, 3 * c));
    add("stride 3 and dilation 3", make({{11, 3, 3, 3, 3, 2}, {8, 2, 3, 1, 0, 2}}, 1, k, c));
    add("stride 4, filter 1", make({{9, 1, 4, 1, 0, 0}}, 2, 3 * k, c));
    add("stride 4, filter 2", make({{10, 2, 4, 3, 1, 0}}, 2, k, 3 * c));
    add("stride 4, filter 3", make({{11, 3, 4, 1, 0, 3}}, 2, k, c));
    add("pads beyond the filter", make({{2, 2, 1, 1, 5, 4}, {3, 3, 2, 1, 4, 6}}, 1, k, 3 * c));
    add("left pad alone", make({{6, 3, 1, 1, 2, 0}, {5, 2, 1, 2, 3, 0}}, 1, 3 * k, c));
    add("right pad alone", make({{6, 3, 1, 1, 0, 2}, {5, 2, 1, 2, 0, 3}}, 1, 3 * k, c));
    add("crops", make({{9, 3, 1, 1, -2, -1}, {8, 3, 1, 1, -1, -3}}, 2, 3 * k, c));
    add("crops beside pads", make({{9, 3, 2, 1, -2, 2}, {8, 2, 3, 2, 3, -1}}, 2, k, 3 * c));
    add("a crop beyond the last window", make({{13, 3, 2, 2, -3, -5}}, 1, k, c));
    add("a crop of all pixels", make({{4, 2, 1, 1, -3, -2}, {5, 3, 1, 1, 1, 1}}, 1, k, c));
    add("stride beyond the input",
        make({{5, 3, 16000, 1, 15999, 0}, {2, 1, 1000, 1, 0, 1999}}, 2, k, 3 * c));
    add("stride and dilation beyond the input",
        make({{3, 4, 1000, 999, 2997, 1998}, {4, 3, 6, 4, 9, 9}}, 1, 3 * k, c));
    add("the longest stride",
        make({{3, 2, 2147483647, 1, 1, 0}, {2, 1, 2147483647, 2147483647, 0, 0}}, 1, k, c));
    add("filter longer than the input",
        make({{3, 5, 1, 1, 2, 2}, {2, 4, 2, 2, 3, 3}}, 2, k, 3 * c));
    add("output empty", make({{3, 5, 1, 1, 0, 0}, {4, 2, 1, 1, 0, 0}}, 2, k, 3 * c));
    add("batch 0", make({{4, 3, 1, 1, 1, 1}}, 0, k, c));
    add("input beyond the last output", make({{10, 2, 3, 1, 0, 0}}, 1, k, c)); // rows without sums
    add("prime channels", make({{7, 2, 1, 1, 0, 1}}, 3, 13 * k, 11 * c));
    add("27 phases", make({{5, 2, 3, 1, 0, 1}, {4, 3, 3, 2, 1, 0}, {7, 1, 3, 1, 0, 0}}, 1, k, c));
    add("3D", make({{3, 2, 1, 1, 0, 1}, {4, 3, 2, 1, 1, 1}, {5, 3, 1, 2, 2, 2}}, 2, 3 * k, c));
}

/// Rows, columns and reduction at, one below and one above their tiles' edges: each pair of two.
void add_tile_edges(std::vector<NamedProblem>& all, const Fit& f, bool diagonal)
{
    for(int rows = -1; rows <= 1; ++rows)
        for(int columns = -1; columns <= 1; ++columns)
        {
            const int reduction = (rows + columns + 4) % 3 - 1;
            if(diagonal && rows != columns)
                continue;
            const auto beside = [](index_t tile, index_t multiple, int step) {
                const index_t at = math::integer_least_multiple(tile, multiple);
                return math::max(multiple, at + step * multiple);
            };
            const index_t k = f.forward ? beside(f.tile_columns, f.k_multiple, columns)
                                        : beside(f.tile_k, f.k_multiple, reduction),
                          c = f.forward ? beside(f.tile_k, f.c_multiple, reduction)
                                        : beside(f.tile_columns, f.c_multiple, columns);
            const auto sign = [](int step) { return step < 0 ? "-1" : step > 0 ? "+1" : ""; };
            all.push_back({std::string("tile edges: rows") + sign(rows) + " columns" +
                               sign(columns) + " k" + sign(reduction),
                           make({{f.tile_rows + rows, 2, 1, 1, 0, 1}}, 1, k, c)});
        }
    all.push_back({"several tiles",
                   make({{2 * f.tile_rows + 5, 2, 2, 1, 1, 0}, {3, 2, 1, 1, 0, 0}},
                        1,
                        2 * (f.forward ? f.tile_columns : f.tile_k) + f.k_multiple,
                        2 * (f.forward ? f.tile_k : f.tile_columns) + f.c_multiple)});
}

ConvProblem drawn(Draw& draw, const Fit& f)
{
    const long_index_t rank      = draw(1, 3);
    const long_index_t longest[] = {40, 13, 7}, longest_filter[] = {7, 4, 3};
    std::vector<Axis> axes;
    long_index_t taps = 1;
    for(long_index_t i = 0; i < rank; ++i)
    {
        Axis a;
        a.stride   = draw(1, 3 + (draw(0, 3) == 0));
        a.filter   = draw(1, a.stride == 4 ? 3 : longest_filter[rank - 1]);
        a.dilation = draw(1, 3);
        a.input    = draw(1, longest[rank - 1]);
        a.pad_low  = draw(-2, 4);
        a.pad_high = draw(-2, 4);
        taps *= a.filter;
        axes.push_back(a);
    }
    const long_index_t primes[] = {1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    const auto channels         = [&](index_t multiple, long_index_t most) {
        long_index_t n = primes[draw(0, 12)];
        while(n > 1 && n * multiple > most)
            n /= 2;
        return n * multiple;
    };
    const long_index_t columns = taps > 8 ? f.tile_columns : 2 * f.tile_columns;
    const long_index_t k       = channels(f.k_multiple, f.forward ? columns : 2 * f.tile_k);
    const long_index_t c       = channels(f.c_multiple, f.forward ? 2 * f.tile_k : columns);
    const ConvProblem p        = make(axes, draw(1, 3), k, c);
    if(draw(0, 2) > 0)
        return p;
    return grouped(
        p, draw(2, 3), draw(0, 1) ? PackedOrder::group_first : PackedOrder::group_inside);
}

} // namespace

bool small_run()
{
    const char* const chosen = std::getenv("CK_TEST_SHAPES");
    if(chosen != nullptr && *chosen != '\0')
    {
        if(std::string_view(chosen) != "small" && std::string_view(chosen) != "all")
            throw std::invalid_argument(std::string("CK_TEST_SHAPES=") + chosen +
                                        ": must be all or small");
        return std::string_view(chosen) == "small";
    }
#if defined(CK_TEST_SHUFFLED_ALONE)
    return sanitized;
#else
    return sanitized || std::getenv("CK_HOST_SCHEDULE_SEED") != nullptr;
#endif
}

std::vector<NamedProblem> problems(const Fit& fit, std::uint32_t seed)
{
    std::vector<NamedProblem> all;
    add_corners(all, fit);
    add_groups(all, fit);
    add_tile_edges(all, fit, small_run());
    Draw draw(seed);
    for(int i = 0, count = small_run() ? 12 : 120; i < count; ++i)
        all.push_back(
            {"draw " + std::to_string(i) + " of seed " + std::to_string(seed), drawn(draw, fit)});
    return all;
}

bool is_plain(const ConvProblem& p)
{
    ConvProblem packed = p;
    set_packed_strides(packed);
    return p.groups == 1 && packed.input_strides == p.input_strides &&
           packed.filter_strides == p.filter_strides && packed.output_strides == p.output_strides;
}

std::string text(const ConvProblem& p)
{
    std::string s = std::to_string(p.rank) + "D G " + std::to_string(p.groups) + " N " +
                    std::to_string(p.batch) + " K " + std::to_string(p.out_channels) + " C " +
                    std::to_string(p.in_channels);
    const auto add = [&](const char* name, const Spatial& values) {
        s += std::string(", ") + name;
        for(std::size_t i = static_cast<std::size_t>(3 - p.rank); i < 3; ++i)
            s += ' ' + std::to_string(values[i]);
    };
    add("filter", p.filter);
    add("input", p.input);
    add("stride", p.stride);
    add("dilation", p.dilation);
    add("pads", p.pad_low);
    add("and", p.pad_high);
    return s;
}

namespace {

TEST(ConvolutionProblems, HoldWhatTheyPromise)
{
    const Fit fit{1, 1, 64, 32, 16};
    std::set<std::string> found;
    std::set<long_index_t> rows, columns, reductions;
    for(const auto& [name, p] : problems(fit, 1))
    {
        ASSERT_TRUE(validate(p)) << name << ": " << validate(p).reason;
        const auto note = [&](bool holds, const std::string& what) {
            if(holds)
                found.insert(what);
        };
        note(true, "rank " + std::to_string(p.rank));
        note(p.batch == 0, "batch 0");
        note(p.groups > 1 && p.in_channels == 1 && p.out_channels == 1, "depthwise");
        note(p.groups > 1 && p.input_strides[0] < p.input_strides[5], "groups inside");
        note(p.groups > 1 && p.input_strides[0] > p.input_strides[1], "groups first");
        note(p.input_strides[5] == 1 && p.in_channels > 1, "channels first");
        note(p.in_channels == 1, "C 1");
        note(p.out_channels == 1, "K 1");
        note(p.in_channels == 11 && p.out_channels == 13, "prime channels");
        long_index_t phases = 1, outputs = 1;
        for(std::size_t i = 0; i < 3; ++i)
        {
            const long_index_t s = p.stride[i], d = p.dilation[i];
            phases *= s;
            outputs *= p.output()[i];
            note(true, "stride " + std::to_string(s));
            note(true, "dilation " + std::to_string(d));
            note(s == 4, "stride 4, filter " + std::to_string(p.filter[i]));
            note(s > 1 && p.filter[i] > 1, "stride and filter above 1");
            note(d > 1 && p.filter[i] > 1, "dilation and filter above 1");
            note(std::gcd(s, d) > 1 && p.filter[i] > 1, "common factor");
            note(p.pad_low[i] != p.pad_high[i], "pads that differ");
            note(p.pad_low[i] > d * (p.filter[i] - 1), "pads beyond the filter");
            note(p.pad_low[i] < 0 && p.output()[i] > 1, "left crop");
            note(p.pad_high[i] < 0 && p.output()[i] > 1, "right crop");
            note(s > p.input[i] && p.output()[i] > 1, "stride beyond the input");
            note(d * (p.filter[i] - 1) + 1 > p.input[i], "filter longer than the input");
        }
        note(phases >= 27, "27 phases");
        note(outputs == 0, "output empty");
        note(p.filter == Spatial{1, 1, 1}, "1x1");
        note(p.in_channels > 2 * fit.tile_columns && p.out_channels > 2 * fit.tile_k,
             "several tiles");
        if(name.starts_with("tile edges"))
        {
            rows.insert(p.input[2] - fit.tile_rows);
            columns.insert(p.in_channels - fit.tile_columns);
            reductions.insert(p.out_channels - fit.tile_k);
        }
    }
    for(const char* what : {"rank 1",
                            "rank 2",
                            "rank 3",
                            "batch 0",
                            "depthwise",
                            "groups inside",
                            "groups first",
                            "channels first",
                            "C 1",
                            "K 1",
                            "prime channels",
                            "stride 1",
                            "stride 2",
                            "stride 3",
                            "stride 4, filter 1",
                            "stride 4, filter 2",
                            "stride 4, filter 3",
                            "dilation 1",
                            "dilation 2",
                            "dilation 3",
                            "stride and filter above 1",
                            "dilation and filter above 1",
                            "common factor",
                            "pads that differ",
                            "pads beyond the filter",
                            "left crop",
                            "right crop",
                            "stride beyond the input",
                            "filter longer than the input",
                            "27 phases",
                            "output empty",
                            "1x1",
                            "several tiles"})
        EXPECT_TRUE(found.count(what)) << "no problem with " << what;
    const std::set<long_index_t> beside{-1, 0, 1};
    EXPECT_EQ(rows, beside);
    EXPECT_EQ(columns, beside);
    EXPECT_EQ(reductions, beside);
}

} // namespace
} // namespace ck::test
