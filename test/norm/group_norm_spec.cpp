// Labels: not emulated
// What group norm refuses, and with which explanation.
#include "ck/group_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace ck {
namespace {

template <class Change>
std::string group_norm_refusal(const Change& change)
{
    GroupNormSpec spec{.images = 2, .pixels = 4, .channels = 6, .groups = 3};
    change(spec);
    try
    {
        const GroupNormPlan plan(spec);
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

/// What a call says of tensors of small integers as addresses: it is refused before it runs.
template <class Change>
std::string
group_norm_call(void (GroupNormPlan::*call)(const GroupNormTensors&) const,
                const Change& change,
                const GroupNormSpec& spec = {.images = 2, .pixels = 4, .channels = 6, .groups = 3})
{
    const auto at = [](std::uintptr_t n) { return reinterpret_cast<void*>(n); };
    GroupNormTensors t{.x                 = at(16),
                       .y                 = at(32),
                       .mean              = at(64),
                       .inverse_deviation = at(80),
                       .dy                = at(128),
                       .dx                = at(144),
                       .workspace         = at(160)};
    change(t);
    try
    {
        (GroupNormPlan(spec).*call)(t);
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

constexpr auto forward_of  = &GroupNormPlan::forward;
constexpr auto backward_of = &GroupNormPlan::backward;

} // namespace

TEST(GroupNormSpec, TakesWhatKeepsTheRules)
{
    EXPECT_EQ(group_norm_refusal([](auto&) {}), "");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.groups = 6; }), "");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.groups = 1, s.epsilon = 0; }), "");
    for(const double slope : {0., 0.2, -3., 1e30})
        EXPECT_EQ(group_norm_refusal([&](auto& s) {
                      s.activation = GroupNormActivation::leaky_relu, s.slope = slope;
                  }),
                  "");
    for(const double slope : {0., 0.2, 1e30})
        EXPECT_EQ(group_norm_refusal([&](auto& s) {
                      s.activation = GroupNormActivation::leaky_relu, s.slope = slope;
                      s.residual = true;
                  }),
                  "");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.residual = true; }), "");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.images = 1, s.pixels = 1; }), "");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.images = 1 << 29, s.channels = s.groups = 2; }),
              "");
}

TEST(GroupNormSpec, RefusesByValueAndRule)
{
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.type = DataType::i8; }),
              "ck::GroupNormSpec: type is 4, but must be f64, f32, f16 or bf16 (0 to 3)");
    EXPECT_EQ(
        group_norm_refusal([](auto& s) { s.activation = static_cast<GroupNormActivation>(4); }),
        "ck::GroupNormSpec: activation is 4, but must be one of the enumerators, 0 to 3");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.images = 0; }),
              "ck::GroupNormSpec: images is 0, but must be at least 1");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.pixels = -1; }),
              "ck::GroupNormSpec: pixels is -1, but must be at least 1");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.channels = 0; }),
              "ck::GroupNormSpec: channels is 0, but must be from 1 to 2147483647");
    for(const long_index_t groups : {0, -3, 4, 12})
        EXPECT_EQ(group_norm_refusal([&](auto& s) { s.groups = groups; }),
                  "ck::GroupNormSpec: groups is " + std::to_string(groups) +
                      " and channels is 6, but groups must divide channels");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.images = 1 << 28; }),
              "ck::GroupNormSpec: images is 268435456 and channels is 6, but their product must be "
              "at most 1073741824");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.pixels = long_index_t{1} << 45; }),
              "ck::GroupNormSpec: pixels is 35184372088832 and channels is 12, but together they "
              "may have 2^48 elements");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.epsilon = -1; }),
              "ck::GroupNormSpec: epsilon is -1, but must be finite and at least 0");
    EXPECT_NE(group_norm_refusal([](auto& s) { s.epsilon = std::nan(""); }), "");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.slope = 0; }),
              "ck::GroupNormSpec: slope is 0, but only the activation leaky_relu has one: others "
              "want the default, 0.01");
    const double inf = std::numeric_limits<double>::infinity();
    for(const auto& [slope, text] : {std::pair{inf, "inf"}, {-inf, "-inf"}, {std::nan(""), "nan"}})
        EXPECT_EQ(group_norm_refusal([&, slope = slope](auto& s) {
                      s.activation = GroupNormActivation::leaky_relu, s.slope = slope;
                  }),
                  "ck::GroupNormSpec: slope is " + std::string(text) + ", but must be finite");
    EXPECT_EQ(group_norm_refusal(
                  [](auto& s) { s.activation = GroupNormActivation::silu, s.residual = true; }),
              "ck::GroupNormSpec: residual is set with activation silu, but is added only before "
              "none, relu and leaky_relu, whose derivative y tells");
    EXPECT_EQ(group_norm_refusal([](auto& s) {
                  s.activation = GroupNormActivation::leaky_relu, s.slope = -0.5;
                  s.residual = true;
              }),
              "ck::GroupNormSpec: residual is set and slope is -0.5, but the sign of y tells the "
              "derivative only if slope is at least 0");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.alignment = 2; }),
              "ck::GroupNormSpec: alignment is 2, but an element has 4 bytes");
    EXPECT_EQ(group_norm_refusal([](auto& s) { s.alignment = 32; }),
              "ck::GroupNormSpec: alignment is 32, but must be 1, 2, 4, 8 or 16");
}

