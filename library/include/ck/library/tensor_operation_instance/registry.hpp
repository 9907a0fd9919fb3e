#pragma once
// The kernels of the library, without any of their templates: families, and for each the list of
// its kernels.
//
// All functions here, and those of a ConvKernel, may be called from several threads at a time. They
// change nothing except, in run(), the memory that the argument names: launches that may overlap
// need separate results and workspaces. An argument may be used again with other addresses: each
// call looks at it anew and keeps nothing. An answer stays true for all addresses at multiples of
// 16, null included, of tensors that share no memory, until the problem, split_k, whether there is
// a workspace, or the calling thread's device changes. For other addresses ask
// again.
#include "ck/convolution/problem.hpp"
#include "ck/library/tensor_operation_instance/family.hpp"
#include "ck/stream_config.hpp"
#include "ck/tensor_operation/gpu/conv/argument/d_argument.hpp"
#include "ck/tensor_operation/gpu/element/channel_epilogue.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ck {
struct LaunchList; ///< see ck/host_utility/launch_list.hpp
}

namespace ck::tensor_operation::device::instance {

/// The argument of a kernel, for any rank and layout. Pointers are to elements and operations of
/// the family's types. Pointers to elements may be null until the kernel runs.
struct ConvArgument
{
    /// Sizes and the strides of A, B and C.
    ConvProblem problem;
    Support valid;              ///< anything else that is wrong: kernels refuse it for this reason
    std::vector<const void*> a; ///< addresses of A's tensors, device memory
    std::vector<const void*> b; ///< addresses of B's tensors, device memory
    /// The result, device memory, written.
    void* c = nullptr;
    /// D tensors that operation_c reads.
    std::vector<DArgument> d;
    /// The element-wise operation on A, host memory.
    const void* operation_a = nullptr;
    /// The element-wise operation on B, host memory.
    const void* operation_b = nullptr;
    /// The element-wise operation on the result, host memory.
    const void* operation_c = nullptr;
    /// What kernels with ConvKernel::takes_epilogue do to sums instead of operation_c, which is
    /// then PassThrough. Other kernels refuse it.
    element_wise::ChannelEpilogue epilogue{};
    /// Backward weight: the number of parts in which the sum is computed concurrently; 0 is
    /// 1. -1: each kernel takes the number that is predicted to be the fastest on the current
    /// device. Other values are refused, and parts that would be empty are left out. dW's bits
    /// depend on it. Other directions ignore it.
    index_t split_k = 1;
    /// Device memory at a multiple of 16, of the kernel's workspace_size(). If null, kernels that
    /// need one refuse, and others compute in one part, more slowly, whatever split_k says.
    void* workspace = nullptr;
};

/// An argument that many kernels are asked about. What they all find out of it, as that it makes
/// sense or what a preparation makes of it, is found out once. The argument outlives it, and stays
/// as it is; so does the current device. For one thread.
class AskedArgument
{
public:
    AskedArgument(const ConvArgument& of) : argument(of) {} ///< of which nothing is known yet
    AskedArgument(const AskedArgument&)            = delete;
    AskedArgument& operator=(const AskedArgument&) = delete;

    const ConvArgument& argument; ///< what is asked about
    /// Clock cycles: of kernels that take no less, nothing need be said. Set by who asks.
    mutable double below = std::numeric_limits<double>::infinity();

    /// What make() makes of the argument, a T, when it is asked for first. owner: whose T it is,
    /// where several are of one type.
    template <class T, class Make>
    const T& once(const void* owner, const Make& make) const
    {
        for(const Found& f : found_)
            if(f.type == &type_key<T> && f.owner == owner)
                return *static_cast<const T*>(f.value.get());
        std::shared_ptr<const T> made(new T(make()));
        const T& r = *made;
        found_.push_back({&type_key<T>, owner, std::move(made)});
        return r;
    }

private:
    struct Found
    {
        const void *type, *owner;
        std::shared_ptr<const void> value;
    };

    /// Each type has its own, whose address tells types apart.
    template <class T>
    static inline char type_key = 0;

    mutable std::vector<Found> found_;
};

struct KernelFacts; ///< the library's own

/// A kernel of a family, compiled once for all ranks and layouts; or one that runs on copies, see
/// layout_converted_kernels_of().
struct ConvKernel
{
    /// Engine and tuning, "Xdl<256, 128 ...": unique in its family, and stable. An instance's type
    /// string is the same with Composable Kernel's name of the operation for that engine.
    std::string name;

    /// Whether it supports the argument on the current device; if not, why.
    std::function<Support(const ConvArgument&)> supports;

