// A kernel that is the one that promises to be the fastest, for each argument anew.
#include "ck/library/tensor_operation_instance/any_size.hpp"

#include <cstdint>
#include <list>
#include <mutex>
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

ConvArgument with_some_workspace(ConvArgument argument)
{
    if(argument.workspace == nullptr)
        argument.workspace = reinterpret_cast<void*>(std::uintptr_t{16}); // only asked about
    return argument;
}

ConvKernel make_kernel(const Family& family)
{
    ConvKernel k;
    k.name     = "Large_Tensor<fastest of " + std::to_string(kernels_of(family).size()) + ">";
    k.supports = [family](const ConvArgument& a) {
        return select_kernel(family, a) != nullptr ? Support{} : refused(why_none(family, a));
    };
    k.workspace_size = [family](const ConvArgument& a) {
        const ConvArgument with        = with_some_workspace(a);
        const ConvKernel* const chosen = select_kernel(family, with);
        return chosen == nullptr ? std::size_t{0} : chosen->workspace_size(with);
    };
    k.run = [family](const ConvArgument& a, const StreamConfig& config) {
        if(const ConvKernel* const chosen = select_kernel(family, a))
            return chosen->run(a, config);
        throw std::runtime_error(why_none(family, a));
    };
    k.predict_if_supported = [family](const ConvArgument& a) -> std::optional<double> {
        const ConvKernel* const chosen = select_kernel(family, a);
        return chosen == nullptr ? std::nullopt : std::optional(chosen->predict(a));
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
