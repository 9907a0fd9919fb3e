#pragma once
// The kernels of the library, without any of their templates: families, and for each the list of
// its kernels.
//
// All functions here, and those of a ConvKernel, may be called from several threads at a time: they
// change nothing but, in run(), the memory that the argument names: launches that may run at a time
// need results and workspaces of their own. An argument may be used again with other addresses:
// each call looks at it anew, and nothing is kept from one to the next. What was said of it stays
// true for addresses at multiples of 16, null among them, of tensors that share no memory, until
// the problem, split_k, whether there is a workspace, or the calling thread's device changes. For
// other addresses ask again.
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

namespace ck::tensor_operation::device::instance {

/// The argument of a kernel, whatever the rank and the layouts. Pointers are to elements and
/// operations of the family's types; those to elements may be null until it runs.
struct ConvArgument
{
    /// Sizes and the strides of A, B and C.
    ConvProblem problem;
    Support valid;              ///< what else is known to be wrong: kernels refuse it with this
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
    /// What kernels that ConvKernel::takes_epilogue says true of do to sums instead of operation_c,
    /// which is PassThrough then; others refuse it.
    element_wise::ChannelEpilogue epilogue{};
    /// Of backward weight: parts that the sum is computed in, side by side, at least 1; -1: as many
    /// as promise to end first on the current device, each kernel for itself. Others are refused,
    /// but parts that would be empty are left out. dW's bits depend on it. Other directions do not
    /// look at it.
    index_t split_k = 1;
    /// Device memory at a multiple of 16, of the kernel's workspace_size(). Null: kernels that
    /// cannot do without refuse, others compute in one part, slower, whatever split_k says.
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
/// kernels_on_copies_of().
struct ConvKernel
{
    /// Engine and tuning, "Xdl<256, 128 ...": unique in its family, and stable. The type string of
    /// an instance is the same with Composable Kernel's name of the operation on that engine.
    std::string name;

    /// Whether it computes the argument on the current device; if not, why.
    std::function<Support(const ConvArgument&)> supports;

    /// Bytes of device memory that it wants as workspace, whether the argument has one or not; 0 if
    /// it does not support the argument with one.
    std::function<std::size_t(const ConvArgument&)> workspace_size;

    /// For an argument that is supported. Milliseconds if the configuration asks for time, else 0.
    /// Throws std::runtime_error for what check_argument() refuses and for tensors at null.
    std::function<float(const ConvArgument&, const StreamConfig&)> run;

    /// For an argument that is supported: how long it will take on the current device, in clock
    /// cycles, without running anything, with the workspace_size() that it wants; 0 if there is no
    /// model of it, or check_argument() refuses. Only good for comparing.
    std::function<double(const ConvArgument&)> predict;

    /// supports() and predict() in one; nothing if it does not support the argument, or where
    /// AskedArgument::below says that nothing need be said. Asked about one AskedArgument, many
    /// kernels take a fraction of the time.
    std::function<std::optional<double>(const AskedArgument&)> predict_if_supported;

    /// The kernel that runs on the copies, of kernels of kernels_on_copies_of(); else null.
    const ConvKernel* on_copies = nullptr;
    /// The tensors that such a kernel copies, "X, Y"; else empty.
    std::function<std::string(const ConvArgument&)> copied_tensors{};

    /// Whether it computes arguments with an epilogue.
    bool takes_epilogue = false;
    /// What is known without asking it; null: nothing.
    const KernelFacts* facts = nullptr;
};

/// The kernels of a family in order of preference, always the same; none for a family that the
/// library does not have. They live as long as the program.
std::span<const ConvKernel> kernels_of(const Family& family);

/// The same kernels, each behind a transposition: tensors whose channels are no neighbours in
/// memory are copied into the workspace, channels last, and what the kernel computes there is
/// transposed back. Named "ChannelsLastCopies<", the kernel's name, ">". And each once more,
/// "FilledChannelsLastCopies<": of one group whose channels fill no vector of 16 bytes the copies,
/// also of what is channels last already, have more, which are zeros. They support what has such
/// tensors, and a workspace. They live as long as the program.
std::span<const ConvKernel> kernels_on_copies_of(const Family& family);

/// What select_kernel() looks at: the family's kernels; for 1x1 of channels-first tensors those of
/// another direction, named "ChannelsFirst1x1<", the kernel's name, ">"; for dX of few channels
/// forward's, "DepthToSpace<"; of dX that few taps reach each tap, "TapByTap<"; for floats three
/// products of tf32, "ThreeProducts<"; for tf32 kernels of f32, "AsFloats<"; for int8 and e4m3
/// those of f16, "AsHalves<"; for operations on the result plain kernels, "FusedEpilogue<", or
/// those and a launch after them, "SeparateEpilogue<"; and for an argument that has tensors to
/// copy, those on copies.
std::vector<const ConvKernel*> kernels_for(const Family& family, const ConvArgument& argument);

/// The kernel of kernels_for() that promises to be the fastest for an argument, chosen without
/// running any: of those that support it the one with the shortest predicted time or, where none is
/// modelled, the first. Null if none supports it: why_none() says why. Without a workspace kernels
/// that need one are not chosen: ask with any address at a multiple of 16, which nothing reads,
/// then for the chosen kernel's workspace_size().
const ConvKernel* select_kernel(const Family& family, const ConvArgument& argument);

/// The same of the kernels that `may` says true of.
const ConvKernel* select_kernel(const Family& family,
                                const ConvArgument& argument,
                                const std::function<bool(const ConvKernel&)>& may);

/// Why select_kernel() is null: that the library lacks the family, what is wrong with the argument,
/// or each kernel's reason. Empty where it is not null. Where a workspace is all that is missing it
/// says of how many bytes, for the kernel that is selected with one, and sets *workspace to that;
/// else to 0.
std::string
why_none(const Family& family, const ConvArgument& argument, std::size_t* workspace = nullptr);

/// That the library lacks a family, and the ones that it has which differ from it the least. Empty
/// where kernels_of() is not.
std::string why_no_kernels(const Family& family);

/// What is wrong with an argument whatever the kernel: a null operation, sizes that make no
/// convolution. Kernels refuse it with the same reason.
Support check_argument(const ConvArgument& argument);

/// All families that have kernels.
std::vector<Family> families();

} // namespace ck::tensor_operation::device::instance
