// Recognises reasons by their start, which check_device() and the options of plans write: kernels
// only give a sentence.
#include "tensor_operation_instance/reasons.hpp"

#include "ck/tensor_operation/operator_transform/limits.hpp"

#include "rewrites/cut_image.hpp"
#include "tensor_operation_instance/element_bytes.hpp"
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// Extracts "MFMA" from "the device is sm_90a, but ... needs MFMA"; empty for other reasons.
std::string lacking(const std::string& reason)
{
    constexpr std::string_view begin = "the device is ", needs = " needs ";
    const std::size_t at = reason.rfind(needs);
    return reason.starts_with(begin) && at != reason.npos ? reason.substr(at + needs.size()) : "";
}

/// How far a kernel is from computing the problem: 0 is the nearest.
int distance(const std::string& reason)
{
    if(reason.starts_with("PlanOptions::") ||
       reason.find("PlanOptions::workspace_limit") != reason.npos)
        return 0;
    return reason.starts_with("this kernel is for ") ? 2 : 1;
}

} // namespace

std::string in_order(const std::vector<KernelReason>& reasons)
{
    std::map<std::string, int> kernels_of_engine, kernels_of_reason;
    std::vector<const KernelReason*> present;
    int absent = 0;
    for(const KernelReason& r : reasons)
        if(const std::string engine = lacking(r.reason); !engine.empty())
        {
            ++kernels_of_engine[engine];
            ++absent;
        }
        else
        {
            ++kernels_of_reason[r.reason];
            present.push_back(&r);
        }
    // Stable order for equal ones: std::stable_sort() warns with clang 19 and newer.
    std::sort(present.begin(), present.end(), [&](const KernelReason* x, const KernelReason* y) {
        const auto key = [&](const KernelReason* r) {
            return std::tuple(
                distance(r->reason), -kernels_of_reason[r->reason], std::string_view(r->reason), r);
        };
        return key(x) < key(y);
    });
    std::string text;
    for(const KernelReason* const r : present)
        text += "\n  " + r->kernel + ": " + r->reason;
    if(absent > 0)
    {
        text += "\n  " + std::to_string(absent) + " kernels of engines that this device lacks:";
        const char* separator = " ";
        for(const auto& [engine, count] : kernels_of_engine)
        {
            text += separator + engine + " (" + std::to_string(count) + ')';
            separator = ", ";
        }
    }
    return text;
}

std::string way_out(const Family& family, const ConvProblem& p)
{
    const bool forward = family.direction == Direction::forward;
    const auto image   = [&](TensorLengths lengths, const TensorStrides& strides, index_t bytes) {
        lengths[1] = 1;
        return ck::detail::reach_in_bytes(lengths, strides, bytes);
    };
    const long_index_t input =
        image(p.input_lengths(),
              p.input_strides,
              bytes_of_type(forward                                        ? family.a
                            : family.direction == Direction::backward_data ? family.c
                                                                           : family.b));
    const long_index_t output =
        image(p.output_lengths(), p.output_strides, bytes_of_type(forward ? family.c : family.a));
    const long_index_t most = std::max(input, output);
    if(most <= ck::detail::index_limit)
        return "";
    const std::string why = why_not_cut(family, p);
    return why.empty()
               ? why
               : std::string("\n  one image of ") + (most != input ? "the output" : "the input") +
                     " spans " + std::to_string(most) +
                     " bytes, but a launch reaches less than 2^31, and images are not cut: " + why;
}

} // namespace ck::tensor_operation::device::instance
