// load_matrices, load_bytes_transposed and read_transposed against their definitions.
#include "ck/arch/local.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/device_prop.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <cstdint>
#include <vector>

namespace ck::arch {
namespace {

constexpr index_t rows = 64; // rows of 16 bytes

/// Two waves; lane l names row `named[l]`, and stores its n words. bytes: by load_bytes_transposed.
template <index_t n, bool transposed, bool bytes = false>
struct LoadMatrices
{
    static constexpr index_t block_size        = 64;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::mma_sync;
    struct Params
    {
        const std::uint32_t* words; // words of the rows
        const index_t* named;       // index: thread
        std::uint32_t* result;
    };
    struct SharedStorage
    {
        alignas(16) std::uint32_t row[rows][4];
    };
    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t t = thread_index();
        for(index_t i = t; i < rows * 4; i += block_size)
            shared.row[i / 4][i % 4] = p.words[i];
        block_sync();
        const auto* const row = shared.row[p.named[t]];
        Vector<std::uint32_t, n> loaded;
        if constexpr(bytes)
            loaded = load_bytes_transposed(row);
        else
            loaded = load_matrices<n, transposed>(row);
        for(index_t i = 0; i < n; ++i)
            p.result[t * n + i] = loaded[i];
    }
};

template <class T>
T* to_device(const std::vector<T>& values)
{
    T* p = nullptr;
    HIP_CHECK_ERROR(hipMalloc(&p, values.size() * sizeof(T)));
    HIP_CHECK_ERROR(hipMemcpy(p, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return p;
}

template <index_t n, bool transposed, bool bytes = false>
void check(index_t factor)
{
    std::vector<std::uint32_t> words(rows * 4), result(64 * n, 0xFFFFFFFFu);
    for(std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(i * 2654435761u);
    std::vector<index_t> named(64);
    for(index_t t = 0; t < 64; ++t)
        named[t] = (t * factor + 5) % rows;
    auto* const device_words  = to_device(words);
    auto* const device_named  = to_device(named);
    auto* const device_result = to_device(result);
    HIP_CHECK_ERROR((launch<LoadMatrices<n, transposed, bytes>>(
        1, nullptr, {device_words, device_named, device_result})));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    HIP_CHECK_ERROR(hipMemcpy(
        result.data(), device_result, result.size() * sizeof(result[0]), hipMemcpyDeviceToHost));
    for(index_t wave = 0; wave < 2; ++wave)
        for(index_t lane = 0; lane < 32; ++lane)
            for(index_t i = 0; i < n; ++i)
            {
                const auto word = [&](index_t row_of_matrix, index_t at) {
                    return words[named[wave * 32 + 8 * i + row_of_matrix] * 4 + at];
                };
                const auto half = [&](index_t row_of_matrix, index_t column) {
                    return word(row_of_matrix, column / 2) >> column % 2 * 16 & 0xFFFFu;
                };
                // Bytes of four rows: two neighbours, and the two 8 rows after them.
                const auto four_bytes = [&](index_t first_row, index_t column) {
                    std::uint32_t all = 0;
                    for(index_t b = 0; b < 4; ++b)
                    {
                        const index_t row = first_row + b % 2 + b / 2 * 8;
                        all |= (words[named[wave * 32 + row] * 4 + column / 4] >> column % 4 * 8 &
                                0xFFu)
                               << 8 * b;
                    }
                    return all;
                };
                const std::uint32_t expected =
                    bytes ? four_bytes(i / 2 * 16 + lane % 4 * 2, lane / 4 * 2 + i % 2)
                    : transposed
                        ? half(lane % 4 * 2, lane / 4) | half(lane % 4 * 2 + 1, lane / 4) << 16
                        : word(lane / 4, lane % 4);
                EXPECT_EQ(result[(wave * 32 + lane) * n + i], expected)
                    << "wave " << wave << " lane " << lane << " matrix " << i;
            }
    static_cast<void>(hipFree(device_words));
    static_cast<void>(hipFree(device_named));
    static_cast<void>(hipFree(device_result));
}

TEST(LoadMatrices, GivesEachLaneItsWordOfEachMatrix)
{
    CK_SKIP_KERNEL_WITHOUT(Requirement::mma_sync);
    for(const index_t factor : {1, 3, 7, 13})
    {
        check<2, false>(factor);
        check<4, false>(factor);
        check<2, true>(factor);
        check<4, true>(factor);
    }
}
TEST(LoadMatrices, GivesEachLaneBytesOfNeighbouringColumns)
{
    CK_SKIP_KERNEL_WITHOUT(Requirement::mma_sync);
    for(const index_t factor : {1, 3, 7, 13})
        check<4, true, true>(factor);
}

/// One wave reads four lines of 16 elements by each 16 of its lanes; lane l stores its 4 elements.
struct ReadTransposed
{
    static constexpr index_t block_size        = 64;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::mfma_gfx950;
    struct Params
    {
        const std::uint32_t* words; // words of 16 lines
        std::uint32_t* result;
    };
    struct SharedStorage
    {
        alignas(16) std::uint32_t line[16][8];
    };
    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t t = thread_index();
        for(index_t i = t; i < 16 * 8; i += block_size)
            shared.line[i / 8][i % 8] = p.words[i];
        block_sync();
        const auto read = read_transposed(&shared.line[t / 4][t % 4 * 2]);
        for(index_t i = 0; i < 2; ++i)
            p.result[t * 2 + i] = read[i];
    }
};

TEST(ReadTransposed, GivesEachLaneItsElementOfFourLines)
{
    CK_SKIP_KERNEL_WITHOUT(Requirement::mfma_gfx950);
    std::vector<std::uint32_t> words(16 * 8), result(64 * 2);
    for(std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(i * 2654435761u);
    auto* const device_words  = to_device(words);
    auto* const device_result = to_device(result);
    HIP_CHECK_ERROR((launch<ReadTransposed>(1, nullptr, {device_words, device_result})));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    HIP_CHECK_ERROR(hipMemcpy(
        result.data(), device_result, result.size() * sizeof(result[0]), hipMemcpyDeviceToHost));
    for(index_t lane = 0; lane < 64; ++lane)
        for(index_t line = 0; line < 4; ++line)
        {
            const auto half = [](std::uint32_t word, index_t i) {
                return word >> 16 * i & 0xFFFFu;
            };
            const index_t column = lane % 16;
            EXPECT_EQ(half(result[lane * 2 + line / 2], line % 2),
                      half(words[(lane / 16 * 4 + line) * 8 + column / 2], column % 2))
                << "lane " << lane << " line " << line;
        }
    static_cast<void>(hipFree(device_words));
    static_cast<void>(hipFree(device_result));
}

} // namespace
} // namespace ck::arch
