#pragma once
// Arguments by position, read one after the other.
#include "ck/utility/integer.hpp"

#include <limits>
#include <string>
#include <vector>

namespace ck::profiler {

/// What a number means at a position.
struct Choice
{
    const char* name;                ///< what the position is
    std::vector<const char*> values; ///< of 0, 1 ...; an empty one is not implemented
};
/// "data type: 0 f32, 1 f16".
std::string describe(const Choice& choice);

/// Verification, initialization, print tensors, time kernels: as lines of a description.
extern const std::vector<std::string> flag_descriptions;

/// Each value knows its position and name. All throw WrongArgument, which tells both.
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
    /// Throws NotImplemented for one that has an empty name.
    std::string next(const Choice& choice);
    /// "64,128": whole numbers.
    std::vector<index_t> next_list(const std::string& what, index_t least);
    const std::string& take(const std::string& what);
    bool at_end() const { return at_ == values_.size(); }
    /// How many were read.
    std::size_t taken() const { return at_; }
    void end() const;
    /// "number 3 after conv_fwd (G)", of the latest.
    std::string where(const std::string& what) const;

private:
    std::string operation_;
    const std::vector<std::string>& values_;
    std::size_t at_ = 0;
};

struct Options;
/// The four flags.
void read_flags(Reader& reader, Options& options);

} // namespace ck::profiler
