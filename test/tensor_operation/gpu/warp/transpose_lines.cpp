// A square of lines in swizzled LDS is transposed in place; doing it twice gives it back.
#include "ck/tensor_operation/gpu/warp/transpose_lines.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::warp {
namespace {

template <class T, class Square_ = SquareOfLines<static_cast<index_t>(sizeof(T))>>
struct TransposeSquare
{
    static constexpr index_t block_size            = 32;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    using Square                                   = Square_;
    static constexpr index_t size                  = Square::size;

    struct Params
    {
        const T* in;
        T* out;
        index_t times;
    };
    struct SharedStorage
    {
        alignas(1024) T square[size * size];
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        constexpr index_t pack = 16 / static_cast<index_t>(sizeof(T));
        constexpr block::LdsLayout layout{size, size / pack, pack, 1, 0, 0, false, true};
        const index_t lane = arch::thread_index();
        for(index_t i = lane; i < size * size; i += 32)
            shared.square[layout.element(i / size, i % size)] = p.in[i];
        arch::wave_sync<32>();
        for(index_t i = 0; i < p.times * Square::groups; ++i)
        {
            Square::transpose(shared.square, Square::start(lane), i % Square::groups);
            arch::wave_sync<32>();
        }
        for(index_t i = lane; i < size * size; i += 32)
            p.out[i] = shared.square[layout.element(i / size, i % size)];
    }
};

template <class Kernel, class T>
std::vector<T> transposed(const std::vector<T>& in, index_t times)
{
    const std::size_t bytes = in.size() * sizeof(T);
    const DeviceMem from(bytes), to(bytes);
    from.ToDevice(in.data());
    HIP_CHECK_ERROR(arch::launch<Kernel>(1,
                                         nullptr,
                                         {static_cast<const T*>(from.GetDeviceBuffer()),
                                          static_cast<T*>(to.GetDeviceBuffer()),
                                          times}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    std::vector<T> out(in.size());
    to.FromDevice(out.data());
    return out;
}

/// The elements' values are all different, or few of them are the same.
template <class T>
void expect_transposed()
{
    constexpr auto size = static_cast<std::size_t>(TransposeSquare<T>::size);
    std::vector<T> in(size * size), expected(size * size);
    for(std::size_t i = 0; i < size; ++i)
        for(std::size_t j = 0; j < size; ++j)
            in[i * size + j] = expected[j * size + i] =
                static_cast<T>(sizeof(T) == 1 ? (i * 37 + j * 11 + i * j / 7) % 251 : i * size + j);
    EXPECT_EQ(transposed<TransposeSquare<T>>(in, 1), expected);
    EXPECT_EQ(transposed<TransposeSquare<T>>(in, 2), in);
}

TEST(SquareOfLines, IsTransposedInPlace)
{
    expect_transposed<float>();
    expect_transposed<std::uint8_t>();
}

/// Among each eight lines, the even ones come first.
TEST(SquareOfLines, IsTransposedByPairs)
{
    using Kernel        = TransposeSquare<float, SquareOfLines<4, true, 1>>;
    constexpr auto size = static_cast<std::size_t>(Kernel::size);
    std::vector<float> in(size * size), expected(size * size);
    for(std::size_t i = 0; i < size; ++i)
        for(std::size_t j = 0; j < size; ++j)
            in[i * size + j] = expected[j * size + i / 8 * 8 + i % 2 * 4 + i % 8 / 2] =
                static_cast<float>(i * size + j);
    EXPECT_EQ(transposed<Kernel>(in, 1), expected);
}

template <index_t bytes, class Square = SquareOfLines<bytes>>
void expect_different_banks()
{
    for(const bool written : {false, true})
        for(index_t i = 0; i < Square::groups * Square::of_lane; ++i)
            for(index_t line = 0; line < Square::pack; ++line)
            {
                const auto start = [&](index_t lane) {
                    return Square::pack * bytes *
                           (written ? Square::written_position(lane, i, line)
                                    : Square::read_position(lane, i, line));
                };
                EXPECT_EQ(bank_passes(32, Square::pack * bytes, start), bytes);
                for(index_t lane = 0; lane < 32; ++lane)
                {
                    EXPECT_EQ(Square::moved(Square::read_position(lane, 0, 0),
                                            Square::read_position(0, i, 0),
                                            line * Square::read_lines),
                              Square::read_position(lane, i, line));
                    EXPECT_EQ(Square::moved(Square::written_position(lane, 0, 0),
                                            Square::written_position(0, i, 0),
                                            line),
                              Square::written_position(lane, i, line));
                }
            }
}

/// Lanes that access LDS together, eight of them 16 bytes or 32 four, have different banks; and
/// positions differ from each other as moved() says.
TEST(SquareOfLines, LanesAccessDifferentBanks)
{
    expect_different_banks<4>();
    expect_different_banks<4, SquareOfLines<4, true, 1>>();
    expect_different_banks<1>();
}

} // namespace
} // namespace ck::warp
