// One 3D convolution on several ranks: its time, the times of computing and exchanging alone, and
// whether its numbers are correct.
#include "split_check.hpp"
#include "split_options.hpp"
#include "split_table.hpp"
#include <chrono>
#include <cstdio>
#include <exception>

namespace {

using namespace ck;
using namespace ck::profiler;
using distributed::Communicator;

/// The checks of all ranks together. Throws std::runtime_error on all of them if one is wrong.
SplitCheck check(SplitShare& share, const SplitOptions& o)
{
    const SplitCheck mine = check_share(share, o.margins);
    SplitCheck all;
    for(const std::vector<double>& rank :
        of_all_ranks(share.communicator(),
                     {static_cast<double>(mine.compared), static_cast<double>(mine.wrong)}))
    {
        all.compared += static_cast<std::size_t>(rank[0]);
        all.wrong += static_cast<std::size_t>(rank[1]);
    }
    if(all.wrong > 0)
        throw std::runtime_error(std::string(name(share.direction())) + ": " +
                                 std::to_string(all.wrong) + " of " + std::to_string(all.compared) +
                                 " numbers are not those of the definition");
    return all;
}

SplitLine measure_direction(Communicator& c,
                            const SplitOptions& o,
                            const SplitProblem& problem,
                            Direction direction)
{
    SplitShare share(c, problem, direction);
    SplitLine line;
    line.direction = direction;
    if(o.plans && c.rank() == 0)
        std::printf("%s", share.plan().explain().c_str());
    if(o.check)
        line.check = check(share, o);
    share.fill(split_tensors(false));
    const SplitRounds rounds{o.rounds, o.passes};
    line.whole   = time_passes(c, rounds, [&] { share.pass(o.margins); });
    line.compute = time_timed_passes(c, rounds, [&] { return share.compute(); });
    line.rows    = time_passes(c, rounds, [&] { share.exchange_rows(); });
    if(direction == Direction::backward_weight)
        line.sum = time_passes(c, rounds, [&] { share.add_up(); });
    line.tflops = problem.operations() / line.whole.median * 1e-9;
    return line;
}

void run_rank(const SplitOptions& o, Communicator& c)
{
    SplitProblem problem = o.problem;
    if(o.weak)
        problem.depth *= c.size();
    if(problem.depth < c.size())
        throw std::invalid_argument("--depth is " + std::to_string(problem.depth) +
                                    ", but must be at least the number of ranks, " +
                                    std::to_string(c.size()));
    const std::string title = split_title(o, problem, c);
    const bool prints       = c.rank() == 0;
    if(prints)
        print_split_head(title, problem);
    std::vector<SplitLine> lines;
    for(const Direction direction : o.directions)
    {
        lines.push_back(measure_direction(c, o, problem, direction));
        if(prints)
            print_split_line(lines.back());
    }
    if(prints && !o.json.empty())
        write_split_json(o.json, title, c.size(), lines);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Times a 3x3x3 convolution that is cut along D, on several ranks.");
    app.footer("Exit status: 0 done, 1 not possible or wrong numbers, 2 wrong options.");
    try
    {
        const SplitOptions o = parse_split_options(app, argc, argv);
        return distributed::run(o.ranks,
                                [&](Communicator& c) { run_rank(o, c); },
                                {.wait = std::chrono::seconds(o.limit)});
    }
    catch(const CLI::ParseError& e)
    {
        return app.exit(e) == 0 ? 0 : 2;
    }
}
