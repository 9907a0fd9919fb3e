#pragma once
// Kernels that compute another problem: launches before them prepare their operands in the
// workspace, and launches after them write the result.
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/conv/argument/tensor_memory.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include "rewrites/copied_argument.hpp"
#include "tensor_operation_instance/element_bytes.hpp"
#include "tensor_operation_instance/kernel_facts.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <list>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ck::tensor_operation::device::instance {

/// An address in the workspace, at an offset in bytes; null if there is no workspace.
inline void* in_workspace(const ConvArgument& argument, std::size_t at)
{
    return argument.workspace == nullptr ? nullptr : static_cast<char*>(argument.workspace) + at;
}

/// The strides of a tensor, for writing.
inline TensorStrides& strides_of(ConvProblem& p, Role role)
{
    return role == Role::input    ? p.input_strides
           : role == Role::filter ? p.filter_strides
                                  : p.output_strides;
}

/// Contiguous strides with the dimensions in the tensor's order in memory.
inline TensorStrides packed_in_order(const TensorLengths& lengths, const TensorStrides& strides)
{
    std::array<std::size_t, 6> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        const long_index_t a = strides[i], b = strides[j];
        return a != b ? b != 0 && (a == 0 || a > b) : i < j; // dimensions of stride 0 are slowest
    });
    TensorStrides packed = ck::detail::packed_strides(lengths, order);
    for(std::size_t d = 0; d < order.size(); ++d)
        if(lengths[d] == 1)
            packed[d] = strides[d];
    return packed;
}

/// Whether an argument has one A, one B and no D tensors, and its result shares no memory with
/// them; if not, why. The kernel cannot check that. Takes the bytes of an operand's element, and of
/// the result's.
inline Support check_operands(Direction direction,
                              const ConvArgument& argument,
                              index_t operand_bytes,
                              index_t result_bytes)
{
    if(argument.a.size() != 1 || argument.b.size() != 1 || !argument.d.empty())
        return refused("the argument has " + std::to_string(argument.a.size()) + " A, " +
                       std::to_string(argument.b.size()) + " B and " +
                       std::to_string(argument.d.size()) +
                       " D tensors, but the kernel's family has 1, 1 and 0");
    const auto memory = [&](const char* name, Role role, const void* base, index_t bytes) {
        return TensorMemory{name,
                            base,
                            lengths_of(argument.problem, role),
                            strides_of(argument.problem, role),
                            bytes};
    };
    const auto check = [&]<class D>(D) -> Support {
        const TensorMemory c = memory(D::c_name, D::c, argument.c, result_bytes);
        if(const Support s = check_written(c.name, c.lengths, c.strides); !s)
            return s;
        if(const Support s = check_apart(c, memory(D::a_name, D::a, argument.a[0], operand_bytes));
           !s)
            return s;
        return check_apart(c, memory(D::b_name, D::b, argument.b[0], operand_bytes));
    };
    return direction == Direction::forward         ? check(ForwardDirection{})
           : direction == Direction::backward_data ? check(BackwardDataDirection{})
                                                   : check(BackwardWeightDirection{});
}
inline Support check_operands(Direction direction, const ConvArgument& argument, index_t bytes)
{
    return check_operands(direction, argument, bytes, bytes);
}

/// The same for an argument with the D tensors of its family, which may be the result itself; also
/// whether the result and they are at multiples of their elements.
inline Support
check_operands_and_d(const Family& family, ConvArgument argument, index_t result_bytes)
{
    const std::vector<index_t> d_bytes = element_bytes(family.d);
    const std::vector<DArgument> d     = std::move(argument.d);
    argument.d.clear();
    if(d.size() != d_bytes.size())
        return refused("the argument has " + std::to_string(d.size()) +
                       " D tensors, but the family has " + std::to_string(d_bytes.size()));
    if(const Support s = check_operands(family.direction, argument, 1, result_bytes); !s)
        return s;
    const auto aligned = [](const void* address, index_t to) {
        return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(to) == 0;
    };
    const auto check = [&]<class D>(D) -> Support {
        if(!aligned(argument.c, result_bytes))
            return misaligned_element(D::c_name, static_cast<std::size_t>(result_bytes));
        const ConvProblem& p = argument.problem;
        const TensorMemory written{
            D::c_name, argument.c, lengths_of(p, D::c), strides_of(p, D::c), result_bytes};
        for(std::size_t i = 0; i < d.size(); ++i)
        {
            const std::string name      = "D" + std::to_string(i);
            const TensorLengths lengths = lengths_of_d(written.lengths, d[i]);
            if(!aligned(d[i].pointer, d_bytes[i]))
                return misaligned_element(name.c_str(), static_cast<std::size_t>(d_bytes[i]));
            const TensorMemory read{name.c_str(), d[i].pointer, lengths, d[i].strides, d_bytes[i]};
            if(in_place(written, read))
                continue;
            if(const Support s = check_apart(written, read); !s)
                return s;
        }
        return {};
    };
    return family.direction == Direction::forward         ? check(ForwardDirection{})
           : family.direction == Direction::backward_data ? check(BackwardDataDirection{})
                                                          : check(BackwardWeightDirection{});
}

