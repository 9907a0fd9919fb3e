// Images that are too large for one launch: plans of their pieces. The limit is made small here, so
// that small images are cut, in all places; at last images are as far apart in memory as real ones.
#include "rewrites/cut_image.hpp"

#include "ck/config.h"

#include "conv/prepared.hpp"
#include "conv/random_spec.hpp"
#include "rewrites/image_pieces.hpp"
#include <set>
#if defined(CK_PLATFORM_HOST)
#include <sys/mman.h>
#endif

namespace ck::conv_test::cut_image {
namespace {

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

/// While one lives, plans are made for launches that reach only that many bytes of an image.
class SmallLaunches
{
public:
    explicit SmallLaunches(long_index_t bytes) : bytes_(bytes) { clear_plan_cache(); }
    ~SmallLaunches() { clear_plan_cache(); }
    SmallLaunches(const SmallLaunches&)            = delete;
    SmallLaunches& operator=(const SmallLaunches&) = delete;

private:
    LaunchBytes bytes_;
};

/// How a spec is cut, in words; empty where it is not.
std::string cut_of(const ConvSpec& spec)
{
    const conv::Resolved r = conv::resolve(spec);
    return cut_in_words(r.family, r.argument(conv::slot_addresses(r, 16, true)));
}
/// Into how many pieces each image is cut.
int pieces_of(const ConvSpec& spec)
{
    const std::string words = cut_of(spec), into = "each image into ";
    return words.starts_with(into) ? std::stoi(words.substr(into.size())) : 1;
}
int pieces_of(const ConvPlan& plan)
{
    const int pieces = pieces_of(plan.spec());
    EXPECT_EQ(plan.kernel().starts_with("CutImage<"), pieces > 1) << plan.kernel();
    return pieces;
}

/// Cuts the spec's images into every possible number of pieces, and returns these numbers.
std::set<int> expect_right_at_every_cut(const ConvSpec& spec)
{
    std::set<int> seen;
    const auto whole = static_cast<long_index_t>(std::max(spec.x_bytes(), spec.y_bytes()));
    for(long_index_t bytes = whole; bytes > 0; bytes -= std::max<long_index_t>(whole / 48, 1))
    {
        const SmallLaunches small(bytes);
        if(!seen.insert(pieces_of(spec)).second)
            continue;
        const ConvPlan p = plan(spec);
        EXPECT_EQ(*seen.rbegin() > 1, p.kernel().starts_with("CutImage<")) << p.kernel();
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u)
            << bytes << " bytes: " << to_string(spec) << '\n'
            << p.explain().substr(0, 2000);
        EXPECT_EQ(deserialize(p.serialize()).kernel(), p.kernel());
    }
    return seen;
}

/// A long outermost dimension, with a filter, stride and dilation of its own, and unequal pads.
ConvSpec spec_of(Direction direction, std::size_t rank, Layout layout, DataType type)
{
    ConvSpec s;
    s.direction = direction;
    s.type      = type;
    s.layout    = layout;
    s.n         = rank == 2 ? 2 : 1;
    s.k         = 8;
    s.c         = 4;
    for(std::size_t i = 0; i < rank; ++i)
    {
        const bool first = i == 0;
        s.input.push_back(first ? 11 : 4);
        s.filter.push_back(first ? 3 : 2);
        s.strides.push_back(1);
        s.dilations.push_back(1);
        s.pads.push_back(first ? PadWidths{2, 1} : PadWidths{0, 1});
    }
    return s;
}

} // namespace

TEST(CutImage, IsRightAtEveryCut)
{
    for(const Direction direction : directions)
        for(std::size_t rank = 1; rank <= 3; ++rank)
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                for(const DataType type : {DataType::f16, DataType::f32, DataType::bf16})
                {
                    if(rank == 3 && type != DataType::f16)
                        continue; // takes longer, and differs in what is cut alone
                    EXPECT_GE(
                        expect_right_at_every_cut(spec_of(direction, rank, layout, type)).size(),
                        4u)
                        << name(direction) << ' ' << rank;
                }
}

