// Convolutions beside cuDNN's, in one process, launches interleaved: what a speed claim must show.
// Buffers rotate through 400 MB, more than the L2 cache holds, or are 64 sets; data is random
// normal; every kernel's result is compared with cuDNN's before anything is timed.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/library/utility/error_bound.hpp"

#include "cudnn_rival.hpp"
#include "measured.hpp"
#include "replay.hpp"
#include "suite.hpp"
#include "times_file.hpp"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <thread>

namespace {

using namespace ck;
using namespace ck::tensor_operation::device::instance;
using profiler::Contender;
using profiler::ConvTensors;
using profiler::Measured;
using profiler::median;
using profiler::NamedProblem;
using profiler::Replay;
using tensor_operation::element_wise::PassThrough;

constexpr double copy_gbytes = 4300; ///< what an H200 sustains, in a second

/// What is compared: elements of type Element, multiplied as Compute by both libraries.
template <class Element_, class Compute_, cudnnDataType_t cudnn_type_>
struct Numbers
{
    using Element = Element_;
    using Compute = Compute_;

    static constexpr cudnnDataType_t cudnn_type = cudnn_type_;
    static constexpr bool as_tf32               = std::is_same_v<Compute, tf32_t>;
    static constexpr bool of_8_bits             = sizeof(Element) == 1;

    /// What an H200 can do (dense peak of the datasheet; sustained rate measured, of 8 bits twice
    /// that of f16).
    static constexpr double peak_tflops      = as_tf32     ? 495
                                               : of_8_bits ? 1979
                                                           : 990,
                            sustained_tflops = as_tf32     ? 380
                                               : of_8_bits ? 1580
                                                           : 790;

    /// The most that distance() between two right results of random normal data may be.
    ///
    /// f16, bf16: each result is rounded to Element, both together 2 units of roundoff at most; the
    /// rest is for sums of floats in another order.
    ///
    /// tf32: we round the operands, cuDNN may drop their low bits instead, which makes each smaller
    /// by 3.5e-4 of itself on average and products by 7.0e-4; beside this systematic part the
    /// difference of a product varies by 5.2e-4. Together 8.8e-4, whatever the length of the sum.
    ///
    /// int8: none.
    static constexpr double tolerance = as_tf32 ? 1.2e-3
                                        : std::is_integral_v<Element>
                                            ? 1e-30
                                            : 2.05 * utils::unit_roundoff<Element>;

    static Family family(Direction direction)
    {
        switch(direction)
        {
        case Direction::forward:
            return FamilyOf<Direction::forward>::key();
        case Direction::backward_data:
            return FamilyOf<Direction::backward_data>::key();
        case Direction::backward_weight:
            break;
        }
        return FamilyOf<Direction::backward_weight>::key();
    }

private:
    template <Direction direction>
    using FamilyOf = ConvFamily<direction,
                                Element,
                                Element,
                                Element,
                                Tuple<>,
                                PassThrough,
                                PassThrough,
                                PassThrough,
                                Compute,
                                Compute>;
};

/// The tensors of one problem, several times over.
template <class T>
class Buffers
{
public:
    explicit Buffers(const ConvProblem& p)
        : count_{element_count(p.input_lengths()),
                 element_count(p.filter_lengths()),
                 element_count(p.output_lengths())}
    {
        const long_index_t sets = std::clamp<long_index_t>(
            math::integer_divide_ceil(long_index_t{400} << 20, bytes()), 1, 64);
        for(long_index_t i = 0; i < sets; ++i)
            for(const long_index_t n : count_)
                memory_.push_back(
                    std::make_unique<DeviceMem>(static_cast<std::size_t>(n) * sizeof(T)));
    }
    /// All but the result of the direction, which becomes NaN. Each tensor has numbers of its own:
    /// of X and dY that are the same some weights would be sums of squares, more than f16 holds.
    void fill(Direction direction)
    {
        std::mt19937 generator(1);
        std::normal_distribution<float> normal;
        std::array<std::vector<T>, 3> blocks;
        for(std::vector<T>& block : blocks) // a million numbers, repeated
        {
            block.resize(1 << 20);
            for(T& value : block)
                value = type_convert<T>(normal(generator));
        }
        for(std::size_t i = 0; i < memory_.size(); ++i)
            if(i % 3 == result(direction))
                clear(i);
            else
                for(long_index_t at = 0; at < count_[i % 3]; at += 1 << 20)
                    HIP_CHECK_ERROR(
                        hipMemcpy(static_cast<T*>(memory_[i]->GetDeviceBuffer()) + at,
                                  blocks[i % 3].data(),
                                  sizeof(T) * static_cast<std::size_t>(std::min<long_index_t>(
                                                  1 << 20, count_[i % 3] - at)),
                                  hipMemcpyHostToDevice));
    }
    /// The set for the i-th launch.
    ConvTensors set(int i) const
    {
        const std::size_t first = static_cast<std::size_t>(i) % (memory_.size() / 3) * 3;
        return {memory_[first]->GetDeviceBuffer(),
                memory_[first + 1]->GetDeviceBuffer(),
                memory_[first + 2]->GetDeviceBuffer()};
    }
    /// The result in set 0, which becomes NaN.
    std::vector<T> take(Direction direction)
    {
        std::vector<T> values(static_cast<std::size_t>(count_[result(direction)]));
        memory_[result(direction)]->FromDevice(values.data());
        clear(result(direction));
        return values;
    }
    /// Bytes of one set: each element touched once.
    long_index_t bytes() const
    {
        return static_cast<long_index_t>(sizeof(T)) * (count_[0] + count_[1] + count_[2]);
    }

private:
    static std::size_t result(Direction direction)
    {
        return direction == Direction::forward ? 2 : direction == Direction::backward_data ? 0 : 1;
    }
    void clear(std::size_t i)
    {
        HIP_CHECK_ERROR(hipMemset(memory_[i]->GetDeviceBuffer(),
                                  0xff,
                                  sizeof(T) * static_cast<std::size_t>(count_[i % 3])));
    }

