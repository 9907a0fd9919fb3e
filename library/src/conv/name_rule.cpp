// Regular expressions are read here alone: as HIP, clang 15 dies on <regex>.
#include "conv/name_rule.hpp"

#include <regex>
#include <utility>

namespace ck::conv {

namespace {

std::optional<std::regex> compiled(const char* field, const std::string& text)
{
    if(text.empty())
        return std::nullopt;
    constexpr std::size_t most = 1000; // std::regex recurses
    if(text.size() > most)
        throw Refused(std::string("ck::PlanOptions: ") + field + " has " +
                      std::to_string(text.size()) + " characters, but at most 1000 are taken");
    try
    {
        return std::regex(text);
    }
    catch(const std::regex_error& error)
    {
        throw Refused(std::string("ck::PlanOptions: ") + field + " is \"" + text +
                      "\", but that is no regular expression: " + error.what());
    }
}

} // namespace

struct NameRule::Expressions
{
    std::optional<std::regex> allow, forbid;
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
    if(allow && !std::regex_search(name, *allow))
        return "PlanOptions::allow does not match its name";
    if(forbid && std::regex_search(name, *forbid))
        return "PlanOptions::forbid matches its name";
    return "";
}

} // namespace ck::conv
