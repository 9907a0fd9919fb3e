// What the choice among WMMA's rows and splits loses in backward weight, in the times that the
// emulator's timing model predicts: f16, problems that no constant was fitted to. They are
// predictions, too: docs/notes/amd_predicted_times.md.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/wmma_split.hpp"

#include "ck/tensor_operation/gpu/grid/partials.hpp"

#include <gtest/gtest.h>

#include "tables/wmma.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ck::tensor_operation::device {
namespace {

constexpr std::size_t row_count = 3;                     // those of wide vectors
constexpr std::array<index_t, 4> workgroups{1, 2, 4, 8}; // for each compute unit

/// Images and filters are square, padded to keep the size at stride 1. cycles: of each row, split
/// for so many workgroups on a compute unit, with those of adding up.
struct Timed
{
    double n, k, c, filter, size, stride;
    std::array<std::array<double, workgroups.size()>, row_count> cycles;
};
constexpr Timed on_gfx1100[]{
    {16,
     64,
     64,
     1,
     28,
     1,
     {{{26022, 24101, 28474, 47551}, {24727, 20578, 21331, 25484}, {24445, 20053, 20858, 24960}}}},
    {16,
     384,
     96,
     1,
     28,
     1,
     {{{66928, 52578, 64249, 109087},
       {85424, 54099, 62658, 83416},
       {129575, 71350, 56589, 65925}}}},
    {32,
     1024,
     512,
     1,
     14,
     1,
     {{{296760, 208218, 222728, 273384},
       {323176, 323176, 217424, 227274},
       {269538, 269538, 269538, 230736}}}},
    {4,
     256,
     128,
     1,
     56,
     2,
     {{{25448, 30962, 37156, 70260}, {26146, 23151, 27122, 34385}, {35941, 24998, 26364, 31159}}}},
    {32,
     64,
     64,
     3,
     56,
     1,
     {{{532776, 461470, 447249, 463494},
       {678596, 516075, 437988, 421607},
       {677504, 363428, 270758, 260333}}}},
    {16,
     192,
     192,
     3,
     14,
     1,
     {{{149603, 109289, 120703, 154639},
       {162096, 162096, 113743, 112961},
       {108571, 108571, 101033, 91185}}}},
    {1,
     128,
     128,
     3,
     56,
     1,
     {{{41798, 53263, 71511, 111308},
       {60096, 46246, 54862, 74141},
       {103095, 61391, 48941, 55145}}}},
    {32,
     512,
     512,
     3,
     7,
     1,
     {{{203656, 203656, 203656, 270280},
       {202349, 202349, 202349, 202349},
       {221772, 221772, 221772, 221772}}}},
    {16,
     256,
     128,
     3,
     28,
     2,
     {{{83913, 79625, 102608, 148724},
       {110194, 94084, 83584, 100399},
       {112909, 112909, 79078, 87131}}}},
    {4,
     320,
     320,
     3,
     16,
     1,
     {{{94784, 94784, 100223, 147561},
       {75180, 75180, 75180, 99834},
       {71316, 71316, 71316, 71316}}}},
    {64,
     64,
     32,
     3,
     28,
     1,
     {{{155663, 147899, 154201, 171215},
       {199269, 145285, 135561, 137537},
       {197323, 105567, 88189, 91932}}}},
    {128,
     160,
     80,
     1,
     14,
     1,
     {{{74920, 67848, 78569, 95803},
       {100848, 65543, 68945, 78861},
       {129673, 71809, 57223, 65252}}}},
};
constexpr Timed on_gfx1200[]{
    {4,
     64,
     64,
     1,
     28,
     1,
     {{{23565, 20697, 24430, 56237}, {22321, 19452, 22721, 37183}, {22176, 19244, 22514, 29263}}}},
    {4,
     384,
     96,
     1,
     28,
     1,
     {{{62784, 51261, 70317, 127486},
       {82681, 50677, 53323, 98289},
       {123193, 79714, 46934, 60373}}}},
    {8,
     1024,
     512,
     1,
     14,
     1,
     {{{79781, 79781, 156393, 231241},
       {96768, 96768, 96768, 163908},
       {115358, 115358, 115358, 115358}}}},
    {1,
     256,
     128,
     1,
     56,
     2,
     {{{34805, 30517, 47607, 47607}, {32882, 21178, 29466, 55666}, {36715, 20145, 25288, 33262}}}},
    {8,
     64,
     64,
     3,
     56,
     1,
     {{{332097, 234858, 237361, 266191},
       {242060, 302139, 229938, 227351},
       {186735, 313679, 160984, 162107}}}},
    {4,
     192,
     192,
     3,
     14,
     1,
     {{{51294, 51294, 95919, 140531}, {53436, 53436, 53436, 95508}, {50802, 50802, 50802, 50802}}}},
    {1,
     128,
     128,
     3,
     56,
     1,
     {{{115458, 86366, 117438, 192923},
       {115671, 115671, 97204, 121895},
       {108806, 108806, 108806, 98595}}}},
    {8,
     512,
     512,
     3,
     7,
     1,
     {{{153472, 153472, 153472, 153472},
       {107234, 107234, 107234, 107234},
       {122168, 122168, 122168, 122168}}}},
    {4,
     256,
     128,
     3,
     28,
     2,
     {{{42123, 42123, 95256, 169046}, {40539, 40539, 40539, 96577}, {40221, 40221, 40221, 40221}}}},
    {1,
     320,
     320,
     3,
     16,
     1,
     {{{63674, 63674, 63674, 63674}, {43457, 43457, 43457, 43457}, {40444, 40444, 40444, 40444}}}},
    {16,
     64,
     32,
     3,
     28,
     1,
     {{{112006, 80860, 93252, 136596},
       {154865, 88008, 84228, 95366},
       {154537, 92253, 63272, 70700}}}},
    {32,
     160,
     80,
     1,
     14,
     1,
     {{{63532, 47175, 53789, 95995}, {81120, 54740, 45602, 75104}, {126117, 69211, 42479, 57982}}}},
};

struct Device
{
    index_t units;
    const GemmTuning* rows;
    std::span<const Timed> problems;
};
constexpr Device gfx1100{
    48, tables::wmma<Direction::backward_weight, tables::wmma_gfx11_f16>.data(), on_gfx1100},
    gfx1200{
        16, tables::wmma<Direction::backward_weight, tables::wmma_gfx12_f16>.data(), on_gfx1200};

/// A row of a problem.
struct Launch
{
    const GemmTuning& tuning;
    SplitShape shape;
    double bytes, partial_bytes;