    std::array<long_index_t, 3> count_;
    std::vector<std::unique_ptr<DeviceMem>> memory_;
};

/// ||a - b|| / ||b||; NaN where either has one. By all cores of the CPU: most of the program's
/// time.
template <class T>
double distance(const std::vector<T>& a, const std::vector<T>& b)
{
    struct Sums
    {
        double difference = 0, norm = 0;
    };
    const auto of_range = [&](std::size_t first, std::size_t last) {
        Sums s;
        for(std::size_t i = first; i < last; ++i)
        {
            const double x = type_convert<float>(a[i]), y = type_convert<float>(b[i]);
            if(std::isinf(x) && x == y)
                continue; // beyond T for both
            s.difference += (x - y) * (x - y);
            s.norm += y * y;
        }
        return s;
    };
    const std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::future<Sums>> started;
    for(std::size_t i = 0; i < parts; ++i)
        started.push_back(std::async(
            std::launch::async, of_range, a.size() * i / parts, a.size() * (i + 1) / parts));
    Sums all;
    for(std::future<Sums>& part : started)
    {
        const Sums s = part.get();
        all.difference += s.difference;
        all.norm += s.norm;
    }
    return std::sqrt(all.difference / (all.norm > 0 ? all.norm : 1));
}

/// One kernel of the library, ready to run a problem.
struct Candidate
{
    const ConvKernel* kernel;
    ConvArgument argument;
    std::shared_ptr<DeviceMem> workspace;
    double ms = 0;

    void run(Direction direction, const ConvTensors& t, hipStream_t stream = nullptr)
    {
        switch(direction)
        {
        case Direction::forward:
            argument.a = {t.x}, argument.b = {t.w}, argument.c = t.y;
            break;
        case Direction::backward_data:
            argument.a = {t.y}, argument.b = {t.w}, argument.c = t.x;
            break;
        case Direction::backward_weight:
            argument.a = {t.y}, argument.b = {t.x}, argument.c = t.w;
            break;
        }
        kernel->run(argument, StreamConfig{stream});
    }
};

template <class Numbers>
class Comparison
{
public:
    /// times: where those of all wgmma kernels are noted, or null.
    Comparison(const NamedProblem& named,
               Direction direction,
               bool prints_kernels,
               profiler::TimesFile* times)
        : named_(named),
          direction_(direction),
          prints_kernels_(prints_kernels),
          times_(times),
          buffers_(named.problem)
    {
        buffers_.fill(direction);
        try
        {
            rival_.emplace(direction, named.problem, Numbers::cudnn_type, buffers_.set(0));
        }
        catch(const std::runtime_error& e)
        {
            if(!Numbers::of_8_bits)
                throw;
            std::printf("%s %s: no rival, %s\n", named.name.c_str(), name(direction), e.what());
        }
        buffers_.take(direction);
        if(rival_)
            rival_->run(nullptr, buffers_.set(0));
        else
            define();
        by_definition_ = !rival_;
        expected_      = buffers_.take(direction);
    }

