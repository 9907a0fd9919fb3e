#pragma once
// What the tests of kernels that add up partial sums share: a problem, partial sums of small
// integers, and the dW that becomes of them.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ck::grid {

/// A packed problem with three taps.
inline ConvProblem problem(index_t groups, index_t k, index_t c)
{
    ConvProblem p;
    p.rank         = 1;
    p.groups       = groups;
    p.out_channels = k;
    p.in_channels  = c;
    p.filter[2]    = 3;
    p.input[2]     = 10;
    set_packed_strides(p);
    return p;
}

class Sums
{
public:
    static constexpr float nan = std::numeric_limits<float>::quiet_NaN();

    /// `count` elements of partial sums, and a dW of NaNs.
    Sums(const ConvProblem& p, long_index_t count)
        : problem_(p),
          part_(static_cast<std::size_t>(count)),
          c_(static_cast<std::size_t>(element_count(p.filter_lengths())), nan),
          parts_on_device_(sizeof(float) * part_.size()),
          c_on_device_(sizeof(float) * c_.size())
    {
        for(std::size_t i = 0; i < part_.size(); ++i)
            part_[i] = static_cast<float>(i * 2654435761u >> 9 & 15);
        parts_on_device_.ToDevice(part_.data());
        c_on_device_.ToDevice(c_.data());
    }

    float* partial_sums() const { return static_cast<float*>(parts_on_device_.GetDeviceBuffer()); }
    float* c() const { return static_cast<float*>(c_on_device_.GetDeviceBuffer()); }
    float partial(long_index_t i) const { return part_[static_cast<std::size_t>(i)]; }

    /// dW on the device is expected(group, row, tap, channel), or NaN where that is.
    template <class Expected>
    void expect(const Expected& expected)
    {
        c_on_device_.FromDevice(c_.data());
        const auto rows     = static_cast<index_t>(problem_.out_channels),
                   channels = static_cast<index_t>(problem_.in_channels),
                   taps     = static_cast<index_t>(problem_.filter[2]),
                   groups   = static_cast<index_t>(problem_.groups);
        int wrong           = 0;
        for(index_t g = 0; g < groups; ++g)
            for(index_t k = 0; k < rows; ++k)
                for(index_t x = 0; x < taps; ++x)
                    for(index_t channel = 0; channel < channels; ++channel)
                    {
                        const float want = expected(g, k, x, channel);
                        const float got  = c_[static_cast<std::size_t>(
                            ((g * rows + k) * taps + x) * channels + channel)];
                        wrong += !(got == want) && !(got != got && want != want);
                    }
        EXPECT_EQ(wrong, 0);
    }

private:
    ConvProblem problem_;
    std::vector<float> part_, c_;
    DeviceMem parts_on_device_, c_on_device_;
};

} // namespace ck::grid