    /// Bytes of device memory that it needs as workspace, whether or not the argument has one. 0 if
    /// it does not support the argument even with one.
    std::function<std::size_t(const ConvArgument&)> workspace_size;

    /// For a supported argument: adds its launches to a list, at its addresses. Throws
    /// std::runtime_error if check_argument() refuses, or if a tensor is null.
    std::function<void(const ConvArgument&, LaunchList&)> add;
    /// Makes them. Returns milliseconds if the configuration asks for time, else 0.
    float run(const ConvArgument& argument, const StreamConfig& config) const;

    /// For a supported argument: how long it will take on the current device with a workspace of
    /// workspace_size(), in clock cycles; nothing is run. 0 if there is no model of the kernel, or
    /// check_argument() refuses. Only for comparing kernels.
    std::function<double(const ConvArgument&)> predict;

    /// supports() and predict() in one. Nothing if it does not support the argument, or if it
    /// cannot be faster than AskedArgument::below. Asking many kernels about one AskedArgument
    /// takes a fraction of the time.
    std::function<std::optional<double>(const AskedArgument&)> predict_if_supported;

    /// The kernel that runs on the copies, of kernels of layout_converted_kernels_of(); else null.
    const ConvKernel* on_copies = nullptr;
    /// The tensors that such a kernel copies, "X, Y"; else empty.
    std::function<std::string(const ConvArgument&)> copied_tensors{};

    /// Whether it computes arguments with an epilogue.
    bool takes_epilogue = false;
    /// Whether the epilogue may have a residual.
    bool takes_residual = false;
    /// What is known without asking it; null: nothing.
    const KernelFacts* facts = nullptr;
};

/// The kernels of a family in order of preference, which never changes; none if the library lacks
/// the family. They live as long as the program.
std::span<const ConvKernel> kernels_of(const Family& family);

/// The same kernels, each after a transposition: tensors with non-contiguous channels are copied
/// into the workspace, channels last, and the kernel's result is transposed back. They are named
/// "ChannelsLast<", the kernel's name, ">". Each exists once more as
/// "PaddedChannelsLast<": if the channels of one group do not fill a vector of 16 bytes, the
/// copies (of tensors that are channels last, too) have more channels, which are zeros. They
/// support problems with such tensors, and a workspace. They live as long as the program.
std::span<const ConvKernel> layout_converted_kernels_of(const Family& family);

/// What select_kernel() looks at: the family's kernels; for 1x1 of channels-first tensors those of
/// another direction, named "ChannelsFirst1x1<", the kernel's name, ">"; for dX of few channels
/// forward's, "DepthToSpace<"; of dX that few taps reach each tap, "TapByTap<"; for floats three
/// products of tf32, "Tf32x3<"; for tf32 kernels of f32, "AsFloats<"; for int8 and e4m3
/// those of f16, "Upcast<"; for operations on the result plain kernels, "FusedEpilogue<", or
/// those and a launch after them, "SeparateEpilogue<"; and for an argument that has tensors to
/// copy, those on copies.
std::vector<const ConvKernel*> kernels_for(const Family& family, const ConvArgument& argument);

/// The kernel of kernels_for() that is predicted to be the fastest, chosen without running any:
/// among those that support the argument, the one with the shortest predicted time, or the first if
/// none has a model. Null if none supports it: why_none() says why. Without a workspace, kernels
/// that need one are not chosen: first ask with any address at a multiple of 16, which nothing
/// reads, then ask the chosen kernel for its workspace_size().
const ConvKernel* select_kernel(const Family& family, const ConvArgument& argument);

/// The same among the kernels for which `may` returns true.
const ConvKernel* select_kernel(const Family& family,
                                const ConvArgument& argument,
                                const std::function<bool(const ConvKernel&)>& may);

/// Why select_kernel() returns null: the library lacks the family, the argument is wrong, or each
/// kernel's reason. Empty if it does not return null. If only a workspace is missing, it says how
/// many bytes the kernel needs that is selected with one, and sets *workspace to that number; else
/// it sets *workspace to 0.
std::string
why_none(const Family& family, const ConvArgument& argument, std::size_t* workspace = nullptr);

/// Says that the library lacks a family, and names the most similar ones that it has. Empty if the
/// library has the family.
std::string why_no_kernels(const Family& family);

/// What is wrong with an argument for every kernel: a null operation, or sizes that are not a valid
/// convolution. Kernels refuse it for the same reason.
Support check_argument(const ConvArgument& argument);

/// All families that have kernels.
std::vector<Family> families();

} // namespace ck::tensor_operation::device::instance
