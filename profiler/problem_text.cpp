// Converts text to problems, and back.
#include "problem_text.hpp"

#include "request.hpp"
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

namespace ck::profiler {

namespace {

std::vector<long_index_t> numbers_of(const std::string& word, const std::string& list)
{
    std::vector<long_index_t> values;
    const char *at = list.data(), *const end = list.data() + list.size();
    while(true)
    {
        long_index_t value       = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if(error != std::errc{} || (next != end && *next != 'x'))
            throw WrongArgument("the problem's word '" + word +
                                "' must be letters and whole numbers with x between them, as "
                                "in56x56");
        values.push_back(value);
        if(next == end)
            return values;
        at = next + 1;
    }
}

} // namespace

ConvProblem problem_from_text(const std::string& text)
{
    const std::string known = "g n c k in f s d p pl pr";
    std::map<std::string, std::pair<std::string, std::vector<long_index_t>>> given;
    std::istringstream words(text);
    for(std::string word; words >> word;)
    {
        const std::size_t digits = word.find_first_of("0123456789-");
        const std::string key    = word.substr(0, digits);
        if(digits == word.npos || (" " + known + " ").find(" " + key + " ") == std::string::npos)
            throw WrongArgument("the problem has the word '" + word + "', but words are one of " +
                                known + " and numbers, as n256 or f3x3");
        if(given.count(key) != 0)
            throw WrongArgument("the problem has '" + key + "' twice: " + given[key].first +
                                " and " + word);
        given[key] = {word, numbers_of(word, word.substr(digits))};
    }
    const auto number = [&](const char* key, bool required) {
        const auto found = given.find(key);
        if(found == given.end())
        {
            if(required)
                throw WrongArgument("the problem '" + text + "' lacks '" + key + "'");
            return long_index_t{1};
        }
        if(found->second.second.size() != 1)
            throw WrongArgument("the problem's word '" + found->second.first +
                                "' must have one number");
        return found->second.second[0];
    };
    ConvProblem p;
    p.groups       = number("g", false);
    p.batch        = number("n", false);
    p.in_channels  = number("c", true);
    p.out_channels = number("k", true);
    if(given.count("in") == 0)
        throw WrongArgument("the problem '" + text + "' lacks 'in', the input's lengths");
    const std::size_t rank = given["in"].second.size();
    if(rank > 3)
        throw WrongArgument("the problem's word '" + given["in"].first +
                            "' has more than 3 dimensions");
    p.rank = static_cast<index_t>(rank);
    // neutral: for missing words and missing dimensions
    const auto list = [&](const char* key, long_index_t neutral) {
        const auto found = given.find(key);
        if(found == given.end())
            return Spatial{neutral, neutral, neutral};
        auto values = found->second.second;
        if(values.size() == 1)
            values.resize(rank, values[0]);
        if(values.size() != rank)
            throw WrongArgument("the problem's word '" + found->second.first + "' has " +
                                std::to_string(values.size()) + " numbers, but the input has " +
                                std::to_string(rank) + " dimensions");
        return to_spatial(values, neutral);
    };
    p.input    = list("in", 1);
    p.filter   = list("f", 1);
    p.stride   = list("s", 1);
    p.dilation = list("d", 1);
    p.pad_low = p.pad_high = list("p", 0);
    for(const auto& [key, pads] : {std::pair{"pl", &p.pad_low}, {"pr", &p.pad_high}})
        if(given.count(key) != 0)
        {
            if(given.count("p") != 0)
                throw WrongArgument("the problem '" + text + "' has both 'p' and '" + key + "'");
            *pads = list(key, 0);
        }
    if(const Support s = validate(p); !s)
        throw WrongArgument("the problem '" + text + "' is not a convolution: " + s.reason);
    set_packed_strides(p);
    return p;
}

std::string to_text(const ConvProblem& p)
{
    const auto rank = static_cast<std::size_t>(p.rank);
    std::string text;
    const auto word = [&](const std::string& w) { text += (text.empty() ? "" : " ") + w; };
    // neutral: the value that may be omitted; empty if the list must always be written in full
    const auto list = [&](const char* key, const Spatial& s, std::optional<long_index_t> neutral) {
        bool same = true, is_neutral = true;
        for(std::size_t i = 3 - rank; i < 3; ++i)
        {
            same       = same && s[i] == s[2];
            is_neutral = is_neutral && s[i] == neutral;
        }
        if(is_neutral)
            return;
        std::string values = std::to_string(s[3 - rank]);
        if(!same || !neutral)
            for(std::size_t i = 4 - rank; i < 3; ++i)
                values += "x" + std::to_string(s[i]);
        word(key + values);
    };
    if(p.groups != 1)
        word("g" + std::to_string(p.groups));
    word("n" + std::to_string(p.batch));
    word("c" + std::to_string(p.in_channels));
    word("k" + std::to_string(p.out_channels));
    list("in", p.input, std::nullopt);
    list("f", p.filter, 1);
    list("s", p.stride, 1);
    list("d", p.dilation, 1);
    if(p.pad_low == p.pad_high)
        list("p", p.pad_low, 0);
    else
    {
        list("pl", p.pad_low, 0);
        list("pr", p.pad_high, 0);
    }
    return text;
}

} // namespace ck::profiler