/// A Preparation of KernelWithPrologue without launches, of another argument; lacks of().
struct OtherArgument
{
    static constexpr const char* wants_workspace = "";
    static constexpr bool passes_epilogue        = true;

    Support valid;
    ConvArgument inner{};

    static std::size_t bytes() { return 0; }
    static void require_tensors() {} // the kernel checks them
    static void add_before(LaunchList&) {}
    static void add_after(LaunchList&) {}
    static double predicted() { return 0; }
};

/// A kernel of another family, or for another problem. Both must outlive it. Preparation is made
/// from an argument, with or without a workspace:
///
///   static Preparation of(const Family&, const ConvArgument&);
///   Support valid;                  why there is none; then nothing else is set
///   ConvArgument inner;             for the kernel; its workspace follows bytes()
///   std::size_t bytes() const;      of workspace that the preparation takes; 0: none
///   static constexpr const char* wants_workspace;     why
///   void require_tensors() const;   throws if one of its launches would read from null
///   void add_before(LaunchList&) const, add_after(LaunchList&) const;     the launches
///   double predicted() const;       clock cycles of these launches
///   static constexpr bool passes_epilogue = true;     optional: inner gets the argument's epilogue
template <class Preparation>
struct KernelWithPrologue
{
    const Family& family;
    const ConvKernel& kernel;

    /// The preparation for questions about the kernel: with null operands and any workspace.
    Preparation asked(ConvArgument argument) const
    {
        argument.workspace = nullptr;
        Preparation r      = Preparation::of(family, argument);
        r.inner.workspace  = reinterpret_cast<void*>(std::uintptr_t{16});
        return r;
    }
    Support supports(const ConvArgument& argument) const
    {
        if(const Support s = check_workspace(argument.workspace); !s)
            return s;
        Preparation p = asked(argument);
        if(!p.valid)
            return p.valid;
        if(const Support s = kernel.supports(p.inner); !s || argument.workspace != nullptr)
            return s;
        if(p.bytes() > 0)
            return no_workspace(p.bytes() + kernel.workspace_size(p.inner),
                                Preparation::wants_workspace);
        p.inner.workspace = nullptr; // the kernel may want its own
        return kernel.supports(p.inner);
    }
    std::size_t workspace_size(const ConvArgument& argument) const
    {
        const Preparation p = asked(argument);
        return p.valid && kernel.supports(p.inner) ? p.bytes() + kernel.workspace_size(p.inner) : 0;
    }
    void add(const ConvArgument& argument, LaunchList& list) const
    {
        const Preparation p = Preparation::of(family, argument);
        if(!p.valid)
            throw std::runtime_error("the kernel does not support this: " + p.valid.reason);
        if(argument.workspace == nullptr && p.bytes() > 0)
            throw std::runtime_error(std::string("there is no workspace, but ") +
                                     Preparation::wants_workspace);
        p.require_tensors();
        p.add_before(list);
        kernel.add(p.inner, list);
        p.add_after(list);
    }
    double predict(const ConvArgument& argument) const
    {
        const Preparation p = asked(argument);
        const double time   = p.valid ? kernel.predict(p.inner) : 0;
        return time == 0 ? 0 : time + p.predicted();
    }
    std::optional<double> predict_if_supported(const AskedArgument& argument) const
    {
        const ForAll& all =
            argument.once<ForAll>(&family, [&] { return ForAll(*this, argument.argument); });
        if(!all.may)
            return std::nullopt;
        all.inner.below                  = argument.below - all.predicted;
        const std::optional<double> time = ask(kernel, all.inner);
        return time && *time > 0 ? *time + all.predicted : time;
    }

private:
    /// The preparation of an argument, for all kernels that run after it.
    struct ForAll
    {
        ForAll(const KernelWithPrologue& k, const ConvArgument& argument)
            : p(k.asked(argument)),
              may(check_workspace(argument.workspace) && p.valid &&
                  (argument.workspace != nullptr || p.bytes() == 0)),
              predicted(may ? p.predicted() : 0),
              inner(p.inner)
        {
            if(argument.workspace == nullptr)
                p.inner.workspace = nullptr;
        }

