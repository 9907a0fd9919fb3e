// What both ways refuse, batches in chunks, and addresses beyond 2 GiB.
#include "convolution/rearrange/rearrange.hpp"
#include <sys/mman.h>
#include <tuple>

namespace ck::test {
namespace {

template <class Way, index_t vector = 1>
using Op = typename OperationOf<Way, 2, float, vector>::type;

ConvParam plain() { return {2, 2, 3, 1, 4, {3, 3}, {7, 6}, {2, 1}, {1, 1}, {1, 1}, {1, 1}}; }

/// Parameters one by one, to be changed.
struct Parameters
{
    explicit Parameters(const ConvParam& p)
    {
        with_parameters<2>(p,
                           image_of<2>(p, Memory::packed),
                           matrix_of(p, Memory::packed),
                           nullptr,
                           nullptr,
                           [&](const auto&... values) {
                               std::tie(in,
                                        out,
                                        g,
                                        n,
                                        c,
                                        input,
                                        filter,
                                        output,
                                        image,
                                        matrix,
                                        stride,
                                        dilation,
                                        low,
                                        high) = std::tie(values...);
                           });
    }
    const void* in;
    void* out;
    index_t g, n, c;
    std::array<index_t, 2> input, filter, output;
    std::array<index_t, 5> image;
    std::array<index_t, 3> matrix;
    std::array<index_t, 2> stride, dilation, low, high;

