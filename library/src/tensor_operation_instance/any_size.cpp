// A kernel that runs the kernel predicted to be the fastest, chosen for each argument.
#include "ck/library/tensor_operation_instance/any_size.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

/// The kernels chosen for the last arguments of a family: an operation is asked about an argument
/// several times before it runs, and again in the next training step. Only for families whose
/// operations are all PassThrough: values of others may affect which kernels support them.
class Chosen
{
public:
    explicit Chosen(const Family& of)
        : family_(of),
          keeps_(of.d.empty() && of.operation_a == "PassThrough" &&
                 of.operation_b == "PassThrough" && of.operation_c == "PassThrough")
    {}

    /// Returns the same as select_kernel().
    const ConvKernel* kernel(const ConvArgument& a)
    {
        if(!keeps_ || !check_argument(a) || a.epilogue.exists)
            return select_kernel(family_, a);
        const Asked asked{a.problem,
                          a.split_k,
                          a.workspace != nullptr,
                          a.saturates,
                          a.whole_sums,
                          alignment(a),
                          device()};
        // The kernel refuses if tensors share memory, or if some are missing.
        if(const ConvKernel* const known = find(asked); known != nullptr && known->supports(a))
            return known;
        const ConvKernel* const selected = select_kernel(family_, a);
        if(selected != nullptr)
            keep({asked, selected});
        return selected;
    }

private:
    /// The inputs of the choice.
    struct Asked
    {
        ConvProblem problem;
        index_t split_k;
        bool has_workspace;
        bool saturates;
        bool whole_sums;
        std::uintptr_t alignment;
        int device;

        bool operator==(const Asked&) const = default;
    };
    struct Choice
    {
        Asked asked;
        const ConvKernel* kernel;
    };

    /// The largest power of two, at most 16, that divides the addresses of all tensors.
    static std::uintptr_t alignment(const ConvArgument& a)
    {
        constexpr std::uintptr_t most = 16;
        std::uintptr_t bits           = reinterpret_cast<std::uintptr_t>(a.c) | most;
        for(const auto* const tensors : {&a.a, &a.b})
            for(const void* const at : *tensors)
                bits |= reinterpret_cast<std::uintptr_t>(at);
        return bits & (~bits + 1);
    }
    static int device()
    {
        int device = 0;
        HIP_CHECK_ERROR(hipGetDevice(&device));
        return device;
    }

    const ConvKernel* find(const Asked& asked) const
    {
        const std::lock_guard lock(mutex_);
        for(const Choice& c : kept_)
            if(c.asked == asked)
                return c.kernel;
        return nullptr;
    }
    void keep(const Choice& choice)
    {
        constexpr std::size_t most = 64;
        const std::lock_guard lock(mutex_);
        if(kept_.size() == most)
            kept_.pop_front();
        kept_.push_back(choice);
    }

    const Family family_;
    const bool keeps_;
    mutable std::mutex mutex_;
    std::deque<Choice> kept_; ///< the latest is the last
};

ConvArgument with_some_workspace(ConvArgument argument)
{
    if(argument.workspace == nullptr)
        argument.workspace = reinterpret_cast<void*>(std::uintptr_t{16}); // never accessed
    return argument;
}

ConvKernel make_kernel(const Family& family)
{
    const auto chosen = std::make_shared<Chosen>(family);
    ConvKernel k;
    k.name     = "Large_Tensor<fastest of " + std::to_string(kernels_of(family).size()) + ">";
    k.supports = [family, chosen](const ConvArgument& a) {
        return chosen->kernel(a) != nullptr ? Support{}
                                            : refused([&] { return why_none(family, a); });
    };
    k.workspace_size = [chosen](const ConvArgument& a) {
        const ConvArgument with        = with_some_workspace(a);
        const ConvKernel* const kernel = chosen->kernel(with);
        return kernel == nullptr ? std::size_t{0} : kernel->workspace_size(with);
    };
    k.add = [family, chosen](const ConvArgument& a, LaunchList& list) {
        if(const ConvKernel* const kernel = chosen->kernel(a))
            return kernel->add(a, list);
        throw std::runtime_error(why_none(family, a));
    };
    k.predict_if_supported = [chosen](const AskedArgument& a) -> std::optional<double> {
        const ConvKernel* const kernel = chosen->kernel(a.argument);
        return kernel == nullptr ? std::nullopt : std::optional(kernel->predict(a.argument));
    };
    k.predict = [ask = k.predict_if_supported](const ConvArgument& a) {
        return ask(a).value_or(0);
    };
    return k;
}

} // namespace

const ConvKernel& large_tensor_kernel(const Family& family)
{
    struct Made
    {
        Family family;
        ConvKernel kernel;
    };
    static std::mutex mutex;
    static std::list<Made> made;
    const std::lock_guard lock(mutex);
    for(const Made& m : made)
        if(m.family == family)
            return m.kernel;
    return made.emplace_back(Made{family, make_kernel(family)}).kernel;
}

} // namespace ck::tensor_operation::device::instance
