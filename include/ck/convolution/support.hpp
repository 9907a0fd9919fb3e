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

/// A refusal; `reason` has the value and the rule that it breaks.
inline Support refused(std::string reason) { return {std::move(reason)}; }

/// While an object lives, refusals on this thread only say "refused": for callers that ask many
/// kernels and show no reason. Building the text takes longer than the check.
class WithoutReasons
{
public:
    WithoutReasons() : outer_(active()) { active() = true; }
    ~WithoutReasons() { active() = outer_; }
    WithoutReasons(const WithoutReasons&)            = delete;
    WithoutReasons& operator=(const WithoutReasons&) = delete;

    /// Whether an object lives on this thread.
    static bool& active()
    {
        thread_local bool is_active = false;
        return is_active;
    }

private:
    bool outer_;
};

/// A refusal whose reason is built by a call, and only if it is wanted.
template <class Reason>
requires std::is_invocable_v<const Reason&>
inline Support refused(const Reason& reason)
{
    return {WithoutReasons::active() ? std::string("refused") : std::string(reason())};
}

namespace detail {

/// Keeps `s` if it is a refusal; returns whether it is none. Inlined, it would be compiled again
/// for each check of each kernel.
[[gnu::noinline]] inline bool keep(Support& refusal, Support s)
{
    if(!s)
        refusal = std::move(s);
    return static_cast<bool>(refusal);
}

} // namespace detail

/// Calls checks in turn and returns the first refusal, or support if none refuses.
template <class... Checks>
Support check_all(const Checks&... checks)
{
    Support refusal;
    static_cast<void>((detail::keep(refusal, checks()) && ...));
    return refusal;
}

} // namespace ck
