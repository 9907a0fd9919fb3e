#include "ck/utility/reason.hpp"

#include "ck/arch/target.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using ck::Reason;

#if !defined(CK_LANGUAGE_CUDA) // nvcc 13 repeats the argument, and finds no constructor for it
static_assert(ck::Accepted<nullptr>::value); // what the others look like: test/compile_fail
#endif

TEST(Reason, HoldsTheSentenceOrItsBeginning)
{
    EXPECT_STREQ(Reason(nullptr).text, "");
    EXPECT_STREQ(Reason("tiles must be positive").text, "tiles must be positive");
    const std::string longest(255, 'x');
    EXPECT_EQ(Reason(longest.c_str()).text, longest);
    EXPECT_EQ(Reason((longest + "y").c_str()).text, longest);
}

} // namespace