TEST(GroupNormSpec, RefusesRowsByValueAndRule)
{
    const auto refusal = [](const auto& change) {
        return group_norm_refusal([&](auto& s) {
            s.kind = NormKind::layer, s.groups = 0;
            change(s);
        });
    };
    EXPECT_EQ(refusal([](auto&) {}), "");
    EXPECT_EQ(refusal([](auto& s) { s.kind = NormKind::l2, s.epsilon = 0; }), "");
    EXPECT_EQ(refusal([](auto& s) { s.images = 1 << 30, s.pixels = 1 << 10; }), "");
    EXPECT_EQ(refusal([](auto& s) { s.kind = static_cast<NormKind>(4); }),
              "ck::GroupNormSpec: kind is 4, but must be one of the enumerators, 0 to 3");
    EXPECT_EQ(
        refusal([](auto& s) { s.groups = 1; }),
        "ck::GroupNormSpec: groups is 1, but only norms of the kind group have groups: others "
        "want 0");
    EXPECT_EQ(refusal([](auto& s) { s.residual = true; }),
              "ck::GroupNormSpec: residual is set, but only norms of the kind group add one");
    EXPECT_EQ(
        refusal([](auto& s) { s.channels = (1 << 30) + 1; }),
        "ck::GroupNormSpec: channels is 1073741825, but must be at most 1073741824, except of "
        "the kind group");
    EXPECT_EQ(refusal([](auto& s) { s.images = long_index_t{1} << 62; }),
              "ck::GroupNormSpec: images is 4611686018427387904 and channels is 6, but together "
              "they may have 2^48 elements");
    EXPECT_EQ(refusal([](auto& s) { s.pixels = long_index_t{1} << 45; }),
              "ck::GroupNormSpec: pixels is 35184372088832 and channels is 12, but together they "
              "may have 2^48 elements");
}

TEST(GroupNormPlan, RefusesTensorsThatAreMissing)
{
    const auto at = [](std::uintptr_t n) { return reinterpret_cast<void*>(n); };
    EXPECT_EQ(group_norm_call(forward_of, [](auto& t) { t.x = nullptr; }),
              "ck::GroupNormPlan::forward: x is null");
    EXPECT_EQ(group_norm_call(forward_of, [](auto& t) { t.y = nullptr; }),
              "ck::GroupNormPlan::forward: y is null");
    EXPECT_EQ(group_norm_call(forward_of, [](auto& t) { t.mean = nullptr; }),
              "ck::GroupNormPlan::forward: mean is null");
    EXPECT_EQ(group_norm_call(backward_of, [](auto& t) { t.inverse_deviation = nullptr; }),
              "ck::GroupNormPlan::backward: inverse_deviation is null");
    EXPECT_EQ(group_norm_call(backward_of, [](auto& t) { t.dy = nullptr; }),
              "ck::GroupNormPlan::backward: dy is null");
    EXPECT_EQ(group_norm_call(backward_of, [](auto& t) { t.dx = nullptr; }),
              "ck::GroupNormPlan::backward: dx is null");
    const std::size_t bytes =
        GroupNormPlan({.images = 2, .pixels = 4, .channels = 6, .groups = 3}).workspace_size();
    EXPECT_EQ(group_norm_call(backward_of, [](auto& t) { t.workspace = nullptr; }),
              "ck::GroupNormPlan::backward: workspace is null, but has " + std::to_string(bytes) +
                  " bytes (GroupNormPlan::workspace_size())");
    EXPECT_EQ(group_norm_call(forward_of, [&](auto& t) { t.x = at(24); }),
              "ck::GroupNormPlan::forward: x is at 0x18, but must be at a multiple of 16 bytes "
              "(GroupNormSpec::alignment)");
    EXPECT_EQ(group_norm_call(backward_of, [&](auto& t) { t.dx = at(40); }),
              "ck::GroupNormPlan::backward: dx is at 0x28, but must be at a multiple of 16 bytes "
              "(GroupNormSpec::alignment)");
    EXPECT_EQ(
        group_norm_call(backward_of, [&](auto& t) { t.d_bias = at(2); }),
        "ck::GroupNormPlan::backward: d_bias is at 0x2, but must be at a multiple of 4 bytes");
    EXPECT_EQ(group_norm_call(forward_of, [&](auto& t) { t.weight = at(6); }),
              "ck::GroupNormPlan::forward: weight is at 0x6, but must be at a multiple of 4 bytes");
    EXPECT_EQ(group_norm_call(forward_of, [&](auto& t) { t.workspace = at(8); }),
              "ck::GroupNormPlan::forward: workspace is at 0x8, but must be at a multiple of 16 "
              "bytes");
}

