// Backward data with strides much longer than filters: with strides of 29x19 and 3x3 taps, 9 of 551
// phases have a tap. Other kernels launch workgroups for all of them, which only write zeros to
// pixels that are 29 and 19 apart. Here a launch writes zeros to all of dX, then the kernel
// computes each tap as a 1x1 convolution on the pixels that it reaches. No two taps reach the same
// pixel, so none is added to.
#include "rewrites/fill_zeros.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/moved_address.hpp"
#include "rewrites/rewrites.hpp"
#include "tensor_operation_instance/element_bytes.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

namespace ck::tensor_operation::device::instance {

namespace {

/// Whether each tap has its own phase, and most phases have none.
bool is_sparse(const Family& family, const ConvProblem& p)
{
    if(family.direction != Direction::backward_data || !family.d.empty() ||
       family.operation_a != "PassThrough" || family.operation_b != "PassThrough" ||
       family.operation_c != "PassThrough" || family.a.find(' ') != family.a.npos ||
       family.b.find(' ') != family.b.npos || element_count(p.input_lengths()) == 0)
        return false;
    constexpr double least_phases = 64, least_of_tap = 8, most_taps = 64;
    double phases = 1, taps = 1;
    for(std::size_t i = 0; i < 3; ++i)
    {
        if(p.filter[i] > 1 && p.filter[i] > p.stride[i] / std::gcd(p.stride[i], p.dilation[i]))
            return false;
        phases *= static_cast<double>(p.stride[i]);
        taps *= static_cast<double>(p.filter[i]);
    }
    return taps <= most_taps && phases >= std::max(least_phases, least_of_tap * taps);
}

/// The launches for an argument: zeros, and a 1x1 convolution for each tap that reaches a pixel.
struct Taps
{
    Support valid; ///< if it refuses, nothing else is set
    FilledTensor dx{};
    std::vector<ConvArgument> taps;

    Taps(const Family& family, const ConvArgument& argument) : valid(check_argument(argument))
    {
        const ConvProblem& p = argument.problem;
        if(valid && !is_sparse(family, p))
            valid = refused("this kernel is for backward data with strides so long that few of "
                            "dX's pixels are reached by a tap, without D tensors and operations");
        const index_t c_bytes = bytes_of_type(family.c);
        if(valid)
            valid = check_operands(
                family.direction,
                argument,
                std::max({bytes_of_type(family.a), bytes_of_type(family.b), c_bytes}));
        dx = {p.input_lengths(), p.input_strides, c_bytes};
        if(valid)
            valid = check_fill(dx, argument.c);
        if(!valid)
            return;
        for(long_index_t z = 0; z < p.filter[0]; ++z)
            for(long_index_t y = 0; y < p.filter[1]; ++y)
                for(long_index_t x = 0; x < p.filter[2]; ++x)
                    add(family, argument, {z, y, x});
    }

private:
    void add(const Family& family, const ConvArgument& argument, const Spatial& tap)
    {
        const ConvProblem& p = argument.problem;
        const Spatial output = p.output();
        ConvArgument r       = argument;
        ConvProblem& q       = r.problem;
        long_index_t in_a = 0, in_b = 0, in_c = 0; // elements
        for(std::size_t i = 0; i < 3; ++i)
        {
            // hi = ho * stride + offset, from the first ho that has one to before the end
            const long_index_t offset = tap[i] * p.dilation[i] - p.pad_low[i], s = p.stride[i];
            const long_index_t first =
                math::integer_divide_ceil(std::max(-offset, long_index_t{0}), s);
            const long_index_t end =
                std::min(output[i], math::integer_divide_floor(p.input[i] - 1 - offset, s) + 1);
            if(first >= end)
                return; // it reaches no pixel
            in_a += first * p.output_strides[3 + i];
            in_b += tap[i] * p.filter_strides[3 + i];
            in_c += (first * s + offset) * p.input_strides[3 + i];
            q.input[i]  = end - first;
            q.filter[i] = q.stride[i] = q.dilation[i] = 1;
            q.pad_low[i] = q.pad_high[i] = 0;
            q.input_strides[3 + i] *= s;
        }
        r.a = {moved(argument.a[0], 1, in_a, bytes_of_type(family.a))};
        r.b = {moved(argument.b[0], 2, in_b, bytes_of_type(family.b))};
        r.c = moved(argument.c, 3, in_c, bytes_of_type(family.c));
        taps.push_back(std::move(r));
    }
};

Support supports(const Family& family, const ConvKernel& kernel, const ConvArgument& argument)
{
    const Taps t(family, argument);
    if(!t.valid)
        return t.valid;
    for(const ConvArgument& tap : t.taps)
        if(const Support s = kernel.supports(tap); !s)
            return s;
    return {};
}

std::size_t
workspace_size(const Family& family, const ConvKernel& kernel, const ConvArgument& argument)
{
    std::size_t most = 0;
    for(ConvArgument tap : Taps(family, argument).taps)
        most = std::max(most, kernel.workspace_size(tap));
    return most;
}

void add(const Family& family,
         const ConvKernel& kernel,
         const ConvArgument& argument,
         LaunchList& list)
{
    const Taps t(family, argument);
    if(!t.valid)
        throw std::runtime_error("the kernel does not support this: " + t.valid.reason);
    require_tensors_at({t.taps.empty() ? argument.c : argument.a[0],
                        t.taps.empty() ? argument.c : argument.b[0],
                        argument.c});
    fill_zeros(t.dx, argument.c, list);
    for(const ConvArgument& tap : t.taps)
        kernel.add(tap, list);
}

/// The sum of all launches; 0 if there is no model of the kernel.
double predict(const Family& family, const ConvKernel& kernel, const ConvArgument& argument)
{
    const Taps t(family, argument);
    if(!t.valid)
        return 0;
    double time = predicted_fill(t.dx);
    for(const ConvArgument& tap : t.taps)
    {
        const double of_tap = kernel.predict(tap);
        if(of_tap == 0)
            return 0;
        time += of_tap;
    }
    return time;
}

/// The taps of an argument, for all kernels.
struct AskedTaps
{
    AskedTaps(const Family& family, const ConvArgument& argument)
        : t(family, argument),
          asked(t.taps.begin(), t.taps.end()),
          fill(t.valid ? predicted_fill(t.dx) : 0)
    {}

