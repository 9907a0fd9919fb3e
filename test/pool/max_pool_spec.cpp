// Labels: not emulated
// What max pooling refuses, and with which explanation.
#include "ck/max_pool.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ck {
namespace {

using Lengths = MaxPoolSpec::Lengths;

template <class F>
std::string refusal(const F& f)
{
    try
    {
        f();
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
    MaxPoolSpec spec{.images   = 2,
                     .channels = 8,
                     .input    = {1, 9, 9},
                     .window   = {1, 3, 3},
                     .strides  = {1, 2, 2},
                     .pads     = {0, 1, 1},
                     .output   = {1, 5, 5}};
    change(spec);
    return refusal([&] { MaxPoolPlan{spec}; });
}

TEST(MaxPoolRefuses, Specs)
{
    EXPECT_EQ(refusal_of([](MaxPoolSpec&) {}), "");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.type = DataType::i8; }),
              "ck::MaxPoolSpec: type is 4, but must be f64, f32, f16 or bf16 (0 to 3)");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.images = 0; }),
              "ck::MaxPoolSpec: images is 0, but must be at least 1");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.channels = 0; }),
              "ck::MaxPoolSpec: channels is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.alignment = 2; }),
              "ck::MaxPoolSpec: alignment is 2, but an element has 4 bytes");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.input[1] = 0; }),
              "ck::MaxPoolSpec: input of height is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.window[2] = -1; }),
              "ck::MaxPoolSpec: window of width is -1, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.strides[0] = 0; }),
              "ck::MaxPoolSpec: strides of depth is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.pads[1] = -1; }),
              "ck::MaxPoolSpec: pads of height is -1, but must be from 0 to 2147483647");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.dilations[1] = 0; }),
              "ck::MaxPoolSpec: dilations of height is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.output[2] = long_index_t{1} << 31; }),
              "ck::MaxPoolSpec: output of width is 2147483648, but must be from 1 to 2147483647");
}

TEST(MaxPoolRefuses, WindowsWithoutPixels)
{
    EXPECT_EQ(
        refusal_of([](MaxPoolSpec& s) { s.pads[1] = 3; }),
        "ck::MaxPoolSpec: pads of height is 3, but the first window would reach only to pixel "
        "-1");
    EXPECT_EQ(
        refusal_of([](MaxPoolSpec& s) { s.output[2] = 6; }),
        "ck::MaxPoolSpec: output of width is 6, but its last window would begin at pixel 9 of "
        "9");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) {
                  s.input[1] = 1, s.pads[1] = 3, s.dilations[1] = 2, s.output[1] = 1;
              }),
              "ck::MaxPoolSpec: window 0 of height has no tap in the input of 1 pixels");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.dilations[2] = 1 << 30; }),
              "ck::MaxPoolSpec: a window of width reaches over 2147483649 pixels, which with input "
              "must be at most 2147483647");
}

TEST(MaxPoolRefuses, Sizes)
{
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) { s.images = long_index_t{1} << 32; }),
              "ck::MaxPoolSpec: images, channels and input have more than 2^37 elements together");
    EXPECT_EQ(refusal_of([](MaxPoolSpec& s) {
                  s.images = long_index_t{1} << 26, s.input[2] = 3, s.strides[2] = 1,
                  s.window[2] = 24;
                  s.pads[2] = 23, s.output[2] = 26, s.channels = 32;
              }),
              "ck::MaxPoolSpec: images, channels and output have more than 2^37 elements together");
}

TEST(MaxPoolRefuses, Tensors)
{
    const auto at = [](std::uintptr_t n) { return reinterpret_cast<void*>(n); };
    const auto of = [&](void (MaxPoolPlan::*call)(const MaxPoolTensors&) const,
                        const auto& change,
                        Lengths window = {1, 3, 3}) {
        const MaxPoolSpec spec{.images   = 1,
                               .channels = 8,
                               .input    = {1, 20, 20},
                               .window   = window,
                               .output   = {1, 1, 1}};
        MaxPoolTensors t{.x = at(16), .y = at(32), .taps = at(64), .dy = at(80), .dx = at(96)};
        change(t);
        return refusal([&] { (MaxPoolPlan(spec).*call)(t); });
    };
    EXPECT_EQ(of(&MaxPoolPlan::forward, [](MaxPoolTensors& t) { t.x = nullptr; }),
              "ck::MaxPoolPlan::forward: x is null");
    EXPECT_EQ(of(&MaxPoolPlan::forward, [](MaxPoolTensors& t) { t.y = nullptr; }),
              "ck::MaxPoolPlan::forward: y is null");
    EXPECT_EQ(of(&MaxPoolPlan::forward, [&](MaxPoolTensors& t) { t.x = at(8); }),
              "ck::MaxPoolPlan::forward: x is at 0x8, but must be at a multiple of 16 bytes "
              "(MaxPoolSpec::alignment)");
    EXPECT_EQ(of(&MaxPoolPlan::forward, [&](MaxPoolTensors& t) { t.taps = at(4); }),
              "ck::MaxPoolPlan::forward: taps is at 0x4, but must be at a multiple of 8 bytes");
    EXPECT_EQ(of(&MaxPoolPlan::forward, [](MaxPoolTensors&) {}, {1, 16, 17}),
              "ck::MaxPoolPlan::forward: taps are given, but a window has more than 256");
    EXPECT_EQ(of(&MaxPoolPlan::backward, [](MaxPoolTensors& t) { t.dy = nullptr; }),
              "ck::MaxPoolPlan::backward: dy is null");
    EXPECT_EQ(of(&MaxPoolPlan::backward, [](MaxPoolTensors& t) { t.taps = nullptr; }),
              "ck::MaxPoolPlan::backward: taps is null");
    EXPECT_EQ(of(&MaxPoolPlan::backward, [](MaxPoolTensors& t) { t.dx = nullptr; }),
              "ck::MaxPoolPlan::backward: dx is null");
    EXPECT_EQ(of(&MaxPoolPlan::backward, [&](MaxPoolTensors& t) { t.dx = at(24); }),
              "ck::MaxPoolPlan::backward: dx is at 0x18, but must be at a multiple of 16 bytes "
              "(MaxPoolSpec::alignment)");
    EXPECT_EQ(of(&MaxPoolPlan::backward, [&](MaxPoolTensors& t) { t.dy = at(8); }),
              "ck::MaxPoolPlan::backward: dy is at 0x8, but must be at a multiple of 16 bytes "
              "(MaxPoolSpec::alignment)");
}

} // namespace
} // namespace ck
