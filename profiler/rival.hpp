#pragma once
// Another library that computes the same convolution, to be compared with this one.
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

/// One way of the rival to compute the problem.
struct RivalWay
{
    std::string name; ///< "find: implicit_precomp_gemm", "graph: engine 24, tile_size 3 ..."
    std::size_t workspace = 0; ///< bytes, allocated by the rival, once for all ways
};

/// A rival's implementation of a problem.
class Rival
{
public:
    virtual ~Rival()                 = default;
    virtual std::string name() const = 0; ///< "cuDNN 9.19.0"
    /// The ways to compute the problem, at least one; those of each interface are sorted, best
    /// first.
    virtual std::span<const RivalWay> ways() const = 0;
    /// Starts one launch; the stream may be captured. Ways share a workspace: launches of two ways
    /// must not overlap. Throws std::runtime_error if the way does not run.
    virtual void launch(std::size_t way, hipStream_t stream, const ConvTensors& tensors) = 0;
};

/// Makes a rival for a problem, like make_rival().
using MakeRival = std::unique_ptr<Rival> (*)(const ConvRequest& request,
                                             const ConvProblem& problem,
                                             const ConvTensors& some);

/// Adds a rival while it lives. Not thread-safe.
class AddedRival
{
public:
    AddedRival(const char* name, MakeRival make);
    ~AddedRival();
    AddedRival(const AddedRival&)            = delete;
    AddedRival& operator=(const AddedRival&) = delete;
};

/// Names of the rivals that this program was built with ("cudnn" or none), and of added ones.
std::vector<const char*> rivals();

/// Throws WrongArgument if name is not in rivals(), and std::runtime_error, with the reason, if the
/// rival does not compute the problem. some: tensors whose result it may overwrite.
std::unique_ptr<Rival> make_rival(const std::string& name,
                                  const ConvRequest& request,
                                  const ConvProblem& problem,
                                  const ConvTensors& some);

} // namespace ck::profiler
