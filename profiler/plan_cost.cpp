// Measures the CPU time of plans: the first plans of a process, new and cached ones, and run()
// compared with a bare launch and, if available, cuDNN's two interfaces.
//
//   plan_cost [<problems> [<type> ...]]
//
// problems: a JSON file, or a folder of them, as for ckProfiler. Prints only the cost of new plans
// for them, in each direction and type, f16 if none is named.
#include "ck/conv.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "problem_file.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#if defined(CK_PROFILER_CUDNN)
#include "cudnn_find.hpp"
#include "cudnn_graph.hpp"
#include <optional>
#endif

namespace {

using namespace ck;

/// An empty kernel with `bytes` bytes of parameters.
template <std::size_t bytes>
struct Nothing
{
    struct Params
    {
        char unused[bytes];
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

double microseconds()
{
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Median over rounds of a call's microseconds, each the mean of a hundred calls. Between rounds
/// the device finishes its work, so that no queue is full.
double cost(const std::function<void()>& call)
{
    constexpr int rounds = 50, calls = 100;
    std::vector<double> each;
    call();
    for(int i = 0; i < rounds; ++i)
    {
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        const double begin = microseconds();
        for(int j = 0; j < calls; ++j)
            call();
        each.push_back((microseconds() - begin) / calls);
    }
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    std::nth_element(each.begin(), each.begin() + rounds / 2, each.end());
    return each[rounds / 2];
}

template <std::size_t bytes>
void print_bare_launch()
{
    static const typename Nothing<bytes>::Params params{};
    std::printf("a bare launch of %4zu bytes of parameters  %6.2f us\n", bytes, cost([] {
                    HIP_CHECK_ERROR(arch::launch<Nothing<bytes>>(1, nullptr, params));
                }));
}

ConvSpec layer(Direction direction, long_index_t n)
{
    return {.direction = direction,
            .type      = DataType::f16,
            .n         = n,
            .k         = 64,
            .c         = 64,
            .input     = {14, 14},
            .filter    = {3, 3},
            .pads      = {{1, 1}, {1, 1}}};
}

#if defined(CK_PROFILER_CUDNN)
profiler::CudnnProblem cudnn_problem_of(const ConvSpec& s)
{
    const std::int64_t h = s.input[0];
    const auto tensor    = [&](std::int64_t a, std::int64_t b, std::int64_t side) {
        return profiler::CudnnTensor{CUDNN_DATA_HALF,
                                     {a, b, side, side},
                                     {b * side * side, 1, side * b, b},
                                     profiler::CudnnOrder::channels_last};
    };
    return {s.direction,
            tensor(s.n, s.c, h),
            tensor(s.k, s.c, 3),
            tensor(s.n, s.k, h),
            CUDNN_DATA_FLOAT,
            false,
            1,
            {1, 1},
            {1, 1},
            {1, 1},
            {1, 1}};
}

void print_cudnn(const ConvSpec& spec, void* x, void* w, void* y)
{
    const profiler::CudnnHandle handle;
    const profiler::CudnnProblem problem = cudnn_problem_of(spec);
    const profiler::ConvTensors tensors{x, w, y};
    constexpr std::size_t most = 256 << 20;
    const DeviceMem workspace(most);
    void* const at = workspace.GetDeviceBuffer();
    try
    {
        const profiler::CudnnFind find(handle, problem, tensors, at, most);
        const auto& way = find.algorithms().at(0);
        std::printf("  cuDNN %-37s  %6.2f us\n", way.name.c_str(), cost([&] {
                        find.launch(handle, way, tensors, at);
                    }));
    }
    catch(const std::exception& error)
    {
        std::printf("  cuDNN, find: %s\n", error.what());
    }
    try
    {
        const profiler::CudnnGraph graph(handle, problem, most);
        const auto& way = graph.plans().at(0);
        std::printf("  cuDNN %-37.37s  %6.2f us\n", way.name.c_str(), cost([&] {
                        graph.launch(handle, way, tensors, at);
                    }));
    }
    catch(const std::exception& error)
    {
        std::printf("  cuDNN, graph: %s\n", error.what());
    }
}
#endif

void print_costs(Direction direction)
{
    constexpr int many = 500;
    std::vector<double> each;
    for(int n = 1; n <= many; ++n)
    {
        const ConvSpec spec = layer(direction, n);
        const double begin  = microseconds();
        static_cast<void>(plan(spec));
        each.push_back(microseconds() - begin);
    }
    std::sort(each.begin(), each.end());
    const ConvSpec spec = layer(direction, 8);
    const double begin  = microseconds();
    for(int i = 0; i < 100 * many; ++i)
        static_cast<void>(plan(spec));
    std::printf("%s: a new plan %.1f us (median), %.1f us (99 of 100); a cached one %.3f us\n",
                name(direction),
                each[many / 2],
                each[many * 99 / 100],
                (microseconds() - begin) / (100 * many));

    const ConvPlan p = plan(spec);
    const DeviceMem x(spec.x_bytes()), w(spec.w_bytes()), y(spec.y_bytes()),
        workspace(p.workspace_size());
    const ConvTensors tensors{.x         = x.GetDeviceBuffer(),
                              .w         = w.GetDeviceBuffer(),
                              .y         = y.GetDeviceBuffer(),
                              .workspace = workspace.GetDeviceBuffer()};
    const std::string text = p.explain();
    const auto line        = text.find("  launches:");
    std::printf(
        "  %s\n%s\n", p.kernel().c_str(), text.substr(line, text.find('\n', line) - line).c_str());
    std::printf("  run()                                        %6.2f us\n",
                cost([&] { p.run(tensors); }));
#if defined(CK_PROFILER_CUDNN)
    print_cudnn(spec, x.GetDeviceBuffer(), w.GetDeviceBuffer(), y.GetDeviceBuffer());
#endif
}

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

DataType type_named(const std::string& text)
{
    for(const DataType type : {DataType::f64,
                               DataType::f32,
                               DataType::tf32,
                               DataType::f16,
                               DataType::bf16,
                               DataType::i8,
                               DataType::f8,
                               DataType::bf8,
                               DataType::f8_ocp,
                               DataType::bf8_ocp})
        if(text == name(type))
            return type;
    throw std::runtime_error("the type is " + text + ", but must be one of ck::DataType");
}

ConvSpec spec_of(const ConvProblem& p, Direction direction, DataType type)
{
    const auto list = [&](const Spatial& values) {
        return Extents(std::vector<long_index_t>(values.end() - p.rank, values.end()));
    };
    ConvSpec s;
    s.direction = direction;
    s.type      = type == DataType::tf32 ? DataType::f32 : type;
    if(type == DataType::tf32)
        s.compute = type;
    s.groups    = p.groups;
    s.n         = p.batch;
    s.k         = p.out_channels;
    s.c         = p.in_channels;
    s.input     = list(p.input);
    s.filter    = list(p.filter);
    s.strides   = list(p.stride);
    s.dilations = list(p.dilation);
    for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
        s.pads.push_back({p.pad_low[i], p.pad_high[i]});
    return s;
}

/// A problem's name, and the microseconds of its plan.
using Cost = std::pair<double, std::string>;

/// New plans of all problems that have one, in order.
std::vector<Cost>
costs_of(const std::vector<profiler::NamedProblem>& problems, Direction direction, DataType type)
{
    clear_plan_cache();
    std::vector<Cost> all;
    for(const profiler::NamedProblem& problem : problems)
    {
        const ConvSpec spec = spec_of(problem.problem, direction, type);
        const double begin  = microseconds();
        try
        {
            static_cast<void>(plan(spec));
        }
        catch(const Refused&)
        {
            continue; // skipped: reasons take longer
        }
        all.emplace_back(microseconds() - begin, problem.name);
    }
    return all;
}

/// Prints the costs of a process's first plans, and for five more rounds the median of each plan.
void print_costs(const std::vector<profiler::NamedProblem>& problems,
                 Direction direction,
                 DataType type)
{
    constexpr int rounds = 5;
    static_cast<void>(costs_of({problems.front()}, direction, type)); // builds the kernels' names
    std::vector<std::vector<Cost>> each;
    for(int i = 0; i <= rounds; ++i)
        each.push_back(costs_of(problems, direction, type));
    const auto print = [&](const char* what, std::vector<Cost> costs) {
        std::sort(costs.begin(), costs.end());
        std::printf("%-15s %-5s %-14s %4zu plans: median %7.1f us, 90 of 100 %7.1f, worst %8.1f "
                    "(%s)\n",
                    name(direction),
                    name(type),
                    what,
                    costs.size(),
                    costs[costs.size() / 2].first,
                    costs[costs.size() * 9 / 10].first,
                    costs.back().first,
                    costs.back().second.c_str());
    };
    if(each.front().empty())
    {
        std::printf("%-15s %-5s no plans\n", name(direction), name(type));
        return;
    }
    print("first", each.front());
    std::vector<Cost> again = each.back();
    for(std::size_t i = 0; i < again.size(); ++i)
    {
        std::vector<double> of_plan;
        for(int round = 1; round <= rounds; ++round)
            of_plan.push_back(each[static_cast<std::size_t>(round)][i].first);
        std::nth_element(of_plan.begin(), of_plan.begin() + rounds / 2, of_plan.end());
        again[i].first = of_plan[rounds / 2];
    }
    print("again", std::move(again));
}

/// arguments: a file or folder, and types.
void print_costs_of_problems(const std::vector<std::string>& arguments)
{
    const auto problems = profiler::read_problems(arguments.front(), "");
    std::vector<DataType> types;
    for(std::size_t i = 1; i < arguments.size(); ++i)
        types.push_back(type_named(arguments[i]));
    if(types.empty())
        types.push_back(DataType::f16);
    for(const DataType type : types)
        for(const Direction direction : directions)
            print_costs(problems, direction, type);
}

} // namespace

int main(int argc, char** argv)
try
{
    {
        const DeviceMem begins_the_runtime(1);
    }
    if(argc > 1)
    {
        print_costs_of_problems({argv + 1, argv + argc});
        return 0;
    }
    const double begin = microseconds();
    static_cast<void>(plan(layer(Direction::forward, 3)));
    std::printf("the first plan of the process %.0f us\n", microseconds() - begin);
    print_bare_launch<64>();
    print_bare_launch<1024>();
    print_bare_launch<2048>();
    for(const Direction direction : directions)
        print_costs(direction);
    return 0;
}
catch(const std::exception& error)
{
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
