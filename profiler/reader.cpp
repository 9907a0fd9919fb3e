// Reads positional arguments one after another.
#include "reader.hpp"

#include "request.hpp"
#include <charconv>

namespace ck::profiler {

const std::vector<std::string> flag_descriptions{
    "verification: 0 no, 1 yes",
    "initialization: 0 zeros, 1 integers, 2 decimal numbers",
    "print tensors: 0 no, 1 yes",
    "time kernels: 0 no, 1 yes"};

namespace {

/// Whether the whole text is a number from `least` to `most`.
bool read_number(const std::string& text,
                 long_index_t least,
                 long_index_t most,
                 long_index_t& value)
{
    const char* const last  = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    return error == std::errc{} && end == last && value >= least && value <= most;
}

} // namespace

std::string describe(const Choice& choice)
{
    std::string text = choice.name;
    for(std::size_t i = 0; i < choice.values.size(); ++i)
        if(*choice.values[i] != '\0')
            text +=
                (text == choice.name ? ": " : ", ") + std::to_string(i) + " " + choice.values[i];
    return text;
}

long_index_t Reader::next(const std::string& what, long_index_t least, long_index_t most)
{
    const std::string& text = take(what);
    long_index_t value      = 0;
    if(!read_number(text, least, most, value))
        throw WrongArgument(where(what) + " is '" + text + "', but must be a whole number from " +
                            std::to_string(least) + " to " + std::to_string(most));
    return value;
}

std::string Reader::next(const Choice& choice)
{
    const auto value = static_cast<std::size_t>(
        next(choice.name, 0, static_cast<long_index_t>(choice.values.size()) - 1));
    if(*choice.values[value] == '\0')
        throw NotImplemented(where(choice.name) + " is " + std::to_string(value) +
                             ", which is not implemented; " + describe(choice));
    return choice.values[value];
}

std::vector<index_t> Reader::next_list(const std::string& what, index_t least)
{
    const std::string& text = take(what);
    std::vector<index_t> all;
    for(std::size_t first = 0; first <= text.size();)
    {
        const std::size_t comma  = std::min(text.find(',', first), text.size());
        long_index_t value       = 0;
        constexpr index_t most   = std::numeric_limits<index_t>::max();
        const std::string number = text.substr(first, comma - first);
        if(!read_number(number, least, most, value))
            throw WrongArgument(where(what) + " is '" + text +
                                "', but must be whole numbers from " + std::to_string(least) +
                                " to " + std::to_string(most) + " with commas between them");
        all.push_back(static_cast<index_t>(value));
        first = comma + 1;
    }
    return all;
}

const std::string& Reader::take(const std::string& what)
{
    if(at_end())
        throw WrongArgument("there are " + std::to_string(values_.size()) + " numbers after " +
                            operation_ + ", but number " + std::to_string(at_ + 1) +
                            " must be the " + what);
    return values_[at_++];
}

void Reader::end() const
{
    if(!at_end())
        throw WrongArgument("there are " + std::to_string(values_.size()) + " numbers after " +
                            operation_ + ", but this problem takes " + std::to_string(at_));
}

std::string Reader::where(const std::string& what) const
{
    return "number " + std::to_string(at_) + " after " + operation_ + " (" + what + ")";
}

void read_flags(Reader& reader, Options& options)
{
    options.verify       = reader.next("verification", 0, 1) == 1;
    options.fill         = static_cast<Fill>(reader.next("initialization", 0, 2));
    options.print_tensor = reader.next("print tensors", 0, 1) == 1;
    options.time         = reader.next("time kernels", 0, 1) == 1;
}

} // namespace ck::profiler
