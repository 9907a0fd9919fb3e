// A 3D residual block on several ranks, forward and backward, compared with the same block on one
// rank; also shows when each rank computed and waited.
#include "ck/distributed.hpp"

#include "residual_block.hpp"
#include "timeline.hpp"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

namespace {

using namespace split_block;

struct Options
{
    Sizes sizes;
    int ranks = 4;
    int limit = 60; // seconds
    std::vector<long_index_t> rows;
    std::string timeline;
};

Options parse(CLI::App& app, int argc, char** argv)
{
    Options o;
    const int launched = place_from_environment().size;
    app.add_option("--ranks",
                   o.ranks,
                   "number of threads; with mpirun, srun or torchrun, the number of processes")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_option(
           "--rows", o.rows, "rows of D of each rank, separated by commas; default: divided evenly")
        ->delimiter(',');
    app.add_option("--depth", o.sizes.depth, "rows of D of all ranks together, without --rows")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    app.add_option("--width", o.sizes.width, "length of H, and of W")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    app.add_option("--channels", o.sizes.channels, "channels of X and of Y")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    app.add_option("--limit", o.limit, "seconds that a rank waits for another one")
        ->check(CLI::Range(1, 86'400))
        ->capture_default_str();
    app.add_option("--timeline",
                   o.timeline,
                   "writes the steps of all ranks, for script/plot timeline, to this file");
    app.parse(argc, argv);
    if(launched > 1)
        o.ranks = launched;
    if(!o.rows.empty())
        o.sizes.depth = static_cast<int>(parts_of_sizes(o.rows).back().end);
    return o;
}

/// The texts of all ranks, in the order of ranks.
std::vector<std::string> gathered(Communicator& c, const std::string& mine)
{
    std::vector<std::string> all;
    for(int root = 0; root < c.size(); ++root)
    {
        std::size_t length = mine.size();
        const DeviceMem count(sizeof length);
        count.ToDevice(&length);
        c.broadcast(count.GetDeviceBuffer(), sizeof length, root, nullptr);
        c.synchronize(nullptr);
        count.FromDevice(&length);
        std::string text = c.rank() == root ? mine : std::string(length, ' ');
        const DeviceMem memory(length);
        memory.ToDevice(text.data());
        c.broadcast(memory.GetDeviceBuffer(), length, root, nullptr);
        c.synchronize(nullptr);
        memory.FromDevice(text.data());
        all.push_back(std::move(text));
    }
    return all;
}

void write_timelines(const std::string& path,
                     const std::string& title,
                     const std::vector<std::string>& ranks)
{
    std::ofstream file(path);
    file << "{\"title\": \"" << title << "\", \"ranks\": [\n";
    for(std::size_t i = 0; i < ranks.size(); ++i)
        file << (i == 0 ? "" : ",\n") << ranks[i];
    file << "\n]}\n";
    if(!file.flush())
        throw std::runtime_error("cannot write " + path);
}

/// Counts numbers that differ from one rank's; for y and dx, in this rank's rows.
std::size_t different(const Values& mine, const Sizes& sizes, const Rows& own)
{
    Values alone = mine;
    run_in_process(1, [&](Communicator& one) {
        ResidualBlock block(one, sizes, even_parts(sizes.depth, 1));
        block.set(alone);
        block.forward();
        block.backward();
        block.get(alone);
    });
    std::size_t wrong  = 0;
    const auto compare = [&](const auto& a, const auto& b, std::size_t begin, std::size_t end) {
        for(std::size_t i = begin; i < end; ++i)
            wrong += a[i] == b[i] ? 0 : 1;
    };
    const std::size_t begin = sizes.floats(own.begin), end = sizes.floats(own.end);
    compare(mine.y, alone.y, begin, end);
    compare(mine.dx, alone.dx, begin, end);
    compare(mine.dw1, alone.dw1, 0, mine.dw1.size());
    compare(mine.dw2, alone.dw2, 0, mine.dw2.size());
    return wrong;
}

/// An upper bound of the block's partial sums; f32 represents integers up to 2^24.
double largest_sum(const Sizes& s)
{
    const double terms = 27. * s.channels;
    return 2 * terms * std::max<double>(terms, 1. * s.depth * s.width * s.width);
}

void run_rank(const Options& o, Communicator& c)
{
    using Clock = std::chrono::steady_clock;
    const Parts parts =
        o.rows.empty() ? even_parts(o.sizes.depth, c.size()) : parts_of_sizes(o.rows);
    if(parts.size() != static_cast<std::size_t>(c.size()))
        throw std::invalid_argument("--rows has " + std::to_string(parts.size()) +
                                    " numbers, but there are " + std::to_string(c.size()) +
                                    " ranks");
    const Rows own = parts[static_cast<std::size_t>(c.rank())];
    Values values  = integers(o.sizes);
    ResidualBlock block(c, o.sizes, parts);
    double milliseconds = 0;
    std::string steps;
    for(const bool timed : {false, true}) // the first run warms up
    {
        block.set(values);
        c.barrier();
        Timeline timeline;
        if(timed && !o.timeline.empty())
            block.watch([&](const std::string& step) { timeline.begin(step); });
        const auto begin = Clock::now();
        block.forward();
        block.backward();
        c.synchronize(nullptr);
        milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        steps        = timeline.json(c.rank());
        block.watch({});
    }
    block.get(values);
    std::string result = "not compared with one rank: sums may be beyond 2^24";
    if(largest_sum(o.sizes) <= 16777216)
    {
        if(const std::size_t wrong = different(values, o.sizes, own); wrong > 0)
            throw std::runtime_error(std::to_string(wrong) + " numbers differ from one rank's");
        result = "each number as on one rank";
    }
    std::printf("rank %d of %d (%s): %s of D, %.1f ms, %s\n",
                c.rank(),
                c.size(),
                c.transport().c_str(),
                to_string(own).c_str(),
                milliseconds,
                result.c_str());
    std::fflush(stdout);
    if(o.timeline.empty())
        return;
    const std::vector<std::string> all = gathered(c, steps);
    if(c.rank() == 0)
        write_timelines(o.timeline,
                        "residual block, D " + std::to_string(o.sizes.depth) + " on " +
                            std::to_string(c.size()) + " ranks, " + c.transport(),
                        all);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app(
        "Computes a residual block of two 3x3x3 convolutions, cut along D, on several ranks.");
    app.footer("Exit status: 0 done, 1 not possible or wrong numbers, 2 wrong options.");
    try
    {
        const Options o = parse(app, argc, argv);
        return ck::distributed::run(o.ranks,
                                    [&](Communicator& c) { run_rank(o, c); },
                                    {.wait = std::chrono::seconds(o.limit)});
    }
    catch(const CLI::ParseError& e)
    {
        return app.exit(e) == 0 ? 0 : 2;
    }
    catch(const std::invalid_argument& e) // wrong variables of the launcher
    {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
