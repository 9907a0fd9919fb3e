// Global memory through a view: an access at the offset `nowhere` reads zero and writes nothing, at
// every width.
#include "ck/arch/memory.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ck::arch {
namespace {

constexpr index_t threads = 64;

/// Thread t loads n elements at vector t + shift and stores them at vector t; odd threads load from
/// nowhere, and each fourth stores nowhere.
template <class T, index_t n>
struct Move
{
    static constexpr index_t block_size        = threads;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::none;
    struct Params
    {
        const T* from;
        T* to;
        index_t shift; // vectors, for all threads
        offset_t past; // added to nowhere
    };
    struct SharedStorage
    {};
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        constexpr offset_t bytes = n * sizeof(T);
        const index_t t          = thread_index();
        const offset_t mine      = static_cast<offset_t>(t) * bytes;
        const GlobalView<const T> from(p.from);
        const GlobalView<T> to(p.to);
        const auto loaded = from.template load<n>(t % 2 == 1 ? nowhere + p.past : mine,
                                                  static_cast<offset_t>(p.shift) * bytes);
        to.template store<n>(loaded, t % 4 == 3 ? nowhere + p.past : mine);
    }
};

template <class T, index_t n>
void check(index_t shift, offset_t past)
{
    SCOPED_TRACE(testing::Message() << n << " elements of " << sizeof(T) << " bytes, shift "
                                    << shift << ", nowhere + " << past);
    std::vector<T> from((threads + shift) * n), to(threads * n);
    for(std::size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<T>(i % 100 + 1);
    for(T& x : to)
        x = static_cast<T>(-7);
    T *from_device = nullptr, *to_device = nullptr;
    HIP_CHECK_ERROR(hipMalloc(&from_device, from.size() * sizeof(T)));
    HIP_CHECK_ERROR(hipMalloc(&to_device, to.size() * sizeof(T)));
    HIP_CHECK_ERROR(
        hipMemcpy(from_device, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
    HIP_CHECK_ERROR(hipMemcpy(to_device, to.data(), to.size() * sizeof(T), hipMemcpyHostToDevice));
    HIP_CHECK_ERROR((launch<Move<T, n>>(1, nullptr, {from_device, to_device, shift, past})));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    HIP_CHECK_ERROR(hipMemcpy(to.data(), to_device, to.size() * sizeof(T), hipMemcpyDeviceToHost));
    for(index_t t = 0; t < threads; ++t)
        for(index_t e = 0; e < n; ++e)
        {
            const T expected = t % 4 == 3   ? static_cast<T>(-7)
                               : t % 2 == 1 ? T{0}
                                            : from[(t + shift) * n + e];
            EXPECT_EQ(to[t * n + e], expected) << "thread " << t << " element " << e;
        }
    static_cast<void>(hipFree(from_device));
    static_cast<void>(hipFree(to_device));
}

template <class T, index_t n>
void check_all()
{
    for(const index_t shift : {0, 3})
        for(const offset_t past : {offset_t{0}, offset_t{16}, offset_t{1} << 20, nowhere - 64})
            check<T, n>(shift, past);
}

TEST(GlobalView, NowhereReadsZeroAndIsNotWritten)
{
    check_all<std::int8_t, 1>();
    check_all<std::int8_t, 2>();
    check_all<std::int8_t, 4>();
    check_all<std::int8_t, 16>();
    check_all<std::int16_t, 1>();
    check_all<std::int16_t, 2>();
    check_all<std::int16_t, 4>();
    check_all<std::int16_t, 8>();
    check_all<float, 1>();
    check_all<float, 2>();
    check_all<float, 4>();
    check_all<double, 1>();
    check_all<double, 2>();
}

TEST(GlobalView, ASumOfNowhereAndAValidOffsetIsNowhere)
{
    static_assert(nowhere + (nowhere - 1) >= nowhere);
    static_assert(nowhere == offset_t{1} << 31);
}

} // namespace
} // namespace ck::arch
