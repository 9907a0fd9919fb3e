// Defines the options and their help.
#include "split_options.hpp"

#include <algorithm>
#include <map>

namespace ck::profiler {

SplitOptions parse_split_options(CLI::App& app, int argc, const char* const* argv)
{
    SplitOptions o;
    constexpr long_index_t most = 1 << 16;
    const std::map<std::string, DataType> types{
        {"f32", DataType::f32}, {"f16", DataType::f16}, {"bf16", DataType::bf16}};
    const std::map<std::string, Direction> directions{
        {"forward", Direction::forward},
        {"backward_data", Direction::backward_data},
        {"backward_weight", Direction::backward_weight}};
    app.add_option(
           "--ranks",
           o.ranks,
           "number of threads, each with a device; with mpirun, srun or torchrun, the number of "
           "processes")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_option("--channels", o.problem.channels, "channels of X")
        ->check(CLI::Range(long_index_t{1}, most))
        ->capture_default_str();
    const CLI::Option* const filters =
        app.add_option("--filters", o.problem.filters, "channels of Y (default: as many as X has)")
            ->check(CLI::Range(long_index_t{1}, most));
    app.add_option("--depth", o.problem.depth, "voxels along D, which is cut")
        ->check(CLI::Range(long_index_t{1}, most))
        ->capture_default_str();
    app.add_option("--width", o.problem.width, "voxels along H, and along W")
        ->check(CLI::Range(long_index_t{1}, most))
        ->capture_default_str();
    app.add_flag("--weak", o.weak, "--depth is the depth of each rank, not the total");
    app.add_option("--type", o.problem.type, "type of X, W and Y: f32, f16 or bf16; dW is f32")
        ->transform(CLI::CheckedTransformer(types))
        ->default_str(name(o.problem.type));
    app.add_option("--directions", o.directions, "some of forward, backward_data, backward_weight")
        ->transform(CLI::CheckedTransformer(directions))
        ->delimiter(',')
        ->default_str("all");
    app.add_option("--rounds", o.rounds, "number of rounds; their median time counts")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option(
           "--passes", o.passes, "passes per round; the time of a round is divided by this number")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--limit", o.limit, "seconds that a rank waits for another one")
        ->check(CLI::Range(1, 86'400))
        ->capture_default_str();
    app.add_flag("--check", o.check, "also compares samples with the convolution's definition");
    app.add_flag_callback(
        "--no-exchange",
        [&] { o.margins = distributed::Margins::filled; },
        "leaves out the exchange of rows, so that --check must find wrong numbers");
    app.add_flag("--plans", o.plans, "prints the launches of rank 0 and their kernels");
    app.add_option("--json", o.json, "writes the table to this file");
    app.parse(argc, argv);
    if(filters->count() == 0)
        o.problem.filters = o.problem.channels;
    if(o.problem.type == DataType::f16 &&
       std::find(o.directions.begin(), o.directions.end(), Direction::backward_weight) !=
           o.directions.end())
        throw CLI::ValidationError("--type",
                                   "f16 has no backward weight whose dW is f32, which ranks add "
                                   "up: give --directions forward,backward_data");
    return o;
}

} // namespace ck::profiler
