#pragma once
// Selects kernels by the names in a plan's options.
#include "ck/conv.hpp"

namespace ck::conv {

class NameRule
{
public:
    /// kernel: the only one that may be used; empty: any. Throws Refused if an option is not a
    /// regular expression.
    NameRule(const PlanOptions& options, std::string kernel);

    /// Why the kernel may not be used; empty if it may.
    std::string why_not(const std::string& name) const;

    /// Whether there is any rule.
    bool any() const { return kernel_.empty() && expressions_ == nullptr; }

private:
    struct Expressions;

    std::shared_ptr<const Expressions> expressions_;
    std::string kernel_;
};

} // namespace ck::conv
