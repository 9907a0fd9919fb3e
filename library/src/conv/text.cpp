// Specs and plans as text: fields that differ from their defaults, "type=f16 n=32 input=56x56".
#include "ck/version.h"

#include "conv/fields.hpp"
#include "conv/prepared.hpp"
#include <charconv>
#include <sstream>
#include <type_traits>

namespace ck {

namespace {

constexpr std::string_view heading = "ck_conv_plan";

template <class T>
std::string number_text(T value)
{
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

template <class T>
requires(std::is_arithmetic_v<T>) //
    std::string value_text(T value)
{
    if constexpr(std::is_same_v<T, bool>)
        return value ? "1" : "0";
    else
        return number_text(value);
}
template <class Enum>
requires(std::is_enum_v<Enum>) //
    std::string value_text(Enum value)
{
    constexpr auto& names = conv::names_of<Enum>;
    const auto i          = static_cast<std::size_t>(value);
    return i < names.size() ? std::string(names[i]) : std::to_string(static_cast<int>(value));
}
std::string value_text(const PadWidths& pad)
{
    return number_text(pad.low) + ':' + number_text(pad.high);
}
template <class T>
std::string value_text(const std::optional<T>& value)
{
    return value ? value_text(*value) : std::string("own");
}
template <class T, std::size_t most>
std::string value_text(const ShortList<T, most>& list)
{
    std::string s;
    for(const T& value : list)
        s += (s.empty() ? "" : "x") + value_text(value);
    return list.size() > most ? s + "x..." : s;
}

template <class T>
requires(std::is_arithmetic_v<T>) //
    bool read(std::string_view text, T& value)
{
    if constexpr(std::is_same_v<T, bool>)
    {
        value = text == "1";
        return text == "1" || text == "0";
    }
    else
    {
        const char* const last  = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        return error == std::errc{} && end == last;
    }
}
template <class Enum>
requires(std::is_enum_v<Enum>) //
    bool read(std::string_view text, Enum& value)
{
    constexpr auto& names = conv::names_of<Enum>;
    for(std::size_t i = 0; i < names.size(); ++i)
        if(names[i] == text)
        {
            value = static_cast<Enum>(i);
            return true;
        }
    return false;
}
bool read(std::string_view text, PadWidths& pad)
{
    const std::size_t colon = text.find(':');
    return colon != text.npos && read(text.substr(0, colon), pad.low) &&
           read(text.substr(colon + 1), pad.high);
}
template <class T>
bool read(std::string_view text, std::optional<T>& value)
{
    return read(text, value.emplace());
}
template <class T, std::size_t most>
bool read(std::string_view text, ShortList<T, most>& list)
{
    list = {};
    while(true)
    {
        const std::size_t end = text.find('x');
        T value{};
        if(!read(text.substr(0, end), value))
            return false;
        list.push_back(value);
        if(end == text.npos)
            return list.size() <= most;
        text.remove_prefix(end + 1);
    }
}

[[noreturn]] void refuse_text(const std::string& reason)
{
    throw Refused("ck::deserialize: " + reason);
}

/// Reads "name=value" into the spec.
void read_field(std::string_view word, ConvSpec& spec)
{
    const std::size_t equals = word.find('=');
    const auto name          = word.substr(0, equals);
    bool known               = false;
    if(equals != word.npos)
        conv::for_each_field(spec, [&](std::string_view field, auto& value) {
            if(field != name)
                return;
            known = true;
            if(!read(word.substr(equals + 1), value))
                refuse_text("the text has \"" + std::string(word) +
                            "\", which is not a value of the field");
        });
    if(!known)
        refuse_text("the text has \"" + std::string(word) + "\", but ConvSpec has no such field");
}

} // namespace

const char* name(DataType type)
{
    const auto i = static_cast<std::size_t>(type);
    return i < conv::names_of<DataType>.size() ? conv::names_of<DataType>[i].data() : "unknown";
}

std::string to_string(const ConvSpec& spec)
{
    std::vector<std::string> defaults;
    const ConvSpec plain;
    conv::for_each_field(
        plain, [&](std::string_view, const auto& value) { defaults.push_back(value_text(value)); });
    std::string s;
    std::size_t i = 0;
    conv::for_each_field(spec, [&](std::string_view field, const auto& value) {
        const std::string text = value_text(value);
        if(text != defaults[i++] || field == "direction" || field == "type")
            s += (s.empty() ? "" : " ") + std::string(field) + '=' + text;
    });
    return s;
}

std::string ConvPlan::serialize() const
{
    const Prepared& p = *prepared_;
    return std::string(heading) + ' ' + CK_VERSION + ' ' + to_string(p.spec) +
           (p.options.workspace_limit
                ? " workspace_limit=" + number_text(*p.options.workspace_limit)
                : "") +
           (p.options.batch_invariant ? " batch_invariant=1" : "") + " kernel=" + kernel();
}

ConvPlan deserialize(const std::string& text)
{
    constexpr std::string_view mark = " kernel=", limit = "workspace_limit=",
                               invariant = "batch_invariant=";
    const std::size_t at                 = text.find(mark);
    std::istringstream words(text.substr(0, at));
    std::string word;
    if(at == text.npos || !(words >> word) || word != heading)
        refuse_text("the text is not of ConvPlan::serialize()");
    if(!(words >> word) || word != CK_VERSION)
        refuse_text("the text is of version " + word +
                    ", but this library is version " CK_VERSION ": its kernels may be others");
    ConvSpec spec;
    PlanOptions options;
    while(words >> word)
        if(word.starts_with(limit))
        {
            if(!read(std::string_view(word).substr(limit.size()), options.workspace_limit))
                refuse_text("the text has \"" + word + "\", which is not a number of bytes");
        }
        else if(word.starts_with(invariant))
        {
            if(!read(std::string_view(word).substr(invariant.size()), options.batch_invariant))
                refuse_text("the text has \"" + word + "\", which is neither 0 nor 1");
        }
        else
            read_field(word, spec);
    const std::string kernel = text.substr(at + mark.size());
    if(kernel.empty())
        refuse_text("the text names no kernel");
    return ConvPlan(conv::prepare(spec, options, kernel));
}

} // namespace ck