    template <class O>
    std::string why_not() const
    {
        const auto a = O::MakeArgument(
            in, out, g, n, c, input, filter, output, image, matrix, stride, dilation, low, high);
        EXPECT_EQ(O::IsSupportedArgument(a), O().WhyNotSupported(&a).empty());
        return O().WhyNotSupported(&a);
    }
};

template <class Way>
void expect_refusals()
{
    EXPECT_EQ(Parameters(plain()).why_not<Op<Way>>(), "");
    const auto expect = [](const char* words, auto change, auto op) {
        Parameters p(plain());
        change(p);
        const std::string why = p.why_not<decltype(op)>();
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
    Parameters p(plain());
    const auto a = Op<ImageToColumn>::MakeArgument(p.in,
                                                   p.out,
                                                   p.g,
                                                   p.n,
                                                   p.c,
                                                   p.input,
                                                   p.filter,
                                                   p.output,
                                                   p.image,
                                                   p.matrix,
                                                   p.stride,
                                                   p.dilation,
                                                   p.low,
                                                   p.high);
    EXPECT_THROW(Op<ImageToColumn>::MakeInvoker().Run(a), std::runtime_error);
    EXPECT_THROW(Op<ColumnToImage>().WhyNotSupported(&a), std::invalid_argument);
}

/// The names of both, and of a tuning.
TEST(Rearrange, HasStableNames)
{
    EXPECT_EQ(Op<ImageToColumn>().GetTypeString(), "DeviceImageToColumn<64, 32, 8, 16x4, 1>");
    EXPECT_EQ((Op<ColumnToImage, 4>().GetTypeString()), "DeviceColumnToImage<64, 32, 32, 16x4, 4>");
}

/// Chunks of so many images give what one launch does.
template <class Launch, class O>
void expect_same_in_chunks()
{
    using Kernel = typename Launch::Kernel;
    const ConvParam param(2, 2, 7, 1, 3, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {1, 1}, {1, 0});
    Parameters p(param);
    const auto image  = image_of<2>(param, Memory::packed),
               matrix = matrix_of(param, Memory::packed);
    Mirrored<float> in(Launch::to_image ? matrix : image), whole(Launch::to_image ? image : matrix),
        parts(whole.host.mDesc);
    in.fill_with_integers();
    const auto argument = [&](void* out) {
        return O::MakeArgument(in.device.GetDeviceBuffer(),
                               out,
                               p.g,
                               p.n,
                               p.c,
                               p.input,
                               p.filter,
                               p.output,
                               p.image,
                               p.matrix,
                               p.stride,
                               p.dilation,
                               p.low,
                               p.high);
    };
    O::MakeInvoker().Run(argument(whole.device.GetDeviceBuffer()));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    for(index_t images = 1; images <= 7; ++images)
    {
        parts.fill_with_nan();
        const auto params = Launch::make_params(argument(parts.device.GetDeviceBuffer()), images);
        EXPECT_EQ(params.tiles.chunks, (7 + images - 1) / images);
        HIP_CHECK_ERROR(
            arch::launch<Kernel>(static_cast<index_t>(params.tiles.size()), nullptr, params));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        EXPECT_EQ(differences(parts.result(), whole.result()), 0u) << "chunks of " << images;
    }
}

constexpr grid::RearrangeTile small_tile{32, 8, 16, 4, 1};

TEST(ImageToColumn, IsTheSameInChunks)
{
    expect_same_in_chunks<
        device::RearrangeLaunch<grid::GridwiseImageToColumn<float, float, small_tile>,
                                device::detail::ImageToColumnName>,
        Op<ImageToColumn>>();
}
TEST(ColumnToImage, IsTheSameInChunks)
{
    expect_same_in_chunks<
        device::RearrangeLaunch<grid::GridwiseColumnToImage<float, float, small_tile>,
                                device::detail::ColumnToImageName>,
        Op<ColumnToImage>>();
}

/// So many floats, whose pages are there once they are written.
struct Addresses
{
    explicit Addresses(long_index_t floats)
        : bytes(static_cast<std::size_t>(floats) * sizeof(float)),
          at(static_cast<float*>(mmap(nullptr,
                                      bytes,
                                      PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                      -1,
                                      0)))
    {
        if(at == MAP_FAILED)
            throw std::runtime_error("no " + std::to_string(bytes) + " bytes of addresses");
    }
    ~Addresses() { munmap(at, bytes); }
    Addresses(const Addresses&)            = delete;
    Addresses& operator=(const Addresses&) = delete;

    std::size_t bytes;
    float* at;
};

/// Images, and rows of the matrix, that are more than 2^31 bytes apart: on the host addresses
/// alone.
TEST(Rearrange, ReachesBeyond2GiB)
{
    if constexpr(!arch::emulated)
        GTEST_SKIP() << "needs memory of which nothing is used";
    else
    {
        Parameters p(ConvParam(2, 1, 3, 1, 1, {2, 2}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}));
        p.image[1]  = 1500000000; // floats
        p.matrix[1] = 600000000;
        const Addresses image(3ll * p.image[1]), matrix(12ll * p.matrix[1]);
        for(index_t n = 0; n < 3; ++n)
            for(index_t i = 0; i < 9; ++i)
                image.at[long_index_t{n} * p.image[1] + i] = static_cast<float>(10 * n + i);
        Op<ImageToColumn>::MakeInvoker().Run(Op<ImageToColumn>::MakeArgument(image.at,
                                                                             matrix.at,
                                                                             p.g,
                                                                             p.n,
                                                                             p.c,
                                                                             p.input,
                                                                             p.filter,
                                                                             p.output,
                                                                             p.image,
                                                                             p.matrix,
                                                                             p.stride,
                                                                             p.dilation,
                                                                             p.low,
                                                                             p.high));
        for(index_t m = 0; m < 12; ++m)
            for(index_t k = 0; k < 4; ++k)
                ASSERT_EQ(matrix.at[long_index_t{m} * p.matrix[1] + k],
                          static_cast<float>(m / 4 * 10 + (m / 2 % 2 + k / 2) * 3 + m % 2 + k % 2))
                    << m << ' ' << k;
        Op<ColumnToImage>::MakeInvoker().Run(Op<ColumnToImage>::MakeArgument(matrix.at,
                                                                             image.at,
                                                                             p.g,
                                                                             p.n,
                                                                             p.c,
                                                                             p.input,
                                                                             p.filter,
                                                                             p.output,
                                                                             p.image,
                                                                             p.matrix,
                                                                             p.stride,
                                                                             p.dilation,
                                                                             p.low,
                                                                             p.high));
        const float windows[] = {1, 2, 1, 2, 4, 2, 1, 2, 1}; // that meet a pixel
        for(index_t n = 0; n < 3; ++n)
            for(index_t i = 0; i < 9; ++i)
                ASSERT_EQ(image.at[long_index_t{n} * p.image[1] + i],
                          windows[i] * static_cast<float>(10 * n + i));
    }
}

} // namespace
} // namespace ck::test
