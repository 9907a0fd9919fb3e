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
    app.add_option("--ranks",
                   o.ranks,
                   "threads, one a device; with mpirun, srun or torchrun processes as started")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_option("--channels", o.problem.channels, "of X")
        ->check(CLI::Range(long_index_t{1}, most))
        ->capture_default_str();
    const CLI::Option* const filters =
        app.add_option("--filters", o.problem.filters, "channels of Y (as many as X has)")
            ->check(CLI::Range(long_index_t{1}, most));
    app.add_option("--depth", o.problem.depth, "voxels of D, which is cut")
        ->check(CLI::Range(long_index_t{1}, most))
        ->capture_default_str();
    app.add_option("--width", o.problem.width, "voxels of H, and of W")
        ->check(CLI::Range(long_index_t{1}, most))
        ->capture_default_str();
    app.add_flag("--weak", o.weak, "the depth is each rank's, not that of all");
    app.add_option("--type", o.problem.type, "of X, W and Y: f32, f16 or bf16; dW is f32")
        ->transform(CLI::CheckedTransformer(types))
        ->default_str(name(o.problem.type));
    app.add_option("--directions", o.directions, "forward, backward_data, backward_weight")
        ->transform(CLI::CheckedTransformer(directions))
        ->delimiter(',')
        ->default_str("all");
    app.add_option("--rounds", o.rounds, "with a time each; their median counts")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--passes", o.passes, "of one round, whose time is divided by them")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--limit", o.limit, "seconds that a rank waits for another")
        ->check(CLI::Range(1, 86'400))
        ->capture_default_str();
    app.add_flag("--check", o.check, "compares samples with the convolution's definition, too");
    app.add_flag_callback(
        "--no-exchange",
        [&] { o.margins = distributed::Margins::filled; },
        "passes without the exchange of rows: --check has to find wrong numbers");
    app.add_flag("--plans", o.plans, "prints rank 0's launches and their kernels");
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
