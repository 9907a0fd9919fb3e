// Causal convolutions: chunk by chunk they are, to the bit, the whole sequence, which is an
// ordinary convolution with zeros before it.
#include "ck/causal_conv.hpp"

#include "conv/causal_conv.hpp"
#include "conv/causal_stream.hpp"
#include "conv/frames.hpp"
#include "conv/prepared.hpp"
#include "conv/random_spec.hpp"
#include "rewrites/image_pieces.hpp"
#include <cstring>
#include <functional>
#include <numeric>
#include <sys/mman.h>

namespace ck::conv_test {
namespace {

constexpr long_index_t length = 9; ///< frames of the sequence

/// The whole sequence of a few dimensions, with a filter, stride and dilation of its own.
struct Case
{
    long_index_t c, k, groups;
    Extents filter, strides, dilations;

    ConvSpec spec(DataType type, Layout layout) const
    {
        ConvSpec s{.type      = type,
                   .layout    = layout,
                   .groups    = groups,
                   .n         = 2,
                   .k         = k,
                   .c         = c,
                   .filter    = filter,
                   .strides   = strides,
                   .dilations = dilations};
        for(std::size_t i = 0; i < filter.size(); ++i)
        {
            s.input.push_back(i == 0 ? length : i == 1 ? 3 : 2);
            s.pads.push_back(i == 0 ? PadWidths{} : PadWidths{1, 1});
        }
        return s;
    }
};

const Case cases[]{{8, 16, 1, {4}, {2}, {1}},
                   {1, 1, 4, {4}, {1}, {1}},
                   {3, 5, 1, {3}, {3}, {2}},
                   {1, 1, 3, {5}, {1}, {2}},
                   {2, 4, 2, {2, 3}, {2, 1}, {2, 1}},
                   {8, 8, 1, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}},
                   {2, 3, 2, {3, 1, 2}, {2, 1, 1}, {1, 1, 1}},
                   {1, 1, 2, {2, 3, 3}, {1, 1, 1}, {3, 1, 1}},
                   {4, 4, 1, {1, 3}, {3, 1}, {1, 1}}};

constexpr Layout layouts[]{Layout::channels_last, Layout::channels_first};

const std::vector<long_index_t> ways[]{
    std::vector<long_index_t>(length, 1), {3, 3, 3}, {7, 2}, {2, 1, 6}};

/// in_place: as in Stream. from, step: which of the ways.
void expect_same_bits(const ConvSpec& spec,
                      bool in_place    = true,
                      std::size_t from = 0,
                      std::size_t step = 1)
{
    Stream stream(spec);
    const Bytes whole = stream.whole();
    EXPECT_EQ(stream.last_cache, stream.frames_before(length)) << to_string(spec);
    for(std::size_t way = from; way < std::size(ways); way += step)
    {
        const auto& lengths = ways[way];
        EXPECT_EQ(stream.in_chunks(lengths, in_place), whole)
            << to_string(spec) << ", from " << lengths.front();
        EXPECT_EQ(stream.last_cache, stream.frames_before(length)) << to_string(spec);
    }
    EXPECT_EQ(stream.kernels.size(), 1u) << to_string(spec);
}

/// Calls f(spec, stream, the whole sequence) for channels last and first. Skips the test if the
/// library has no kernels for either.
template <class F>
void with_layouts(const Case& of, const F& f)
{
    bool ran = false;
    for(const Layout layout : layouts)
    {
        const ConvSpec spec = of.spec(DataType::f32, layout);
        if(!has_kernels(Stream::padded(spec)))
            continue;
        Stream stream(spec);
        f(spec, stream, stream.whole());
        ran = true;
    }
    if(!ran)
        GTEST_SKIP() << no_kernels;
}

/// Why a chunk is refused.
std::string why_not(const std::function<void(CausalConvSpec&)>& change)
{
    CausalConvSpec s{.conv = cases[5].spec(DataType::f16, Layout::channels_last)};
    s.conv.strides[0] = 2;
    change(s);
    try
    {
        CausalConvPlan plan(s);
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

} // namespace

TEST(CausalConv, ChunksAreTheWholeSequenceToTheBit)
{
    for(const Case& of : cases)
        for(const Layout layout : layouts)
            for(const DataType type : {DataType::f32, DataType::bf16})
            {
                const ConvSpec spec = of.spec(type, layout);
                if(has_kernels(Stream::padded(spec)))
                    expect_same_bits(spec, type == DataType::f32, type == DataType::f32, 2);
            }
}

TEST(CausalConv, OfOtherTypesHasTheSameBits)
{
    for(const DataType type : {DataType::f64, DataType::f16, DataType::i8})
        for(const Layout layout : layouts)
        {
            const ConvSpec spec = cases[4].spec(type, layout);
            if(has_kernels(Stream::padded(spec)))
                expect_same_bits(spec);
        }
}

// int8 is exact, whatever the kernel; so are small integers in other types.
TEST(CausalConv, IsAnOrdinaryConvolutionWithZerosBeforeIt)
{
    for(const Case& of : cases)
        for(const Layout layout : layouts)
        {
            ConvSpec spec = of.spec(DataType::i8, layout);
            if(!has_kernels(Stream::padded(spec)))
                continue;
            Stream stream(spec);
            for(char& byte : stream.x)
                byte = static_cast<char>(static_cast<unsigned char>(byte) % 7) - 3;
            stream.w.fill(1);
            EXPECT_EQ(stream.whole(), stream.ordinary()) << to_string(spec);
            EXPECT_EQ(stream.in_chunks({4, 5}), stream.ordinary()) << to_string(spec);
        }
}

TEST(CausalConv, WithEpiloguesHasTheSameBits)
{
    for(const Residual residual : {Residual::before_activation, Residual::after_activation})
        for(const Layout layout : layouts)
            for(const float beta : {0.f, 1.f})
            {
                ConvSpec spec  = cases[5].spec(DataType::f32, layout);
                spec.epilogue  = {.scale      = .5f,
                                  .bias       = beta == 0,
                                  .residual   = residual,
                                  .activation = Activation::silu};
                spec.beta      = beta;
                spec.filter[1] = 1;
                if(has_kernels(Stream::padded(spec)))
                    expect_same_bits(spec);
            }
}

// Kernels take one pixel for channels last, and add up patches in another order if they have no
// pads.
TEST(CausalConv, OfSinglePixelsAndPatchesHasTheSameBits)
{
    const struct
    {
        long_index_t c, k, filter, stride;
        DataType type;
        Layout layout;
        long_index_t n;
        std::vector<long_index_t> lengths;
    } few[]{{1, 8, 3, 1, DataType::f16, Layout::channels_first, 2, {1, 5, 1, 2, 8}},
            {3, 6, 5, 2, DataType::f32, Layout::channels_first, 3, {1, 8}},
            {2, 2, 1, 1, DataType::f64, Layout::channels_first, 1, {2, 1, 1, 8, 1}},
            {5, 4, 3, 3, DataType::f32, Layout::channels_last, 3, {3, 3}},
            {3, 8, 2, 2, DataType::f64, Layout::channels_last, 1, {1, 5, 2, 1, 2, 5, 3}},
            {8, 6, 2, 2, DataType::f64, Layout::channels_last, 3, {2, 3, 3, 1, 2, 6}},
            {4, 1, 2, 2, DataType::f16, Layout::channels_first, 2, {3, 1, 1, 8}}};
    for(const auto& of : few)
        for(const bool has_epilogue : {false, true})
        {
            ConvSpec spec{.type   = of.type,
                          .layout = of.layout,
                          .n      = of.n,
                          .k      = of.k,
                          .c      = of.c,
                          .filter = {of.filter}};
            spec.input         = {std::accumulate(of.lengths.begin(), of.lengths.end(), 0l)};
            spec.strides       = {of.stride};
            spec.pads          = {{0, 0}};
            spec.epilogue.bias = true;
            if(has_epilogue)
                spec.epilogue = {.residual   = Residual::before_activation,
                                 .activation = Activation::relu};
            spec.beta = has_epilogue ? 1 : 0;
            if(!has_kernels(Stream::padded(spec)))
                continue;
            Stream stream(spec);
            stream.chunk      = has_epilogue ? 1 : 0;
            const Bytes whole = stream.whole();
            EXPECT_EQ(stream.in_chunks(of.lengths), whole) << to_string(spec);
            EXPECT_EQ(stream.last_cache, stream.frames_before(spec.input[0])) << to_string(spec);
        }
}

// The same problems in each run.
TEST(CausalConv, OfRandomSpecsHasTheSameBits)
{
    Random random(3);
    for(int number = 0; number < 24; ++number)
    {
        const auto rank = static_cast<std::size_t>(random.one_of({1, 1, 2, 3}));
        ConvSpec spec;
        spec.type   = random.one_of({DataType::f64, DataType::f32, DataType::f16, DataType::bf16});
        spec.layout = random.one_of(layouts);
        spec.n      = random.number(1, 3);
        spec.groups = random.one_of({1, 1, 2, 3});
        spec.c      = random.one_of({1, 2, 3, 8});
        spec.k      = random.one_of({1, 2, 4, 8});
        spec.input.push_back(0);
        std::vector<long_index_t> lengths;
        for(int i = 0; i < 5; ++i)
            lengths.push_back(random.one_of({1, 1, 2, 3, 5}));
        for(const long_index_t frames : lengths)
            spec.input[0] += frames;
        for(std::size_t i = 0; i < rank; ++i)
        {
            const bool first = i == 0;
            if(!first)
                spec.input.push_back(random.number(1, 3));
            spec.filter.push_back(first ? random.one_of({1, 2, 3, 5}) : random.number(1, 2));
            spec.strides.push_back(first ? random.one_of({1, 1, 2, 3}) : random.number(1, 2));
            spec.dilations.push_back(first ? random.one_of({1, 1, 2, 3}) : random.number(1, 2));
            spec.pads.push_back(first ? PadWidths{} : PadWidths{1, 1});
        }
        if(random.one_in(5)) // patches
        {
            spec.strides[0]   = spec.filter[0];
            spec.dilations[0] = 1;
        }
        spec.epilogue.bias = random.one_in(2);
        Stream stream(spec);
        stream.chunk      = random.one_of({0, 1, 4});
        const Bytes whole = stream.whole();
        EXPECT_EQ(stream.in_chunks(lengths, random.one_in(2)), whole) << to_string(spec);
        EXPECT_EQ(stream.last_cache, stream.frames_before(spec.input[0])) << to_string(spec);
    }
}

// Images of frames whose bytes are not a multiple of 16 are computed one by one.
TEST(CausalConv, OfAnyAlignmentHasTheSameBits)
{
    for(const std::size_t alignment : {2, 4, 8})
        for(const long_index_t n : {1, 3})
        {
            ConvSpec spec  = cases[0].spec(DataType::bf16, Layout::channels_last);
            spec.alignment = alignment;
            spec.n         = n;
            spec.c         = 3;
            if(has_kernels(Stream::padded(spec)))
                expect_same_bits(spec);
        }
}

// Images that are too large for a launch are cut, here along time; the chunks that are not are
// computed by the same kernel.
TEST(CausalConv, OfImagesThatAreCutHasTheSameBits)
{
    with_layouts(cases[5], [](const ConvSpec& spec, Stream& stream, const Bytes& whole) {
        const auto image = static_cast<long_index_t>(spec.x_bytes()) / spec.n;
        const LaunchBytes small(image / 2);
        clear_plan_cache();
        EXPECT_TRUE(plan(Stream::padded(spec)).kernel().starts_with("CutImage<"));
        EXPECT_EQ(stream.whole(), whole);
        EXPECT_EQ(stream.in_chunks({7, 2}), whole);
        EXPECT_EQ(stream.kernels.size(), 1u);
    });
    clear_plan_cache(); // LaunchBytes has ended
}

TEST(CausalConv, BeginsWithOtherFrames)
{
    ConvSpec spec = cases[5].spec(DataType::f32, Layout::channels_last);
    if(!has_kernels(Stream::padded(spec)))
        GTEST_SKIP() << no_kernels;
    Stream stream(spec);
    const Bytes zeros(stream.frames_before(0).size()), whole = stream.whole();
    EXPECT_EQ(stream.in_chunks({3, 6}, true, zeros), whole) << "zeros in the cache";
    EXPECT_NE(stream.in_chunks({3, 6}, true, stream.frames_before(4)), whole);
}

TEST(CausalConv, IsOneKernelForEachNumberOfFrames)
{
    ConvSpec spec = cases[5].spec(DataType::f32, Layout::channels_last);
    if(!has_kernels(Stream::padded(spec)))
        GTEST_SKIP() << no_kernels;
    Stream stream(spec);
    stream.chunk      = 1;
    const Bytes whole = stream.whole();
    EXPECT_EQ(stream.in_chunks({1, 1, 7}), whole);
    const PlanOptions options{.forbid = "^" + *stream.kernels.begin() + "$|Xdl|Wgmma"};
    stream.kernels.clear();
    const Bytes other = stream.in_chunks({length}, true, {}, options);
    EXPECT_EQ(stream.in_chunks({2, 7}, true, {}, options), other);
    EXPECT_NE(other, whole) << "or these numbers show nothing";
    ASSERT_EQ(stream.kernels.size(), 1u);
    EXPECT_EQ(stream.kernels.begin()->find("Xdl"), std::string::npos) << *stream.kernels.begin();
}

// Images, and channels outside of the frames, may be apart: a part of a longer tensor. One channel
// is both within and outside of the frames.
TEST(CausalConv, ReadsPartsOfLongerTensors)
{
    for(const auto& channels : {std::pair{8l, 8l}, {1l, 8l}, {8l, 1l}, {1l, 1l}})
    {
        const auto c = channels.first, k = channels.second; // clang 14 captures no bindings
        const Case of{c, k, 1, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}};
        with_layouts(of, [&](const ConvSpec& spec, Stream& stream, const Bytes& whole) {
            const bool last    = spec.layout == Layout::channels_last;
            const auto strides = [&](long_index_t n) -> Strides {
                const long_index_t pixels = 3 * 2, all = length * pixels;
                return last ? Strides{n, n * all, 1, n * pixels, n * 2, n}
                            : Strides{n * all, n * all, all, pixels, 2, 1};
            };
            const PlacedMemory x = test::on_device(stream.x), y(whole.size());
            std::unique_ptr<PlacedMemory> cache;
            const auto frame = [&](long_index_t n) {
                return sizeof(float) * 3 * 2 * static_cast<std::size_t>(last ? n : 1);
            };
            long_index_t at = 0;
            for(const long_index_t frames : {3, 5, 1})
            {
                CausalConvSpec s{.conv = spec, .first = at == 0};
                s.conv.layout    = Layout::strided;
                s.conv.input[0]  = frames;
                s.conv.x_strides = strides(c);
                s.conv.y_strides = strides(k);
                s.conv.w_strides = last ? Strides{k * c * 27, c * 27, 1, c * 9, c * 3, c}
                                        : Strides{k * c * 27, c * 27, 27, 9, 3, 1};
                const CausalConvPlan p(s);
                const PlacedMemory workspace(p.workspace_size());
                if(cache == nullptr)
                    cache = std::make_unique<PlacedMemory>(p.cache_bytes());
                const auto from = static_cast<std::size_t>(at);
                p.run({.x          = static_cast<char*>(x.GetDeviceBuffer()) + from * frame(c),
                       .w          = stream.w.GetDeviceBuffer(),
                       .y          = static_cast<char*>(y.GetDeviceBuffer()) + from * frame(k),
                       .cache      = at == 0 ? nullptr : cache->GetDeviceBuffer(),
                       .next_cache = cache->GetDeviceBuffer(),
                       .workspace  = workspace.GetDeviceBuffer()});
                at += frames;
            }
            Bytes got(whole.size());
            y.FromDevice(got.data());
            EXPECT_EQ(got, whole) << to_string(spec);
        });
    }
}

// Kernels for Hopper split sums of the last tiles, depending on their number. The host has none of
// them, but asks for whole sums.
TEST(CausalConv, HasWholeSums)
{
    CausalConvSpec s{.conv = cases[5].spec(DataType::f32, Layout::channels_last)};
    if(!has_kernels(Stream::padded(s.conv)))
        GTEST_SKIP() << no_kernels;
    EXPECT_TRUE(conv::prepare(s.conv, {}, "", {}, true)->resolved.whole_sums);
    EXPECT_FALSE(conv::prepare(s.conv, {})->resolved.whole_sums);
    clear_plan_cache();
    const CausalConvPlan::Prepared p(s, {});
    EXPECT_EQ(p.parts.size(), 2u);
    const std::size_t count = plan_cache_size();
    for(const conv::ChunkPart& part : p.parts)
        conv::plan_of_whole_sums(part.plan.spec(), p.options);
    EXPECT_EQ(plan_cache_size(), count);
    for(const conv::ChunkPart& part : p.parts)
        plan(part.plan.spec(), p.options);
    EXPECT_EQ(plan_cache_size(), count + p.parts.size()) << "kept apart";
}

TEST(CausalConv, CopiesAFewFramesHoweverLongTheChunk)
{
    ConvSpec spec = cases[5].spec(DataType::f32, Layout::channels_last);
    if(!has_kernels(Stream::padded(spec)))
        GTEST_SKIP() << no_kernels;
    const std::size_t frame = sizeof(float) * 2 * 3 * 2 * 8;
    std::set<std::size_t> sizes;
    for(const long_index_t frames : {5, 50, 500})
    {
        CausalConvSpec s{.conv = spec};
        s.conv.input[0] = frames;
        const CausalConvPlan p(s);
        sizes.insert(p.workspace_size());
        const std::string text = p.explain();
        EXPECT_NE(text.find("outputs 0 to 1: from a copy of 2 cached and 2 new frames"), text.npos)
            << text;
        EXPECT_NE(
            text.find("outputs 2 to " + std::to_string(frames - 1) + ": from the chunk, in place"),
            text.npos)
            << text;
        EXPECT_NE(text.find("  kernel: " + p.kernel() + ", of all chunks\n"), text.npos) << text;
        EXPECT_NE(text.find(std::to_string(4 * frame) + " of them for the copy"), text.npos)
            << text;
    }
    EXPECT_EQ(sizes.size(), 1u);
}

#if defined(CK_RUNTIME_HOST)
/// Rows that are farther apart than one call of the runtime takes, here of three images: their
/// pages are made where they are written.
TEST(CausalConv, CopiesRowsThatAreFarApart)
{
    constexpr std::size_t apart = std::size_t{1} << 31, rows = 3, size = rows * apart;
    void* const memory = mmap(
        nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    std::byte* const far = static_cast<std::byte*>(memory);
    const std::array<std::uint16_t, 2 * rows> from{1, 2, 3, 4, 5, 6};
    std::array<std::uint16_t, 2 * rows> back{};
    const conv::Frames of_far{sizeof(std::uint16_t), rows, 1, apart, apart},
        of_near{sizeof(std::uint16_t), rows, 1, 2 * sizeof(std::uint16_t), 0};
    conv::copy_frames(
        of_far, far, of_near, reinterpret_cast<const std::byte*>(from.data()), 2, nullptr);
    for(std::size_t row = 0; row < rows; ++row)
    {
        std::array<std::uint16_t, 2> got{};
        std::memcpy(got.data(), far + row * apart, sizeof(got));
        EXPECT_EQ(got[0], from[2 * row]);
        EXPECT_EQ(got[1], from[2 * row + 1]);
    }
    conv::copy_frames(of_near, reinterpret_cast<std::byte*>(back.data()), of_far, far, 2, nullptr);
    EXPECT_EQ(back, from);
    munmap(memory, size);
}
#endif

TEST(CausalConv, HasSizes)
{
    CausalConvSpec s{.conv = cases[2].spec(DataType::f32, Layout::channels_last)};
    if(!has_kernels(Stream::padded(s.conv)))
        GTEST_SKIP() << no_kernels;
    s.conv.input = {7}; // filter 3, stride 3, dilation 2
    s.skip       = 2;
    const CausalConvPlan p(s);
    EXPECT_EQ(p.spec(), s);
    EXPECT_EQ(p.cached_frames(), 4);
    EXPECT_EQ(p.cache_bytes(), 2u * 4 * 3 * sizeof(float));
    ASSERT_EQ(p.output().size(), 1u);
    EXPECT_EQ(p.output()[0], 2) << "frames 2 and 5";
    EXPECT_EQ(p.y_bytes(), 2u * 2 * 5 * sizeof(float));
    EXPECT_EQ(p.next_skip(), 1);
    s.conv.input = {1};
    EXPECT_EQ(CausalConvPlan(s).output()[0], 0);
    EXPECT_EQ(CausalConvPlan(s).y_bytes(), 0u);
    EXPECT_EQ(CausalConvPlan(s).next_skip(), 1);
    s.conv.n = 0;
    EXPECT_EQ(CausalConvPlan(s).cache_bytes(), 0u);
    CausalConvPlan(s).run({});
}

TEST(CausalConv, RefusesWhatIsNoChunk)
{
    const auto expect = [](const std::string& text, const auto& change) {
        const std::string why = why_not(change);
        EXPECT_EQ(why.rfind("ck::C", 0), 0u) << why;
        EXPECT_NE(why.find(text), why.npos) << why << "\nhas not: " << text;
    };
    expect("conv.direction is backward data, but must be forward",
           [](auto& s) { s.conv.direction = Direction::backward_data; });
    expect("conv.transposed is set", [](auto& s) { s.conv.transposed = true; });
    expect("conv.quantization.enabled is true, but quantized convolutions have no chunks",
           [](auto& s) { s.conv.quantization.enabled = true; });
    expect("conv.pads[0] is {2, 0}, but must be {0, 0}", [](auto& s) { s.conv.pads[0] = {2, 0}; });
    expect("conv.pads[0] is {0, 1}, but must be {0, 0}", [](auto& s) { s.conv.pads[0] = {0, 1}; });
    expect("filter has 2 values, but input has 3", [](auto& s) { s.conv.filter = {3, 3}; });
    expect("input has 0 lengths", [](auto& s) { s.conv.input = {}; });
    expect("skip is 2, but must be from 0 to 1: the stride is 2", [](auto& s) { s.skip = 2; });
    expect("skip is -1, but must be from 0 to 1", [](auto& s) { s.skip = -1; });
    expect("skip is 1, but must be 0 in the first chunk", [](auto& s) {
        s.skip  = 1;
        s.first = true;
    });
    expect("chunk is -3, but must be from 1 to", [](auto& s) { s.chunk = -3; });
    expect("filter length in D of a 3D convolution is 8589934592, but must be below 2^31",
           [](auto& s) { s.conv.filter[0] = long_index_t{1} << 33; });
    const auto strided = [](auto& s) {
        s.conv.layout    = Layout::strided;
        s.conv.x_strides = s.conv.y_strides = {8, 432, 1, 48, 16, 8};
        s.conv.w_strides                    = {8 * 216, 216, 1, 72, 24, 8};
    };
    EXPECT_EQ(why_not(strided), "");
    expect("conv.x_strides: frames must be contiguous", [&](auto& s) {
        strided(s);
        s.conv.x_strides = {8, 864, 1, 96, 16, 8};
    });
    expect("conv.y_strides: frames must be contiguous", [&](auto& s) {
        strided(s);
        s.conv.y_strides = {6 * 9 * 8, 6 * 9 * 8, 6 * 9, 6, 2, 1};
    });
    expect("conv.x_strides: images are 866 bytes apart, but must be a multiple of 16",
           [&](auto& s) {
               strided(s);
               s.conv.x_strides[1] = 433;
           });
}

TEST(CausalConv, RefusesWrongMemory)
{
    CausalConvSpec s{.conv = cases[5].spec(DataType::f32, Layout::channels_last)};
    if(!has_kernels(Stream::padded(s.conv)))
        GTEST_SKIP() << no_kernels;
    const CausalConvPlan p(s);
    s.first = true;
    const CausalConvPlan first(s);
    const PlacedMemory x(s.conv.x_bytes()), w(s.conv.w_bytes()), y(p.y_bytes() + 16),
        cache(p.cache_bytes()), next(p.cache_bytes()), workspace(p.workspace_size() + 16);
    for(const PlacedMemory* const memory : {&x, &w, &cache})
        memory->fill(0);
    const CausalConvTensors right{.x          = x.GetDeviceBuffer(),
                                  .w          = w.GetDeviceBuffer(),
                                  .y          = y.GetDeviceBuffer(),
                                  .cache      = cache.GetDeviceBuffer(),
                                  .next_cache = next.GetDeviceBuffer(),
                                  .workspace  = workspace.GetDeviceBuffer()};
    p.run(right);
    const auto expect =
        [&](const std::string& text, const CausalConvPlan& plan, const auto& change) {
            CausalConvTensors t = right;
            change(t);
            try
            {
                plan.run(t);
                ADD_FAILURE() << text;
            }
            catch(const Refused& refused)
            {
                const std::string why = refused.what();
                EXPECT_EQ(why.rfind("ck::CausalConvPlan::run: ", 0), 0u) << why;
                EXPECT_NE(why.find(text), why.npos) << why << "\nhas not: " << text;
            }
        };
    expect("x is null, but has " + std::to_string(s.conv.x_bytes()) + " bytes", p, [](auto& t) {
        t.x = nullptr;
    });
    expect(
        "bias is given, but the spec has none (Epilogue::bias)", p, [](auto& t) { t.bias = t.w; });
    expect("residual is given, but the spec has none (Epilogue::residual)", p, [](auto& t) {
        t.residual = t.x;
    });
    expect("cache is null, but has", p, [](auto& t) { t.cache = nullptr; });
    expect("workspace is null, but has", p, [](auto& t) { t.workspace = nullptr; });
    expect("cache is given, but no frames precede the first chunk", first, [](auto&) {});
    expect("y must be at a multiple of 16 bytes, but its address is 4 beyond one", p, [](auto& t) {
        t.y = static_cast<const char*>(t.y) + 4;
    });
    expect("next_cache is written, but shares memory with cache", p, [](auto& t) {
        t.next_cache = static_cast<char*>(const_cast<void*>(t.cache)) + 16;
    });
    expect("y is written, but shares memory with x", p, [](auto& t) { t.y = t.x; });
    expect("next_cache is written, but shares memory with x", p, [](auto& t) {
        t.next_cache = const_cast<void*>(t.x);
    });
    CausalConvTensors t = right;
    t.next_cache        = nullptr;
    p.run(t);
    t.next_cache = const_cast<void*>(t.cache);
    p.run(t);
}

} // namespace ck::conv_test