TEST(CutImage, OfOtherTypesIsRight)
{
    for(const Direction direction : directions)
        for(const DataType type : {DataType::f64, DataType::i8})
        {
            if(type == DataType::i8 && direction == Direction::backward_weight)
                continue; // refused, see below
            const ConvSpec s = spec_of(direction, 2, Layout::channels_last, type);
            EXPECT_GE(expect_right_at_every_cut(s).size(), 5u) << name(direction);
        }
    ConvSpec s = spec_of(Direction::backward_weight, 2, Layout::channels_last, DataType::bf16);
    s.w_type   = DataType::f32;
    EXPECT_GE(expect_right_at_every_cut(s).size(), 5u);
    s      = spec_of(Direction::forward, 2, Layout::channels_last, DataType::f16);
    s.type = DataType::f8;
    EXPECT_GE(expect_right_at_every_cut(s).size(), 5u);
}

TEST(CutImage, WithStridesDilationsPadsAndGroupsIsRight)
{
    for(const Direction direction : directions)
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
            for(long_index_t stride = 1; stride <= 3; ++stride)
                for(long_index_t dilation = 1; dilation <= 3; dilation += 2)
                    for(const PadWidths pad : {PadWidths{0, 0}, {-2, 5}, {7, -1}})
                    {
                        ConvSpec s = spec_of(direction, 2, layout, DataType::f16);
                        s.groups   = stride == 2 ? 8 : 2;
                        s.k = s.c      = stride == 2 ? 1 : 4;
                        s.strides[0]   = stride;
                        s.dilations[0] = dilation;
                        s.input[1]     = 2;
                        s.n            = 1;
                        s.pads[0]      = pad;
                        EXPECT_GE(expect_right_at_every_cut(s).size(), 2u) << to_string(s);
                    }
}

TEST(CutImage, OfATransposedConvolutionIsRight)
{
    for(const Direction direction : directions)
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
        {
            ConvSpec s       = spec_of(direction, 2, layout, DataType::bf16);
            s.transposed     = true;
            s.strides        = {2, 3};
            s.output_padding = {1, 0};
            EXPECT_GE(expect_right_at_every_cut(s).size(), 5u) << name(direction);
        }
}

TEST(CutImage, OnCopiesIsRight)
{
    int cut = 0;
    for(const Direction direction : directions)
        for(const DataType type : {DataType::f32, DataType::f16})
            for(const long_index_t bytes : {150, 300, 600})
            {
                const SmallLaunches small(bytes);
                const ConvSpec s = spec_of(direction, 2, Layout::channels_first, type);
                const ConvPlan p = plan(s, {.allow = "ChannelsLast<"});
                EXPECT_EQ(Convolution(s).mistakes(p), 0u) << p.explain().substr(0, 2000);
                cut += p.kernel().find("CutImage<ChannelsLast<") == 0;
            }
    EXPECT_GE(cut, 12);
}

// A D tensor moves as the result does; beta reads what is there.
TEST(CutImage, WithEpiloguesIsRight)
{
    for(const Direction direction : {Direction::forward, Direction::backward_data})
        for(const Residual residual : {Residual::before_activation, Residual::after_activation})
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                for(const DataType type : {DataType::f32, DataType::f16})
                {
                    ConvSpec s            = spec_of(direction, 2, layout, type);
                    s.epilogue.scale      = .5f;
                    s.epilogue.bias       = true;
                    s.epilogue.residual   = residual;
                    s.epilogue.activation = Activation::relu;
                    EXPECT_GE(expect_right_at_every_cut(s).size(), 5u) << to_string(s);
                }
    for(const Direction direction : directions)
        for(const DataType type : {DataType::f32, DataType::f16, DataType::bf16})
        {
            ConvSpec s       = spec_of(direction, 2, Layout::channels_last, type);
            s.beta           = 1;
            s.epilogue.scale = 2;
            s.bias_gradient  = direction == Direction::backward_weight;
            EXPECT_GE(expect_right_at_every_cut(s).size(), 5u) << to_string(s);
        }
}

