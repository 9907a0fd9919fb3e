// Prints the table, and writes it as JSON.
#include "split_table.hpp"

#include "ck/version.h"

#include "device_name.hpp"
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ck::profiler {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* columns[]{"direction",
                                "whole pass, ms: median, least, most of rounds",
                                "computing alone, ms",
                                "exchange of rows alone, ms",
                                "sum of dW over ranks alone, ms",
                                "TFLOP/s of all ranks, whole pass",
                                "numbers compared"};

Json json(const SplitTimes& t) { return {t.median, t.least, t.most}; }

std::string text_of(const std::optional<SplitCheck>& check)
{
    if(!check)
        return "";
    return std::to_string(check->compared) + " numbers right";
}

} // namespace

std::string split_title(const SplitOptions& options,
                        const SplitProblem& p,
                        const distributed::Communicator& communicator)
{
    const auto text = [](long_index_t n) { return std::to_string(n); };
    return "3x3x3, " + text(p.channels) +
           (p.filters == p.channels ? "" : " to " + text(p.filters)) + " channels, " +
           text(p.depth) + "x" + text(p.width) + "x" + text(p.width) + ", " + name(p.type) +
           (options.weak ? ", weak, " : ", strong, ") + text(communicator.size()) + " ranks, " +
           communicator.transport() +
           (options.margins == distributed::Margins::filled ? ", rows not exchanged" : "");
}

void print_split_head(const std::string& title, const SplitProblem& problem)
{
    const double bytes =
        static_cast<double>(problem.depth) * (problem.type == DataType::f32 ? 4 : 2);
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    std::printf("%s, %s\nX has %.3f GB, Y %.3f GB; a device has %.1f GB\n"
                "%-15s %9s %9s %9s %9s %9s %9s %9s\n",
                title.c_str(),
                device_name().c_str(),
                bytes * static_cast<double>(problem.x_row()) * 1e-9,
                bytes * static_cast<double>(problem.y_row()) * 1e-9,
                static_cast<double>(properties.totalGlobalMem) * 1e-9,
                "ms of a pass",
                "median",
                "least",
                "most",
                "compute",
                "rows",
                "dW's sum",
                "TFLOP/s");
    std::fflush(stdout);
}

void print_split_line(const SplitLine& line)
{
    const auto ms = [](const std::optional<SplitTimes>& t) {
        return t ? std::to_string(t->median) : std::string("-");
    };
    std::printf("%-15s %9.3f %9.3f %9.3f %9.3f %9.3f %9.9s %9.1f  %s\n",
                name(line.direction),
                line.whole.median,
                line.whole.least,
                line.whole.most,
                line.compute.median,
                line.rows.median,
                ms(line.sum).c_str(),
                line.tflops,
                text_of(line.check).c_str());
    std::fflush(stdout);
}

void write_split_json(const std::string& file,
                      const std::string& title,
                      int ranks,
                      const std::vector<SplitLine>& lines)
{
    Json rows = Json::array();
    for(const SplitLine& line : lines)
    {
        Json sum, compared;
        if(line.sum)
            sum = json(*line.sum);
        if(line.check)
            compared = line.check->compared;
        rows.push_back({name(line.direction),
                        json(line.whole),
                        json(line.compute),
                        json(line.rows),
                        sum,
                        line.tflops,
                        compared});
    }
    const Json all{{"device", device_name()},
                   {"library", CK_VERSION},
                   {"source", "docs/distributed.md"},
                   {"ranks", ranks},
                   {"tables", {{{"name", title}, {"columns", columns}, {"rows", rows}}}}};
    std::ofstream out(file);
    out << all.dump(1) << '\n';
    if(!out.flush())
        throw std::runtime_error("cannot write " + file);
}

} // namespace ck::profiler
