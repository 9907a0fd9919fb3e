#pragma once
// One rank's share of a 3x3x3 convolution that is split along D: its memory, and its parts, which
// can be timed one by one.
#include "ck/distributed.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "split_data.hpp"
#include <optional>
#include <vector>

namespace ck::profiler {

/// The whole convolution: one image, channels last, stride 1, padded to the same size.
struct SplitProblem
{
    long_index_t channels = 1;             ///< channels of X
    long_index_t filters  = 1;             ///< channels of Y
    long_index_t depth    = 1;             ///< D, which is split
    long_index_t width    = 1;             ///< H and W
    DataType type         = DataType::f32; ///< type of X, W and Y; dW is f32

    ConvSpec spec(Direction direction) const;
    /// Elements of one row of D in X, and in Y.
    long_index_t x_row() const { return width * width * channels; }
    long_index_t y_row() const { return width * width * filters; }
    /// Multiplications and additions, including those of taps in the padding.
    double operations() const { return 2. * 27 * channels * filters * width * width * depth; }
};

class SplitShare
{
public:
    SplitShare(distributed::Communicator& communicator,
               const SplitProblem& problem,
               Direction direction);

    /// Writes own rows of the inputs; sets margins and results to NaN.
    void fill(const SplitTensors& tensors);
    /// Runs the whole pass. Margins::filled: without the exchange before the computation.
    void pass(distributed::Margins margins = distributed::Margins::exchange) const;
    /// Runs the pass with Margins::filled. Returns its milliseconds on the device from the first
    /// launch to the last, without sums over ranks.
    double compute();
    /// Exchanges the margins of the inputs, and does nothing else.
    void exchange_rows() const;
    /// Sums dW over ranks, and does nothing else. Only for backward weight.
    void add_up();

    const SplitProblem& problem() const { return problem_; }
    Direction direction() const { return direction_; }
    distributed::Communicator& communicator() const { return communicator_; }
    const distributed::SplitConvPlan& plan() const { return plan_; }
    /// Rows of the result that this rank owns; none for dW, which all ranks have.
    distributed::Rows own() const;
    /// An element of the result: in own rows, by its index in the whole tensor; or of dW.
    double result(long_index_t index) const;
    DataType result_type() const;
    /// Bytes of X and Y on this rank.
    std::size_t bytes() const { return plan_.x().bytes + plan_.y().bytes; }

private:
    bool data() const { return direction_ == Direction::backward_data; }
    bool weight() const { return direction_ == Direction::backward_weight; }
    ConvTensors tensors() const;

    distributed::Communicator& communicator_;
    SplitProblem problem_;
    Direction direction_;
    distributed::SplitConvPlan plan_;
    std::optional<distributed::AllReduce> sum_;
    DeviceMem x_, w_, y_, workspace_;
};

} // namespace ck::profiler
