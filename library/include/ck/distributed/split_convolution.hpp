#pragma once
// A convolution whose D, H or W is cut into parts, one a rank: activations that do not fit into one
// GPU's memory. Each rank holds its rows of X and Y, with room around them for its neighbours'.
//
//   ck::distributed::SplitConvPlan plan(
//       communicator, spec, {.axis = ck::distributed::Axis::d, .x = even_parts(64, ranks)});
//   plan.run({.x = x, .w = w, .y = y, .workspace = workspace, .stream = stream});
//
// The spec is the whole convolution's, the same on all ranks. docs/distributed.md explains it.
#include "ck/conv.hpp"
#include "ck/distributed/communicator.hpp"
#include "ck/distributed/split.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ck::distributed {

/// The dimension that is cut. A 2D convolution has no D, and a 1D convolution has only W.
enum class Axis
{
    d,
    h,
    w
};

/// Who owns which rows, and how much room is around them.
struct Partition
{
    Axis axis = Axis::d; ///< what is cut
    Parts x{};           ///< rows of X and dX; as many parts as ranks, together all rows
    Parts y{};           ///< rows of Y and dY; default: output_parts()
    /// Rows of X before, and as many after, a rank's own rows, for which its memory has room.
    /// Default: the most that a rank reads of a neighbour's rows. Set it if several convolutions
    /// read the tensor.
    std::optional<long_index_t> x_margin{};
    std::optional<long_index_t> y_margin{}; ///< the same for Y
    /// Bytes of X, and of Y, that one launch may reach in an image. A rank's rows are computed in
    /// as many launches as this needs, each with at least one row. At least 1; the default is the
    /// largest value, the limit of kernels' 32-bit offsets.
    long_index_t launch_bytes = 2'147'483'647;
};

/// A rank's part of X or Y in memory: packed in the spec's layout, margins included. Plans that
/// read the tensor fill its margins; whoever writes the tensor writes only the rank's own rows.
struct LocalTensor
{
    Rows own;                  ///< in rows of the whole tensor
    long_index_t margin = 0;   ///< rows before, and after, the own rows
    Extents lengths;           ///< [D,] [H,] W in memory
    std::size_t bytes     = 0; ///< in memory, which is `blocks` times `pitch`
    std::size_t blocks    = 0; ///< each with all rows; own ones begin at margin * row_bytes
    std::size_t pitch     = 0; ///< bytes of a block
    std::size_t row_bytes = 0; ///< bytes of a row in a block
};

/// What run() does about its margins.
enum class Margins
{
    exchange, ///< gets them from the neighbours
    filled    ///< does nothing: a plan that read the same tensor has filled them
};

/// One rank's share of one convolution. Forward computes its rows of Y, and backward data its rows
/// of dX. Its neighbours send the margins while it computes the rows that need none. Backward
/// weight computes the dW of its rows, and the ranks' dW are added up in the order of the ranks.
/// Every run with the same parts gives the same bits. One run at a time.
class SplitConvPlan
{
public:
    /// All ranks call it with the same spec, partition and options. Throws Refused on all ranks if
    /// they ask for different things, a part is too small for a neighbour's margin, or a rank has
    /// no plan for its rows. The communicator must live as long as the plan.
    ///
    /// The layouts are channels_last and channels_first. Transposed convolutions, dW of types other
    /// than f32, and dW that is added to (beta 1) cannot be split.
    SplitConvPlan(Communicator& communicator,
                  const ConvSpec& whole,
                  const Partition& partition,
                  const PlanOptions& options = {});
    ~SplitConvPlan();
    /// Moves the other's plan here.
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

    /// x and y point to the beginning of this rank's memory, margins included; so does a residual,
    /// with the result's margins. Throws Refused like ConvPlan::run(), and TransportError.
    void run(const ConvTensors& tensors, Margins margins = Margins::exchange) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace ck::distributed
