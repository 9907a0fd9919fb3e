// Names of kernels that options allow and forbid, as patterns.
#include "conv/name_rule.hpp"

#include "ck/library/utility/pattern.hpp"

#include <stdexcept>
#include <utility>

namespace ck::conv {

namespace {

std::optional<utils::Pattern> compiled(const char* field, const std::string& text)
{
    if(text.empty())
        return std::nullopt;
    try
    {
        return utils::Pattern(text);
    }
    catch(const std::invalid_argument& error)
    {
        throw Refused(std::string("ck::PlanOptions: ") + field + " is \"" + text +
                      "\", but that is not a regular expression: " + error.what());
    }
}

} // namespace

struct NameRule::Expressions
{
    std::optional<utils::Pattern> allow, forbid;
};

NameRule::NameRule(const PlanOptions& options, std::string kernel) : kernel_(std::move(kernel))
{
    if(!options.allow.empty() || !options.forbid.empty())
        expressions_ = std::make_shared<const Expressions>(
            Expressions{compiled("allow", options.allow), compiled("forbid", options.forbid)});
}

std::string NameRule::why_not(const std::string& name) const
{
    if(!kernel_.empty() && name != kernel_)
        return "another kernel is asked for by name";
    if(expressions_ == nullptr)
        return "";
    const auto& [allow, forbid] = *expressions_;
    if(allow && !allow->is_in(name))
        return "PlanOptions::allow does not match its name";
    if(forbid && forbid->is_in(name))
        return "PlanOptions::forbid matches its name";
    return "";
}

} // namespace ck::conv
