#pragma once
// Splits D, H or W of a convolution into one part for each rank, for activations that do not fit in
// the memory of one GPU. Each rank stores its rows, with margins for its neighbours' rows.
//
//   ck::distributed::SplitConvPlan plan(
//       communicator, spec, {.axis = ck::distributed::Axis::d, .x = even_parts(64, ranks)});
//   plan.run({.x = x, .w = w, .y = y, .workspace = workspace, .stream = stream});
//
// All ranks pass the spec of the whole convolution. docs/distributed.md explains the interface.
#include "ck/conv.hpp"
#include "ck/distributed/communicator.hpp"
#include "ck/distributed/split.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ck::distributed {

/// The dimension that is split. A 2D convolution has no D, and a 1D convolution has only W.
enum class Axis
{
    d,
    h,
    w
};

/// Which rank owns which rows, and how wide the margins are.
struct Partition
{
    Axis axis = Axis::d; ///< the dimension that is split
    Parts x{};           ///< rows of X and dX: one part for each rank, which together are all rows
    Parts y{};           ///< rows of Y and dY; default: output_parts()
    /// Rows of margin on each side of a rank's own rows of X. Default: the most rows that any rank
    /// reads from a neighbour. Set it if several convolutions read the tensor.
    std::optional<long_index_t> x_margin{};
    std::optional<long_index_t> y_margin{}; ///< likewise for Y
    /// Bytes of X, and of Y, that one launch may address in an image. A rank's rows are computed in
    /// as many launches as this needs, each with at least one row. At least 1; the default is the
    /// largest value, the limit of the 32-bit offsets in kernels.
    long_index_t launch_bytes = 2'147'483'647;
};

/// A rank's part of X or Y in memory: contiguous in the spec's layout, margins included. Plans that
/// read the tensor fill its margins; code that writes the tensor writes only the rank's own rows.
struct LocalTensor
{
    Rows own;                  ///< the own rows, counted in the whole tensor
    long_index_t margin = 0;   ///< rows of margin on each side of the own rows
    Extents lengths;           ///< [D,] [H,] W in memory
    std::size_t bytes     = 0; ///< size in memory: `blocks` times `pitch`
    std::size_t blocks    = 0; ///< each has all rows; own rows begin at margin * row_bytes
    std::size_t pitch     = 0; ///< bytes of a block
    std::size_t row_bytes = 0; ///< bytes of a row in a block
};

/// What run() does with its margins.
enum class Margins
{
    exchange, ///< receives them from the neighbours
    filled    ///< nothing: a plan that read the same tensor has filled them
};

/// One rank's part of a convolution. Forward computes the rank's rows of Y, and backward data its
/// rows of dX. Neighbours send the margins while it computes the rows that need none. Backward
/// weight computes the dW of its rows, and then adds up the dW of all ranks in the order of the
/// ranks. Every run with the same parts gives the same bits. Runs must not overlap.
class SplitConvPlan
{
public:
    /// All ranks call it with the same spec, partition and options. Throws Refused on all ranks if
    /// these differ, a part is smaller than a neighbour's margin, or a rank has no plan for its
    /// rows. The communicator must outlive the plan.
    ///
    /// Supported layouts are channels_last and channels_first. Transposed convolutions, dW of types
    /// other than f32, and dW with beta 1 cannot be split.
    SplitConvPlan(Communicator& communicator,
                  const ConvSpec& whole,
                  const Partition& partition,
                  const PlanOptions& options = {});
    ~SplitConvPlan();
    /// Takes over the other's plan.
    SplitConvPlan(SplitConvPlan&&) noexcept;

    /// X or dX of this rank.
    const LocalTensor& x() const;
    /// Y or dY of this rank.
    const LocalTensor& y() const;
    /// The bytes of workspace that run() needs; may be 0.
    std::size_t workspace_size() const;
    /// A line for each launch: its rows and its kernel.
    std::string explain() const;

    /// Makes run() call f(step) on the host at each step: "send", "interior", "wait", "borders",
    /// "own rows", "sum over ranks", and "" at the end. For timelines.
    void watch(std::function<void(const std::string& step)> f);

    /// x and y point to the start of this rank's memory, margins included; so does a residual,
    /// whose margins are the result's. Throws Refused as ConvPlan::run() does, and TransportError.
    void run(const ConvTensors& tensors, Margins margins = Margins::exchange) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace ck::distributed