    /// Both libraries' fastest is the one that is so at the end of `warm_up` seconds.
    Measured measure(int rounds, double warm_up)
    {
        std::vector<Candidate> all = candidates();
        if(all.empty())
            throw std::runtime_error("no kernel supports this problem");
        std::vector<Contender> ours, theirs = algorithms();
        for(std::size_t i = 0; i < all.size(); ++i)
            ours.push_back({i,
                            [this, &c = all[i]](int launch, cudaStream_t stream) {
                                c.run(direction_, buffers_.set(launch), stream);
                            },
                            all[i].ms});
        ConvArgument any = all.front().argument; // a kernel that wants no workspace has none
        any.workspace    = buffers_.set(0).x;    // only asked about
        const ConvKernel* const chosen = select_kernel(Numbers::family(direction_), any);
        const auto of_rule             = static_cast<std::size_t>(
            std::find_if(
                all.begin(), all.end(), [&](const Candidate& c) { return c.kernel == chosen; }) -
            all.begin());
        if(of_rule == all.size())
            throw std::runtime_error("the rule takes " + chosen->name + ", which cannot run");
        const double least =
            std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                return a.ms < b.ms;
            })->ms;
        const int launches = std::clamp(static_cast<int>(2.0 / least), 3, 200); // about 2 ms
        Replay rule_replay(launches, ours[of_rule].launch);
        profiler::leave_closest(ours, launches);
        profiler::leave_closest(theirs, launches);
        const auto start      = std::chrono::steady_clock::now();
        const auto is_warm_up = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
                   warm_up;
        };
        for(int round = 0; round < 4 || is_warm_up(); ++round)
            for(std::vector<Contender>* both : {&ours, &theirs})
                for(Contender& c : *both)
                    c.times.push_back(c.replay->time());
        profiler::leave_fastest(ours);
        profiler::leave_fastest(theirs);

        Contender& best = ours.front();
        std::vector<double> of_ours, of_rules, of_theirs, ratios;
        for(int round = 0; round < rounds; ++round)
        {
            of_ours.push_back(best.replay->time());
            of_theirs.push_back(theirs.empty() ? profiler::no_time : theirs.front().replay->time());
            of_rules.push_back(of_rule == best.number ? of_ours.back() : rule_replay.time());
            ratios.push_back(of_theirs.back() / of_ours.back());
        }
        const ConvProblem& p   = named_.problem;
        const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
        const double ms = median(of_ours), tflops = flops(p) / ms / 1e9;
        const double floor_ms = std::max(flops(p) / Numbers::sustained_tflops / 1e9,
                                         static_cast<double>(buffers_.bytes()) / copy_gbytes / 1e6);
        if(tflops > Numbers::peak_tflops)
            throw std::runtime_error(std::to_string(tflops) +
                                     " TFlops are above the device's peak; the measurement is "
                                     "wrong");
        return {named_.name,
                named_.kind(),
                name(direction_),
                all[best.number].kernel->name,
                ms,
                median(of_theirs),
                median(ratios),
                *low,
                *high,
                tflops,
                ms / floor_ms,
                all[of_rule].kernel->name,
                median(of_rules) / ms - 1};
    }