TEST(CutImage, OfRandomSpecsIsRightOrRefused)
{
    Random random(56);
    int cut = 0, refused = 0;
    for(int i = 0; i < 2000; ++i)
    {
        const ConvSpec spec       = random_spec(random);
        const PlanOptions options = random_options(random);
        long_index_t bytes        = 1;
        try
        {
            const auto most = static_cast<long_index_t>(std::max(spec.x_bytes(), spec.y_bytes()));
            bytes           = std::max<long_index_t>(
                most * random.number(10, 90) / 100 / std::max<long_index_t>(spec.n, 1), 1);
        }
        catch(const Refused&)
        {}
        const SmallLaunches small(bytes);
        std::string what;
        const Outcome outcome = outcome_of(spec, options, what);
        EXPECT_NE(outcome, Outcome::wrong) << to_string(spec) << '\n' << what.substr(0, 3000);
        cut += outcome == Outcome::right && what.find("kernel: CutImage<") != what.npos;
        refused += outcome == Outcome::refused;
    }
    std::printf("%d cut and right, %d refused\n", cut, refused);
    EXPECT_GE(cut, 200);
}

// Sums of f32 in the room of two dW, however many pieces there are.
TEST(CutImage, TakesNoMoreWorkspaceForMorePieces)
{
    for(const Direction direction : directions)
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
        {
            const SmallLaunches small(2000);
            ConvSpec s           = spec_of(direction, 2, layout, DataType::f32);
            s.pads               = {{1, 1}, {1, 1}};
            const auto with_rows = [&](long_index_t rows) {
                s.input = {rows, 8};
                return plan(s, {.allow = "CutImage<(ChannelsLast<)?Dl<"});
            };
            const ConvPlan some = with_rows(120), more = with_rows(480);
            EXPECT_GE(pieces_of(more), 3 * pieces_of(some));
            EXPECT_LE(more.workspace_size(), some.workspace_size() + 256) << more.explain();
            if(direction == Direction::backward_weight && layout == Layout::channels_last)
            {
                EXPECT_EQ(more.workspace_size(), 2 * ((s.w_bytes() + 127) / 128 * 128));
            }
        }
}

// No window reaches all rows of X. There is one piece, with the rows that a window reaches.
TEST(CutImage, OfOneRowIsRight)
{
    for(const Direction direction : {Direction::forward, Direction::backward_weight})
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
        {
            ConvSpec s   = spec_of(direction, 1, layout, DataType::f16);
            s.input[0]   = 64;
            s.filter[0]  = 2;
            s.strides[0] = 63;
            s.pads[0]    = {0, 0};
            const SmallLaunches small(64);
            const ConvPlan p = plan(s);
            EXPECT_EQ(cut_of(s),
                      "each image into 1 piece, without the rows that no window reaches");
            EXPECT_TRUE(p.kernel().starts_with("CutImage<")) << p.kernel();
            EXPECT_EQ(Convolution(s).mistakes(p), 0u) << p.explain().substr(0, 2000);
        }
}

TEST(CutImage, IsExplained)
{
    const SmallLaunches small(200);
    ConvSpec s             = spec_of(Direction::forward, 2, Layout::channels_last, DataType::f16);
    const ConvPlan p       = plan(s);
    const std::string text = p.explain();
    EXPECT_NE(text.find("\n  kernel: CutImage<"), text.npos) << text;
    EXPECT_NE(text.find("\n  cut: " + cut_of(s) + ": a launch reaches less than 2^31 bytes"),
              text.npos)
        << text;
    EXPECT_EQ(cut_of(s), "each image into 4 pieces, 4 along H");
    s.input = {3, 2};
    EXPECT_EQ(plan(s).explain().find("\n  cut: "), text.npos) << "it is small";
}

