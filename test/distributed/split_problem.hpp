#pragma once
// A whole convolution of small integers, what one rank makes of it, and each rank's part of it.
#include "ck/distributed.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace ck::split_test {

using namespace distributed;

/// f32 in memory; what is not an integer yet is NaN.
inline std::vector<float> integers(std::size_t bytes, unsigned seed)
{
    std::vector<float> values(bytes / sizeof(float));
    for(float& value : values)
        value = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 24) - 128.f;
    for(float& value : values)
        value = std::fmod(value, 5.f);
    return values;
}

class SplitProblem
{
public:
    /// spec: f32, packed.
    explicit SplitProblem(const ConvSpec& s)
        : spec(s),
          x(integers(s.x_bytes(), 1)),
          w(integers(s.w_bytes(), 2)),
          y(integers(s.y_bytes(), 3)),
          residual(integers(forward() ? s.y_bytes() : s.x_bytes(), 4)),
          bias(integers(sizeof(float) * static_cast<std::size_t>(s.groups * (data() ? s.c : s.k)),
                        5)),
          expected_(compute())
    {}

    bool forward() const { return spec.direction == Direction::forward; }
    bool data() const { return spec.direction == Direction::backward_data; }

    /// Runs one rank's share, and returns how many numbers are wrong. runs: 2: once more, with
    /// margins that are filled.
    std::size_t mistakes(Communicator& communicator, const Partition& partition, int runs = 1) const
    {
        const SplitConvPlan plan(communicator, spec, partition);
        std::vector<float> local_x = part(x, plan.x()), local_y = part(y, plan.y()), local_w = w,
                           sums          = bias;
        const std::vector<float> local_r = part(residual, forward() ? plan.y() : plan.x());
        (forward() ? local_y
         : data()  ? local_x
                   : local_w)             = std::vector<float>(result_size(plan), std::nanf(""));
        if(spec.beta == 1) // adds to what is there
            (forward() ? local_y : local_x) =
                part(forward() ? y : x, forward() ? plan.y() : plan.x());
        const DeviceMem mx = memory(local_x), mw = memory(local_w), my = memory(local_y),
                        mr = memory(local_r), mb = memory(sums), ws(plan.workspace_size());
        std::size_t wrong = 0;
        for(const auto margins : {Margins::exchange, Margins::filled})
        {
            if(runs == 1 && margins == Margins::filled)
                continue;
            plan.run(
                {.x    = mx.GetDeviceBuffer(),
                 .w    = mw.GetDeviceBuffer(),
                 .y    = my.GetDeviceBuffer(),
                 .bias = spec.epilogue.bias || spec.bias_gradient ? mb.GetDeviceBuffer() : nullptr,
                 .residual =
                     spec.epilogue.residual != Residual::none ? mr.GetDeviceBuffer() : nullptr,
                 .workspace = ws.GetDeviceBuffer()},
                margins);
            const DeviceMem& result = forward() ? my : data() ? mx : mw;
            std::vector<float> got(result.GetBufferSize() / sizeof(float));
            result.FromDevice(got.data());
            if(!forward() && !data())
                wrong += different(got, expected_);
            else
                wrong += different(own(got, forward() ? plan.y() : plan.x()),
                                   own_of_whole(expected_, forward() ? plan.y() : plan.x()));
            if(spec.bias_gradient)
            {
                mb.FromDevice(sums.data());
                wrong += different(sums, expected_bias_);
            }
        }
        return wrong;
    }

