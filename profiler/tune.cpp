// Problems become specs, and results a table.
#include "tune.hpp"

#include "ck/tune.hpp"

#include "problem_file.hpp"
#include "problem_text.hpp"
#include <array>
#include <cstdio>
#include <utility>

namespace ck::profiler {

namespace {

struct Pass
{
    const char* name; ///< its name in --directions
    const char* operation;
    Direction direction;
};

constexpr std::array<Pass, 3> passes{
    {{"forward", "grouped_conv_fwd", Direction::forward},
     {"backward_data", "grouped_conv_bwd_data", Direction::backward_data},
     {"backward_weight", "grouped_conv_bwd_weight", Direction::backward_weight}}};

DataType data_type(const std::string& text)
{
    for(auto type = DataType::f64; type <= DataType::tf32;
        type      = static_cast<DataType>(static_cast<int>(type) + 1))
        if(text == ck::name(type))
            return type;
    throw std::logic_error("no type " + text);
}

std::vector<NamedProblem> problems_of(const Command& command, std::vector<std::string> files)
{
    std::vector<NamedProblem> all;
    if(!command.file.empty())
        files.push_back(command.file);
    if(!command.filter.empty() && files.empty())
        throw WrongArgument("--filter is '" + command.filter +
                            "', but chooses from files, and none is given");
    for(const std::string& file : files)
        for(NamedProblem& problem : read_problems(file, command.filter))
            all.push_back(std::move(problem));
    for(const std::string& text : command.problems)
        all.push_back({text, problem_from_text(text)});
    if(all.empty())
        throw WrongArgument("tune needs problems: a file after it, or --problem");
    return all;
}

std::vector<const Pass*> passes_of(const Command& command)
{
    std::vector<const Pass*> chosen;
    const auto has_type = [&](const Pass& pass) {
        try
        {
            static_cast<void>(find_types(*find_conv_operation(pass.operation), command.type));
            return true;
        }
        catch(const WrongArgument&)
        {
            return false;
        }
    };
    for(const Pass& pass : passes)
        if(command.direction == "all" ? has_type(pass) : command.direction == pass.name)
            chosen.push_back(&pass);
    if(chosen.empty()) // lists the types
        static_cast<void>(find_types(*find_conv_operation(passes[0].operation), command.type));
    return chosen;
}

std::string row(const Job& job, const TuneResult& r)
{
    if(r.kernel.empty())
        return std::string(job.pass) + ' ' + job.name + ": not known: " + r.why;
    std::array<char, 80> times{};
    std::snprintf(times.data(), times.size(), "%-15s %10.1f ", job.pass, r.microseconds);
    std::string text = times.data();
    times.front()    = '\0';
    if(r.predicted_for > 0)
        std::snprintf(times.data(),
                      times.size(),
                      "%10.1f %6.2f ",
                      r.predicted_for,
                      r.predicted_for / r.microseconds);
    else
        std::snprintf(times.data(), times.size(), "%10s %6s ", "-", "-");
    return text + times.data() + job.name + ": " + r.kernel + (r.was_known ? " (known)" : "");
}

} // namespace

ConvSpec spec_of(const ConvProblem& p, Direction direction, const Types& types, Layout layout)
{
    ConvSpec s;
    const auto rank = static_cast<std::size_t>(p.rank);
    s.direction     = direction;
    s.type          = data_type(types.x);
    if(std::string(types.w) != types.x)
        s.w_type = data_type(types.w);
    if(std::string(types.y) != types.x)
        s.y_type = data_type(types.y);
    if(*types.compute_b != '\0')
        s.compute = data_type(types.compute_b);
    s.groups = p.groups, s.n = p.batch, s.k = p.out_channels, s.c = p.in_channels;
    const auto last = [&](const Spatial& all) {
        return Extents(std::vector<long_index_t>(all.end() - p.rank, all.end()));
    };
    s.input = last(p.input), s.filter = last(p.filter);
    s.strides = last(p.stride), s.dilations = last(p.dilation);
    for(std::size_t i = 3 - rank; i < 3; ++i)
        s.pads.push_back({p.pad_low[i], p.pad_high[i]});
    if(layout == Layout::nhwgc || layout == Layout::nchw)
    {
        s.layout = layout == Layout::nhwgc ? ck::Layout::channels_last : ck::Layout::channels_first;
        return s;
    }
    ConvProblem with_strides = p;
    set_strides(with_strides, layout);
    const auto strides = [&](const TensorStrides& all) {
        Strides r{all[0], all[1], all[2]};
        for(std::size_t i = 6 - rank; i < 6; ++i)
            r.push_back(all[i]);
        return r;
    };
    s.layout    = ck::Layout::strided;
    s.x_strides = strides(with_strides.input_strides);
    s.w_strides = strides(with_strides.filter_strides);
    s.y_strides = strides(with_strides.output_strides);
    return s;
}

std::vector<Job> jobs_of(const Command& command, std::vector<std::string> files)
{
    const Layout layout = layout_from_name(command.layout);
    std::vector<Job> jobs;
    const auto chosen = passes_of(command);
    for(const NamedProblem& named : problems_of(command, std::move(files)))
        for(const Pass* const pass : chosen)
        {
            const Types& types = find_types(*find_conv_operation(pass->operation), command.type);
            jobs.push_back(
                {named.name, pass->name, spec_of(named.problem, pass->direction, types, layout)});
        }
    return jobs;
}

std::string describe_tune(const std::string&)
{
    const std::string path = tuning_database();
    return "tune FILE [options]: measures which kernels are the fastest, and keeps them for "
           "ck::plan()\n"
           "  FILE           a file of problems, or a folder of *.json; or use --problem TEXT\n"
           "  --direction    forward, backward_data or backward_weight (default: all)\n"
           "  --type --layout --filter\n"
           "  --seconds N    time limit for all problems together (default: 600)\n"
           "  --slower N     leaves out kernels that are predicted to take N times as long as the "
           "best (default: 3)\n"
           "  --again        measures problems again that are already known\n" +
           (path.empty() ? std::string("There is no database: CK_TUNING_DB is empty")
                         : "The database is " + path) +
           "\n";
}

void run_tune(const Command& command, Report& report)
{
    const std::vector<Job> jobs = jobs_of(command, command.positions);
    std::vector<ConvSpec> specs;
    for(const Job& job : jobs)
        specs.push_back(job.spec);
    report.line("direction               us  predicted   gain problem: kernel");
    report.progress().expect(static_cast<long>(jobs.size()));
    TuneOptions options;
    options.seconds  = command.seconds.value_or(600);
    options.slower   = command.slower;
    options.again    = command.again;
    options.progress = [&](const TuneProgress& p) {
        if(p.result != nullptr)
            report.line(row(jobs[p.done - 1], *p.result));
        if(p.spec != nullptr)
            report.progress().step(jobs[p.done].name + ' ' + jobs[p.done].pass);
    };
    std::size_t known = 0, stored = 0;
    const std::vector<TuneResult> results = tune(specs, options);
    for(const TuneResult& r : results)
    {
        known += !r.kernel.empty();
        stored += r.stored;
    }
    report.line(std::to_string(known) + " of " + std::to_string(jobs.size()) + " known, " +
                std::to_string(stored) + " of them in " + tuning_database());
    if(known < jobs.size())
        report.fail(std::to_string(jobs.size() - known) + " of the problems are not known");
    if(stored < known)
        report.fail("the database was not written");
}

} // namespace ck::profiler
