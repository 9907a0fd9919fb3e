// Problems become specs, and lines a table of errors.
#include "calibrate.hpp"

#include "ck/calibrate.hpp"
#include "ck/library/utility/emulation.hpp"

#include "tune.hpp"
#include <array>
#include <cstdio>

namespace ck::profiler {

std::string table_row(const CalibratedLine& l)
{
    std::array<char, 160> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%-28s %6zu %6zu %9.0f %7.3f ",
                  l.kernels.c_str(),
                  l.fitted,
                  l.held_out,
                  l.start,
                  l.factor);
    std::string line = text.data();
    if(l.held_out == 0)
        return line + "     - %      - %";
    std::snprintf(
        text.data(), text.size(), "%6.1f %% %6.1f %%", 100 * l.error_before, 100 * l.error_after);
    return line + text.data();
}

std::string describe_calibrate(const std::string&)
{
    const std::string path = machine_file();
    return "calibrate [FILE] [options]: measures how long some kernels of each kind take, so that "
           "ck::plan() predicts better on this device\n"
           "  FILE           the machine's file that is written (default: " +
           (path.empty() ? std::string("none, CK_MACHINE or CK_TUNING_DB is empty") : path) +
           ")\n"
           "  --seconds N    time limit for all problems together (default: 540)\n"
           "  --problem TEXT, --problems FILE, --filter, --type, --layout, --direction\n"
           "                 what is measured; by default a list of layers in f16, tf32 and int8\n"
           "Every third convolution of each kind of kernel is left out of the fit; the printed "
           "errors are those of the convolutions that were left out.\n"
           "ck::plan() reads the file at CK_MACHINE, or by default machine.ini in the folder of "
           "the tuning database.\n";
}

void run_calibrate(const Command& command, Report& report)
{
    if(command.positions.size() > 1)
        throw WrongArgument("calibrate takes one file, but there is '" + command.positions[1] +
                            "', too");
    CalibrateOptions options;
    options.seconds = command.seconds.value_or(540);
    if(!command.positions.empty())
        options.path = command.positions[0];
    else if(machine_file().empty())
        return report.fail("there is no file to write: name one, or set CK_MACHINE");
    if(!command.problems.empty() || !command.file.empty() || !command.filter.empty())
        for(const Job& job : jobs_of(command, {}))
            options.specs.push_back(job.spec);
    const std::string note  = utils::emulation_note();
    options.progress        = [&](const std::string& line) { report.line(line + note); };
    const CalibrateResult r = calibrate(options);
    report.line("kernels                       fitted   held     start  factor   before    after");
    for(const CalibratedLine& l : r.lines)
        report.line(table_row(l));
    std::array<char, 160> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%zu times of %zu convolutions; %.0f predicted cycles in a microsecond",
                  r.times,
                  r.specs,
                  r.mhz);
    report.line(text.data() + note);
    if(r.path.empty())
        return report.fail("no file was written: " + r.why);
    report.line(r.path + " is for " + r.device);
    if(r.path != machine_file())
        report.line("ck::plan() reads it where CK_MACHINE=" + r.path);
}

} // namespace ck::profiler
