// One 3D convolution on several ranks: how long it takes, how long computing and exchanging take
// alone, and whether its numbers are right.
#include "split_check.hpp"
#include "split_options.hpp"
#include "split_table.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>

namespace {

using namespace ck;
using namespace ck::profiler;
using distributed::Communicator;
using Numbers = std::vector<double>;

/// The numbers of all ranks, as many of each; in no certain order of ranks.
std::vector<Numbers> of_all_ranks(Communicator& c, const Numbers& mine)
{
    const std::size_t bytes = mine.size() * sizeof(double);
    const DeviceMem memory(bytes * static_cast<std::size_t>(c.size()));
    char* const at = static_cast<char*>(memory.GetDeviceBuffer());
    memory.ToDevice(mine.data(), bytes); // own ones first
    std::vector<distributed::Send> sends;
    std::vector<distributed::Receive> receives;
    for(int peer = 0; peer < c.size(); ++peer)
        if(peer != c.rank())
        {
            sends.push_back({peer, at, bytes});
            receives.push_back({peer, at + (receives.size() + 1) * bytes, bytes});
        }
    c.begin(sends, receives, nullptr)->finish();
    c.synchronize(nullptr);
    Numbers flat(mine.size() * static_cast<std::size_t>(c.size()));
    memory.FromDevice(flat.data());
    std::vector<Numbers> all;
    for(auto begin = flat.begin(); begin != flat.end();)
    {
        const auto end = begin + static_cast<std::ptrdiff_t>(mine.size());
        all.emplace_back(begin, end);
        begin = end;
    }
    return all;
}

/// Returns the times of the slowest rank in each round: median, least, most. mine: this rank's
/// milliseconds of each round.
SplitTimes slowest(Communicator& c, const Numbers& mine)
{
    Numbers rounds(mine.size(), 0.);
    for(const Numbers& rank : of_all_ranks(c, mine))
        for(std::size_t i = 0; i < rounds.size(); ++i)
            rounds[i] = std::max(rounds[i], rank[i]);
    std::sort(rounds.begin(), rounds.end());
    return {rounds[rounds.size() / 2], rounds.front(), rounds.back()};
}

/// Rounds that all ranks begin together. round: returns its milliseconds.
SplitTimes time_rounds(Communicator& c, const SplitOptions& o, const std::function<double()>& round)
{
    Numbers mine;
    static_cast<void>(round()); // warms up
    for(int i = 0; i < o.rounds; ++i)
    {
        c.barrier();
        mine.push_back(round());
    }
    return slowest(c, mine);
}

/// Times passes by the clock, until the device is done with all of a round.
SplitTimes time_passes(Communicator& c, const SplitOptions& o, const std::function<void()>& pass)
{
    using Clock = std::chrono::steady_clock;
    return time_rounds(c, o, [&] {
        const auto begin = Clock::now();
        for(int i = 0; i < o.passes; ++i)
            pass();
        c.synchronize(nullptr);
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / o.passes;
    });
}

/// All ranks' numbers together. Throws std::runtime_error on all of them where one is wrong.
SplitCheck check(SplitShare& share, const SplitOptions& o)
{
    const SplitCheck mine = check_share(share, o.margins);
    SplitCheck all;
    for(const Numbers& rank :
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
    line.whole   = time_passes(c, o, [&] { share.pass(o.margins); });
    line.compute = time_rounds(c, o, [&] {
        double sum = 0;
        for(int i = 0; i < o.passes; ++i)
            sum += share.compute();
        return sum / o.passes;
    });
    line.rows    = time_passes(c, o, [&] { share.exchange_rows(); });
    if(direction == Direction::backward_weight)
        line.sum = time_passes(c, o, [&] { share.add_up(); });
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
