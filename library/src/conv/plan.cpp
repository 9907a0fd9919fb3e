// Runs a plan, and describes it.
#include "ck/host_utility/hip_check_error.hpp"

#include "conv/machine.hpp"
#include "conv/prepared.hpp"
#include "rewrites/cut_image.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include <cstdio>
#include <utility>

namespace ck {

namespace {

using namespace conv;
using tensor_operation::device::instance::any_bytes;
using tensor_operation::device::instance::PieceBytes;

[[noreturn]] void refuse(Slot slot, const std::string& reason)
{
    throw Refused(std::string("ck::ConvPlan::run: ") + slot_names[slot] + ' ' + reason);
}

std::string hexadecimal(std::uintptr_t address)
{
    char text[2 + 2 * sizeof address + 1];
    std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(address));
    return text;
}

/// Checks that a tensor that run() writes shares no memory with another one.
void require_apart(const ConvPlan::Prepared& p, Slot written, Slot other, const Addresses& at)
{
    const std::uintptr_t x = at[written], y = at[other];
    const std::size_t x_bytes = p.resolved.uses[written].bytes,
                      y_bytes = p.resolved.uses[other].bytes;
    if(x_bytes == 0 || y_bytes == 0 || x + x_bytes <= y || y + y_bytes <= x)
        return;
    if(other == slot_residual && x == y && x_bytes == y_bytes)
        return;
    const PieceBytes pieces(p.piece_bytes);
    if(written == p.resolved.sizes.result() &&
       !p.resolved.is_written(other)) // they may lie between each other's elements
        if(p.work.kernel->supports(p.resolved.argument(at)))
            return;
    refuse(written,
           "at " + hexadecimal(x) + " is written, but shares memory with " + slot_names[other] +
               " at " + hexadecimal(y));
}

/// Refuses a bias or a residual of which the spec says nothing: the result would lack it.
void require_in_spec(const ConvPlan::Prepared& p,
                     Slot slot,
                     const char* fields,
                     const Addresses& at)
{
    if(!p.resolved.uses[slot].used && at[slot] != 0)
        refuse(slot, std::string("is given, but the spec has none (") + fields + ')');
}

void check(const ConvPlan::Prepared& p, const Addresses& at)
{
    require_in_spec(p, slot_bias, "Epilogue::bias, ConvSpec::bias_gradient", at);
    require_in_spec(p, slot_residual, "Epilogue::residual", at);
    for(std::size_t i = 0; i < slot_count; ++i)
    {
        const auto slot      = static_cast<Slot>(i);
        const TensorUse& use = p.resolved.uses[slot];
        if(!use.used || use.bytes == 0)
            continue;
        const std::size_t alignment = slot == slot_workspace ? 16 : p.spec.alignment;
        if(at[slot] == 0)
            refuse(slot,
                   "is null, but has " + std::to_string(use.bytes) + " bytes" +
                       (slot == slot_workspace ? " (ConvPlan::workspace_size())" : ""));
        if(at[slot] % alignment != 0)
            refuse(slot,
                   "is at " + hexadecimal(at[slot]) + ", but must be at a multiple of " +
                       std::to_string(alignment) + " bytes" +
                       (slot == slot_workspace ? "" : " (ConvSpec::alignment)"));
    }
    for(std::size_t i = 0; i < slot_count; ++i)
        if(const auto written = static_cast<Slot>(i); p.resolved.is_written(written))
            for(std::size_t j = 0; j < slot_count; ++j)
                if(const auto other = static_cast<Slot>(j);
                   i != j && p.resolved.uses[i].used && p.resolved.uses[j].used)
                    require_apart(p, written, other, at);
}

} // namespace

ConvPlan::ConvPlan(std::shared_ptr<const Prepared> prepared) : prepared_(std::move(prepared)) {}

const ConvSpec& ConvPlan::spec() const { return prepared_->spec; }
const std::string& ConvPlan::kernel() const { return prepared_->work.kernel->name; }
std::size_t ConvPlan::workspace_size() const { return prepared_->workspace; }

