#pragma once
// Which kernels the options of a plan name.
#include "ck/conv.hpp"

namespace ck::conv {

class NameRule
{
public:
    /// kernel: the only one that may be used; empty: any. Throws Refused for what is no regular
    /// expression.
    NameRule(const PlanOptions& options, std::string kernel);

    /// Empty: the kernel may be used.
    std::string why_not(const std::string& name) const;

    /// Whether there is no rule at all.
    bool any() const { return kernel_.empty() && expressions_ == nullptr; }

private:
    struct Expressions;

    std::shared_ptr<const Expressions> expressions_;
    std::string kernel_;
};

} // namespace ck::conv
