// Parses the command line with CLI11.
#include "command.hpp"

#include "ck/library/utility/pattern.hpp"
#include "ck/version.h"

#include "operation_table.hpp"
#include "rival.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <ostream>
#include <stdexcept>

namespace ck::profiler {

namespace {

/// Whether it is a position, such as "1", "-1", "64,128" or "all", and not an option.
bool is_position(const std::string& argument)
{
    return argument.empty() || argument[0] != '-' ||
           (argument.size() > 1 && argument.find_first_not_of("-0123456789,") == argument.npos);
}

std::string from_environment(const char* name)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
}

/// "cudnn", or "" if the program was built without it.
std::string list_rivals()
{
    std::string all;
    for(const char* rival : rivals())
        all += std::string(all.empty() ? "" : ", ") + rival;
    return all;
}

void check_rival(const std::string& name)
{
    const auto known = rivals();
    if(!name.empty() && std::find(known.begin(), known.end(), name) == known.end())
        throw WrongArgument("--rival is '" + name + "', but " +
                            (known.empty() ? "this program was built without any"
                                           : "must be one of " + list_rivals()));
}

/// The number of words that an option at the front of `words` takes: itself and its value.
std::ptrdiff_t words_of_option(const CLI::App& app, const std::string& option)
{
    const CLI::Option* const known = app.get_option_no_throw(option); // null for --name=value
    return known != nullptr && known->get_items_expected_max() > 0 ? 2 : 1;
}

/// Sets the command's operation and positions. Returns the other words, last to first.
std::vector<std::string>
take_operation(int argc, const char* const argv[], const CLI::App& app, Command& command)
{
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    auto operation = words.begin();
    while(operation != words.end() && operation->starts_with('-'))
        operation += std::min(words_of_option(app, *operation), words.end() - operation);
    auto next = operation;
    if(next != words.end())
        command.operation = *next++;
    while(next != words.end() && is_position(*next))
        command.positions.push_back(*next++);
    std::vector<std::string> options(std::make_reverse_iterator(words.end()),
                                     std::make_reverse_iterator(next));
    options.insert(options.end(),
                   std::make_reverse_iterator(operation),
                   std::make_reverse_iterator(words.begin()));
    return options;
}

void add_problem_options(CLI::App& app, Command& command)
{
    app.add_option(
           "--problem",
           command.problems,
           "a problem in words, such as 'g2 n256 c64 k64 in56x56 f3x3 s1 d1 p1'; may be repeated")
        ->take_all()
        ->expected(1);
    app.add_option("--problems", command.file, "a file of problems, or a folder of *.json");
    app.add_option(
        "--filter", command.filter, "use only the problems of the file whose names contain this");
    app.add_option("--miopen",
                   command.miopen,
                   "a command line of MIOpenDriver, such as 'convbfp16 -n 128 -c 64 ... -F 1'");
    app.add_option(
           "--order",
           command.order,
           "read numbers by position in the order of Composable Kernel of this year; in that of "
           "2024, backward data has no split_k (default: 2026)")
        ->check(CLI::IsMember({"2024", "2026"}));
    app.add_option(
        "--type", command.type, "element types; see the operation's --help (default: f16)");
    app.add_option(
        "--layout",
        command.layout,
        "gnhwc, nhwgc (or nhwc), ngchw (filters GKYXC) or nchw (filters GKCYX); 1D and 3D "
        "have the same words (default: nhwgc)");
    app.add_option("--elementwise",
                   command.elementwise,
                   "convscale or convinvscale; for grouped_conv_fwd_outelementop");
    app.add_option(
        "--split-k",
        command.split_k,
        "backward weight: the number of partial sums. -1: each kernel takes the number that "
        "is predicted to be the fastest. all or 0: tries 1, 2, 4 ... 128 (default: -1)");
}

void add_tuning_options(CLI::App& app, Command& command)
{
    const std::string group = "For the operations tune and calibrate";
    app.add_option("--direction",
                   command.direction,
                   "forward, backward_data, backward_weight or all (default: all)")
        ->check(CLI::IsMember({"forward", "backward_data", "backward_weight", "all"}))
        ->group(group);
    app.add_option("--seconds",
                   command.seconds,
                   "time limit for all problems together (default: 600; calibrate: 540)")
        ->check(CLI::Range(0., 1e8))
        ->group(group);
    app.add_option(
           "--slower",
           command.slower,
           "leave out kernels that are predicted to take this many times as long as the best "
           "(default: 3)")
        ->check(CLI::Range(1., 1e9))
        ->group(group);
    app.add_flag("--again", command.again, "measure problems again that are already known")
        ->group(group);
}

void add_measuring_options(CLI::App& app, Options& options)
{
    static const std::map<std::string, Fill> fills{{"zero", Fill::zero},
                                                   {"integer", Fill::integer},
                                                   {"decimal", Fill::decimal},
                                                   {"normal", Fill::normal}};
    app.add_option("--instances",
                   options.instances,
                   "run only instances whose names contain a match of this regular expression "
                   "(default: the environment's CK_PROFILER_INSTANCE_FILTER)");
    app.add_option("--init",
                   options.fill,
                   "fill operands with these numbers: zero, integer, decimal, normal")
        ->transform(CLI::CheckedTransformer(fills));
    app.add_flag("!--no-verify", options.verify, "do not compare results with the reference");
    app.add_flag("!--no-time", options.time, "launch once and do not time");
    app.add_flag("--print-tensor", options.print_tensor, "print operands and results");
    app.add_flag("--why", options.why, "say why an instance refuses the problem");
    app.add_flag("--warm-cache",
                 options.warm_cache,
                 "use one set of buffers, which may stay in the cache; without it, launches rotate "
                 "through more buffers than the cache holds");
    app.add_option("--rounds",
                   options.rounds,
                   "number of timed rounds (default: 5; where the CPU stands in for a GPU: 1)")
        ->check(CLI::Range(1, 100000));
    app.add_option("--rival",
                   options.rival,
                   "another library to time in turns with the fastest instances (in this build: " +
                       (rivals().empty() ? "none" : list_rivals()) + ")");
    app.add_option(
           "--warm-up",
           options.warm_up,
           "with --rival: seconds of load before the rounds, until power limits both libraries "
           "(default: 0.25)")
        ->check(CLI::Range(0., 60.));
    app.add_option("--json", options.json, "write the figures to this file");
    app.add_option("--csv",
                   options.csv,
                   "write the figures to this file as comma-separated values, one line each");
    app.add_option("--times",
                   options.times,
                   "write the time of every wgmma kernel to this file, in the form of "
                   "test/library/tables/h200_times");
}

} // namespace

