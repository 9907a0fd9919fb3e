#pragma once
// The kernels of the library, without templates: the families, and a list of kernels for
// each.
//
// All functions here, and those of a ConvKernel, may be called from several threads at a time.
// They change nothing except, in run(), the memory that the argument names; launches that may
// overlap need separate results and workspaces. An argument may be reused with other addresses:
// each call reads it again and keeps nothing. An answer holds for all addresses that are null or
// multiples of 16, of tensors that share no memory. It holds until the problem, split_k, the
// presence of a workspace, or the calling thread's device changes. For other addresses, ask
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
    Support valid;              ///< if it is not, kernels refuse the argument for this reason
    std::vector<const void*> a; ///< addresses of A's tensors, device memory
    std::vector<const void*> b; ///< addresses of B's tensors, device memory
    /// Address of the result in device memory, which is written.
    void* c = nullptr;
    /// D tensors that operation_c reads.
    std::vector<DArgument> d;
    /// The element-wise operation on A, host memory.
    const void* operation_a = nullptr;
    /// The element-wise operation on B, host memory.
    const void* operation_b = nullptr;
    /// The element-wise operation on the result, host memory.
    const void* operation_c = nullptr;
    /// What kernels with ConvKernel::epilogue do to sums instead of operation_c, which must
    /// then be PassThrough. Other kernels refuse it.
    element_wise::ChannelEpilogue epilogue{};
    /// Whether PassThrough to int8 saturates, as in plans. If not, an int8 result has the low eight
    /// bits of the sum, as in Composable Kernel. Other operations do what they say.
    bool saturates = false;
    /// Backward weight: the number of parts of the sum that are computed concurrently; 0 means 1.
    /// With -1, each kernel takes the number that is predicted to be the fastest on the current
    /// device. Other values are refused. Empty parts are left out. The bits of dW depend on the
    /// number of parts. Other directions ignore it.
    index_t split_k = 1;
    /// Forward and backward data: whether the sum of each result is computed in one order, whatever
    /// the number of images. If not, some kernels split sums of the last tiles. Backward weight
    /// ignores it.
    bool whole_sums = false;
    /// Device memory of the kernel's workspace_size() bytes, aligned to 16. If null, kernels that
    /// need a workspace refuse, and others ignore split_k and compute in one part, more slowly.
    void* workspace = nullptr;
};

/// An argument that many kernels are asked about. What they all need to know, such as whether it is
/// valid or how a preparation changes it, is computed once. The argument must outlive it and must
/// not change; nor must the current device. For one thread.
class AskedArgument
{
public:
    AskedArgument(const ConvArgument& of) : argument(of) {} ///< nothing is known about it yet
    AskedArgument(const AskedArgument&)            = delete;
    AskedArgument& operator=(const AskedArgument&) = delete;

    const ConvArgument& argument; ///< the argument in question
    /// Clock cycles: a kernel that takes no less need not answer. Set by the caller.
    mutable double below = std::numeric_limits<double>::infinity();

    /// The T that make() makes from the argument, made at the first call. owner: distinguishes
    /// values of the same type.
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

    /// Each type has its own, whose address identifies the type.
    template <class T>
    static inline char type_key = 0;

    mutable std::vector<Found> found_;
};

struct KernelFacts; ///< internal to the library

/// A kernel of a family, compiled once for all ranks and layouts, or one that runs on copies: see
/// layout_converted_kernels_of().
struct ConvKernel
{
    /// Engine and tuning, "Xdl<256, 128 ...": unique in its family, and stable. An instance's type
    /// string is the same, with Composable Kernel's name for the operation with that engine.
    std::string name;

    /// Whether it supports the argument on the current device; if not, why.
    std::function<Support(const ConvArgument&)> supports;

    /// Bytes of workspace that it needs, whether or not the argument has one. 0 if it does not
    /// support the argument even with one.
    std::function<std::size_t(const ConvArgument&)> workspace_size;

    /// For a supported argument: adds its launches to a list, at its addresses. Throws
    /// std::runtime_error if check_argument() refuses, or if a tensor is null.
    std::function<void(const ConvArgument&, LaunchList&)> add;
    /// Launches it. Returns milliseconds if the configuration asks for timing, otherwise 0.
    float run(const ConvArgument& argument, const StreamConfig& config) const;