    Taps t;
    std::list<AskedArgument> asked;
    double fill;
};

/// Combines this with supports(), for half the work.
std::optional<double>
predict_if_supported(const Family& family, const ConvKernel& kernel, const AskedArgument& argument)
{
    const AskedTaps& all =
        argument.once<AskedTaps>(&family, [&] { return AskedTaps(family, argument.argument); });
    if(!all.t.valid)
        return std::nullopt;
    double time       = all.fill;
    bool has_no_model = false;
    for(const AskedArgument& tap : all.asked)
    {
        tap.below                          = argument.below - time;
        const std::optional<double> of_tap = ask(kernel, tap);
        if(!of_tap)
            return std::nullopt;
        has_no_model = has_no_model || *of_tap == 0;
        time += *of_tap;
    }
    return has_no_model ? 0 : time;
}

struct FamilyByTaps
{
    explicit FamilyByTaps(const Family& of) : family(of)
    {
        for(const ConvKernel& kernel : kernels_of(family))
            kernels.push_back(
                {"TapByTap<" + kernel.name + '>',
                 [this, &kernel](const ConvArgument& a) { return supports(family, kernel, a); },
                 [this, &kernel](const ConvArgument& a) {
                     return supports(family, kernel, a) ? workspace_size(family, kernel, a) : 0;
                 },
                 [this, &kernel](const ConvArgument& a, LaunchList& list) {
                     add(family, kernel, a, list);
                 },
                 [this, &kernel](const ConvArgument& a) { return predict(family, kernel, a); },
                 [this, &kernel](const AskedArgument& a) {
                     return predict_if_supported(family, kernel, a);
                 }});
    }
    FamilyByTaps(const FamilyByTaps&)            = delete;
    FamilyByTaps& operator=(const FamilyByTaps&) = delete;

    const Family family;
    std::vector<ConvKernel> kernels;
};

} // namespace

std::span<const ConvKernel> tap_by_tap(const Family& family, const ConvArgument& argument)
{
    if(!check_argument(argument) || !is_sparse(family, argument.problem))
        return {};
    return kernels_made_once<FamilyByTaps>(family);
}

} // namespace ck::tensor_operation::device::instance
