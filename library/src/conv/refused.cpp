// The exception of plans, in a file of its own: it needs no kernels, nor do all that throw it.
#include "ck/conv.hpp"

#include <utility>

namespace ck {

Refused::Refused(const std::string& reason, std::vector<Candidate> candidates)
    : std::runtime_error(reason),
      candidates_(std::make_shared<const std::vector<Candidate>>(std::move(candidates)))
{}

} // namespace ck