    ConvSpec spec;
    std::vector<float> x, w, y, residual, bias;

private:
    static DeviceMem memory(const std::vector<float>& values)
    {
        DeviceMem m(values.size() * sizeof(float));
        m.ToDevice(values.data());
        return m;
    }
    std::size_t result_size(const SplitConvPlan& plan) const
    {
        return forward() ? plan.y().bytes / sizeof(float)
               : data()  ? plan.x().bytes / sizeof(float)
                         : w.size();
    }
    static std::size_t different(const std::vector<float>& a, const std::vector<float>& b)
    {
        std::size_t wrong = a.size() == b.size() ? 0 : 1;
        for(std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
            wrong += a[i] == b[i] ? 0 : 1;
        return wrong;
    }

    /// f(block, floats of the own rows in it).
    template <class F>
    static void for_each_block(const LocalTensor& t, const F& f)
    {
        const std::size_t floats =
            static_cast<std::size_t>(t.own.size()) * t.row_bytes / sizeof(float);
        for(std::size_t block = 0; block < t.blocks; ++block)
            f(block, floats);
    }
    static std::size_t begin_of(const LocalTensor& t, std::size_t block)
    {
        return (block * t.pitch + static_cast<std::size_t>(t.margin) * t.row_bytes) / sizeof(float);
    }
    static std::size_t
    begin_of_whole(const std::vector<float>& whole, const LocalTensor& t, std::size_t block)
    {
        return block * (whole.size() / t.blocks) +
               static_cast<std::size_t>(t.own.begin) * t.row_bytes / sizeof(float);
    }
    /// A rank's memory: NaN in margins.
    static std::vector<float> part(const std::vector<float>& whole, const LocalTensor& t)
    {
        std::vector<float> local(t.bytes / sizeof(float), std::nanf(""));
        for_each_block(t, [&](std::size_t block, std::size_t floats) {
            for(std::size_t i = 0; i < floats; ++i)
                local[begin_of(t, block) + i] = whole[begin_of_whole(whole, t, block) + i];
        });
        return local;
    }
    static std::vector<float> own(const std::vector<float>& local, const LocalTensor& t)
    {
        std::vector<float> values;
        for_each_block(t, [&](std::size_t block, std::size_t floats) {
            for(std::size_t i = 0; i < floats; ++i)
                values.push_back(local[begin_of(t, block) + i]);
        });
        return values;
    }
    static std::vector<float> own_of_whole(const std::vector<float>& whole, const LocalTensor& t)
    {
        std::vector<float> values;
        for_each_block(t, [&](std::size_t block, std::size_t floats) {
            for(std::size_t i = 0; i < floats; ++i)
                values.push_back(whole[begin_of_whole(whole, t, block) + i]);
        });
        return values;
    }

    /// What the one call makes of it, unsplit.
    std::vector<float> compute()
    {
        const ConvPlan whole = plan(spec);
        const DeviceMem mx = memory(x), mw = memory(w), my = memory(y), mr = memory(residual),
                        mb = memory(bias), ws(whole.workspace_size());
        whole.run(
            {.x         = mx.GetDeviceBuffer(),
             .w         = mw.GetDeviceBuffer(),
             .y         = my.GetDeviceBuffer(),
             .bias      = spec.epilogue.bias || spec.bias_gradient ? mb.GetDeviceBuffer() : nullptr,
             .residual  = spec.epilogue.residual != Residual::none ? mr.GetDeviceBuffer() : nullptr,
             .workspace = ws.GetDeviceBuffer()});
        const DeviceMem& result = forward() ? my : data() ? mx : mw;
        std::vector<float> values(result.GetBufferSize() / sizeof(float));
        result.FromDevice(values.data());
        expected_bias_.resize(bias.size());
        mb.FromDevice(expected_bias_.data());
        return values;
    }

    std::vector<float> expected_bias_;
    std::vector<float> expected_;
};

/// Whether this build has kernels for the spec; a complete library must.
inline bool has_kernels(const ConvSpec& spec)
{
    try
    {
        plan(spec);
        return true;
    }
    catch(const Refused& refused)
    {
#if defined(CK_LIBRARY_IS_COMPLETE)
        ADD_FAILURE() << refused.what();
#else
        EXPECT_NE(std::string(refused.what()).find("the library has no kernels of the family"),
                  std::string::npos)
            << refused.what();
#endif
        return false;
    }
}

/// The mistakes of all ranks of one process.
inline std::size_t
mistakes(const ConvSpec& spec, int ranks, const Partition& partition, int runs = 1)
{
    const SplitProblem problem(spec);
    std::vector<std::size_t> wrong(static_cast<std::size_t>(ranks));
    run_in_process(ranks, [&](Communicator& c) {
        wrong[static_cast<std::size_t>(c.rank())] = problem.mistakes(c, partition, runs);
    });
    std::size_t sum = 0;
    for(const std::size_t n : wrong)
        sum += n;
    return sum;
}

} // namespace ck::split_test
