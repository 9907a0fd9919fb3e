#pragma once
// Writes the loss curve as JSON, which script/plot draws.
#include <string>
#include <vector>

namespace train {

struct Point
{
    int step;
    double loss, accuracy; ///< means over the steps since the last point
};

struct Curve
{
    std::string title, device;
    std::vector<Point> points;
    double test_accuracy = 0;

    /// Throws std::runtime_error if the file cannot be written.
    void write(const std::string& path) const;
};

} // namespace train
