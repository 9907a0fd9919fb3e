// Measures a sample of kernels and writes the machine's file.
#include "ck/calibrate.hpp"

#include "ck/library/utility/emulation.hpp"

#include "conv/calibrate_fit.hpp"
#include "conv/machine.hpp"
#include "conv/prepared.hpp"
#include "conv/tune_buffers.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include "utility/contest.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <locale>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>
#include <utility>

namespace ck {

namespace {

using namespace conv;
namespace instance = tensor_operation::device::instance;
using Clock        = std::chrono::steady_clock;
using PreparedPlan = std::shared_ptr<const ConvPlan::Prepared>;

#if defined(CK_RUNTIME_HOST)
constexpr measure::Rounds rounds_of_one{.count = 1};
#else
constexpr measure::Rounds rounds_of_one{.count = 5, .warm_up = .02};
#endif

/// A layer: the fields that differ between specs.
struct Layer
{
    long_index_t n, c, k, size, filter, stride = 1, groups = 1;
};

constexpr Layer layers[]{{32, 64, 256, 56, 1},
                         {32, 64, 64, 56, 3},
                         {256, 3, 64, 224, 7, 2},
                         {64, 128, 128, 56, 3, 2},
                         {128, 512, 128, 28, 1},
                         {32, 128, 128, 112, 3, 1, 128},
                         {64, 256, 256, 14, 3},
                         {64, 24, 72, 56, 1},
                         {64, 256, 256, 56, 3, 1, 32},
                         {64, 512, 512, 7, 3},
                         {128, 576, 576, 14, 3, 1, 576},
                         {64, 1024, 2048, 14, 1, 2},
                         {8, 256, 512, 28, 1},
                         {64, 512, 512, 14, 3, 1, 32},
                         {32, 32, 64, 112, 3},
                         {1, 256, 256, 14, 3},
                         {32, 240, 240, 28, 5, 1, 240},
                         {128, 3, 32, 224, 3, 2},
                         {16, 2048, 512, 7, 1},
                         {32, 96, 96, 56, 3},
                         {32, 128, 128, 56, 3, 1, 32},
                         {16, 16, 96, 112, 1},
                         {1, 64, 64, 56, 3},
                         {64, 144, 144, 56, 3, 2, 144}};
constexpr Layer small_layers[]{{1, 16, 16, 8, 1},
                               {1, 16, 16, 7, 3},
                               {1, 3, 8, 12, 3, 2},
                               {1, 8, 8, 9, 3, 1, 8},
                               {2, 32, 16, 8, 1},
                               {1, 32, 32, 5, 3},
                               {1, 16, 16, 8, 3, 1, 4},
                               {2, 16, 32, 8, 3, 2},
                               {1, 16, 16, 10, 3, 1, 16}};

ConvSpec spec_of(const Layer& l, Direction direction, DataType type)
{
    ConvSpec s{.direction = direction,
               .type      = type,
               .groups    = l.groups,
               .n         = l.n,
               .k         = l.k,
               .c         = l.c,
               .input     = {l.size, l.size},
               .filter    = {l.filter, l.filter},
               .strides   = {l.stride, l.stride},
               .pads      = {{l.filter / 2, l.filter / 2}, {l.filter / 2, l.filter / 2}}};
    if(type == DataType::f32)
        s.compute = DataType::tf32;
    return s;
}

/// A kernel that is worth a measurement.
struct Sample
{
    const ConvKernel* kernel;
    std::string line; ///< the start of its line
    double cycles;
};

/// The kernels of each pipeline that are predicted to be the fastest.
std::vector<Sample> samples_of(const ConvSpec& spec, std::size_t of_kind)
{
    const Resolved resolved = resolve(spec);
    std::map<std::string, double> predicted;
    for(const Candidate& c : candidates_of(resolved, spec, {}))
        if(c.why_not.empty() && c.predicted > 0)
            predicted[c.kernel] = c.predicted;
    std::vector<Sample> all;
    for(const ConvKernel& k : instance::kernels_of(resolved.family))
        if(const auto at = predicted.find(k.name); k.facts != nullptr && at != predicted.end())
            all.push_back({&k, instance::line_key(*k.facts), at->second});
    std::sort(all.begin(), all.end(), [](const Sample& x, const Sample& y) {
        return std::pair(x.cycles, x.kernel) < std::pair(y.cycles, y.kernel);
    });
    std::map<std::string, std::size_t> counts;
    std::vector<Sample> chosen;
    for(Sample& s : all)
        if(counts[s.line]++ < of_kind)
            chosen.push_back(std::move(s));
    return chosen;
}

/// Microseconds of each kernel; 0 if there is no time.
std::vector<double>
measured(const ConvSpec& spec, const std::vector<Sample>& samples, Clock::time_point until)
{
    std::vector<PreparedPlan> plans;
    for(const Sample& s : samples)
        plans.push_back(prepare_quietly(spec, {}, s.kernel->name));
    TuneBuffers buffers(*plans.front());
    std::vector<measure::Launch> launches;
    for(const PreparedPlan& plan : plans)
    {
        buffers.require_workspace(plan->workspace);
        launches.push_back([run = ConvPlan(plan), &buffers](int i, hipStream_t stream) {
            run.run(buffers.set(i, run.workspace_size(), stream));
        });
    }
    measure::Rounds rounds = rounds_of_one;
    rounds.until           = until;
    constexpr double us    = 1000; // in a millisecond
    std::vector<double> times;
    for(const measure::Timing& t : measure::time_each(launches, rounds))
        times.push_back(t.ok() ? us * t.median : 0);
    return times;
}

std::string percent(double error)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * error);
    return text;
}