    /// For a supported argument: the predicted clock cycles on the current device, with a workspace
    /// of workspace_size(); nothing is run. 0 if there is no model of the kernel, or if
    /// check_argument() refuses. Only for comparing kernels.
    std::function<double(const ConvArgument&)> predict;

    /// Combines supports() and predict(). Empty if the kernel does not support the argument, or if
    /// it cannot be faster than AskedArgument::below. Asking many kernels about one AskedArgument
    /// takes a fraction of the time.
    std::function<std::optional<double>(const AskedArgument&)> predict_if_supported;

    /// For kernels of layout_converted_kernels_of(): the kernel that runs on the copies; else null.
    const ConvKernel* on_copies = nullptr;
    /// The tensors that such a kernel copies, such as "X, Y"; else empty.
    std::function<std::string(const ConvArgument&)> copied_tensors{};

    /// What it computes of an argument's epilogue.
    element_wise::ChannelEpilogue::Parts epilogue{};
    /// What is known without asking the kernel; may be null.
    const KernelFacts* facts = nullptr;
};

/// The kernels of a family in order of preference, which never changes; empty if the library does
/// not have the family. They are valid until the program ends.
std::span<const ConvKernel> kernels_of(const Family& family);

/// The same kernels, each combined with transpositions: tensors with non-contiguous channels are
/// copied into the workspace, channels last, and the result is transposed back. Their names are
/// "ChannelsLast<", the kernel's name, ">". There is a second version of each,
/// "PaddedChannelsLast<": if the channels of one group do not fill a vector of 16 bytes, the copies
/// (also of channels-last tensors) are padded with channels of zeros. They support only problems
/// with such tensors, and need a workspace. They are valid until the program ends.
std::span<const ConvKernel> layout_converted_kernels_of(const Family& family);

/// The kernels that select_kernel() considers: the family's kernels; for 1x1 with channels-first
/// tensors, kernels of another direction, "ChannelsFirst1x1<", the kernel's name, ">"; for dX of
/// few channels, forward kernels, "DepthToSpace<"; for dX that few taps reach, one launch for each
/// tap, "TapByTap<"; for floats, three products of tf32, "Tf32x3<"; for tf32, kernels of f32,
/// "AsFloats<"; for int8 and e4m3, of f16, "Upcast<"; for sums of int8, "Quantized<", and of
/// eight-bit floats, "Scaled<"; for epilogues plain kernels, "FusedEpilogue<", or another launch,
/// "SeparateEpilogue<"; if tensors must be copied, kernels on copies; if an image is too large for
/// a launch, all on pieces, "CutImage<".
std::vector<const ConvKernel*> kernels_for(const Family& family, const ConvArgument& argument);

/// The kernel of kernels_for() that is predicted to be the fastest, chosen without running any: of
/// those that support the argument, the one with the shortest predicted time, or the first if none
/// has a model. Null if none supports it; why_none() says why. Without a workspace, kernels that
/// need one are not chosen: first ask with any address that is a multiple of 16, which is never
/// read, then ask the chosen kernel for its workspace_size().
const ConvKernel* select_kernel(const Family& family, const ConvArgument& argument);

/// The same among the kernels for which `may` returns true.
const ConvKernel* select_kernel(const Family& family,
                                const ConvArgument& argument,
                                const std::function<bool(const ConvKernel&)>& may);

/// Why select_kernel() returns null: the library does not have the family, the argument is invalid,
/// or the reason of each kernel. Empty if it does not return null. If only a workspace is missing,
/// the text says how many bytes the best kernel needs, and *workspace is set to that number;
/// otherwise *workspace is set to 0.
std::string
why_none(const Family& family, const ConvArgument& argument, std::size_t* workspace = nullptr);

/// Says that the library does not have a family, and names the most similar ones. Empty if it has
/// the family.
std::string why_no_kernels(const Family& family);

/// Why no kernel can compute an argument: a null operation, or sizes that are not a valid
/// convolution. Kernels refuse it for the same reason.
Support check_argument(const ConvArgument& argument);

/// All families that have kernels.
std::vector<Family> families();

} // namespace ck::tensor_operation::device::instance
