// Image to column and back: refusals, and batches in sub-batches.
//
// Labels: emulated on one target
#include "convolution/rearrange/rearrange.hpp"

namespace ck::test {
namespace {

template <class Way, index_t vector = 1>
using Op = typename OperationOf<Way, 2, float, vector>::type;

ConvParam plain() { return {2, 2, 3, 1, 4, {3, 3}, {7, 6}, {2, 1}, {1, 1}, {1, 1}, {1, 1}}; }

template <class O>
std::string why_not(const Parameters<2>& p)
{
    const auto a          = p.argument<O>();
    const std::string why = O().WhyNotSupported(&a);
    EXPECT_EQ(O::IsSupportedArgument(a), why.empty());
    return why;
}

template <class Way>
void expect_refusals()
{
    const Parameters<2> sound(plain(), Placement::packed);
    EXPECT_EQ(why_not<Op<Way>>(sound), "");
    const auto expect = [&](const char* words, auto change, auto op) {
        Parameters<2> p = sound;
        change(p);
        const std::string why = why_not<decltype(op)>(p);
        EXPECT_NE(why.find(words), std::string::npos) << words << " is not in: " << why;
    };
    constexpr bool to_image = std::is_same_v<Way, ColumnToImage>;
    const char* written     = to_image ? "the image, which is written" : "the column matrix, which";
    expect(
        "groups G is 0", [](auto& p) { p.g = 0; }, Op<Way>{});
    expect(
        "C is 0", [](auto& p) { p.c = 0; }, Op<Way>{});
    expect(
        "stride in H", [](auto& p) { p.stride[0] = 0; }, Op<Way>{});
    expect(
        "output length in W", [](auto& p) { ++p.output[1]; }, Op<Way>{});
    expect(
        "must not be negative", [](auto& p) { p.image[1] = -1; }, Op<Way>{});
    expect(
        "must not be negative", [](auto& p) { p.matrix[1] = -1; }, Op<Way>{});
    expect(
        written,
        [](auto& p) {
            p.image[2]  = 0;
            p.matrix[2] = 0;
        },
        Op<Way>{});
    expect(
        "C is 3, not a multiple of 4", [](auto& p) { p.c = 3; }, Op<Way, 4>{});
    expect(
        "stride of C is 2",
        [](auto& p) {
            for(index_t& s : p.image)
                s *= 2;
        },
        Op<Way, 4>{});
    expect(
        "stride of its columns is 2",
        [](auto& p) {
            for(index_t& s : p.matrix)
                s *= 2;
        },
        Op<Way, 4>{});
    expect(
        "a stride of the column matrix is 37",
        [](auto& p) {
            p.matrix = {12000, 37, 1};
        },
        Op<Way, 4>{});
    float x[8];
    expect(
        "not a multiple of the 4 bytes",
        [&](auto& p) { p.in = reinterpret_cast<char*>(x) + 1; },
        Op<Way>{});
    expect(
        "shares memory", [&](auto& p) { p.in = p.out = x; }, Op<Way>{});
    expect(
        "but a launch takes at most 2^30",
        [](auto& p) {
            p.g = p.n = 1;
            p.c       = 1 << 28;
            p.input = p.output = {1, 1};
        },
        Op<Way>{});
}

TEST(ImageToColumn, SaysWhyItRefuses) { expect_refusals<ImageToColumn>(); }
TEST(ColumnToImage, SaysWhyItRefuses) { expect_refusals<ColumnToImage>(); }

TEST(Rearrange, RunRefusesNullAndOthersArguments)
{
    const auto a = Parameters<2>(plain(), Placement::packed).argument<Op<ImageToColumn>>();
    EXPECT_THROW(Op<ImageToColumn>::MakeInvoker().Run(a), std::runtime_error);
    EXPECT_THROW(Op<ColumnToImage>().WhyNotSupported(&a), std::invalid_argument);
}

TEST(Rearrange, HasStableNames)
{
    EXPECT_EQ(Op<ImageToColumn>().GetTypeString(), "DeviceImageToColumn<64, 32, 8, 16x4, 1>");
    EXPECT_EQ((Op<ColumnToImage, 4>().GetTypeString()), "DeviceColumnToImage<64, 32, 32, 16x4, 4>");
}

/// Expects sub-batches of any number of images to give what one launch does.
template <class Launch, class O>
void expect_same_in_sub_batches()
{
    using Kernel = typename Launch::Kernel;
    const ConvParam param(2, 2, 7, 1, 3, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {1, 1}, {1, 0});
    const auto image  = image_of<2>(param, Placement::packed),
               matrix = matrix_of(param, Placement::packed);
    Mirrored<float> in(Launch::to_image ? matrix : image), whole(Launch::to_image ? image : matrix),
        parts(whole.host.mDesc);
    in.fill_with_integers();
    const auto argument = [&](void* out) {
        return Parameters<2>(param, Placement::packed, in.device.GetDeviceBuffer(), out)
            .argument<O>();
    };
    O::MakeInvoker().Run(argument(whole.device.GetDeviceBuffer()));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    for(index_t images = 1; images <= 7; ++images)
    {
        parts.fill_with_nan();
        const auto params = Launch::make_params(argument(parts.device.GetDeviceBuffer()), images);
        EXPECT_EQ(params.tiles.sub_batches, (7 + images - 1) / images);
        HIP_CHECK_ERROR(
            arch::launch<Kernel>(static_cast<index_t>(params.tiles.size()), nullptr, params));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        EXPECT_EQ(differences(parts.result(), whole.result()), 0u) << "sub-batches of " << images;
    }
}

constexpr grid::RearrangeTile small_tile{32, 8, 16, 4, 1};

TEST(ImageToColumn, IsTheSameInSubBatches)
{
    expect_same_in_sub_batches<
        device::RearrangeLaunch<grid::GridwiseImageToColumn<float, float, small_tile>,
                                device::detail::ImageToColumnName>,
        Op<ImageToColumn>>();
}
TEST(ColumnToImage, IsTheSameInSubBatches)
{
    expect_same_in_sub_batches<
        device::RearrangeLaunch<grid::GridwiseColumnToImage<float, float, small_tile>,
                                device::detail::ColumnToImageName>,
        Op<ColumnToImage>>();
}

/// As Composable Kernel's client of image to column has it: the lengths of filter and output in
/// each other's places. The rows of the matrix would overlap.
TEST(RearrangeArguments, SwappedLengthsAreTurnedWhereTheyCannotBeMeant)
{
    using O           = Op<ImageToColumn>;
    const ConvParam p = {2, 2, 3, 1, 4, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    Mirrored<float> in(image_of<2>(p, Placement::packed)), out(matrix_of(p, Placement::packed));
    in.fill_with_integers();
    const auto matrix = [&](const Parameters<2>& parameters) {
        out.fill_with_nan();
        const auto argument = parameters.argument<O>();
        EXPECT_EQ(O().WhyNotSupported(&argument), "");
        O::MakeInvoker().Run(argument);
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        return out.result();
    };
    Parameters<2> swapped(
        p, Placement::packed, in.device.GetDeviceBuffer(), out.device.GetDeviceBuffer());
    const auto expected = matrix(swapped);
    std::swap(swapped.filter, swapped.output);
    EXPECT_EQ(differences(matrix(swapped), expected), 0u);

    // Not where the matrix has room for the rows as they are given: rows of 7 x 6 x 4 elements.
    Parameters<2> meant = swapped;
    meant.matrix        = {3 * 3 * 3 * 168, 168, 1};
    meant.out           = nullptr;
    EXPECT_EQ(why_not<O>(meant), "");
    // Nor where it has room for neither.
    swapped.matrix = {1, 1, 1};
    EXPECT_NE(why_not<O>(swapped).find("the column matrix, which is written"), std::string::npos);
}

} // namespace
} // namespace ck::test
