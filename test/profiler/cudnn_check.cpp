// All ways in which cuDNN computes small problems against the definition: needs an NVIDIA device.
// Operands are -1, 0 and 1, whose sums are exact in every accumulator, so that only transforms
// (Winograd, FFT) differ from the definition, and by little.
#include "ck/convolution/problem.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/library/utility/error_bound.hpp"
#include "ck/utility/data_type.hpp"

#include <gtest/gtest.h>

#include "measure.hpp"
#include "rival.hpp"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <random>
#include <vector>

namespace {

using namespace ck;
using profiler::ConvTensors;
using profiler::Layout;

constexpr Direction fwd = Direction::forward, data = Direction::backward_data,
                    weight = Direction::backward_weight;

/// Which of cuDNN's interfaces must compute a case. Seen with cuDNN 9.19 on an H100.
enum class By
{
    both,  ///< the find function, where pads are symmetric, and the graph API
    graph, ///< the graph API
};

struct Case
{
    const char* type;
    Direction direction;
    Layout layout;
    index_t rank;
    long_index_t g, n, k, c;
    Spatial input, filter, stride, dilation, low, high;
    By by = By::both;
};

void PrintTo(const Case& c, std::ostream* out)
{
    *out << c.type << " " << name(c.direction) << " in " << profiler::name(c.layout) << ", "
         << c.rank << "D, G " << c.g << ", N " << c.n << ", K " << c.k << ", C " << c.c;
}

constexpr Spatial one{1, 1, 1}, none{0, 0, 0}, hw12{1, 12, 12}, f3{1, 3, 3}, p1{0, 1, 1},
    s2{1, 2, 2}, d2{1, 2, 2}, p2{0, 2, 2};
constexpr auto last = Layout::nhwgc, first = Layout::nchw;

const Case cases[] = {
    {"f16", fwd, last, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"f16", data, last, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"f16", weight, last, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"bf16", fwd, last, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"bf16", data, last, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"bf16", weight, last, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"f32", fwd, last, 2, 1, 2, 32, 16, hw12, f3, one, one, p1, p1},
    {"f32", data, last, 2, 1, 2, 32, 16, hw12, f3, one, one, p1, p1},
    {"f32", weight, last, 2, 1, 2, 32, 16, hw12, f3, one, one, p1, p1},
    {"tf32", fwd, last, 2, 1, 2, 32, 16, hw12, f3, one, one, p1, p1},
    {"tf32", data, last, 2, 1, 2, 32, 16, hw12, f3, one, one, p1, p1},
    {"tf32", weight, last, 2, 1, 2, 32, 16, hw12, f3, one, one, p1, p1},
    // 1x1, strides, dilations
    {"f16", fwd, last, 2, 1, 4, 64, 64, hw12, one, one, one, none, none},
    {"f16", data, last, 2, 1, 4, 64, 32, hw12, f3, s2, one, p1, p1},
    {"f16", weight, last, 2, 1, 4, 64, 32, hw12, f3, s2, one, p1, p1},
    {"f16", fwd, last, 2, 1, 4, 32, 32, hw12, f3, one, d2, p2, p2},
    // groups, depthwise
    {"f16", fwd, last, 2, 4, 2, 16, 16, hw12, f3, one, one, p1, p1},
    {"f16", data, last, 2, 4, 2, 16, 16, hw12, f3, one, one, p1, p1},
    {"bf16", weight, last, 2, 4, 2, 16, 16, hw12, f3, one, one, p1, p1},
    {"f32", fwd, last, 2, 16, 2, 1, 1, hw12, f3, one, one, p1, p1},
    // 1D, 3D
    {"f16",
     fwd,
     last,
     1,
     1,
     4,
     32,
     32,
     {1, 1, 40},
     {1, 1, 3},
     {1, 1, 2},
     one,
     {0, 0, 1},
     {0, 0, 1}},
    {"bf16", data, last, 1, 1, 4, 32, 32, {1, 1, 40}, {1, 1, 3}, one, one, {0, 0, 1}, {0, 0, 1}},
    {"f16", fwd, last, 3, 1, 2, 32, 16, {6, 7, 8}, {3, 3, 3}, one, one, one, one},
    {"f16", data, last, 3, 1, 2, 32, 16, {6, 7, 8}, {3, 3, 3}, one, one, one, one},
    {"bf16", weight, last, 3, 1, 2, 32, 16, {6, 7, 8}, {3, 3, 3}, {2, 2, 2}, one, one, one},
    // asymmetric pads: only by the graph API
    {"f16", fwd, last, 2, 1, 4, 32, 32, hw12, f3, s2, one, none, p1},
    {"f16", data, last, 2, 1, 4, 32, 32, hw12, f3, one, one, {0, 1, 0}, {0, 0, 2}},
    {"f16", weight, last, 2, 1, 4, 32, 32, hw12, f3, one, one, {0, 1, 0}, {0, 0, 2}},
    // channels first
    {"f16", fwd, first, 2, 1, 4, 64, 32, hw12, f3, one, one, p1, p1},
    {"f32", data, first, 2, 2, 2, 16, 16, hw12, f3, one, one, p1, p1},
    {"f32", weight, first, 2, 1, 2, 16, 16, hw12, f3, one, one, p1, p1},
    {"f16", fwd, Layout::ngchw, 2, 2, 2, 32, 32, hw12, f3, one, one, p1, p1, By::graph},
    {"f64", fwd, first, 2, 1, 2, 16, 16, hw12, f3, one, one, p1, p1},
    {"i8", fwd, last, 2, 1, 4, 64, 64, hw12, f3, one, one, p1, p1},
    {"i8", data, last, 2, 1, 4, 64, 64, hw12, f3, one, one, p1, p1, By::graph},
    {"f8_ocp", fwd, last, 2, 1, 4, 64, 64, hw12, f3, one, one, p1, p1, By::graph},
    {"f8_ocp", data, last, 2, 1, 4, 64, 64, hw12, f3, one, one, p1, p1, By::graph},
    {"f8_ocp", weight, last, 2, 1, 4, 64, 64, hw12, f3, one, one, p1, p1, By::graph},
    {"bf8_ocp", fwd, last, 2, 1, 4, 64, 64, hw12, f3, one, one, p1, p1, By::graph},
};

ConvProblem problem_of(const Case& c)
{
    ConvProblem p;
    p.rank         = c.rank;
    p.groups       = c.g;
    p.batch        = c.n;
    p.out_channels = c.k;
    p.in_channels  = c.c;
    p.input        = c.input;
    p.filter       = c.filter;
    p.stride       = c.stride;
    p.dilation     = c.dilation;
    p.pad_low      = c.low;
    p.pad_high     = c.high;
    profiler::set_strides(p, c.layout);
    return p;
}

profiler::ConvRequest request_of(const Case& c)
{
    const std::string type    = c.type;
    const std::string element = type == "tf32" ? "f32" : type;
    profiler::ConvRequest r;
    r.type   = type;
    r.layout = c.layout;
    r.family = {c.direction,
                element,
                element,
                element,
                "",
                type,
                type,
                "PassThrough",
                "PassThrough",
                "PassThrough"};
    return r;
}

std::size_t result_of(Direction direction)
{
    return direction == Direction::forward ? 2 : direction == Direction::backward_data ? 0 : 1;
}

/// What ||result - definition|| / ||definition|| may be: two roundings to the type; of floats what
/// transforms of floats, or of tf32, lose.
template <class T>
double tolerance(const std::string& type)
{
    if(type == "f64")
        return 1e-14;
    if(type == "tf32")
        return 2e-3;
    if(type == "f32")
        return 1e-5;
    return std::is_integral_v<T> && type == "i8" ? 0 : 2.05 * utils::unit_roundoff<T>;
}

template <class T>
class Check
{
public:
    explicit Check(const Case& c)
        : case_(c),
          problem_(problem_of(c)),
          result_(result_of(c.direction))
    {
        const TensorLengths lengths[] = {
            problem_.input_lengths(), problem_.filter_lengths(), problem_.output_lengths()};
        std::mt19937 generator(7);
        std::uniform_int_distribution<int> digit(-1, 1);
        for(std::size_t i = 0; i < 3; ++i)
        {
            std::vector<T> values(static_cast<std::size_t>(element_count(lengths[i])));
            for(T& value : values)
                value = number(digit(generator));
            memory_.emplace_back(values.size() * sizeof(T));
            memory_[i].ToDevice(values.data());
        }
        spoil();
        if(c.direction == Direction::forward)
            ref::naive_conv_fwd(problem_, at(0), at(1), at(2));
        else if(c.direction == Direction::backward_data)
            ref::naive_conv_bwd_data(problem_, at(0), at(1), at(2));
        else
            ref::naive_conv_bwd_weight(problem_, at(0), at(1), at(2));
        expected_ = take();
    }

