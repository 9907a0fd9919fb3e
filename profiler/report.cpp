// Prints the lines of the report.
#include "report.hpp"

#include "ck/library/utility/emulation.hpp"

#include "summary.hpp"
#include "writers.hpp"
#include <cmath>
#include <fstream>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace ck::profiler {

namespace {

void require_writable(const std::string& file)
{
    if(!file.empty() && !std::ofstream(file, std::ios::app))
        throw std::runtime_error("cannot write " + file);
}

std::string with_split_k(const Result& r, const char* separator)
{
    return r.split_k ? separator + std::string("SplitK ") + std::to_string(*r.split_k) : "";
}

std::string in_units(double x, double unit)
{
    std::ostringstream text;
    if(unit > 0)
        text << std::fixed << std::setprecision(2) << " (" << x / unit
             << " units in the last place)";
    return text.str();
}

/// The largest error and its bound. An error equal to its bound is correct: the bound, too, is
/// rounded to the result's type.
std::string describe_error(const Result& r)
{
    std::ostringstream error, bound;
    error << r.error;
    bound << r.bound;
    std::string text = "greatest error " + error.str() + in_units(r.error, r.unit);
    if(error.str() != bound.str())
        return text + " of at most " + bound.str() + in_units(r.bound, r.unit);
    return r.error > 0 ? text + ", equal to the rounded bound" : text;
}

/// What Composable Kernel's line does not contain.
std::string more_of(const Result& r)
{
    std::ostringstream text;
    text << "    ";
    if(r.timed())
    {
        text << "from " << r.ms_low << " to " << r.ms_high << " ms, ";
        if(!std::isnan(r.roofline))
            text << std::lround(100 * r.roofline) << " % of the roofline, ";
    }
    text << "workspace " << r.workspace << " bytes";
    if(!std::isnan(r.error))
        text << ", " << describe_error(r);
    if(r.predicted > 0)
        text << ", predicted " << std::llround(r.predicted) << " cycles";
    return text.str();
}

} // namespace

Report::Report(const Options& options, std::ostream& out) : options_(options), out_(out)
{
    require_writable(options.json); // not after an hour of measuring
    require_writable(options.csv);
    require_writable(options.times);
}

void Report::line(const std::string& text)
{
    progress_.clear();
    out_ << text << std::endl;
}

Result& Report::add(const Result& result)
{
    results_.push_back(result);
    std::ostringstream text;
    text << "Perf: ";
    if(result.timed())
        text << std::setw(10) << result.ms << " ms, " << result.tflops() << " TFlops, "
             << result.gbytes() << " GB/s, ";
    else
        text << "not timed, ";
    text << result.instance << with_split_k(result, ", ") << utils::emulation_note();
    line(text.str());
    line(more_of(result));
    return results_.back();
}

void Report::refuse(const Refusal& refusal)
{
    refusals_.push_back(refusal);
    line(refusal.instance + " does not support this problem");
    if(options_.why)
        line("    " + refusal.why);
}

void Report::fail(const std::string& instance, const std::string& why)
{
    line("Fail info: " + instance);
    fail(why);
}

void Report::fail(const std::string& why)
{
    failed_ = true;
    line("    FAILED: " + why);
}

void Report::best(Result* fastest)
{
    std::ostringstream text;
    text << "Best configuration parameters:";
    if(fastest == nullptr)
        text << " none";
    else if(!fastest->timed())
        text << " unknown, nothing was timed";
    else
    {
        fastest->best = true;
        text << "\nname: " << fastest->instance << "\navg_time: " << fastest->ms
             << "\ntflops: " << fastest->tflops() << "\nGB/s: " << fastest->gbytes()
             << with_split_k(*fastest, ", ");
        if(const auto& rival = fastest->rival)
            text << "\nrival: " << rival->name << ", " << rival->way << ": " << rival->ms << " ms, "
                 << rival->ratio << " times as long as ours (" << rival->ratio_low << " to "
                 << rival->ratio_high << ")";
    }
    line(text.str());
}

void Report::finish()
{
    progress_.clear();
    print_summary(results_, out_);
    if(!options_.json.empty())
        write_json(options_.json, results_, refusals_);
    if(!options_.csv.empty())
        write_csv(options_.csv, results_);
}

} // namespace ck::profiler
