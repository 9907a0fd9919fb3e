#pragma once
// Reads positional arguments one after another.
#include "ck/utility/integer.hpp"

#include <limits>
#include <string>
#include <vector>

namespace ck::profiler {

/// The meanings of a number at a position.
struct Choice
{
    const char* name;                ///< what the position is for
    std::vector<const char*> values; ///< for 0, 1 ...; an empty one is not implemented
};
/// For example "data type: 0 f32, 1 f16".
std::string describe(const Choice& choice);

/// Description lines for the flags: verification, initialization, print tensors, time kernels.
extern const std::vector<std::string> flag_descriptions;

/// Reads values with their position and name. All functions throw WrongArgument, which has both.
class Reader
{
public:
    Reader(const std::string& operation, const std::vector<std::string>& values)
        : operation_(operation),
          values_(values)
    {}

    long_index_t next(const std::string& what,
                      long_index_t least = 0,
                      long_index_t most  = std::numeric_limits<index_t>::max());
    /// Throws NotImplemented for a value with an empty name.
    std::string next(const Choice& choice);
    /// A list of whole numbers such as "64,128".
    std::vector<index_t> next_list(const std::string& what, index_t least);
    const std::string& take(const std::string& what);
    bool at_end() const { return at_ == values_.size(); }
    /// The number of arguments read.
    std::size_t taken() const { return at_; }
    void end() const;
    /// The latest position, such as "number 3 after conv_fwd (G)".
    std::string where(const std::string& what) const;

private:
    std::string operation_;
    const std::vector<std::string>& values_;
    std::size_t at_ = 0;
};

struct Options;
/// Reads the four flags.
void read_flags(Reader& reader, Options& options);

} // namespace ck::profiler
