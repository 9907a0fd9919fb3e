#pragma once
// Regular expressions that users write, searched for in linear time.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ck::utils {

/// A regular expression in the syntax of ECMAScript and grep -E: character classes, also by
/// name ([[:digit:]], and the letters d, w and s after a backslash), groups, alternatives,
/// repeats, the beginning, the end and word boundaries (b). Features that need more than linear
/// time are refused: back-references and lookahead. A search takes at most 2000 steps for each
/// character.
class Pattern
{
public:
    /// Throws std::invalid_argument, with the error and its place, if the expression is invalid,
    /// has more than 1000 characters, or has more than 2000 steps once its repeats are written out.
    explicit Pattern(std::string_view expression);

    /// Whether any part of the text matches.
    bool is_in(std::string_view text) const;

private:
    friend class PatternReader;

    /// A set of characters, as bits.
    using Characters = std::array<std::uint64_t, 4>;

    enum class Kind : std::uint8_t
    {
        character,   ///< one of a set, then `next`
        fork,        ///< `next` or `other`
        begin,       ///< begin of the text
        end,         ///< end of the text
        boundary,    ///< boundary of a word
        no_boundary, ///< no boundary of a word
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
