// Reads split_k from text.
#include "split_k.hpp"

#include <charconv>

namespace ck::profiler {

std::vector<index_t>
split_k_from_text(const std::string& where, const std::string& text, bool of_2024)
{
    const std::vector<index_t> all{1, 2, 4, 8, 16, 32, 64, 128};
    if(text == "all" || text == "0")
        return all;
    index_t value           = 0;
    const char* const last  = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if(error != std::errc{} || end != last || (value < -1 && !of_2024))
        throw WrongArgument(where + " is '" + text +
                            "', but must be a number of parts, -1 (automatic) or all (1 to 128)");
    return value < 0 && of_2024 ? all : std::vector<index_t>{value};
}

} // namespace ck::profiler
