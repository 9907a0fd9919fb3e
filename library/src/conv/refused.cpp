// The exception of plans, in a separate file: neither it nor code that throws it needs kernels.
#include "ck/conv.hpp"

#include <utility>

namespace ck {

Refused::Refused(const std::string& reason, std::vector<Candidate> candidates)
    : std::runtime_error(reason),
      candidates_(std::make_shared<const std::vector<Candidate>>(std::move(candidates)))
{}

} // namespace ck