void write(const CalibrateResult& r, std::ostream& out)
{
    out.imbue(std::locale::classic()); // the program's may write 1,5
    out << "# Measured by ck::calibrate(): " << r.times << " times of " << r.specs
        << " convolutions" << utils::emulation_note()
        << ".\n# ck::plan() predicts by it; docs/tuning.md explains it.\n\n[device]\nname = "
        << r.device << "\nmhz = " << r.mhz
        << "  # cycles of predictions in a microsecond\n\n# Start and factor of the predicted "
           "cycles.\n[lines]\n";
    for(const CalibratedLine& l : r.lines)
    {
        out << l.kernels << " = " << l.start << ", " << l.factor << "  # " << l.fitted << " times";
        if(l.held_out > 0)
            out << "; of " << l.held_out << " others " << percent(l.error_before) << " off, now "
                << percent(l.error_after);
        out << '\n';
    }
}

/// Writes a file next to it, then renames that: readers and other writers never see a part of it.
void write(const CalibrateResult& r)
{
    const std::filesystem::path path = r.path,
                                part = r.path + '.' + std::to_string(getpid()) + ".part";
    if(path.has_parent_path())
        std::filesystem::create_directories(path.parent_path());
    std::error_code error;
    std::ofstream out(part);
    write(r, out);
    out.close();
    if(out)
        std::filesystem::rename(part, path, error);
    if(out && !error)
        return;
    const std::string why = error ? ": " + error.message() : "";
    std::filesystem::remove(part, error);
    throw std::runtime_error(path.string() + " cannot be written" + why);
}

void check(const CalibrateOptions& o)
{
    if(!(o.seconds >= 0 && o.seconds < 1e9))
        throw Refused("ck::CalibrateOptions: seconds is " + std::to_string(o.seconds) +
                      ", but must be from 0 to 1e9");
    if(o.kernels_of_kind == 0)
        throw Refused("ck::CalibrateOptions: kernels_of_kind is 0, but must be at least 1");
}

/// While it lives, this thread's plans use the built-in predictions; then the file is read again.
class BuiltIn
{
public:
    BuiltIn() = default;
    ~BuiltIn()
    {
        forget_machine_file();
        clear_plan_cache();
    }
    BuiltIn(const BuiltIn&)            = delete;
    BuiltIn& operator=(const BuiltIn&) = delete;

private:
    instance::OneCalibration predictions_{nullptr};
};

} // namespace

