#pragma once
// One rank's share of a 3x3x3 convolution that is cut along D: its memory, and its parts one by
// one, to be timed.
#include "ck/distributed.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "split_data.hpp"
#include <optional>
#include <vector>

namespace ck::profiler {

/// The whole convolution: one image, channels last, stride 1, padded to the same size.
struct SplitProblem
{
    long_index_t channels = 1;             ///< of X
    long_index_t filters  = 1;             ///< channels of Y
    long_index_t depth    = 1;             ///< D, which is cut
    long_index_t width    = 1;             ///< H and W
    DataType type         = DataType::f32; ///< of X, W and Y; dW is f32

    ConvSpec spec(Direction direction) const;
    /// Elements of one row of D of X, and of Y.
    long_index_t x_row() const { return width * width * channels; }
    long_index_t y_row() const { return width * width * filters; }
    /// Multiplications and additions; taps in the padding are counted, too.
    double operations() const { return 2. * 27 * channels * filters * width * width * depth; }
};

/// What X, W and dY hold.
struct SplitTensors
{
    HashedTensor x, w, dy;
};
/// Integers, with sums that f32 holds exactly; or numbers between -1 and 1, as in training.
SplitTensors split_tensors(bool integers);

class SplitShare
{
public:
    SplitShare(distributed::Communicator& communicator,
               const SplitProblem& problem,
               Direction direction);

    /// Writes own rows of what is read; margins and results become NaN.
    void fill(const SplitTensors& tensors);
    /// The whole pass. Margins::filled: without what ranks send each other before they compute.
    void pass(distributed::Margins margins = distributed::Margins::exchange) const;
    /// The pass with Margins::filled. Returns its milliseconds on the device from the first launch
    /// to the last, sums over ranks not counted.
    double compute();
    /// Margins of what is read, and nothing else.
    void exchange_rows() const;
    /// The sum of dW over ranks, and nothing else. To be called for backward weight alone.
    void add_up();

    const SplitProblem& problem() const { return problem_; }
    Direction direction() const { return direction_; }
    distributed::Communicator& communicator() const { return communicator_; }
    const distributed::SplitConvPlan& plan() const { return plan_; }
    /// Rows of the result that this rank owns; of dW, which all ranks have, none.
    distributed::Rows own() const;
    /// An element of the result: of own rows, by its index in the whole tensor; of dW.
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
