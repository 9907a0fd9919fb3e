#pragma once
// A residual block of two 3x3x3 convolutions, split along D: y = relu(conv(h, w2) + x) with h =
// relu(conv(x, w1)), and the gradients of x, w1 and w2. Each rank has its rows of everything, and
// margins of one row for each neighbour.
#include "ck/distributed.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <functional>
#include <string>
#include <vector>

namespace split_block {

using ck::index_t;
using ck::long_index_t;
using namespace ck::distributed;

/// One image, channels last.
struct Sizes
{
    int channels = 4;
    int depth    = 24; ///< D, which is split
    int width    = 6;  ///< H and W

    /// The number of floats in these rows of D.
    std::size_t floats(long_index_t rows) const
    {
        return static_cast<std::size_t>(rows) * width * width * channels;
    }
    std::size_t weights() const { return static_cast<std::size_t>(27) * channels * channels; }
};

/// f32 tensors of the whole block: inputs and results.
struct Values
{
    std::vector<float> x, dy, w1, w2;   ///< inputs
    std::vector<float> y, dx, dw1, dw2; ///< results
};

/// Small integers, whose sums are all exact.
Values integers(const Sizes& sizes);

/// One rank's part of the block.
class ResidualBlock
{
public:
    /// parts: rows of D of each rank.
    ResidualBlock(Communicator& communicator, const Sizes& sizes, const Parts& parts);

    /// Copies this rank's part of the inputs.
    void set(const Values& whole);
    void forward();
    /// Requires forward() first.
    void backward();
    /// Copies this rank's part of the results to its place.
    void get(Values& whole) const;

    /// Calls f("conv 1 forward: interior") and so on as each step begins, and f("") between steps.
    void watch(const std::function<void(const std::string& step)>& f);

private:
    SplitConvPlan plan(ck::Direction direction, const ck::Epilogue& epilogue) const;
    void mask(const DeviceMem& gradient, const DeviceMem& of) const;
    void to_rows(const DeviceMem& memory, const std::vector<float>& whole) const;
    void from_rows(const DeviceMem& memory, std::vector<float>& whole) const;

    Communicator& communicator_;
    Sizes sizes_;
    Parts parts_;
    Rows own_;
    SplitConvPlan first_, second_, data_, data_added_, weight_;
    DeviceMem x_, h_, y_, dz_, dh_, dx_; ///< own rows and margins
    DeviceMem w1_, w2_, dw1_, dw2_, workspace_;
    std::function<void(const std::string&)> watcher_;
};

} // namespace split_block