TEST(GroupNormPlan, RefusesTensorsOfAResidual)
{
    const auto at = [](std::uintptr_t n) { return reinterpret_cast<void*>(n); };
    const GroupNormSpec spec{.images     = 2,
                             .pixels     = 4,
                             .channels   = 6,
                             .groups     = 3,
                             .activation = GroupNormActivation::relu,
                             .residual   = true};
    EXPECT_EQ(group_norm_call(
                  forward_of, [](auto&) {}, spec),
              "ck::GroupNormPlan::forward: residual is null, but the spec has one");
    EXPECT_EQ(group_norm_call(
                  forward_of, [&](auto& t) { t.residual = at(24); }, spec),
              "ck::GroupNormPlan::forward: residual is at 0x18, but must be at a multiple of 16 "
              "bytes (GroupNormSpec::alignment)");
    EXPECT_EQ(group_norm_call(forward_of, [](auto& t) { t.residual = t.x; }),
              "ck::GroupNormPlan::forward: residual is not null, but the spec has none");
    EXPECT_EQ(group_norm_call(
                  backward_of, [](auto& t) { t.y = nullptr; }, spec),
              "ck::GroupNormPlan::backward: y is null, but the derivative of an activation after a "
              "residual is read from it");
    EXPECT_EQ(group_norm_call(
                  backward_of, [&](auto& t) { t.y = at(24); }, spec),
              "ck::GroupNormPlan::backward: y is at 0x18, but must be at a multiple of 16 bytes "
              "(GroupNormSpec::alignment)");
    EXPECT_EQ(group_norm_call(
                  backward_of, [&](auto& t) { t.d_residual = at(24); }, spec),
              "ck::GroupNormPlan::backward: d_residual is at 0x18, but must be at a multiple of 16 "
              "bytes (GroupNormSpec::alignment)");
    EXPECT_EQ(group_norm_call(backward_of, [&](auto& t) { t.d_residual = at(16); }),
              "ck::GroupNormPlan::backward: d_residual is not null, but the spec has no residual");
}

TEST(GroupNormPlan, RefusesMissingTensorsOfRows)
{
    const auto spec = [](NormKind kind) {
        return GroupNormSpec{.pixels = 4, .channels = 6, .kind = kind};
    };
    EXPECT_EQ(group_norm_call(
                  forward_of, [](auto& t) { t.mean = nullptr; }, spec(NormKind::layer)),
              "ck::GroupNormPlan::forward: mean is null");
    EXPECT_EQ(group_norm_call(
                  forward_of,
                  [](auto& t) { t.mean = t.inverse_deviation = nullptr; },
                  spec(NormKind::rms)),
              "ck::GroupNormPlan::forward: inverse_deviation is null");
    const std::size_t bytes = GroupNormPlan(spec(NormKind::l2)).workspace_size();
    EXPECT_EQ(group_norm_call(
                  backward_of, [](auto& t) { t.workspace = nullptr; }, spec(NormKind::l2)),
              "ck::GroupNormPlan::backward: workspace is null, but has " + std::to_string(bytes) +
                  " bytes (GroupNormPlan::workspace_size())");
}

} // namespace ck