    void run()
    {
        const auto rival = profiler::make_rival("cudnn", request_of(case_), problem_, tensors());
        int found = 0, planned = 0;
        std::vector<profiler::Launch> launches;
        std::vector<std::size_t> way_of;
        for(std::size_t way = 0; way < rival->ways().size(); ++way)
        {
            const std::string& name = rival->ways()[way].name;
            spoil();
            try
            {
                rival->launch(way, nullptr, tensors());
                HIP_CHECK_ERROR(hipDeviceSynchronize());
            }
            catch(const std::runtime_error& e)
            {
                std::printf("    %s does not run: %s\n", name.c_str(), e.what());
                continue;
            }
            ++(name.starts_with("find: ") ? found : planned);
            const double d = distance(take());
            EXPECT_LE(d, tolerance<T>(case_.type)) << name;
            distances_.push_back(d);
            way_of.push_back(way);
            launches.push_back([this, &rival, way](int, hipStream_t stream) {
                rival->launch(way, stream, tensors());
            });
        }
        const auto times = profiler::time_each(launches, {.count = 3});
        int timed        = 0;
        for(std::size_t i = 0; i < times.size(); ++i)
        {
            const profiler::RivalWay& way = rival->ways()[way_of[i]];
            std::printf("    %9.4f ms, off by %8.2g, workspace %9zu: %s%s%s\n",
                        times[i].median,
                        distances_[i],
                        way.workspace,
                        way.name.c_str(),
                        times[i].ok() ? "" : "; not timed: ",
                        times[i].error.c_str());
            timed += times[i].ok();
        }
        EXPECT_GT(found + planned, 0) << "no way runs";
        EXPECT_GT(timed, 0) << "no way can be timed";
        EXPECT_GT(planned, 0) << "no plan of the graph API runs";
        if(case_.by == By::both && case_.low == case_.high)
            EXPECT_GT(found, 0) << "no algorithm of the find function runs";
    }

private:
    static T number(int value)
    {
        if constexpr(std::is_same_v<T, double>)
            return value;
        else
            return type_convert<T>(static_cast<float>(value));
    }
    static double to_double(T value)
    {
        if constexpr(std::is_same_v<T, double>)
            return value;
        else
            return type_convert<float>(value);
    }

