// The lines that turn the models' results into an H200's times, and the factors of one-byte
// elements, for kernels of every pipeline. every_line.txt holds them; see every_term.cpp.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/conv/model/prediction_lines.hpp"
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

namespace ck::tensor_operation::device::every_line {
namespace {

using enum arch::Matrix;
using enum Pipeline;

constexpr GemmTuning dot_row = any_row(dot_f32_8x4x1_f32, {128, 64, 16}, 32, 64);

template <class T>
void longer_for(Lines& lines, const std::string& type)
{
    lines.add(type + " direct", direct_longer_for<T>());
    lines.add(type + " bytes", longer_for_bytes(sizeof(T)));
    for(const index_t x : {1, 3, 5})
        for(const index_t stride : {1, 2})
            for(const index_t z : {1, 3})
                for(const index_t vector : {2, 4})
                {
                    const GemmTuning t     = changed(dot_row, [&](GemmTuning& g) {
                        g.a_vector = vector,
                        g.window   = {.y = x, .x = x, .stride = stride, .columns = 4, .z = z};
                    });
                    const std::string name = type + " windows " + std::to_string(x) + ' ' +
                                             std::to_string(stride) + ' ' + std::to_string(z) +
                                             ' ' + std::to_string(vector);
                    lines.add(name + ' ' + Lines::number(windows_longer_for<T>(t)),
                              weight_windows_longer_for<T>(t));
                }
}

/// The lines of measured times of kernels of several shapes.
void measured(Lines& lines)
{
    // Of Y, dX and dW, each of one group and of several: cycles for 0, for 1000, and with partial
    // sums.
    const auto add = [&](const std::string& name, const GemmTuning& t) {
        std::string all;
        for(const auto c : {Computed::y, Computed::dx, Computed::dw})
            for(const bool groups : {false, true})
            {
                const Line line = line_of(t, c, groups);
                char text[64];
                std::snprintf(
                    text, sizeof text, " %g %g %g", line.at(0), line.at(1000), line.at(1000, true));
                all += line.at(0) == 0 && line.at(1000, true) == 1000 ? " -" : text;
            }
        if(all != " - - - - - -")
            lines.add(name + all);
    };
    std::map<int, std::string> kinds;
    for(int p = 0; p < 30; ++p)
        for(const auto& [type, i] : {std::pair{"mma", mma_f32_16x8x16_f16},
                                     std::pair{"mma bytes", mma_i32_16x8x32_s8},
                                     std::pair{"e4m3", mma_f32_16x8x32_e4m3_e4m3},
                                     std::pair{"wgmma", wgmma_f32_16x8x16_f16},
                                     std::pair{"wgmma bytes", wgmma_i32_16x8x32_s8},
                                     std::pair{"mfma", mfma_f32_32x32x8_f16}})
        {
            const auto pipeline = static_cast<Pipeline>(p);
            if(p > static_cast<int>(Pipeline::intra_block_split_k) || pipeline == sliding_window)
                continue;
            const std::string name = std::string(type) + " of pipeline " + std::to_string(p);
            const GemmTuning any   = any_row(i, {128, 64, 64}, 64, 32, pipeline);
            kinds[p] += std::string(" ") + type + (weighs_bytes(any, false) ? " weighs" : "") +
                        (weighs_bytes(any, true) ? " weighs pixels" : "") +
                        (is_modelled(any) ? " modelled" : "");
            for(const index_t c : {1, 4, 8})
                add(name + ", c " + std::to_string(c),
                    changed(any_row(i, {128, 64, 64}, 64, 32, pipeline),
                            [&](GemmTuning& t) { t.c_vector = c; }));
            add(name + ", a 1",
                changed(any_row(i, {128, 128, 64}, 64, 32, pipeline),
                        [](GemmTuning& t) { t.a_vector = 1; }));
            add(name + ", ahead",
                changed(any_row(i, {64, 96, 64}, 64, 32, pipeline),
                        [](GemmTuning& t) { t.maps.transposed_first = true; }));
            if(pipeline == channel_slices)
                for(const index_t n : {72, 96, 144, 192, 200, 240, 248, 288, 576, 784})
                    for(const auto& [k, waves] :
                        std::array<std::pair<index_t, index_t>, 3>{{{64, 4}, {64, 8}, {128, 8}}})
                        add(name + ", n " + std::to_string(n) + " k " + std::to_string(k) +
                                " waves " + std::to_string(waves),
                            any_row(i, {16 * waves, n, k}, 16, n, pipeline));
        }
    for(const auto& [p, kind] : kinds)
        lines.add("pipeline " + std::to_string(p) + ':' + kind);
    for(const index_t x : {1, 3})
        for(const index_t y : {3, 7})
            for(const index_t columns : {1, 4})
                for(const index_t stride : {1, 2})
                    add("windows " + std::to_string(x) + ' ' + std::to_string(y) + ' ' +
                            std::to_string(columns) + ' ' + std::to_string(stride),
                        changed(dot_row, [&](GemmTuning& t) {
                            t.pipeline = sliding_window;
                            t.window   = {.y = y, .x = x, .stride = stride, .columns = columns};
                        }));
}

TEST(EveryLine, IsAsItWas)
{
    Lines lines;
    longer_for<float>(lines, "f32");
    longer_for<std::int8_t>(lines, "i8");
    longer_for<f8_t>(lines, "f8");
    measured(lines);
    lines.compare("every_line.txt");
}

} // namespace
} // namespace ck::tensor_operation::device::every_line