        Preparation p;
        bool may;
        double predicted;
        AskedArgument inner;
    };
};

template <class Preparation>
constexpr bool passes_epilogue()
{
    if constexpr(requires { Preparation::passes_epilogue; })
        return Preparation::passes_epilogue;
    else
        return false;
}

/// The kernel as it is in the registry.
template <class Preparation>
ConvKernel as_kernel(std::string name, const KernelWithPrologue<Preparation>& k)
{
    return {std::move(name),
            [k](const ConvArgument& a) { return k.supports(a); },
            [k](const ConvArgument& a) { return k.workspace_size(a); },
            [k](const ConvArgument& a, LaunchList& l) { k.add(a, l); },
            [k](const ConvArgument& a) { return k.predict(a); },
            [k](const AskedArgument& a) { return k.predict_if_supported(a); },
            nullptr,
            {},
            passes_epilogue<Preparation>() ? k.kernel.epilogue
                                           : element_wise::ChannelEpilogue::Parts{}};
}

/// Throws if one of a preparation's tensors is null.
inline void require_tensors_at(std::initializer_list<const void*> addresses)
{
    for(const void* const address : addresses)
        if(address == nullptr)
            throw std::runtime_error("a tensor of A, B or C is null");
}

/// The kernels of `inner` for which `may` is true, after a preparation, named prefix, the kernel's
/// name, ">". inner: in the registry. They are valid until the program ends.
template <class Preparation>
std::span<const ConvKernel> kernels_with_prologue(const Family& family,
                                                  std::span<const ConvKernel> inner,
                                                  const char* prefix,
                                                  bool (*may)(const ConvKernel&))
{
    struct Made
    {
        Made(const Family& of,
             std::span<const ConvKernel> inner,
             const char* prefix,
             bool (*may)(const ConvKernel&))
            : family(of),
              first(inner.data()),
              which(may)
        {
            for(const ConvKernel& kernel : inner)
                if(may(kernel))
                    kernels.push_back(as_kernel(prefix + kernel.name + '>',
                                                KernelWithPrologue<Preparation>{family, kernel}));
        }
        Made(const Made&)            = delete;
        Made& operator=(const Made&) = delete;

        const Family family;
        const ConvKernel* const first;          ///< first of the inner kernels
        bool (*const which)(const ConvKernel&); ///< the inner kernels that are used
        std::vector<ConvKernel> kernels;
    };
    static std::mutex mutex;
    static std::list<Made> all; // for the families that were requested
    const std::lock_guard lock(mutex);
    for(const Made& made : all)
        if(made.family == family && made.first == inner.data() && made.which == may)
            return made.kernels;
    return all.emplace_back(family, inner, prefix, may).kernels;
}

/// The kernels of Made{family}, which the first call for a family makes. They are valid until the
/// program ends.
template <class Made>
std::span<const ConvKernel> kernels_made_once(const Family& family)
{
    static std::mutex mutex;
    static std::list<Made> all; // for the families that were requested
    const std::lock_guard lock(mutex);
    for(const Made& made : all)
        if(made.family == family)
            return made.kernels;
    return all.emplace_back(family).kernels;
}

/// All kernels of the family `inner` after a preparation and, if tensors of its argument are
/// copied, those on copies with such channels.
template <class Preparation>
std::vector<std::span<const ConvKernel>>
kernels_and_copies_with_prologue(const Family& family,
                                 const Family& inner,
                                 const ConvArgument& argument,
                                 const char* prefix,
                                 CopiedChannels channels = CopiedChannels::own)
{
    const auto after = [&](std::span<const ConvKernel> kernels) {
        return kernels_with_prologue<Preparation>(
            family, kernels, prefix, [](const ConvKernel&) { return true; });
    };
    std::vector r{after(kernels_of(inner))};
    const Preparation p = Preparation::of(family, argument);
    if(p.valid && CopiedArgument::of(inner, p.inner, channels).valid)
        r.push_back(after(kernels_on_copies(inner, channels)));
    return r;
}

} // namespace ck::tensor_operation::device::instance