    T* at(std::size_t i) const { return static_cast<T*>(memory_[i].GetDeviceBuffer()); }
    ConvTensors tensors() const { return {at(0), at(1), at(2)}; }

    /// NaN, of int8 -128, which no sum is.
    void spoil()
    {
        HIP_CHECK_ERROR(hipMemset(at(result_),
                                  std::is_same_v<T, std::int8_t> ? 0x80 : 0xff,
                                  memory_[result_].GetBufferSize()));
    }
    std::vector<T> take() const
    {
        std::vector<T> values(memory_[result_].GetBufferSize() / sizeof(T));
        memory_[result_].FromDevice(values.data());
        return values;
    }
    double distance(const std::vector<T>& result) const
    {
        double difference = 0, norm = 0;
        for(std::size_t i = 0; i < result.size(); ++i)
        {
            const double x = to_double(result[i]), y = to_double(expected_[i]);
            difference += (x - y) * (x - y);
            norm += y * y;
        }
        return std::sqrt(difference / norm);
    }

    Case case_;
    ConvProblem problem_;
    std::size_t result_;
    std::vector<DeviceMem> memory_;
    std::vector<T> expected_;
    std::vector<double> distances_;
};

class Cudnn : public testing::TestWithParam<Case>
{};

TEST_P(Cudnn, ComputesTheDefinition)
{
    const Case& c          = GetParam();
    const std::string type = c.type;
    if(type == "f16")
        Check<half_t>(c).run();
    else if(type == "bf16")
        Check<bhalf_t>(c).run();
    else if(type == "f32" || type == "tf32")
        Check<float>(c).run();
    else if(type == "f64")
        Check<double>(c).run();
    else if(type == "i8")
        Check<std::int8_t>(c).run();
    else if(type == "f8_ocp")
        Check<f8_ocp_t>(c).run();
    else if(type == "bf8_ocp")
        Check<bf8_ocp_t>(c).run();
    else
        FAIL() << "no type " << type;
}

std::string name_of(const testing::TestParamInfo<Case>& info)
{
    std::string direction = name(info.param.direction);
    std::replace(direction.begin(), direction.end(), ' ', '_');
    return std::string(info.param.type) + "_" + direction + "_" + std::to_string(info.param.rank) +
           "d_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Problems, Cudnn, testing::ValuesIn(cases), name_of);

TEST(CudnnRefusals, NameTheReason)
{
    const auto refusal = [](const profiler::ConvRequest& request, const ConvProblem& p) {
        try
        {
            static_cast<void>(profiler::make_rival("cudnn", request, p, {}));
        }
        catch(const std::runtime_error& e)
        {
            return std::string(e.what());
        }
        return std::string();
    };
    const auto request = request_of(cases[0]);
    ConvProblem crop   = problem_of(cases[0]);
    crop.pad_low[2]    = -1;
    EXPECT_NE(refusal(request, crop).find("a pad is negative"), std::string::npos);
    Case grouped   = cases[16];
    grouped.layout = Layout::gnhwc;
    EXPECT_NE(refusal(request, problem_of(grouped)).find("groups of X"), std::string::npos);
    auto fnuz     = request;
    fnuz.family.a = fnuz.family.compute_a = "f8";
    EXPECT_NE(refusal(fnuz, problem_of(cases[0])).find("no type f8"), std::string::npos);
    auto relu               = request;
    relu.family.operation_c = "AddRelu";
    EXPECT_NE(refusal(relu, problem_of(cases[0])).find("AddRelu"), std::string::npos);
    EXPECT_THROW(static_cast<void>(profiler::make_rival("oneDNN", request, crop, {})),
                 profiler::WrongArgument);
}

} // namespace