TEST(CutImage, IsTheSameBitsInEveryRun)
{
    ConvSpec s      = spec_of(Direction::backward_weight, 2, Layout::channels_last, DataType::bf16);
    s.bias_gradient = true;
    const SmallLaunches small(200);
    const ConvPlan p = plan(s);
    EXPECT_GE(pieces_of(p), 2);
    Convolution c(s);
    std::vector<char> first;
    for(int run = 0; run < 3; ++run)
    {
        EXPECT_EQ(c.mistakes(p), 0u);
        if(run == 0)
            first = c.result().bytes;
        EXPECT_EQ(c.result().bytes, first);
    }
}

// Its pieces would be saturated before they are added up.
TEST(CutImage, IsRefusedForDwOfIntegers)
{
    ConvSpec s = spec_of(Direction::backward_weight, 2, Layout::channels_last, DataType::i8);
    s.input    = {40000, 60000};
    try
    {
        plan(s);
        FAIL();
    }
    catch(const Refused& why)
    {
        const std::string what = why.what();
        EXPECT_NE(what.find("one image of the output spans"), what.npos) << what.substr(0, 500);
        EXPECT_NE(what.find("dW of i8"), what.npos) << what.substr(0, 500);
    }
}

// The problems that were refused, without their memory.
TEST(CutImage, PlansTheImagesThatWereRefused)
{
    for(const Direction direction : directions)
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
        {
            const ConvSpec video{.direction = direction,
                                 .type      = DataType::bf16,
                                 .layout    = layout,
                                 .k         = 16,
                                 .c         = 16,
                                 .input     = {124, 1282, 722},
                                 .filter    = {1, 3, 3}},
                volume{.direction = direction,
                       .layout    = layout,
                       .k         = 32,
                       .c         = 32,
                       .input     = {256, 256, 256},
                       .filter    = {3, 3, 3},
                       .pads      = {{1, 1}, {1, 1}, {1, 1}}};
            EXPECT_EQ(pieces_of(plan(video)), 2) << plan(video).explain().substr(0, 1000);
            EXPECT_EQ(pieces_of(plan(volume)), 2) << plan(volume).explain().substr(0, 1000);
        }
}

#if defined(CK_PLATFORM_HOST)

namespace {

/// Memory that has an address, but takes none before it is written.
class FarMemory
{
public:
    explicit FarMemory(std::size_t bytes)
        : bytes_(bytes),
          at_(mmap(nullptr,
                   bytes,
                   PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1,
                   0))
    {
        if(at_ == MAP_FAILED)
            throw std::bad_alloc();
    }
    ~FarMemory() { munmap(at_, bytes_); }
    FarMemory(const FarMemory&)            = delete;
    FarMemory& operator=(const FarMemory&) = delete;

    char* address() const { return static_cast<char*>(at_); }

private:
    std::size_t bytes_;
    void* at_;
};

/// A tensor whose elements are far apart.
struct FarTensor
{
    FarTensor(const SpecTensor& from, const Strides& strides)
        : near(from),
          far(to_tensor_strides(std::vector<long_index_t>(strides.begin(), strides.end()))),
          memory([&] {
              long_index_t last = 1;
              for(std::size_t i = 0; i < 6; ++i)
                  last += (near.values.lengths[i] - 1) * far[i];
              return static_cast<std::size_t>(last) * near.of.size;
          }())
    {}
    void write(bool spoilt) const
    {
        near.values.for_each_offset(far, [&](std::size_t i, std::size_t offset) {
            near.of.store(memory.address() + offset * near.of.size,
                          spoilt ? std::numeric_limits<double>::quiet_NaN()
                                 : near.values.values[i]);
        });
    }
    std::vector<double> read() const
    {
        std::vector<double> r(near.values.values.size());
        near.values.for_each_offset(far, [&](std::size_t i, std::size_t offset) {
            r[i] = near.of.load(memory.address() + offset * near.of.size);
        });
        return r;
    }