    SplitPlan split() const { return plan_wmma_split(tuning, shape, bytes, partial_bytes); }
    double predict() const
    {
        return predicted_wmma_weight_time(tuning,
                                          split_weight(shape, split(), bytes, partial_bytes),
                                          static_cast<index_t>(shape.places));
    }
    /// The cycles of the split that is chosen.
    double cycles(std::span<const double> of_each) const
    {
        for(std::size_t i = 0; i < workgroups.size(); ++i)
        {
            if(split_for_unit(shape, workgroups[i]) == split())
                return of_each[i];
        }
        ADD_FAILURE() << "a split of " << split().partials << " partials was not timed";
        return 0;
    }
};
Launch launch(const Device& device, const Timed& p, std::size_t row)
{
    const GemmTuning& t = device.rows[row];
    const double out =
                     std::floor((p.size + 2 * std::floor(p.filter / 2) - p.filter) / p.stride) + 1,
                 taps = p.filter * p.filter, sums = p.k * p.c * taps;
    const auto number = [](double value) { return static_cast<long_index_t>(std::ceil(value)); };
    return {t,
            {number(p.k / t.block_tile.m) * number(p.c * taps / t.block_tile.n),
             number(p.n * out * out / t.block_tile.k),
             device.units,
             grid::Partials::pixels / t.block_tile.k,
             true},
            2 * (p.n * p.c * p.size * p.size + p.n * p.k * out * out + sums),
            sizeof(float) * sums};
}

/// Losses of the choice over the fastest of all rows and splits.
struct Loss
{
    double mean, worst;
};
template <class Choose>
Loss loss(const Device& device, const Choose& choose)
{
    double sum = 0, worst = 1;
    for(const Timed& p : device.problems)
    {
        double best = p.cycles[0][0];
        for(const auto& row : p.cycles)
            best = std::min(best, *std::min_element(row.begin(), row.end()));
        const double of_problem = choose(p) / best;
        sum += std::log(of_problem);
        worst = std::max(worst, of_problem);
    }
    return {std::exp(sum / static_cast<double>(device.problems.size())), worst};
}
Loss loss_by_model(const Device& device)
{
    return loss(device, [&](const Timed& p) {
        std::size_t chosen = 0;
        for(std::size_t r = 1; r < row_count; ++r)
            if(launch(device, p, r).predict() < launch(device, p, chosen).predict())
                chosen = r;
        return launch(device, p, chosen).cycles(p.cycles[chosen]);
    });
}
/// The loss of the first row, split for a workgroup on each compute unit.
Loss loss_of_first(const Device& device)
{
    return loss(device, [](const Timed& p) { return p.cycles[0][0]; });
}

TEST(WmmaSplit, IsNearlyTheFastest)
{
    EXPECT_LT(loss_by_model(gfx1100).mean, 1.03);
    EXPECT_LT(loss_by_model(gfx1100).worst, 1.15);
    EXPECT_GT(loss_of_first(gfx1100).mean, 1.3);
    EXPECT_LT(loss_by_model(gfx1200).mean, 1.05);
    EXPECT_LT(loss_by_model(gfx1200).worst, 1.45);
    EXPECT_GT(loss_of_first(gfx1200).mean, 1.35);
}

TEST(WmmaSplit, IsNearTheTimingModel)
{
    for(const Device& device : {gfx1100, gfx1200})
        for(const Timed& p : device.problems)
            for(std::size_t r = 0; r < row_count; ++r)
            {
                const Launch l = launch(device, p, r);
                EXPECT_NEAR(std::log(l.predict() / l.cycles(p.cycles[r])), 0, std::log(1.5))
                    << device.units << " units, row " << r << " n " << p.n << " k " << p.k << " c "
                    << p.c << " size " << p.size;
            }
}

} // namespace
} // namespace ck::tensor_operation::device
