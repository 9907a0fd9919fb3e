// What the choice among the rows of MFMA and WMMA loses, in the times that the emulator's timing
// model predicts: f16, channels last. They are predictions, too:
// docs/notes/amd_predicted_times.md. emulated_times has a file for each target and direction, with
// the predicted microseconds of each row for each problem; in backward weight, of each row and
// number of partial sums. The models' numbers were fitted to the times of some of the problems, by
// a hash of their text.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/unit_time.hpp"

#include "ck/tensor_operation/gpu/conv/model/weight_time.hpp"

#include <gtest/gtest.h>

#include "tables/wmma.hpp"
#include "tables/xdl.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace ck::tensor_operation::device::unit_time {
namespace {

using tables::xdl, tables::wmma;

/// A row of a table and its launch, which takes `us`; with the launch that adds up partial sums.
struct Candidate
{
    std::size_t row;
    LaunchShape launch;
    double us;
};
struct Problem
{
    std::string text;
    bool fitted;
    std::vector<Candidate> candidates;
};

/// Lines: "row", number, bytes of LDS; "fitted" or "held_out", bytes of the tensors, those of the
/// result, runs of slices, the problem in quotes, then for each candidate its row, tiles, slices,
/// bytes of L2 (in backward weight, those of partial sums, written and read) and us.
std::vector<Problem> read_times(const std::string& name, bool by_pixels)
{
    const auto bytes = by_pixels ? &LaunchShape::more_bytes : &LaunchShape::cache_bytes;
    std::ifstream file(CK_PREDICTIONS + ("/emulated_times/" + name + ".txt"));
    EXPECT_TRUE(file) << name;
    std::map<std::size_t, double> lds_bytes;
    std::vector<Problem> problems;
    for(std::string line; std::getline(file, line);)
    {
        std::istringstream from(line);
        std::string what, before;
        from >> what;
        if(std::size_t row; what == "row")
        {
            from >> row >> lds_bytes[row];
            continue;
        }
        Problem p{};
        p.fitted = what == "fitted";
        LaunchShape all{};
        all.by_pixels = by_pixels;
        from >> all.bytes >> all.written_bytes >> all.runs;
        std::getline(from, before, '"');
        std::getline(from, p.text, '"');
        for(Candidate c{};
            from >> c.row >> (c.launch = all).tiles >> c.launch.slices >> c.launch.*bytes >> c.us;)
        {
            c.launch.lds_bytes = lds_bytes.at(c.row);
            p.candidates.push_back(c);
        }
        EXPECT_TRUE(from.eof() && p.candidates.size() > 1 && (p.fitted || what == "held_out"))
            << line;
        problems.push_back(p);
    }
    return problems;
}

struct Device
{
    const char* name;
    arch::Target target;
    index_t units;
    double clock_mhz;
};
constexpr Device gfx90a_device{"gfx90a", arch::Target::gfx90a, 104, 1700},
    gfx942_device{"gfx942", arch::Target::gfx942, 304, 2100},
    gfx950_device{"gfx950", arch::Target::gfx950, 256, 2400},
    gfx1100_device{"gfx1100", arch::Target::gfx11, 48, 2500},
    gfx1200_device{"gfx1200", arch::Target::gfx12, 16, 3130};

double predicted_us(const GemmTuning& t, const LaunchShape& launch, const Device& d)
{
    return (launch.by_pixels ? predicted_weight_time(t, launch, d.units, d.target)
            : is_mfma(t)     ? predicted_mfma_time(t, launch, d.units, d.target)
                             : predicted_wmma_time(t, launch, d.units)) /
           d.clock_mhz;
}

/// The chosen candidate's time over the fastest's, minus 1; and the error of predictions.
struct Figures
{
    double problems = 0, candidates = 0;
    double loss = 0, worst = 0; ///< on average, and of the worst problem
    double off      = 0; ///< root of the mean square of the errors of predictions, as logarithms
    double most_off = 0;
};
Figures figures(const std::vector<Problem>& problems,
                std::span<const GemmTuning> rows,
                const Device& d,
                bool fitted)
{
    Figures f;
    for(const Problem& p : problems)
    {
        if(p.fitted != fitted)
            continue;
        const Candidate* chosen = nullptr;
        double fastest = 0, least = 0;
        for(const Candidate& c : p.candidates)
        {
            const double us = predicted_us(rows[c.row], c.launch, d);
            if(chosen == nullptr || us < least)
                chosen = &c, least = us;
            fastest            = fastest == 0 ? c.us : std::min(fastest, c.us);
            const double error = std::log(us / c.us);
            f.off += error * error;
            f.most_off = std::max(f.most_off, std::abs(error));
            ++f.candidates;
        }
        ++f.problems;
        f.loss += chosen->us / fastest - 1;
        f.worst = std::max(f.worst, chosen->us / fastest - 1);
    }
    f.loss /= f.problems;
    f.off = std::sqrt(f.off / f.candidates);
    return f;
}

/// The most that is allowed.
struct Bounds
{
    double loss, worst, off;
};
void check(const std::string& direction,
           std::span<const GemmTuning> rows,
           const Device& d,
           const Bounds& of_fitted,
           const Bounds& of_others)
{
    const std::string name = std::string(d.name) + '_' + direction;
    const auto problems    = read_times(name, direction == "backward_weight");
    for(const bool fitted : {true, false})
    {
        const Figures f     = figures(problems, rows, d, fitted);
        const Bounds& bound = fitted ? of_fitted : of_others;
        std::printf("%s, %.0f problems %s: loss %.1f %% on average, at most %.0f; %.0f predictions "
                    "differ by %.0f %%, at most by %.0f\n",
                    name.c_str(),
                    f.problems,
                    fitted ? "fitted to" : "held out",
                    100 * f.loss,
                    100 * f.worst,
                    f.candidates,
                    100 * f.off,
                    100 * (std::exp(f.most_off) - 1));
        EXPECT_GE(f.problems, 2) << name;
        EXPECT_LT(f.loss, bound.loss) << name;
        EXPECT_LT(f.worst, bound.worst) << name;
        EXPECT_LT(f.off, bound.off) << name;
    }
}

constexpr auto forward = Direction::forward, backward_data = Direction::backward_data,
               backward_weight = Direction::backward_weight;

/// Checks all directions; of_fitted and of_others are bounds of forward and backward data.
template <const auto& forward_rows, const auto& backward_rows, const auto& weight_rows>
void check_all(const Device& d,
               const Bounds& of_fitted,
               const Bounds& of_others,
               const Bounds& weight_of_others)
{
    check("forward", forward_rows, d, of_fitted, of_others);
    check("backward_data", backward_rows, d, of_fitted, of_others);
    check("backward_weight", weight_rows, d, {0.04, 0.13, 0.1}, weight_of_others);
}

TEST(UnitTime, OfGfx942)
{
    using tables::xdl_f16;
    check_all<xdl<forward, xdl_f16>, xdl<backward_data, xdl_f16>, xdl<backward_weight, xdl_f16>>(
        gfx942_device, {0.02, 0.2, 0.12}, {0.02, 0.1, 0.12}, {0.03, 0.15, 0.1});
}

TEST(UnitTime, OfGfx90a)
{
    using tables::xdl_f16;
    check_all<xdl<forward, xdl_f16>, xdl<backward_data, xdl_f16>, xdl<backward_weight, xdl_f16>>(
        gfx90a_device, {0.02, 0.1, 0.12}, {0.02, 0.13, 0.1}, {0.03, 0.21, 0.11});
}

TEST(UnitTime, OfGfx950)
{
    using tables::xdl_f16_gfx950;
    check_all<xdl<forward, xdl_f16_gfx950>,
              xdl<backward_data, xdl_f16_gfx950>,
              xdl<backward_weight, xdl_f16_gfx950>>(
        gfx950_device, {0.04, 0.34, 0.14}, {0.02, 0.24, 0.12}, {0.04, 0.17, 0.11});
}

TEST(UnitTime, OfGfx1100)
{
    using tables::wmma_gfx11_f16;
    check_all<wmma<forward, wmma_gfx11_f16>,
              wmma<backward_data, wmma_gfx11_f16>,
              wmma<backward_weight, wmma_gfx11_f16>>(
        gfx1100_device, {0.02, 0.15, 0.2}, {0.02, 0.1, 0.25}, {0.03, 0.15, 0.1});
}

TEST(UnitTime, OfGfx1200)
{
    using tables::wmma_gfx12_f16;
    check_all<wmma<forward, wmma_gfx12_f16>,
              wmma<backward_data, wmma_gfx12_f16>,
              wmma<backward_weight, wmma_gfx12_f16>>(
        gfx1200_device, {0.03, 0.17, 0.25}, {0.04, 0.27, 0.45}, {0.03, 0.15, 0.15});
}

} // namespace
} // namespace ck::tensor_operation::device::unit_time
