#pragma once
// The answer to "can this be computed?": yes, or one sentence that says why not.
#include <string>
#include <type_traits>
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

/// While one lives, refusals on this thread say "refused" alone: for those who ask many kernels and
/// show no reason. Sentences take longer than what they speak of.
class WithoutReasons
{
public:
    WithoutReasons() : outer_(active()) { active() = true; }
    ~WithoutReasons() { active() = outer_; }
    WithoutReasons(const WithoutReasons&)            = delete;
    WithoutReasons& operator=(const WithoutReasons&) = delete;

    /// Whether one lives on this thread.
    static bool& active()
    {
        thread_local bool is_active = false;
        return is_active;
    }

private:
    bool outer_;
};

/// A refusal whose reason, the result of a call, is made where somebody wants it.
template <class Reason>
requires std::is_invocable_v<const Reason&>
inline Support refused(const Reason& reason)
{
    return {WithoutReasons::active() ? std::string("refused") : std::string(reason())};
}

/// The first refusal of some checks, which are called in turn until one refuses; or none.
template <class... Checks>
Support check_all(const Checks&... checks)
{
    Support s;
    static_cast<void>(((s = checks(), static_cast<bool>(s)) && ...));
    return s;
}

} // namespace ck
