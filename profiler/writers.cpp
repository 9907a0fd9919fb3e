// Writes JSON and CSV.
#include "writers.hpp"

#include "ck/config.h"
#include "ck/version.h"

#include "device_name.hpp"
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ck::profiler {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities and no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json measured(double value) { return value > 0 ? number(value) : Json(nullptr); }

Json to_json(const Result& r)
{
    Json j{{"problem", r.problem},
           {"text", r.text},
           {"operation", r.operation},
           {"direction", r.direction},
           {"type", r.type},
           {"layout", r.layout},
           {"kind", r.kind},
           {"instance", r.instance},
           {"split_k", r.split_k ? Json(*r.split_k) : Json(nullptr)},
           {"ms", measured(r.ms)},
           {"ms_low", measured(r.ms_low)},
           {"ms_high", measured(r.ms_high)},
           {"tflops", number(r.tflops())},
           {"gbytes", number(r.gbytes())},
           {"roofline", number(r.roofline)},
           {"peak_tflops", number(r.peak_tflops)},
           {"peak_gbytes", number(r.peak_gbytes)},
           {"workspace", r.workspace},
           {"error", number(r.error)},
           {"bound", number(r.bound)},
           {"best", r.best},
           {"rule", r.rule},
           {"rule_loss", number(r.rule_loss)},
           {"rival", nullptr}};
    if(r.rival)
        j["rival"] = {{"name", r.rival->name},
                      {"way", r.rival->way},
                      {"ms", number(r.rival->ms)},
                      {"ratio", number(r.rival->ratio)},
                      {"ratio_low", number(r.rival->ratio_low)},
                      {"ratio_high", number(r.rival->ratio_high)}};
    return j;
}

std::string now()
{
    const std::time_t time = std::time(nullptr);
    char text[32]{};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

const char* platform()
{
#if defined(CK_PLATFORM_AMD)
    return "amd";
#elif defined(CK_PLATFORM_NVIDIA)
    return "nvidia";
#else
    return "host";
#endif
}

void write(const std::string& file, const std::string& text)
{
    std::ofstream out(file);
    if(!(out << text).flush())
        throw std::runtime_error("cannot write " + file);
}

/// A field of CSV, quoted if it contains a comma or a quote.
std::string field(const Json& value)
{
    if(value.is_null())
        return "";
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if(text.find_first_of(",\"\n") == text.npos)
        return text;
    std::string quoted = "\"";
    for(const char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

} // namespace

void write_json(const std::string& file,
                const std::deque<Result>& results,
                const std::vector<Refusal>& refusals)
{
    Json all{
        {"device", device_name()},
        {"library", std::string("ck-conv ") + CK_VERSION + " (" + platform() + ") " + CK_COMMIT_ID},
        {"date", now()},
        {"results", Json::array()},
        {"refused", Json::array()}};
    for(const Result& r : results)
        all["results"].push_back(to_json(r));
    for(const Refusal& r : refusals)
        all["refused"].push_back(
            {{"problem", r.problem}, {"instance", r.instance}, {"why", r.why}});
    write(file, all.dump(1) + '\n');
}

void write_csv(const std::string& file, const std::deque<Result>& results)
{
    std::string text;
    const auto add_line = [&](const Json& entry, bool names) {
        std::string line;
        const auto add = [&](const std::string& key, const Json& value) {
            line += (names ? key : field(value)) + ',';
        };
        for(const auto& [key, value] : entry.items())
            if(key != "rival")
                add(key, value);
        for(const char* key : {"name", "way", "ms", "ratio", "ratio_low", "ratio_high"})
            add("rival_" + std::string(key),
                entry["rival"].is_null() ? Json(nullptr) : entry["rival"][key]);
        line.back() = '\n';
        text += line;
    };
    add_line(to_json(Result{}), true);
    for(const Result& r : results)
        add_line(to_json(r), false);
    write(file, text);
}

} // namespace ck::profiler