private:
    /// cuDNN's, looked at once more: find times one launch of each, and sometimes takes one that is
    /// several times slower than another. Those that are not even near are left out.
    std::vector<Contender> algorithms()
    {
        std::vector<Contender> all;
        if(!rival_)
            return all;
        const auto& found = rival_->algorithms();
        for(std::size_t i = 0; i < found.size(); ++i)
            if(found[i].ms < 5 || found[i].ms < 10 * found[0].ms)
            {
                const auto launch = [this, &a = found[i]](int number, cudaStream_t stream) {
                    rival_->choose(a);
                    rival_->run(stream, buffers_.set(number));
                };
                try
                {
                    all.push_back({i, launch, profiler::first_look(launch)});
                }
                catch(const std::runtime_error& e)
                {
                    std::printf("%s %s: cuDNN's algorithm %d is left out: %s\n",
                                named_.name.c_str(),
                                name(direction_),
                                found[i].number,
                                e.what());
                }
            }
        return all;
    }

    /// All kernels that support the problem and are right, timed for a first ranking.
    std::vector<Candidate> candidates()
    {
        static const PassThrough pass_through;
        std::vector<Candidate> all;
        const auto kernels = kernels_of(Numbers::family(direction_));
        for(const ConvKernel& kernel : kernels)
        {
            Candidate c{&kernel, {}, nullptr};
            c.argument.problem     = named_.problem;
            c.argument.operation_a = c.argument.operation_b = c.argument.operation_c =
                &pass_through;
            c.argument.a       = {nullptr};
            c.argument.b       = {nullptr};
            c.argument.split_k = -1;
            if(!kernel.supports(c.argument) && kernel.workspace_size(c.argument) == 0)
                continue;
            if(const std::size_t bytes = kernel.workspace_size(c.argument); bytes > 0)
            {
                c.workspace          = std::make_shared<DeviceMem>(bytes);
                c.argument.workspace = c.workspace->GetDeviceBuffer();
            }
            c.run(direction_, buffers_.set(0));
            check(kernel.name, buffers_.take(direction_));
            c.ms = profiler::first_look(
                [&](int i, cudaStream_t stream) { c.run(direction_, buffers_.set(i), stream); });
            if(prints_kernels_)
                std::printf("    %8.4f ms, predicted %8.0f cycles, workspace %10zu  %s\n",
                            c.ms,
                            kernel.predict(c.argument),
                            kernel.workspace_size(c.argument),
                            kernel.name.c_str());
            if(times_ != nullptr && kernel.name.find("Wgmma<") != std::string::npos)
                times_->add(named_.name, kernel.name, time_with_pauses(c));
            all.push_back(std::move(c));
        }
        return all;
    }

    /// Milliseconds: the median of four replays of about 1.5 ms, each after a pause, so that power
    /// limits none; a first one is not counted.
    double time_with_pauses(Candidate& c)
    {
        Replay replay(
            std::clamp(static_cast<int>(1.5 / c.ms), 3, 60),
            [&](int i, cudaStream_t stream) { c.run(direction_, buffers_.set(i), stream); });
        std::vector<double> ms;
        for(int i = 0; i < 5; ++i)
        {
            std::this_thread::sleep_for(std::chrono::microseconds(1500));
            ms.push_back(replay.time());
        }
        ms.erase(ms.begin());
        std::sort(ms.begin(), ms.end());
        return (ms[1] + ms[2]) / 2;
    }

    /// Where a result differs from cuDNN's, whose partial sums may be rounded, the definition
    /// decides.
    void check(const std::string& kernel, const std::vector<typename Numbers::Element>& result)
    {
        double d = distance(result, expected_);
        if(!(d < Numbers::tolerance) && !by_definition_)
        {
            define();
            const auto defined = buffers_.take(direction_);
            std::printf("%s %s: cuDNN's result differs from the definition by %.6f\n",
                        named_.name.c_str(),
                        name(direction_),
                        distance(expected_, defined));
            expected_      = defined;
            by_definition_ = true;
            d              = distance(result, expected_);
        }
        if(!(d < Numbers::tolerance))
            throw std::runtime_error(kernel + " differs from " +
                                     (by_definition_ ? "the definition" : "cuDNN") + " by " +
                                     std::to_string(d));
    }

    /// The result in set 0, by the definition.
    void define()
    {
        const ConvTensors t = buffers_.set(0);
        using Element       = typename Numbers::Element;
        auto* const x       = static_cast<Element*>(t.x);
        auto* const w       = static_cast<Element*>(t.w);
        auto* const y       = static_cast<Element*>(t.y);
        if(direction_ == Direction::forward)
            ref::naive_conv_fwd(named_.problem, x, w, y);
        else if(direction_ == Direction::backward_data)
            ref::naive_conv_bwd_data(named_.problem, x, w, y);
        else
            ref::naive_conv_bwd_weight(named_.problem, x, w, y);
    }

    const NamedProblem& named_;
    Direction direction_;
    bool prints_kernels_;
    profiler::TimesFile* times_;
    bool by_definition_ = false; ///< expected_, which else is cuDNN's result
    Buffers<typename Numbers::Element> buffers_;
    std::optional<profiler::CudnnConvolution> rival_;
    std::vector<typename Numbers::Element> expected_;
};

