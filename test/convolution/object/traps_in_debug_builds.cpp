// Debug builds: a mistake says what it is, and traps.
//
// The emulator has no printf of the device, which wants a host that serves it. For HIP its place is
// taken by a function that leaves the sentence in memory of the host's; it is shown when the trap
// ends the process.
//
// Labels: debug build, emulated on one target
#include "ck/utility/host_device.hpp"

#include <gtest/gtest.h>

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
#if defined(NDEBUG)
#error "this file is of debug builds"
#endif

#if defined(CK_LANGUAGE_HIP)
namespace ck::test {
namespace {

constexpr int sentence_length = 128;
__device__ char* sentence_memory;

CK_DEVICE void leave_sentence(const char*, unsigned, const char* message)
{
    for(int i = 0; i < sentence_length - 1 && message[i] != 0; ++i)
        sentence_memory[i] = message[i];
}

} // namespace
} // namespace ck::test
#define printf(...) ck::test::leave_sentence(__VA_ARGS__)
#include "ck/arch/fail.hpp"
#undef printf
#endif

#include "convolution/object/traps.hpp"
#include <cstring>

namespace ck::test {
namespace {

#if defined(CK_LANGUAGE_HIP)
char* sentence_on_host = nullptr;

void show_sentence_at_abort()
{
    HIP_CHECK_ERROR(hipHostMalloc(reinterpret_cast<void**>(&sentence_on_host), sentence_length, 0));
    std::fill_n(sentence_on_host, sentence_length, '\0');
    HIP_CHECK_ERROR(hipMemcpyToSymbol(
        HIP_SYMBOL(sentence_memory), &sentence_on_host, sizeof(sentence_on_host)));
    std::signal(SIGABRT, [](int) {
        static_cast<void>(!write(STDERR_FILENO, sentence_on_host, std::strlen(sentence_on_host)));
    });
}
#else
void show_sentence_at_abort() {} // the sentence is printed
#endif

void make_mistake_and_show(const Mistake& mistake)
{
    show_sentence_at_abort();
    make_mistake(mistake);
}

TEST(ObjectTraps, DebugBuild)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    expect_no_trap();
    for(const Mistake& mistake : mistakes)
        EXPECT_DEATH(make_mistake_and_show(mistake), trap_of_the_machine() + mistake.sentence);
}

} // namespace
} // namespace ck::test
#endif
