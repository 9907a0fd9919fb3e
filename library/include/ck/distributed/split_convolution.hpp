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

/// The dimension that is cut. A 2D convolution has no D, a 1D one W alone.
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
    /// Rows before, and as many behind, each rank's own of X that its memory has room for. Default:
    /// the most that a rank reads of a neighbour's. Give it where a tensor is read by several
    /// convolutions.
    std::optional<long_index_t> x_margin{};
    std::optional<long_index_t> y_margin{}; ///< of Y, likewise
    /// Bytes of X, and of Y, that one launch may reach in an image: a rank's rows are computed in
    /// as many launches as that takes, at least a row each. From 1; kernels have 32-bit offsets,
    /// whose limit is the default and the most.
    long_index_t launch_bytes = 2'147'483'647;
};

/// A rank's part of X or Y in memory: packed in the spec's layout, margins included. Margins are
/// filled by plans that read the tensor; its owner writes the own rows alone.
struct LocalTensor
{
    Rows own;                  ///< in rows of the whole tensor
    long_index_t margin = 0;   ///< rows before and behind own
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
    filled    ///< nothing: a plan that read the same tensor has filled them
};

/// One rank's share of one convolution. Forward computes its rows of Y, backward data its rows of
/// dX, all of them from margins that its neighbours send while it computes what needs none;
/// backward weight dW of its rows, which is then added up over the ranks in their order. The same
/// bits come out of every run with the same parts. One run at a time.
class SplitConvPlan
{
public:
    /// To be called on all ranks with the same spec, partition and options. Throws Refused, on all
    /// of them, where ranks ask for different things, a part is too small for a neighbour's margin,
    /// or a rank has no plan for its rows. The communicator has to live as long.
    ///
    /// Layouts are channels_last and channels_first. Not split are transposed convolutions, dW of
    /// other types than f32, and dW that is added to (beta 1).
    SplitConvPlan(Communicator& communicator,
                  const ConvSpec& whole,
                  const Partition& partition,
                  const PlanOptions& options = {});
    ~SplitConvPlan();
    /// Takes the other's plan.
    SplitConvPlan(SplitConvPlan&&) noexcept;

    /// X or dX of this rank.
    const LocalTensor& x() const;
    /// Y or dY of this rank.
    const LocalTensor& y() const;
    /// Bytes that run() wants as workspace; 0: none.
    std::size_t workspace_size() const;
    /// A line for each launch: its rows and its kernel.
    std::string explain() const;

    /// Calls f(step) on the host as run() comes to each: "send", "interior", "wait", "borders",
    /// "own rows", "sum over ranks", and "" at the end. For timelines.
    void watch(std::function<void(const std::string& step)> f);

    /// x and y point to the begin of this rank's memory, margins included; a residual likewise,
    /// with the result's margins. Throws Refused as ConvPlan::run(), and TransportError.
    void run(const ConvTensors& tensors, Margins margins = Margins::exchange) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace ck::distributed
