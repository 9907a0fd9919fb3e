// Patterns: the same answers as std::regex, in a short time for any pattern.
#include "ck/library/utility/pattern.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>

namespace ck::utils {
namespace {

std::string refusal(const std::string& expression)
{
    try
    {
        static_cast<void>(Pattern(expression));
    }
    catch(const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// A random expression that both kinds take, of a, b and c.
std::string random_expression(std::mt19937& random, int depth)
{
    const auto one_of = [&](std::initializer_list<const char*> words) {
        return std::string(words.begin()[random() % words.size()]);
    };
    if(depth == 0)
        return one_of({"a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", "^", "$", "\\w", "\\d", "\\b"});
    switch(random() % 4)
    {
    case 0:
        return random_expression(random, depth - 1) + random_expression(random, depth - 1);
    case 1:
        return random_expression(random, depth - 1) + "|" + random_expression(random, depth - 1);
    case 2:
        return one_of({"(", "(?:"}) + random_expression(random, depth - 1) + ")";
    default:
        return "(" + random_expression(random, depth - 1) + ")" +
               one_of({"*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"});
    }
}

} // namespace

TEST(Pattern, AnswersAsStdRegexDoes)
{
    std::mt19937 random(1);
    int found = 0, not_found = 0;
    for(int i = 0; i < 3000; ++i)
    {
        const std::string expression =
            random_expression(random, 1 + static_cast<int>(random() % 4));
        const Pattern pattern(expression);
        const std::regex expected(expression);
        for(int j = 0; j < 8; ++j)
        {
            std::string text;
            for(auto n = random() % 6; n > 0; --n)
                text += "abc1 "[random() % 5];
            const bool is_in = pattern.is_in(text);
            EXPECT_EQ(is_in, std::regex_search(text, expected)) << expression << " in " << text;
            ++(is_in ? found : not_found);
        }
    }
    EXPECT_GE(found, 1000);
    EXPECT_GE(not_found, 1000);
}

TEST(Pattern, IsSearchedInNames)
{
    const std::string name = "BackwardWeight<half_t>, Wgmma<256, 128, 64>";
    for(const char* const yes : {"",
                                 "Wgmma",
                                 "^BackwardWeight<",
                                 "64>$",
                                 "^Backward(Data|Weight)<half_t>, [wW]gmma<",
                                 "Wgmma<\\d+, 128,",
                                 "[[:alpha:]]+<[[:digit:]]{3},",
                                 "half_t>, .*<256",
                                 "[]>]",
                                 "\\bhalf_t\\b",
                                 "a-z|64",
                                 "[0-9-]+>"})
        EXPECT_TRUE(Pattern(yes).is_in(name)) << yes;
    for(const char* const no : {"wgmma", "^Wgmma", "<$", "[[:digit:]]{4}", "\\.", "(.*)*!", "a^"})
        EXPECT_FALSE(Pattern(no).is_in(name)) << no;
}

TEST(Pattern, SaysWhatItRefuses)
{
    EXPECT_EQ(refusal("["), "at character 2: [ ends too early");
    EXPECT_EQ(refusal("(wgmma"), "at character 7: ( is not closed");
    EXPECT_EQ(refusal("a)"), "at character 2: ) closes nothing");
    EXPECT_EQ(refusal("*a"), "at character 1: * repeats nothing (write \\* for the character)");
    EXPECT_EQ(refusal("a{2"), "at character 4: { of a repeat is not closed");
    EXPECT_EQ(refusal("a{x}"), "at character 3: { is not a repeat (write \\{ for the character)");
    EXPECT_EQ(refusal("a{3,2}"), "at character 7: a repeat's numbers descend");
    EXPECT_EQ(refusal("a{100000,99999}"), "at character 16: a repeat's numbers descend");
    EXPECT_EQ(refusal("(a)\\1"), "at character 6: back-references are not taken");
    EXPECT_EQ(refusal("(?=a)"), "at character 2: lookahead is not taken, ( and (?: are");
    EXPECT_EQ(refusal("\\q"), "at character 3: \\q has no meaning");
    EXPECT_EQ(refusal("a\\"), "at character 3: \\ ends too early");
    EXPECT_EQ(refusal("[b-a]"),
              "at character 5: a range in [ ] does not ascend from a character to another");
    EXPECT_NE(refusal("[[:no:]]").find("there is no such [: :]"), std::string::npos);
    EXPECT_EQ(refusal(std::string(1001, 'x')), "it has 1001 characters, but may have 1000");
    EXPECT_EQ(refusal("x{2001}"), "its repeats make it more than 2000 steps");
    EXPECT_EQ(refusal("(((x{50}){50}){50}){50}"), "its repeats make it more than 2000 steps");
    EXPECT_EQ(refusal("((((){9999}){9999}){9999}){9999}"), "its repeats are nested too often");
}

TEST(Pattern, EndsSoonWhateverIsWritten)
{
    const auto begin = std::chrono::steady_clock::now();
    const std::string name(400, 'a');
    for(const std::string& expression : {std::string("(.*)*!"),
                                         std::string("(a*)*b"),
                                         std::string("(a|a)*b"),
                                         std::string("(a|aa)+$b"),
                                         std::string("((a+)+)+!"),
                                         std::string("(.{1,150}){6}!"),
                                         std::string(249, '(') + std::string(249, ')') + '!',
                                         std::string("(x+x+)+y|") + "(a*){99}b"})
        EXPECT_FALSE(Pattern(expression).is_in(name)) << expression;
    std::mt19937 random(3);
    for(int i = 0; i < 20000; ++i) // anything: refused, or searched for
    {
        std::string expression;
        for(auto n = random() % 30; n > 0; --n)
            expression += "ab.*+?()[]{}|^$\\,-12:wd"[random() % 23];
        try
        {
            static_cast<void>(Pattern(expression).is_in("abba12"));
        }
        catch(const std::invalid_argument& error)
        {
            EXPECT_GT(std::string(error.what()).size(), 10u);
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

} // namespace ck::utils