std::vector<ConvSpec> calibration_specs()
{
    std::vector<ConvSpec> specs;
    const auto add = [&](const auto& of) {
        for(const Layer& l : of)
            for(const auto direction :
                {Direction::forward, Direction::backward_data, Direction::backward_weight})
                specs.push_back(spec_of(l, direction, DataType::f16));
    };
    if(!utils::emulation_note().empty())
        add(small_layers);
    else
    {
        add(layers);
        for(std::size_t i = 0; i < std::size(layers); i += 4) // elements of other sizes
            for(const auto direction :
                {Direction::forward, Direction::backward_data, Direction::backward_weight})
                for(const auto type : {DataType::f32, DataType::i8})
                    specs.push_back(spec_of(layers[i], direction, type));
    }
    return specs;
}

CalibrateResult calibrate(const CalibrateOptions& options)
{
    check(options);
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const auto begin = Clock::now();
    const auto end   = begin + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(options.seconds));
    const auto say = options.progress ? options.progress : [](const std::string& line) {
        std::fprintf(stderr, "ck::calibrate: %s\n", line.c_str());
    };
    const std::vector<ConvSpec> specs = options.specs.empty() ? calibration_specs() : options.specs;
    const BuiltIn built_in;
    CalibrateResult result;
    result.device = device_text();
    std::vector<CalibrationTime> times;
    constexpr std::size_t held_out = 3; // the last of every three specs of a kind
    std::map<std::string, std::size_t> specs_of_kind;
    for(std::size_t i = 0; i < specs.size(); ++i)
    {
        const auto now = Clock::now();
        std::string what;
        try
        {
            if(now >= end && !options.time)
                throw std::runtime_error(measure::time_is_up);
            const std::vector<Sample> samples = samples_of(specs[i], options.kernels_of_kind);
            std::vector<double> us;
            if(options.time)
                for(const Sample& s : samples)
                    us.push_back(options.time(specs[i], s.kernel->name, s.cycles));
            else if(!samples.empty())
                us = measured(
                    specs[i], samples, now + (end - now) / static_cast<long>(specs.size() - i));
            std::size_t count = 0;
            std::set<std::string> kinds;
            for(std::size_t s = 0; s < us.size(); ++s)
                if(us[s] > 0 && std::isfinite(us[s]))
                {
                    const std::string& kind = samples[s].line;
                    times.push_back({kind,
                                     samples[s].cycles,
                                     us[s],
                                     specs_of_kind[kind] % held_out == held_out - 1});
                    kinds.insert(kind);
                    ++count;
                }
            for(const std::string& kind : kinds)
                ++specs_of_kind[kind];
            result.specs += count > 0;
            what = std::to_string(count) + " of " + std::to_string(samples.size()) +
                   " kernels measured";
        }
        catch(const std::exception& e)
        {
            what = e.what();
        }
        const std::chrono::duration<double> taken = Clock::now() - begin;
        char seconds[64];
        std::snprintf(seconds, sizeof seconds, ", %.0f of %.0f s", taken.count(), options.seconds);
        say(std::to_string(i + 1) + " of " + std::to_string(specs.size()) + ": " +
            to_string(specs[i]) + ": " + what + seconds);
    }
    result.times = times.size();
    result.mhz   = cycles_in_a_microsecond(times);
    result.lines = fit_lines(times, result.mhz);
    result.path  = options.path.empty() ? machine_file() : options.path;
    if(times.empty())
        result.why = "nothing was measured";
    else if(result.path.empty())
        result.why = "there is no path: CK_MACHINE is empty, or there is no tuning database";
    try
    {
        if(result.why.empty())
            write(result);
    }
    catch(const std::exception& e)
    {
        result.why = e.what();
    }
    if(!result.why.empty())
        result.path.clear();
    return result;
}

} // namespace ck
