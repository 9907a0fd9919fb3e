// Images that are too large for one launch: where they are cut, at the limits that launches have;
// and kernels of families with operands that plans do not have.
//
// Labels: not emulated
#include "ck/host_utility/launch_list.hpp"
#include "ck/library/tensor_operation_instance/any_size.hpp"

#include "library/tensor_operation_instance/patches.hpp"
#include "rewrites/image_pieces.hpp"
#include <random>

namespace ck::test::cut_image {
namespace {

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

/// Whether windows of a piece meet along a dimension what those of the whole do, and write or sum
/// rows of the result from `next`; sets that to what follows.
testing::AssertionResult is_part(const ConvProblem& whole,
                                 const ImagePiece& piece,
                                 std::size_t i,
                                 bool backward_data,
                                 long_index_t& next)
{
    const ConvProblem& p        = piece.problem;
    const long_index_t x_of_all = whole.input[i], x = p.input[i], y = p.output()[i];
    const long_index_t first_x = piece.input[i], first_y = piece.output[i];
    const long_index_t first_own = backward_data ? first_x : first_y, rows = backward_data ? x : y;
    if(first_own != next || rows < 1 || first_x < 0 || first_x + x > x_of_all)
        return testing::AssertionFailure() << "rows " << first_own << ", " << rows;
    next += rows;
    for(long_index_t o = 0; o < whole.output()[i]; ++o)
        for(long_index_t t = 0; t < p.filter[i]; ++t)
        {
            const long_index_t meets = o * whole.stride[i] + t * p.dilation[i] - whole.pad_low[i];
            const long_index_t own   = o - first_y;
            const bool wanted =
                meets >= 0 && meets < x_of_all &&
                (backward_data ? meets >= first_x && meets < first_x + x : own >= 0 && own < y);
            const long_index_t at = own * p.stride[i] + t * p.dilation[i] - p.pad_low[i];
            const bool met        = own >= 0 && own < y && at >= 0 && at < x;
            if(met != wanted || (met && at + first_x != meets))
                return testing::AssertionFailure() << "row " << o << ", tap " << t;
        }
    return testing::AssertionSuccess();
}

} // namespace

TEST(ImagePieces, MeetWhatTheWholeImageMeets)
{
    std::mt19937 random(56);
    const auto number = [&](int least, int most) {
        return static_cast<long_index_t>(
            least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)));
    };
    int cut = 0;
    for(int n = 0; n < 20000; ++n)
    {
        ConvProblem p;
        p.rank         = 2;
        p.in_channels  = number(1, 3);
        p.out_channels = number(1, 3);
        p.input        = {1, number(1, 30), number(1, 6)};
        p.filter       = {1, number(1, 5), number(1, 2)};
        p.stride       = {1, number(1, 4), number(1, 2)};
        p.dilation     = {1, number(1, 4), 1};
        p.pad_low      = {0, number(-5, 9), number(-1, 1)};
        p.pad_high     = {0, number(-5, 9), number(-1, 1)};
        set_packed_strides(p);
        const bool backward_data = n % 2 == 0;
        const LaunchBytes small(number(1, 100));
        const auto pieces = ImagePieces::of(
            backward_data ? Direction::backward_data : Direction::forward, p, {1, 1, 1}, {});
        if(!pieces)
            continue;
        ++cut;
        for(std::size_t i = 0; i < 3; ++i) // pieces at the start of the other dimensions
        {
            long_index_t next = 0;
            for(const ImagePiece& piece : pieces->pieces)
            {
                const auto begins = [&](std::size_t d) {
                    return d == i || (backward_data ? piece.input : piece.output)[d] == 0;
                };
                if(begins(0) && begins(1) && begins(2))
                {
                    ASSERT_TRUE(is_part(p, piece, i, backward_data, next)) << n;
                }
            }
            EXPECT_EQ(next, (backward_data ? p.input : p.output())[i]);
        }
        EXPECT_EQ(pieces->pieces.size(),
                  static_cast<std::size_t>(pieces->parts[0] * pieces->parts[1] * pieces->parts[2]));
    }
    EXPECT_GE(cut, 5000);
}

