#pragma once
// Another library that computes the same convolution, to be timed beside this one.
#include "ck/host_utility/runtime.hpp"

#include "request.hpp"
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ck::profiler {

/// Device memory of one set of X, W and Y.
struct ConvTensors
{
    void *x, *w, *y;
};

/// One way in which the rival computes the problem.
struct RivalWay
{
    std::string name; ///< "find: implicit_precomp_gemm", "graph: engine 24, tile_size 3 ..."
    std::size_t workspace = 0; ///< bytes, allocated by the rival, once for all ways
};

/// A problem as the rival computes it.
class Rival
{
public:
    virtual ~Rival()                 = default;
    virtual std::string name() const = 0; ///< "cuDNN 9.19.0"
    /// The ways in which it computes the problem, at least one; of each of its interfaces the most
    /// promising first.
    virtual std::span<const RivalWay> ways() const = 0;
    /// Starts one launch, also on a stream that is captured. Ways share their workspace: launches
    /// of two that run at a time are a race. Throws std::runtime_error where the way does not run.
    virtual void launch(std::size_t way, hipStream_t stream, const ConvTensors& tensors) = 0;
};

/// Makes a rival of a problem; as make_rival().
using MakeRival = std::unique_ptr<Rival> (*)(const ConvRequest& request,
                                             const ConvProblem& problem,
                                             const ConvTensors& some);

/// One more rival, while it lives. Not for several threads.
class AddedRival
{
public:
    AddedRival(const char* name, MakeRival make);
    ~AddedRival();
    AddedRival(const AddedRival&)            = delete;
    AddedRival& operator=(const AddedRival&) = delete;
};

/// Names of the rivals that this program was built with, "cudnn", or none, and of those added.
std::vector<const char*> rivals();

/// Throws WrongArgument for a name that is none of rivals(), std::runtime_error, with the reason,
/// where the rival does not compute the problem. some: tensors that it may overwrite the result of.
std::unique_ptr<Rival> make_rival(const std::string& name,
                                  const ConvRequest& request,
                                  const ConvProblem& problem,
                                  const ConvTensors& some);

} // namespace ck::profiler
