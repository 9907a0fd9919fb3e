#pragma once
// Depthwise convolutions by sliding windows (grid/gridwise_window_conv.hpp): strips of rows and
// columns that do not divide the image, windows outside of it, groups that leave threads idle.
#include "convolution/lattice/merged.hpp"
#include "tables/dl.hpp"

namespace ck::test {

constexpr GemmTuning
window_tuning(ck::Direction direction, const Window& window, arch::Matrix instruction)
{
    return tables::sliding_window(direction, instruction, window, 1);
}

/// A problem of the windows of a tuning.
inline ConvProblem window_problem(const GemmTuning& t,
                                  long_index_t groups,
                                  long_index_t images,
                                  std::array<long_index_t, 2> input,
                                  std::array<long_index_t, 2> low,
                                  std::array<long_index_t, 2> high,
                                  PackedOrder order = PackedOrder::group_inside)
{
    const Window w = t.window;
    if(w.x == 1 && w.y > 1)
        return make_packed_problem<1>(groups,
                                      images,
                                      1,
                                      1,
                                      {w.y},
                                      {input[0] * input[1]},
                                      {w.stride},
                                      {1},
                                      {low[0]},
                                      {high[0]},
                                      order);
    return make_packed_problem<2>(groups,
                                  images,
                                  1,
                                  1,
                                  {w.y, w.x},
                                  {input[0], input[1]},
                                  {w.stride, w.stride},
                                  {1, 1},
                                  {low[0], low[1]},
                                  {high[0], high[1]},
                                  order);
}

/// Instance: of a window_tuning().
template <class Instance>
void check_windows(const GemmTuning& t)
{
    const Instance instance("window");
    const long_index_t v = t.window.vector, y = t.window.y / 2, x = t.window.x / 2;
    const auto of = [&](auto... values) { return window_problem(t, values...); };
    using Pair    = std::array<long_index_t, 2>;
    for(const ConvProblem& p : {
            of(8 * v, 2, Pair{9, 11}, Pair{y, x}, Pair{y, x}),
            of(64, 3, Pair{14, 14}, Pair{y, x}, Pair{y, x}),
            of(5 * v, 1, Pair{7, 30}, Pair{y, x}, Pair{y + 1, x + 1}),
            of(v, 2, Pair{t.window.y, t.window.x}, Pair{0, 0}, Pair{0, 0}), // one window
            of(v, 1, Pair{1, 1}, Pair{t.window.y, t.window.x}, Pair{t.window.y, t.window.x}),
            of(3 * v, 1, Pair{12, 13}, Pair{-1, t.window.x > 1 ? -2 : 0}, Pair{2, 1}), // cropped
            of(136, 2, Pair{15, 9}, Pair{t.window.y - 1, 0}, Pair{0, x}),              // causal
            of(72, 9, Pair{10, 8}, Pair{y, x}, Pair{y, x}),
        })
        expect_right(instance, p);
}

/// Runs the windows' problems by a kernel of InstanceOf, of T, which computes `direction`.
template <template <class, GemmTuning> class InstanceOf,
          ck::Direction direction,
          class T,
          Window window,
          arch::Matrix instruction>
void check_windows_of()
{
    constexpr GemmTuning tuning = window_tuning(direction, window, instruction);
    check_windows<InstanceOf<T, tuning>>(tuning);
}

template <class Instance>
void check_window_refusals(const Instance& instance)
{
    using L = long_index_t;
    const auto problem =
        [](L k, L c, std::array<L, 2> filter, std::array<L, 2> stride, L dilation) {
            return make_packed_problem<2>(8,
                                          1,
                                          k,
                                          c,
                                          {filter[0], filter[1]},
                                          {16, 16},
                                          {stride[0], stride[1]},
                                          {dilation, 1},
                                          {1, 1},
                                          {1, 1});
        };
    expect_refusal(
        instance, problem(2, 1, {3, 3}, {1, 1}, 1), "a group has 1 channels of X and 2 of Y");
    expect_refusal(instance,
                   problem(1, 1, {3, 5}, {1, 1}, 1),
                   "the filter is 3 by 5, but this kernel is for 3 by 3");
    expect_refusal(instance,
                   problem(1, 1, {3, 3}, {1, 2}, 1),
                   "the stride is 1 by 2, but this kernel is for 1 by 1");
    expect_refusal(instance,
                   problem(1, 1, {3, 3}, {1, 1}, 2),
                   "the dilation is 2 by 1, but this kernel is for 1 by 1");
    expect_refusal(
        instance,
        make_packed_problem<3>(
            8, 2, 1, 1, {2, 3, 3}, {4, 7, 6}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}),
        "Z is 2, Di 4 and Do 3, but this kernel slides windows over images");
}

} // namespace ck::test
