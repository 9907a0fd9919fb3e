// Labels: not emulated
// What batch norm refuses, and with which explanation.
#include "ck/batch_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ck {
namespace {

const BatchNormSpec good{.rows = 4, .channels = 3};

std::string refusal(const BatchNormSpec& spec)
{
    try
    {
        const BatchNormPlan plan(spec);
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

template <class Change>
std::string refusal_of(const Change& change)
{
    BatchNormSpec spec = good;
    change(spec);
    return refusal(spec);
}

/// What a call says of tensors of small integers as addresses: it is refused before it runs.
template <class Change>
std::string refusal_of_call(void (BatchNormPlan::*call)(const BatchNormTensors&) const,
                            const Change& change)
{
    BatchNormSpec spec = good;
    const auto at      = [](std::uintptr_t n) { return reinterpret_cast<void*>(n); };
    BatchNormTensors t{.x                 = at(16),
                       .y                 = at(32),
                       .mean              = at(64),
                       .inverse_deviation = at(80),
                       .running_mean      = at(96),
                       .running_variance  = at(112),
                       .dy                = at(128),
                       .dx                = at(144),
                       .workspace         = at(160)};
    change(spec, t);
    try
    {
        (BatchNormPlan(spec).*call)(t);
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

template <class Change>
std::string forward(const Change& change)
{
    return refusal_of_call(&BatchNormPlan::forward, change);
}
template <class Change>
std::string backward(const Change& change)
{
    return refusal_of_call(&BatchNormPlan::backward, change);
}
template <class Change>
std::string inference(const Change& change)
{
    return refusal_of_call(&BatchNormPlan::inference, change);
}

} // namespace

TEST(BatchNormSpec, TakesWhatKeepsTheRules)
{
    EXPECT_EQ(refusal(good), "");
    EXPECT_EQ(refusal_of([](auto& s) { s.rows = 1; }), "");
    EXPECT_EQ(refusal_of([](auto& s) { s.alignment = 4; }), "");
    EXPECT_EQ(refusal_of([](auto& s) { s.epsilon = 0; }), "");
    EXPECT_EQ(refusal_of([](auto& s) { s.type = DataType::f16, s.alignment = 2; }), "");
    EXPECT_EQ(refusal_of([](auto& s) {
                  s.activation = BatchNormActivation::clamp, s.least = s.most = 6,
                  s.residual = true;
              }),
              "");
    EXPECT_EQ(refusal_of([](auto& s) { s.rows = 1 << 17, s.channels = 0x7fffffff; }), "");
    EXPECT_EQ(refusal_of([](auto& s) { s.rows = long_index_t{1} << 48, s.channels = 1; }), "");
}

TEST(BatchNormSpec, RefusesByValueAndRule)
{
    EXPECT_EQ(refusal_of([](auto& s) { s.type = DataType::i8; }),
              "ck::BatchNormSpec: type is 4, but must be f64, f32, f16 or bf16 (0 to 3)");
    EXPECT_EQ(refusal_of([](auto& s) { s.rows = 0; }),
              "ck::BatchNormSpec: rows is 0, but must be at least 1");
    EXPECT_EQ(refusal_of([](auto& s) { s.channels = -2; }),
              "ck::BatchNormSpec: channels is -2, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](auto& s) { s.channels = long_index_t{1} << 31; }),
              "ck::BatchNormSpec: channels is 2147483648, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](auto& s) { s.rows = long_index_t{1} << 47, s.channels = 3; }),
              "ck::BatchNormSpec: rows is 140737488355328 and channels is 3, but together they may "
              "have 2^48 elements");
    for(const long_index_t stride : {-1, 1})
        EXPECT_EQ(refusal_of([&](auto& s) { s.channels = 2, s.x_stride = stride; }),
                  "ck::BatchNormSpec: x_stride is " + std::to_string(stride) +
                      ", but must be 0 or at least channels, 2");
    EXPECT_EQ(refusal_of([](auto& s) {
                  s.rows = long_index_t{1} << 40, s.channels = 2, s.x_stride = 257;
              }),
              "ck::BatchNormSpec: rows is 1099511627776 and x_stride is 257, but together they may "
              "have 2^48 elements");
    for(const int number : {-1, 5})
        EXPECT_EQ(
            refusal_of([&](auto& s) { s.activation = static_cast<BatchNormActivation>(number); }),
            "ck::BatchNormSpec: activation is " + std::to_string(number) +
                ", but must be one of the enumerators, 0 to 4");
    EXPECT_EQ(
        refusal_of([](auto& s) { s.activation = BatchNormActivation::silu, s.residual = true; }),
        "ck::BatchNormSpec: residual is set with activation silu, but is added only before "
        "none, relu and clamp, whose derivative y tells");
    EXPECT_NE(refusal_of([](auto& s) {
                  s.activation = BatchNormActivation::hard_swish, s.residual = true;
              }).find("with activation hard_swish"),
              std::string::npos);
    EXPECT_EQ(refusal_of([](auto& s) {
                  s.activation = BatchNormActivation::clamp, s.least = 1, s.most = 0.5;
              }),
              "ck::BatchNormSpec: least is 1 and most is 0.5, but least must be at most `most`");
    EXPECT_NE(refusal_of([](auto& s) {
                  s.activation = BatchNormActivation::clamp, s.most = std::nan("");
              }),
              "");
    EXPECT_EQ(refusal_of([](auto& s) { s.activation = BatchNormActivation::relu, s.most = 6; }),
              "ck::BatchNormSpec: least is 0 and most is 6, but only the activation clamp has "
              "limits");
    EXPECT_EQ(refusal_of([](auto& s) { s.epsilon = -1; }),
              "ck::BatchNormSpec: epsilon is -1, but must be finite and at least 0");
    EXPECT_NE(refusal_of([](auto& s) { s.epsilon = std::numeric_limits<double>::infinity(); }), "");
    EXPECT_NE(refusal_of([](auto& s) { s.epsilon = std::nan(""); }), "");
    for(const std::size_t alignment : {0, 3, 32})
        EXPECT_EQ(refusal_of([&](auto& s) { s.alignment = alignment; }),
                  "ck::BatchNormSpec: alignment is " + std::to_string(alignment) +
                      ", but must be 1, 2, 4, 8 or 16");
    EXPECT_EQ(refusal_of([](auto& s) { s.alignment = 2; }),
              "ck::BatchNormSpec: alignment is 2, but an element has 4 bytes");
}

TEST(BatchNormPlan, RefusesTensorsThatAreMissing)
{
    EXPECT_EQ(forward([](auto& s, auto&) { s.rows = 1; }),
              "ck::BatchNormPlan::forward: rows is 1, but a variance needs at least two");
    EXPECT_EQ(forward([](auto&, auto& t) { t.x = nullptr; }),
              "ck::BatchNormPlan::forward: x is null");
    EXPECT_EQ(forward([](auto&, auto& t) { t.y = nullptr; }),
              "ck::BatchNormPlan::forward: y is null");
    EXPECT_EQ(forward([](auto&, auto& t) { t.mean = nullptr; }),
              "ck::BatchNormPlan::forward: mean is null");
    EXPECT_EQ(forward([](auto&, auto& t) { t.inverse_deviation = nullptr; }),
              "ck::BatchNormPlan::forward: inverse_deviation is null");
    EXPECT_EQ(forward([](auto& s, auto&) { s.residual = true; }),
              "ck::BatchNormPlan::forward: residual is null, but the spec has one");
    EXPECT_EQ(forward([](auto&, auto& t) { t.residual = t.x; }),
              "ck::BatchNormPlan::forward: residual is not null, but the spec has none");
    EXPECT_EQ(forward([](auto&, auto& t) { t.running_mean = nullptr; }),
              "ck::BatchNormPlan::forward: one of running_mean and running_variance is null, but "
              "either both are, or none");
    EXPECT_EQ(forward([](auto&, auto& t) { t.momentum = 1.5; }),
              "ck::BatchNormPlan::forward: momentum is 1.5, but must be from 0 to 1");
    EXPECT_EQ(forward([](auto&, auto& t) { t.workspace = nullptr; }),
              "ck::BatchNormPlan::forward: workspace is null, but has " +
                  std::to_string(BatchNormPlan(good).workspace_size()) +
                  " bytes (BatchNormPlan::workspace_size())");

    EXPECT_EQ(backward([](auto&, auto& t) { t.x = nullptr; }),
              "ck::BatchNormPlan::backward: x is null");
    EXPECT_EQ(backward([](auto&, auto& t) { t.dy = nullptr; }),
              "ck::BatchNormPlan::backward: dy is null");
    EXPECT_EQ(backward([](auto&, auto& t) { t.dx = nullptr; }),
              "ck::BatchNormPlan::backward: dx is null");
    EXPECT_EQ(backward([](auto&, auto& t) { t.mean = nullptr; }),
              "ck::BatchNormPlan::backward: mean is null");
    EXPECT_EQ(backward([](auto&, auto& t) { t.inverse_deviation = nullptr; }),
              "ck::BatchNormPlan::backward: inverse_deviation is null");
    EXPECT_EQ(backward([](auto&, auto& t) { t.d_residual = t.dx; }),
              "ck::BatchNormPlan::backward: d_residual is not null, but the spec has no residual");
    EXPECT_EQ(backward([](auto& s, auto& t) {
                  s.residual = true, s.activation = BatchNormActivation::relu, t.y = nullptr;
              }),
              "ck::BatchNormPlan::backward: y is null, but the derivative of an activation after a "
              "residual is read from it");
    EXPECT_NE(backward([](auto&, auto& t) { t.workspace = nullptr; }), "");

    EXPECT_EQ(inference([](auto&, auto& t) { t.running_mean = nullptr; }),
              "ck::BatchNormPlan::inference: running_mean is null");
    EXPECT_EQ(inference([](auto&, auto& t) { t.running_variance = nullptr; }),
              "ck::BatchNormPlan::inference: running_variance is null");
    EXPECT_EQ(inference([](auto&, auto& t) { t.x = nullptr; }),
              "ck::BatchNormPlan::inference: x is null");
    const auto wide = [](auto& s, auto&) { s.x_stride = s.channels + 8; };
    EXPECT_EQ(inference([&](auto& s, auto& t) { wide(s, t), t.x = nullptr; }),
              "ck::BatchNormPlan::inference: x is null"); // not the stride
    for(const std::string& refused : {forward(wide), backward(wide)})
        EXPECT_NE(refused.find("but only inference reads such an x"), std::string::npos) << refused;
}

TEST(BatchNormPlan, RefusesAddressesThatAreNotAligned)
{
    const auto plus = [](auto* p, int bytes) {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) +
                                       static_cast<std::uintptr_t>(bytes));
    };
    EXPECT_EQ(forward([&](auto&, auto& t) { t.x = plus(t.x, 8); }),
              "ck::BatchNormPlan::forward: x is at 0x18, but must be at a multiple of 16 bytes "
              "(BatchNormSpec::alignment)");
    EXPECT_EQ(forward([&](auto& s, auto& t) { s.alignment = 4, t.y = plus(t.y, 2); }),
              "ck::BatchNormPlan::forward: y is at 0x22, but must be at a multiple of 4 bytes "
              "(BatchNormSpec::alignment)");
    EXPECT_EQ(forward([&](auto&, auto& t) { t.weight = plus(t.x, 2); }),
              "ck::BatchNormPlan::forward: weight is at 0x12, but must be at a multiple of 4 "
              "bytes");
    EXPECT_EQ(forward([&](auto& s, auto& t) { s.type = DataType::f64, t.mean = plus(t.mean, 4); }),
              "ck::BatchNormPlan::forward: mean is at 0x44, but must be at a multiple of 8 bytes");
    EXPECT_EQ(forward([&](auto&, auto& t) { t.workspace = plus(t.workspace, 8); }),
              "ck::BatchNormPlan::forward: workspace is at 0xa8, but must be at a multiple of 16 "
              "bytes");
    EXPECT_NE(backward([&](auto&, auto& t) { t.dx = plus(t.dx, 4); }).find("dx is at 0x94"),
              std::string::npos);
    EXPECT_NE(backward([&](auto&, auto& t) { t.dy = plus(t.dy, 4); }).find("dy is at 0x84"),
              std::string::npos);
    EXPECT_NE(backward([&](auto&, auto& t) { t.d_bias = plus(t.x, 1); }).find("d_bias is at 0x11"),
              std::string::npos);
}

} // namespace ck
