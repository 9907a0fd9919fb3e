#pragma once
// Patterns: regular expressions that users write, searched for in linear time.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ck::utils {

/// A regular expression, as ECMAScript and grep -E write it: sets of characters, also by name
/// ([[:digit:]], and the letters d, w and s after a backslash), groups, alternatives, repeats,
/// the beginning, the end and the boundaries of words (b). What takes time that is not linear in
/// the text is refused: back-references and lookahead. The time of a search is at most that of 2000
/// steps for each character.
class Pattern
{
public:
    /// Throws std::invalid_argument, with what is wrong and where, for what is no such expression,
    /// has more than 1000 characters, or more than 2000 steps once its repeats are written out.
    explicit Pattern(std::string_view expression);

    /// Whether any part of the text matches.
    bool is_in(std::string_view text) const;

private:
    friend class PatternReader;

    /// A set of characters, by their codes.
    using Characters = std::array<std::uint64_t, 4>;

    enum class Kind : std::uint8_t
    {
        character,   ///< one of a set, then `next`
        fork,        ///< `next` or `other`
        begin,       ///< of the text
        end,         ///< of the text
        boundary,    ///< of a word
        no_boundary, ///< of a word
        match
    };
    struct Step
    {
        Kind kind;
        std::uint32_t next = 0, other = 0;
        Characters characters{};
    };
    std::vector<Step> steps_;
    std::uint32_t first_ = 0;
};

} // namespace ck::utils
