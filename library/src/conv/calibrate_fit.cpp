// Fits lines, and judges them by times that they were not fitted to.
#include "conv/calibrate_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ck::conv {

namespace {

struct Point
{
    double predicted, taken; ///< clock cycles
};

struct Points
{
    std::vector<Point> fitted, held_out;
};

/// In the order of their first occurrence.
std::vector<std::string> kinds_of(const std::vector<CalibrationTime>& times)
{
    std::vector<std::string> kinds;
    for(const CalibrationTime& t : times)
        if(std::find(kinds.begin(), kinds.end(), t.kernels) == kinds.end())
            kinds.push_back(t.kernels);
    return kinds;
}

double mean_log_ratio(const std::vector<Point>& points)
{
    double sum = 0;
    for(const Point& p : points)
        sum += std::log(p.taken / p.predicted);
    return sum / static_cast<double>(points.size());
}

/// The mean error of a line, 0.1 is a tenth; infinite for impossible times.
double error(double start, double factor, const std::vector<Point>& points)
{
    double sum = 0;
    for(const Point& p : points)
        sum += std::abs(std::log(std::max(start + factor * p.predicted, 1.) / p.taken));
    return std::expm1(sum / static_cast<double>(points.size()));
}

/// The start and the factor with the least squares of relative errors; a factor of 0 if all
/// predictions are equal.
std::pair<double, double> least_squares(const std::vector<Point>& points)
{
    double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
    for(const Point& p : points)
    {
        const double of_start = 1 / p.taken, of_factor = p.predicted / p.taken;
        aa += of_start * of_start, ab += of_start * of_factor, bb += of_factor * of_factor;
        a += of_start, b += of_factor;
    }
    const double determinant = aa * bb - ab * ab;
    if(!(determinant > 1e-9 * aa * bb))
        return {0, 0};
    return {(a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant};
}

} // namespace

double cycles_in_a_microsecond(const std::vector<CalibrationTime>& times)
{
    double sum       = 0;
    const auto kinds = kinds_of(times);
    for(const std::string& kind : kinds)
    {
        std::vector<Point> points;
        for(const CalibrationTime& t : times)
            if(t.kernels == kind)
                points.push_back({t.microseconds, t.cycles});
        sum += mean_log_ratio(points);
    }
    return kinds.empty() ? 0 : std::exp(sum / static_cast<double>(kinds.size()));
}

std::vector<CalibratedLine> fit_lines(const std::vector<CalibrationTime>& times, double mhz)
{
    std::map<std::string, Points> of_kinds;
    for(const CalibrationTime& t : times)
    {
        Points& points = of_kinds[t.kernels];
        (t.is_held_out ? points.held_out : points.fitted)
            .push_back({t.cycles, t.microseconds * mhz});
    }
    std::vector<CalibratedLine> lines;
    for(const std::string& kind : kinds_of(times))
    {
        // No structured binding: clang 14 captures none.
        const std::vector<Point>& fitted   = of_kinds[kind].fitted;
        const std::vector<Point>& held_out = of_kinds[kind].held_out;
        CalibratedLine line{.kernels = kind, .fitted = fitted.size(), .held_out = held_out.size()};
        line.error_before = line.error_after = held_out.empty() ? 0 : error(0, 1, held_out);
        const auto take_if_better            = [&](double start, double factor) {
            if(const double after = error(start, factor, held_out);
               start >= 0 && factor > 0 && after < line.error_after)
                line.start = start, line.factor = factor, line.error_after = after;
        };
        if(!held_out.empty() && fitted.size() >= 2)
        {
            take_if_better(0, std::exp(mean_log_ratio(fitted)));
            const auto [start, factor] = least_squares(fitted);
            take_if_better(start, factor);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace ck::conv