std::optional<Command> read_command(int argc, const char* const argv[], std::ostream& out)
{
    Command command;
    command.options.instances = from_environment("CK_PROFILER_INSTANCE_FILTER");
    CLI::App app{"Times all instances of the library that support a problem, and compares their "
                 "results with a reference.\n\nckProfiler <operation> <numbers by "
                 "position> [options]\nckProfiler <operation> --problem TEXT [options]\nckProfiler "
                 "--miopen 'convfp16 -n 128 ...' [options]\nckProfiler tune FILE [options]\n\n"
                 "Options may come before or after the operation.",
                 "ckProfiler"};
    app.set_version_flag("--version", "ckProfiler " CK_VERSION " (" CK_COMMIT_ID ")");
    app.footer("Exit status: 0 if all results that were compared are right; 1 if one is wrong, or "
               "nothing could be measured; 2 for a wrong argument.");
    add_problem_options(app, command);
    add_measuring_options(app, command.options);
    add_tuning_options(app, command);
    std::vector<std::string> options = take_operation(argc, argv, app, command);
    try
    {
        app.parse(std::move(options));
    }
    catch(const CLI::CallForHelp&)
    {
        out << app.help() << '\n'
            << (command.operation.empty() ? list_operations()
                                          : describe_operation(command.operation));
        return std::nullopt;
    }
    catch(const CLI::CallForVersion&)
    {
        out << app.version() << '\n';
        return std::nullopt;
    }
    catch(const CLI::ParseError& e)
    {
        throw WrongArgument(e.what());
    }
    command.options.order_2024 = command.order == "2024";
    check_rival(command.options.rival);
    try
    {
        static_cast<void>(utils::Pattern(command.options.instances));
    }
    catch(const std::invalid_argument& error)
    {
        throw WrongArgument("--instances is '" + command.options.instances +
                            "', which is not a regular expression: " + error.what());
    }
    return command;
}

} // namespace ck::profiler
