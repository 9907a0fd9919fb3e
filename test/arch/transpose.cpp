// Labels: compiled alone
#include "ck/arch/transpose.hpp"

#include "ck/utility/data_type.hpp"

#include "arch/matrix_product.hpp"
#include <numeric>

using namespace ck;
using namespace ck::arch;

namespace {

template <class T, index_t rows, index_t columns>
struct TransposeTile
{
    static constexpr index_t block_size        = 64;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::none;
    struct SharedStorage
    {};
    struct Params
    {
        const T* in; // [block_size][rows][columns]
        T* out;      // [block_size][columns][rows]
    };

    CK_DEVICE static void run(const Params& params, SharedStorage&)
    {
        const index_t first = thread_index() * rows * columns;
        Vector<T, columns> in[rows];
        Vector<T, rows> out[columns];
        for(index_t i = 0; i < rows * columns; ++i)
            in[i / columns][i % columns] = params.in[first + i];
        transpose(in, out);
        for(index_t i = 0; i < rows * columns; ++i)
            params.out[first + i] = out[i / rows][i % rows];
    }
};

/// Every element is a bit pattern of its own, so any exchange shows.
template <class T, class Bits, index_t rows, index_t columns>
void expect_transposed()
{
    using Kernel = TransposeTile<T, rows, columns>;
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", " << sizeof(T) << " bytes");
    static_assert(sizeof(T) == sizeof(Bits));
    std::vector<Bits> bits(Kernel::block_size * rows * columns);
    std::iota(bits.begin(), bits.end(), static_cast<Bits>(0x3c01));

    const test::DeviceCopy<Bits> in{bits};
    const test::DeviceCopy<Bits> out{std::vector<Bits>(bits.size())};
    test::check(launch<Kernel>(
        1, nullptr, {reinterpret_cast<const T*>(in.get()), reinterpret_cast<T*>(out.get())}));
    test::check(hipDeviceSynchronize());
    const std::vector<Bits> result = out.read();
    for(index_t thread = 0; thread < Kernel::block_size; ++thread)
        for(index_t row = 0; row < rows; ++row)
            for(index_t column = 0; column < columns; ++column)
                ASSERT_EQ(result[(thread * columns + column) * rows + row],
                          bits[(thread * rows + row) * columns + column])
                    << "thread " << thread << ", [" << row << ", " << column << "]";
}

} // namespace

TEST(Transpose, PairsOfHalves)
{
    expect_transposed<half_t, std::uint16_t, 2, 2>();
    expect_transposed<half_t, std::uint16_t, 2, 8>();
    expect_transposed<half_t, std::uint16_t, 8, 2>();
    expect_transposed<half_t, std::uint16_t, 4, 8>();
    expect_transposed<half_t, std::uint16_t, 8, 4>();
    expect_transposed<bhalf_t, std::uint16_t, 8, 8>();
}

// Tiles have fewer than 256 elements: the patterns repeat only from tile to tile.
TEST(Transpose, BlocksOfBytes)
{
    expect_transposed<std::int8_t, std::uint8_t, 4, 4>();
    expect_transposed<std::int8_t, std::uint8_t, 4, 16>();
    expect_transposed<std::int8_t, std::uint8_t, 8, 4>();
    expect_transposed<f8_t, std::uint8_t, 16, 8>();
    expect_transposed<bf8_t, std::uint8_t, 2, 4>();
    expect_transposed<std::int8_t, std::uint8_t, 16, 1>();
}

TEST(Transpose, OddExtents)
{
    expect_transposed<half_t, std::uint16_t, 3, 4>();
    expect_transposed<bhalf_t, std::uint16_t, 4, 1>();
    expect_transposed<half_t, std::uint16_t, 1, 4>();
}

TEST(Transpose, OtherSizes)
{
    expect_transposed<float, std::uint32_t, 4, 4>();
    expect_transposed<float, std::uint32_t, 3, 5>();
    expect_transposed<double, std::uint64_t, 2, 3>();
}
