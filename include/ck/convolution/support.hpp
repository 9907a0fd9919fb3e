#pragma once
// The answer to "can this be computed?": yes, or one sentence that says why not.
#include <string>
#include <utility>

namespace ck {

/// Whether something can be computed, and if not, why.
struct Support
{
    std::string reason = {}; ///< names the value and the rule; empty: supported

    /// Whether it is supported.
    explicit operator bool() const { return reason.empty(); }
};

/// A refusal; `reason` names the value and the rule that it breaks.
inline Support refused(std::string reason) { return {std::move(reason)}; }

} // namespace ck
