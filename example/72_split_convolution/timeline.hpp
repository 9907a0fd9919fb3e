#pragma once
// When each step of a rank began and ended, as JSON for script/plot timeline.
#include "ck/host_utility/hip_check_error.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace split_block {

/// One rank's steps, timed on the default stream; on CPUs when they run.
class Timeline
{
public:
    Timeline() { begin(""); }
    ~Timeline()
    {
        for(const Point& point : points_)
            static_cast<void>(hipEventDestroy(point.event));
    }
    Timeline(const Timeline&)            = delete;
    Timeline& operator=(const Timeline&) = delete;

    /// Ends the previous step and begins `name`; "" only ends it.
    void begin(const std::string& step)
    {
        points_.push_back({step, {}});
        HIP_CHECK_ERROR(hipEventCreate(&points_.back().event));
        HIP_CHECK_ERROR(hipEventRecord(points_.back().event, nullptr));
    }

    /// {"rank": 0, "steps": [{"name": "conv 1 forward: interior", "begin": 0.1, "end": 0.4}, ...]},
    /// in milliseconds.
    std::string json(int rank) const
    {
        std::string text  = "{\"rank\": " + std::to_string(rank) + ", \"steps\": [";
        const char* comma = "";
        for(std::size_t i = 0; i + 1 < points_.size(); ++i)
        {
            if(points_[i].step.empty())
                continue;
            char numbers[80];
            std::snprintf(numbers,
                          sizeof numbers,
                          "\"begin\": %.6f, \"end\": %.6f}",
                          milliseconds(i),
                          milliseconds(i + 1));
            text += comma + std::string("\n{\"name\": \"") + points_[i].step + "\", " + numbers;
            comma = ",";
        }
        return text + "]}";
    }

private:
    struct Point
    {
        std::string step;
        hipEvent_t event;
    };
    /// Time since the first point.
    double milliseconds(std::size_t i) const
    {
        float time = 0;
        HIP_CHECK_ERROR(hipEventSynchronize(points_[i].event));
        HIP_CHECK_ERROR(hipEventElapsedTime(&time, points_[0].event, points_[i].event));
        return static_cast<double>(time);
    }

    std::vector<Point> points_;
};

} // namespace split_block