void ConvPlan::run(const ConvTensors& t) const
{
    const Prepared& p = *prepared_;
    const auto number = [](const void* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    };
    const auto if_used = [&](Slot slot, const void* pointer) {
        return p.resolved.uses[slot].used ? number(pointer) : 0;
    };
    const Addresses at{number(t.x),
                       number(t.w),
                       number(t.y),
                       number(t.bias),
                       number(t.residual),
                       if_used(slot_scale, t.scale),
                       if_used(slot_x_scale, t.x_scale),
                       if_used(slot_w_scale, t.w_scale),
                       if_used(slot_y_scale, t.y_scale),
                       if_used(slot_amax, t.amax),
                       p.workspace > 0 ? number(t.workspace) : 0};
    check(p, at);
    if(const int device = current_device(); device != p.device)
        throw Refused("ck::ConvPlan::run: the plan was made for device " +
                      std::to_string(p.device) + ", but device " + std::to_string(device) +
                      " is current");
    const auto stream = static_cast<hipStream_t>(t.stream);
    for(const PlannedLaunch& planned : p.launches)
        HIP_CHECK_ERROR(launch(planned, at, stream));
}

namespace {

/// For example "measured 83.1 us, from /home/me/.cache/ck_conv/tuning.sqlite3; ".
std::string measured(const std::optional<Tuned>& tuned)
{
    if(!tuned)
        return "";
    char number[32];
    std::snprintf(number, sizeof number, "%.1f", tuned->microseconds);
    return std::string("measured ") + number + " us, from " + tuned->from + "; ";
}

/// For example ", 29.4 us by /home/me/.cache/ck_conv/machine.ini"; empty with built-in predictions.
std::string calibrated(const Candidate& c)
{
    const auto file = tensor_operation::device::instance::calibration_in_use();
    if(file == nullptr || c.predicted <= 0)
        return "";
    char number[32];
    std::snprintf(number, sizeof number, ", %.1f us", c.predicted / file->mhz);
    return std::string(number) + " by " + file->path;
}

/// A line about a kernel on copies; empty for other kernels.
std::string copies(const ConvPlan::Prepared& p)
{
    const ConvKernel& kernel = *p.work.kernel;
    if(kernel.on_copies == nullptr)
        return "";
    return "\n  copies: " +
           kernel.copied_tensors(p.resolved.argument(slot_addresses(p.resolved, 16, true))) +
           ", transposed into the workspace, channels last; then " + kernel.on_copies->name;
}

/// Says that the workspace exceeds the default limit; empty if it does not.
std::string excess(const ConvPlan::Prepared& p)
{
    const std::size_t limit = workspace_limit(p.resolved, p.options);
    return p.workspace <= limit
               ? std::string()
               : ", more than the default PlanOptions::workspace_limit of " +
                     std::to_string(limit) + ", since no kernel that may be used wants less";
}

/// A line about images that are too large for a launch or a workspace; empty for others.
std::string cuts(const ConvPlan::Prepared& p)
{
    const PieceBytes pieces(p.piece_bytes);
    const std::string how = tensor_operation::device::instance::cut_in_words(
        p.resolved.family, p.resolved.argument(slot_addresses(p.resolved, 16, true)));
    return how.empty() ? how
                       : "\n  cut: " + how +
                             (p.piece_bytes == any_bytes
                                  ? ": a launch reaches less than 2^31 bytes of an image"
                                  : ": pieces share a workspace within the limit");
}

} // namespace

std::string ConvPlan::explain() const
{
    const Prepared& p = *prepared_;
    std::string s =
        to_string(p.spec) + "\n  kernel: " + kernel() + copies(p) + cuts(p) +
        (p.options.batch_invariant ? "\n  batch invariant: the kernel of all batches" : "") +
        "\n  workspace: " + std::to_string(p.workspace) + " bytes" + excess(p) +
        "\n  launches: " + std::to_string(p.launches.size()) + '\n';
    if(current_device() != p.device)
        return s + "  other kernels: not asked, device " + std::to_string(p.device) +
               " is not current\n";
    const tensor_operation::device::instance::OneCalibration calibration(use_machine_file());
    const auto predicted = [](const Candidate& c) {
        return c.predicted > 0
                   ? std::to_string(static_cast<long long>(c.predicted)) + " cycles predicted"
                   : std::string("no prediction");
    };
    std::string others;
    for(const Candidate& c : candidates_of(p))
        if(c.kernel == kernel())
            s +=
                "  time: " + measured(p.tuned) + predicted(c) + calibrated(c) + '\n' + slow_path(p);
        else
            others += "  not " + c.kernel + ": " +
                      (c.why_not.empty() ? predicted(c) + ", " + std::to_string(c.workspace) +
                                               " bytes of workspace"
                                         : c.why_not) +
                      '\n';
    return s + others;
}

} // namespace ck
