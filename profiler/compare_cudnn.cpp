// Backward data beside cuDNN's, in one process, launches interleaved: what a speed claim must show.
// Buffers rotate through more memory than the L2 cache holds; data is random normal; the result is
// compared with cuDNN's before anything is timed.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "cudnn_rival.hpp"
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

namespace {

using namespace ck;
using tensor_operation::element_wise::PassThrough;

struct Named
{
    std::string name;
    ConvProblem problem;
};

/// The default problem of example 17, or those of a file like data/conv_suite.json with one group.
std::vector<Named> read_problems(const std::string& file, const std::string& filter)
{
    if(file.empty())
        return {{"default",
                 make_packed_problem<2>(
                     1, 128, 256, 128, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1})}};
    std::ifstream in(file);
    if(!in)
        throw std::runtime_error("cannot read " + file);
    std::vector<Named> all;
    const nlohmann::json suite = nlohmann::json::parse(in);
    for(const auto& j : suite.at("problems"))
    {
        const std::string name = j.at("name");
        if(j.at("G") != 1 || name.find(filter) == std::string::npos)
            continue;
        const auto list = [&](const char* key, long_index_t neutral) {
            return to_spatial(j.at(key).get<std::vector<long_index_t>>(), neutral);
        };
        ConvProblem p;
        p.rank         = j.at("ndim");
        p.batch        = j.at("N");
        p.out_channels = j.at("K");
        p.in_channels  = j.at("C");
        p.filter       = list("filter", 1);
        p.input        = list("input", 1);
        p.stride       = list("strides", 1);
        p.dilation     = list("dilations", 1);
        p.pad_low      = list("pads_left", 0);
        p.pad_high     = list("pads_right", 0);
        set_packed_strides(p);
        all.push_back({name, p});
    }
    if(all.empty())
        throw std::runtime_error(file + " has no problem with one group whose name contains '" +
                                 filter + "'");
    return all;
}

struct Buffers
{
    DeviceMem dx, w, dy;
};

template <class T>
std::vector<T> random_normal(long_index_t count, unsigned seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<T> block(1 << 20), all(static_cast<std::size_t>(count));
    for(T& x : block)
        x = type_convert<T>(normal(generator));
    for(std::size_t i = 0; i < all.size(); ++i) // a million numbers, repeated
        all[i] = block[i % block.size()];
    return all;
}

/// Milliseconds a launch, of `count` launches in a row.
template <class Launch>
double time_launches_of(int count, Launch&& launch)
{
    cudaEvent_t start, stop;
    HIP_CHECK_ERROR(hipEventCreate(&start));
    HIP_CHECK_ERROR(hipEventCreate(&stop));
    HIP_CHECK_ERROR(hipEventRecord(start, nullptr));
    for(int i = 0; i < count; ++i)
        launch(i);
    HIP_CHECK_ERROR(hipEventRecord(stop, nullptr));
    HIP_CHECK_ERROR(hipEventSynchronize(stop));
    float ms = 0;
    HIP_CHECK_ERROR(hipEventElapsedTime(&ms, start, stop));
    HIP_CHECK_ERROR(hipEventDestroy(start));
    HIP_CHECK_ERROR(hipEventDestroy(stop));
    return ms / count;
}

double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/// ||a - b|| / ||b||; NaN where either has one.
double distance(const std::vector<half_t>& a, const std::vector<half_t>& b)
{
    double difference = 0, norm = 0;
    for(std::size_t i = 0; i < a.size(); ++i)
    {
        const double x = float(a[i]), y = float(b[i]);
        difference += (x - y) * (x - y);
        norm += y * y;
    }
    return std::sqrt(difference / (norm > 0 ? norm : 1));
}

