// Images, and rows of the matrix, beyond 2^32 bytes and elements, on the host or a device that has
// the memory.
//
// Labels: not on AMD, emulated on one target, compiled alone
#include "convolution/lattice/large.hpp"

#include "convolution/rearrange/rearrange.hpp"

namespace ck::test {
namespace {

using Element = std::int8_t; // one byte each: offsets of both are beyond 32 bits

template <class Way>
using Op = typename OperationOf<Way, 2, Element, 1>::type;

/// A device's memory, or addresses of the host's, whose bytes are read and written one by one.
struct Bytes
{
    explicit Bytes(long_index_t count) : memory(math::integer_divide_ceil(count, 2), true) {}
    void* address() const { return memory.x; }
    void write(long_index_t at, int value) const
    {
        const auto byte = static_cast<Element>(value);
        HIP_CHECK_ERROR(hipMemcpy(bytes() + at, &byte, 1, hipMemcpyHostToDevice));
    }
    int read(long_index_t at) const
    {
        Element byte{};
        HIP_CHECK_ERROR(hipMemcpy(&byte, bytes() + at, 1, hipMemcpyDeviceToHost));
        return byte;
    }

private:
    Element* bytes() const { return reinterpret_cast<Element*>(memory.x); }
    Memory memory; // memory of halves
};

TEST(RearrangeLarge, ReachesBeyond4GiB)
{
    if(!arch::emulated && !has_room())
        GTEST_SKIP() << "needs the host, or a GPU with 16 GiB of free memory";

    constexpr index_t images = 4, pixels = 9, rows = 4 * images, columns = 4;
    const ConvParam problem(2, 1, images, 1, 1, {2, 2}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    constexpr long_index_t image_stride = 1500000000, row_stride = 300000000;
    static_assert((images - 1) * image_stride > 1ll << 32 && (rows - 1) * row_stride > 1ll << 32);
    const Bytes image(images * image_stride), matrix(rows * row_stride);
    for(index_t n = 0; n < images; ++n)
        for(index_t i = 0; i < pixels; ++i)
            image.write(n * image_stride + i, static_cast<int>(5 * n + i));

    const auto run = [&]<class Way>(Way, const Bytes& in, const Bytes& out) {
        Parameters<2> p(problem, Placement::packed, in.address(), out.address());
        p.image[1]   = image_stride;
        p.matrix[1]  = row_stride;
        const auto a = p.argument<Op<Way>>();
        ASSERT_EQ(Op<Way>().WhyNotSupported(&a), "");
        Op<Way>::MakeInvoker().Run(a);
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    };
    run(ImageToColumn{}, image, matrix);
    for(index_t m = 0; m < rows; ++m)
        for(index_t k = 0; k < columns; ++k)
            ASSERT_EQ(matrix.read(m * row_stride + k),
                      m / 4 * 5 + (m / 2 % 2 + k / 2) * 3 + m % 2 + k % 2)
                << m << ' ' << k;
    run(ColumnToImage{}, matrix, image);
    const int windows[] = {1, 2, 1, 2, 4, 2, 1, 2, 1}; // windows that meet a pixel
    for(index_t n = 0; n < images; ++n)
        for(index_t i = 0; i < pixels; ++i)
            ASSERT_EQ(image.read(n * image_stride + i), windows[i] * (5 * n + i)) << n << ' ' << i;
}

} // namespace
} // namespace ck::test