TEST(ImagePieces, AreAsFewAsLaunchesReach)
{
    const auto pieces_of = [](const ConvProblem& p, index_t bytes, Direction direction) {
        const auto pieces = ImagePieces::of(direction, p, {bytes, bytes, bytes}, {});
        if(pieces)
            for(const ImagePiece& piece : pieces->pieces)
            {
                ConvProblem packed = piece.problem;
                set_packed_strides(packed); // a copy of it at least fits
                EXPECT_TRUE(tensor_operation::device::ForwardDirection::check(
                    packed, {bytes, bytes, bytes}));
            }
        return pieces ? pieces->parts : Spatial{1, 1, 1};
    };
    for(const Direction direction : directions)
        for(const Layout& layout : layouts)
        {
            ConvProblem p;
            p.rank   = 3;
            p.filter = {3, 3, 3}, p.pad_low = p.pad_high = {1, 1, 1};
            p.in_channels = p.out_channels = 32;
            p.input                        = {256, 256, 256}; // 2^31 bytes of f32
            set_layout(p, layout);
            EXPECT_EQ(pieces_of(p, 4, direction), (Spatial{2, 1, 1}));
            p.input = {255, 256, 256};
            set_layout(p, layout);
            EXPECT_EQ(pieces_of(p, 4, direction), (Spatial{1, 1, 1}));
            p.input = {1024, 256, 256}; // rows of 8 MiB: 253 at most, with a halo
            set_layout(p, layout);
            EXPECT_EQ(pieces_of(p, 4, direction), (Spatial{5, 1, 1}));
            p.in_channels = p.out_channels = 1; // but more than 2^30 pixels
            p.input                        = {1100, 1024, 1024};
            set_layout(p, layout);
            EXPECT_EQ(pieces_of(p, 1, direction)[0], 2);
        }
    // A frame of 0.8 GB, of which a window has three: frames, which are in H as well.
    ConvProblem p;
    p.rank   = 3;
    p.filter = {3, 3, 3}, p.pad_low = p.pad_high = {1, 1, 1};
    p.in_channels = p.out_channels = 192;
    p.input                        = {8, 1080, 1920};
    set_packed_strides(p);
    const Spatial parts = pieces_of(p, 2, Direction::forward);
    EXPECT_EQ(parts, (Spatial{8, 2, 1}));
    // A line of 2^31 - 1 pixels.
    ConvProblem line;
    line.rank  = 1;
    line.input = {1, 1, ck::detail::index_limit};
    set_packed_strides(line);
    EXPECT_EQ(pieces_of(line, 1, Direction::forward), (Spatial{1, 1, 2}));
    // A pixel that is too large.
    line.input       = {1, 1, 4};
    line.in_channels = 1 << 30;
    set_packed_strides(line);
    EXPECT_EQ(pieces_of(line, 4, Direction::forward), (Spatial{1, 1, 1}));
}

/// A valid image whose copy, of padded channels, has more bytes than 64 bits count. (The sanitizer
/// watches for overflows.)
TEST(ImagePieces, AreTooManyBeyondAnyMemory)
{
    ConvProblem p;
    p.rank        = 3;
    p.in_channels = p.out_channels = 1;
    p.input                        = {1 << 20, 1 << 20, 1 << 19};
    set_packed_strides(p);
    ASSERT_TRUE(validate(p));
    for(const long_index_t most : {any_bytes, long_index_t{1} << 20})
    {
        const PieceBytes small(most);
        for(const Direction direction : directions)
            EXPECT_FALSE(ImagePieces::of(direction, p, {2, 2, 2}, {}));
    }
}

// What factories offer for tensors of any size cuts images, too.
TEST(CutImage, IsWhatLargeTensorInstancesDo)
{
    for(const Direction direction : directions)
    {
        ConvProblem p;
        p.in_channels = p.out_channels = 8;
        p.input                        = {1, 12, 4};
        p.filter                       = {1, 3, 1};
        set_packed_strides(p);
        const Values x      = Values::integers(p.input_lengths(), 1),
                     w      = Values::integers(p.filter_lengths(), 2),
                     y      = Values::integers(p.output_lengths(), 3);
        const Family family = family_of(direction);
        KernelSetup setup{family, p, {x, w, y, result(direction, p, x, w, y)}, 1};
        const LaunchBytes small(400);
        const ConvKernel& kernel = large_tensor_kernel(family);
        ASSERT_TRUE(setup.supports(kernel));
        EXPECT_EQ(setup.mistakes(kernel), 0u);
        LaunchList list;
        kernel.add(setup.argument, list);
        EXPECT_GE(list.launches.size(), 2u);
    }
}

// Two A or B tensors, D tensors of the result's strides, scales and Bilinear of dW.
TEST(CutImage, OfOperandsThatPlansDoNotHaveIsRight)
{
    using element_wise::PassThrough;
    using element_wise::ScaleAdd;
    using enum Direction;
    ConvProblem p;
    p.rank         = 2;
    p.batch        = 2;
    p.in_channels  = 16;
    p.out_channels = 8;
    p.input        = {1, 9, 4};
    p.filter       = {1, 3, 2};
    p.stride       = {1, 2, 1};
    p.pad_low      = {0, 2, 1};
    p.pad_high     = {0, 1, 0};
    std::vector<Family> some;
    for(const Family& f : families())
        if(f.a == "f16 f16" || f.operation_c == "Bilinear" || f.operation_c == "AddReluAdd")
            some.push_back(f);
    ASSERT_GE(some.size(), 4u);
    int ran = 0;
    for(const Family& family : some)
    {
        const LaunchBytes small(family.a.starts_with("f32") ? 900 : 300);
        const bool has_sums = // sums are f32; without them dW cannot be added up
            family.direction != backward_weight || family.compute_a != "bf8";
        const Ran of = run_all(family, p, layouts[1], "CutImage<");
        EXPECT_EQ(of.right >= 1, has_sums)
            << ck::name(family.direction) << ' ' << family.a << ' ' << family.c << ' '
            << family.compute_a << ' ' << family.operation_c << ' ' << of.all;
        ran += of.right;
    }
    EXPECT_GE(ran, 50);
}

} // namespace ck::test::cut_image
