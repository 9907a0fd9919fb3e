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

/// The first refusal of some checks, which are called in turn until one refuses; or none.
template <class... Checks>
Support check_all(const Checks&... checks)
{
    Support s;
    static_cast<void>(((s = checks(), static_cast<bool>(s)) && ...));
    return s;
}

} // namespace ck