    const SpecTensor& near;
    TensorStrides far;
    FarMemory memory;
};

/// Compares with the same convolution of packed tensors. Returns the number of pieces. bytes: of
/// SmallLaunches; 0: launches reach what they do.
int expect_right_far_apart(ConvSpec s,
                           const Strides& x_strides,
                           const Strides& y_strides,
                           long_index_t bytes = 0)
{
    Convolution packed(s);
    const ConvPlan near = plan(s);
    EXPECT_EQ(pieces_of(near), 1);
    EXPECT_EQ(packed.mistakes(near), 0u);
    const FarTensor x(packed.x, x_strides), y(packed.y, y_strides);
    const bool forward = s.direction == Direction::forward,
               weight  = s.direction == Direction::backward_weight;
    x.write(s.direction == Direction::backward_data);
    y.write(forward);
    s.layout    = Layout::strided;
    s.x_strides = x_strides;
    s.y_strides = y_strides;
    for(std::size_t i = 0; i < 6; ++i)
        if(i < 3 || i >= 6 - s.input.size())
            s.w_strides.push_back(packed.w.strides[i]);
    const SmallLaunches launches(bytes == 0 ? LaunchBytes::most() : bytes);
    const ConvPlan far  = plan(s);
    ConvTensors tensors = packed.tensors(far);
    tensors.x           = x.memory.address();
    tensors.y           = y.memory.address();
    const std::vector<char> near_w(packed.w.bytes), near_bias(packed.bias.bytes);
    far.run(tensors);
    std::vector<double> expected(packed.result().values.values.size());
    packed.result().values.for_each_offset(
        packed.result().strides, [&](std::size_t i, std::size_t offset) {
            expected[i] = packed.result().of.load(packed.result().bytes.data() +
                                                  offset * packed.result().of.size);
        });
    if(weight)
    {
        packed.w.read();
        packed.bias.read();
        EXPECT_EQ(packed.w.bytes, near_w) << far.explain().substr(0, 2000);
        EXPECT_EQ(packed.bias.bytes, near_bias);
    }
    else
        EXPECT_EQ((forward ? y : x).read(), expected) << far.explain().substr(0, 2000);
    return pieces_of(far);
}

} // namespace

// Rows of D 0.7 GB apart: four of X make 2.1 GB, so that launches have two rows of Y.
TEST(CutImage, WithRowsFarApartIsRight)
{
    constexpr long_index_t plane = 350'000'000;
    for(const Direction direction : directions)
    {
        ConvSpec s      = spec_of(direction, 3, Layout::channels_last, DataType::f16);
        s.pads[0]       = {1, 1};
        s.bias_gradient = direction == Direction::backward_weight;
        EXPECT_GE(expect_right_far_apart(
                      s, {4, 11 * plane, 1, plane, 16, 4}, {8, 11 * plane, 1, plane, 32, 8}),
                  5);
    }
}

// Channels, or rows of a window, stay far apart however the image is cut, so they are copied.
TEST(CutImage, WithChannelsOrRowsOfAWindowFarApartIsRight)
{
    constexpr long_index_t channel = 600'000'000;
    for(const Direction direction : directions)
        for(const long_index_t bytes : {0, 150})
        {
            ConvSpec s       = spec_of(direction, 2, Layout::channels_first, DataType::f16);
            s.n              = 1;
            const int in_all = bytes == 0 ? 1 : 4; // pieces, at least
            EXPECT_GE(expect_right_far_apart(s, {0, 0, channel, 4, 1}, {0, 0, 1, 8, 512}, bytes),
                      in_all);
            EXPECT_GE(expect_right_far_apart(s, {0, 0, 1, 2 * channel, 4}, {0, 0, 1, 32, 8}, bytes),
                      in_all);
        }
}

#endif

} // namespace ck::conv_test::cut_image