template <class Numbers>
Measured measure(const NamedProblem& named,
                 Direction direction,
                 int rounds,
                 double warm_up,
                 bool prints_kernels,
                 profiler::TimesFile* times)
{
    return Comparison<Numbers>(named, direction, prints_kernels, times).measure(rounds, warm_up);
}

} // namespace

int main(int argc, char* argv[])
try
{
    CLI::App app{
        "Convolutions beside cuDNN's: ratio = cuDNN's time / ours, median [least, "
        "most] over rounds; the fastest kernel of the library that is right; the rule's loss: "
        "how much longer the kernel takes that is chosen without running any"};
    std::string file, filter, json, times_file, type = "f16";
    std::vector<std::string> directions{"fwd", "bwd_data", "bwd_weight"};
    int rounds          = 20;
    double warm_up      = 0.25;
    bool prints_kernels = false;
    app.add_option(
        "--suite", file, "JSON file of problems (default: the default problem of example 17)");
    app.add_option("--filter", filter, "only problems whose name contains this");
    app.add_option("--direction", directions, "fwd, bwd_data, bwd_weight (default: all)")
        ->check(CLI::IsMember({"fwd", "bwd_data", "bwd_weight"}));
    const std::map<std::string, decltype(&measure<Numbers<half_t, half_t, CUDNN_DATA_HALF>>)>
        measure_of{{"f16", measure<Numbers<half_t, half_t, CUDNN_DATA_HALF>>},
                   {"bf16", measure<Numbers<bhalf_t, bhalf_t, CUDNN_DATA_BFLOAT16>>},
                   {"tf32", measure<Numbers<float, tf32_t, CUDNN_DATA_FLOAT>>},
                   {"i8", measure<Numbers<std::int8_t, std::int8_t, CUDNN_DATA_INT8>>},
                   {"f8", measure<Numbers<f8_ocp_t, f8_ocp_t, CUDNN_DATA_FP8_E4M3>>}};
    app.add_option("--type",
                   type,
                   "f16, bf16: all tensors; tf32: tensors of floats, which both libraries multiply "
                   "with 10 explicit bits of the significand; i8, f8 (OCP e4m3, forward): all "
                   "tensors, which cuDNN's find function may not take: then there are our times "
                   "alone (default: f16)")
        ->check(CLI::IsMember(measure_of));
    app.add_option("--rounds", rounds, "timed rounds of both")->check(CLI::Range(1, 100000));
    app.add_option("--warm-up",
                   warm_up,
                   "seconds of both before the timed rounds, until the GPU's power limits them as "
                   "it does in training; in these the fastest of each is found (default: 0.25)")
        ->check(CLI::Range(0., 60.));
    app.add_flag("--kernels", prints_kernels, "print a first time of every kernel, too");
    app.add_option("--json", json, "write the figures to this file, too");
    app.add_option("--times",
                   times_file,
                   "write what every wgmma kernel took to this file, as in "
                   "test/library/tables/h200_times; of one direction");
    CLI11_PARSE(app, argc, argv);
    const std::map<std::string, Direction> direction_of{{"fwd", Direction::forward},
                                                        {"bwd_data", Direction::backward_data},
                                                        {"bwd_weight", Direction::backward_weight}};
    if(!times_file.empty() && directions.size() != 1)
        throw std::runtime_error("--times is of one --direction, but there are " +
                                 std::to_string(directions.size()));
    int failures = 0;
    std::vector<Measured> all;
    profiler::TimesFile times;
    for(const NamedProblem& named : profiler::read_problems(file, filter))
        for(const std::string& direction : directions)
            try
            {
                all.push_back(measure_of.at(type)(named,
                                                  direction_of.at(direction),
                                                  rounds,
                                                  warm_up,
                                                  prints_kernels,
                                                  times_file.empty() ? nullptr : &times));
                print(all.back());
            }
            catch(const std::exception& e)
            {
                std::printf(
                    "%-30s %-15s FAILED: %s\n", named.name.c_str(), direction.c_str(), e.what());
                ++failures;
            }
    print_means(all);
    if(!json.empty())
        write_json(json, type, all);
    if(!times_file.empty())
        times.write(times_file);
    return failures != 0;
}
catch(const std::exception& e)
{
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