template <index_t rank, class In, class Wei, class Out>
void compare(const Named& named, int rounds)
{
    using Operation                = tensor_operation::device::DeviceConvBwdData<rank,
                                                                  In,
                                                                  Wei,
                                                                  Out,
                                                                  half_t,
                                                                  half_t,
                                                                  half_t,
                                                                  PassThrough,
                                                                  PassThrough,
                                                                  PassThrough>;
    const ConvProblem& p           = named.problem;
    const long_index_t dx_n        = element_count(p.input_lengths()),
                       w_n         = element_count(p.filter_lengths()),
                       dy_n        = element_count(p.output_lengths());
    const long_index_t bytes_a_set = 2 * (dx_n + w_n + dy_n);
    const auto sets                = static_cast<std::size_t>(std::clamp<long_index_t>(
        math::integer_divide_ceil(long_index_t{400} << 20, bytes_a_set), 1, 64));

    std::vector<Buffers> buffers;
    for(std::size_t i = 0; i < sets; ++i)
    {
        buffers.push_back({DeviceMem(2 * dx_n), DeviceMem(2 * w_n), DeviceMem(2 * dy_n)});
        buffers[i].w.ToDevice(random_normal<half_t>(w_n, 2 * i + 1).data());
        buffers[i].dy.ToDevice(random_normal<half_t>(dy_n, 2 * i + 2).data());
    }
    const auto vec = [](const Spatial& s) { return std::vector<index_t>(s.end() - rank, s.end()); };

    profiler::CudnnBackwardData rival(p,
                                      buffers[0].w.GetDeviceBuffer(),
                                      buffers[0].dy.GetDeviceBuffer(),
                                      buffers[0].dx.GetDeviceBuffer());
    const auto run_rival = [&](int i) {
        const Buffers& b = buffers[static_cast<std::size_t>(i) % sets];
        rival.run(nullptr, b.w.GetDeviceBuffer(), b.dy.GetDeviceBuffer(), b.dx.GetDeviceBuffer());
    };
    std::vector<half_t> expected(static_cast<std::size_t>(dx_n)), got(expected.size());
    run_rival(0);
    buffers[0].dx.FromDevice(expected.data());

    // Our fastest instance that is right.
    const auto operations = tensor_operation::device::instance::DeviceOperationInstanceFactory<
        Operation>::GetInstances();
    std::size_t best = operations.size();
    double best_ms   = 1e30;
    std::vector<std::unique_ptr<tensor_operation::device::BaseArgument>> arguments;
    std::unique_ptr<tensor_operation::device::BaseInvoker> invoker;
    for(std::size_t o = 0; o < operations.size(); ++o)
    {
        std::vector<std::unique_ptr<tensor_operation::device::BaseArgument>> mine;
        for(const Buffers& b : buffers)
            mine.push_back(operations[o]->MakeArgumentPointer(b.dx.GetDeviceBuffer(),
                                                              b.w.GetDeviceBuffer(),
                                                              b.dy.GetDeviceBuffer(),
                                                              static_cast<index_t>(p.batch),
                                                              static_cast<index_t>(p.out_channels),
                                                              static_cast<index_t>(p.in_channels),
                                                              vec(p.input),
                                                              vec(p.filter),
                                                              vec(p.output()),
                                                              vec(p.stride),
                                                              vec(p.dilation),
                                                              vec(p.pad_low),
                                                              vec(p.pad_high),
                                                              {},
                                                              {},
                                                              {}));
        if(!operations[o]->IsSupportedArgument(mine[0].get()))
            continue;
        auto run = operations[o]->MakeInvokerPointer();
        HIP_CHECK_ERROR(hipMemset(buffers[0].dx.GetDeviceBuffer(), 0xff, 2 * dx_n)); // NaN
        run->Run(mine[0].get());
        buffers[0].dx.FromDevice(got.data());
        if(const double d = distance(got, expected); !(d < 1e-3))
            throw std::runtime_error(named.name + ": " + operations[o]->GetTypeString() +
                                     " differs from cuDNN by " + std::to_string(d));
        const double ms = time_launches_of(
            5, [&](int i) { run->Run(mine[static_cast<std::size_t>(i) % sets].get()); });
        if(ms < best_ms)
        {
            best_ms   = ms;
            best      = o;
            arguments = std::move(mine);
            invoker   = std::move(run);
        }
    }
    if(best == operations.size())
        throw std::runtime_error(named.name + ": no instance supports this problem");

    std::vector<double> ours, theirs, ratios;
    const int launches = std::max(3, static_cast<int>(2.0 / best_ms)); // about 2 ms of each in turn
    for(int round = 0; round < rounds + 3; ++round)
    {
        const double a = time_launches_of(launches, [&](int i) {
            invoker->Run(arguments[static_cast<std::size_t>(i) % sets].get());
        });
        const double b = time_launches_of(launches, run_rival);
        if(round < 3)
            continue; // warm-up
        ours.push_back(a);
        theirs.push_back(b);
        ratios.push_back(b / a);
    }
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    const double tflops    = flops(p) / median(ours) / 1e9;
    constexpr double most  = 990; // dense f16, NVIDIA H200 datasheet
    if(tflops > most)
        throw std::runtime_error(named.name + ": " + std::to_string(tflops) +
                                 " TFlops are above the device's peak; the measurement is wrong");
    std::printf(
        "%-28s ours %.4f ms (%.0f TFlops)  cuDNN %.4f ms  ratio %.3f [%.3f, %.3f]  %s | %s\n",
        named.name.c_str(),
        median(ours),
        tflops,
        median(theirs),
        median(ratios),
        *low,
        *high,
        operations[best]->GetTypeString().c_str(),
        rival.name().c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char* argv[])
try
{
    using namespace tensor_layout::convolution;
    CLI::App app{"Backward data, f16, beside cuDNN's: ratio = cuDNN's time / ours, median [least, "
                 "most] over rounds"};
    std::string file, filter;
    int rounds = 20;
    app.add_option(
        "--suite", file, "JSON file of problems (default: the default problem of example 17)");
    app.add_option("--filter", filter, "only problems whose name contains this");
    app.add_option("--rounds", rounds, "timed rounds of both")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    int failures = 0;
    for(const Named& named : read_problems(file, filter))
        try
        {
            switch(named.problem.rank)
            {
            case 1:
                compare<1, NWC, KXC, NWK>(named, rounds);
                break;
            case 2:
                compare<2, NHWC, KYXC, NHWK>(named, rounds);
                break;
            default:
                compare<3, NDHWC, KZYXC, NDHWK>(named, rounds);
                break;
            }
        }
        catch(const std::exception& e)
        {
            std::printf("%-28s FAILED: %s\n", named.name.c_str(), e.what());
            ++failures;
        }
    return failures != 0;
}
catch(const std::exception& e)
{
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
