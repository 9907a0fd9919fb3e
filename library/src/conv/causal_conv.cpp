// Runs plans of causal convolutions: copies a few frames, computes the parts, writes the next
// cache.
#include "conv/causal_conv.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include "conv/prepared.hpp"
#include <cstdint>
#include <string_view>

namespace ck {

namespace {

using namespace conv;

[[noreturn]] void refuse_run(const std::string& reason)
{
    throw Refused("ck::CausalConvPlan::run: " + reason);
}

/// A tensor's memory in a run.
struct Range
{
    const char* name;
    std::uintptr_t at;
    std::size_t bytes, alignment;
    bool written;
};

std::vector<Range> ranges_of(const CausalConvPlan::Prepared& p, const CausalConvTensors& t)
{
    const auto at = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
    const Epilogue& e = p.spec.conv.epilogue;
    if(p.spec.first && t.cache != nullptr)
        refuse_run("cache is given, but no frames precede the first chunk");
    if(!e.bias && t.bias != nullptr)
        refuse_run("bias is given, but the spec has none (Epilogue::bias)");
    if(e.residual == Residual::none && t.residual != nullptr)
        refuse_run("residual is given, but the spec has none (Epilogue::residual)");
    std::vector<Range> used{
        {"x", at(t.x), p.x_bytes, p.alignment, false},
        {"w", at(t.w), p.w_bytes, p.alignment, false},
        {"y", at(t.y), p.y_bytes, p.alignment, true},
        {"bias", at(t.bias), p.bias_bytes, p.alignment, false},
        {"residual",
         at(t.residual),
         e.residual == Residual::none ? 0 : p.y_bytes,
         p.alignment,
         false},
        {"cache", at(t.cache), p.spec.first ? 0 : p.cache_bytes(), 1, false},
        {"next_cache", at(t.next_cache), t.next_cache == nullptr ? 0 : p.cache_bytes(), 1, true},
        {"workspace", at(t.workspace), p.workspace, 16, true}};
    std::erase_if(used, [](const Range& r) { return r.bytes == 0; });
    return used;
}

void check(const std::vector<Range>& used)
{
    for(const Range& r : used)
        if(r.at == 0)
            refuse_run(std::string(r.name) + " is null, but has " + std::to_string(r.bytes) +
                       " bytes");
        else if(r.at % r.alignment != 0)
            refuse_run(std::string(r.name) + " must be at a multiple of " +
                       std::to_string(r.alignment) + " bytes, but its address is " +
                       std::to_string(r.at % r.alignment) + " beyond one");
    for(const Range& a : used)
        for(const Range& b : used)
        {
            const std::string_view name = a.name, other = b.name;
            const bool same = a.at == b.at && ((name == "y" && other == "residual") ||
                                               (name == "next_cache" && other == "cache"));
            if(a.written && name != other && !same && a.at < b.at + b.bytes &&
               b.at < a.at + a.bytes)
                refuse_run(std::string(name) + " is written, but shares memory with " + b.name);
        }
}

/// Copies the cached frames, or zeros, and the first new ones into the workspace.
void join(const CausalConvPlan::Prepared& p,
          const CausalConvTensors& t,
          std::byte* to,
          hipStream_t stream)
{
    if(p.copied == 0)
        return;
    const long_index_t cached = p.reach - p.left_out;
    if(p.spec.first || p.has_two)
        HIP_CHECK_ERROR(hipMemsetAsync(to, 0, p.copy_bytes, stream));
    if(!p.spec.first)
        copy_frames(p.copy,
                    to,
                    p.cache,
                    static_cast<const std::byte*>(t.cache) + p.cache.at(p.left_out),
                    cached,
                    stream);
    copy_frames(p.copy,
                to + p.copy.at(cached),
                p.x,
                static_cast<const std::byte*>(t.x) + p.x.at(p.copied_from),
                p.copied,
                stream);
}

void run_part(const CausalConvPlan::Prepared& p, const ChunkPart& part, const CausalConvTensors& t)
{
    const auto offset = [](const void* pointer, std::size_t bytes) {
        return pointer == nullptr ? nullptr : static_cast<const std::byte*>(pointer) + bytes;
    };
    const Frames &of_x = part.of_copy ? p.copy : p.x, &of_y = p.has_two ? p.two : p.y;
    const void* const y = p.has_two ? offset(t.workspace, p.two_at) : t.y;
    const void* const residual =
        p.has_two && t.residual != nullptr ? offset(t.workspace, p.residual_at) : t.residual;
    for(long_index_t image = 0; image < (p.alone ? p.spec.conv.n : 1); ++image)
    {
        const auto i           = static_cast<std::size_t>(image);
        const std::size_t x_at = part.x_at + i * of_x.image_bytes,
                          y_at = part.y_at + i * of_y.image_bytes;
        part.plan.run({.x         = offset(part.of_copy ? t.workspace : t.x, x_at),
                       .w         = t.w,
                       .y         = offset(y, y_at),
                       .bias      = t.bias,
                       .residual  = offset(residual, y_at),
                       .workspace = const_cast<std::byte*>(offset(t.workspace, p.copy_bytes)),
                       .stream    = t.stream});
    }
}

/// The same for one output, which is computed as the first of two.
void run_two(const CausalConvPlan::Prepared& p, const CausalConvTensors& t, hipStream_t stream)
{
    const auto bytes = [](const void* pointer) {
        return static_cast<std::byte*>(const_cast<void*>(pointer));
    };
    std::byte* const two = bytes(t.workspace) + p.two_at;
    if(p.spec.conv.epilogue.residual != Residual::none)
        copy_frames(p.two, bytes(t.workspace) + p.residual_at, p.y, bytes(t.residual), 1, stream);
    if(p.spec.conv.beta != 0)
        copy_frames(p.two, two, p.y, bytes(t.y), 1, stream);
    run_part(p, p.parts[0], t);
    copy_frames(p.y, bytes(t.y), p.two, two, 1, stream);
}

/// Copies the last frames of the chunk or of the copy; zeros come before the first chunk.
void write_cache(const CausalConvPlan::Prepared& p,
                 const CausalConvTensors& t,
                 const std::byte* copy_at,
                 hipStream_t stream)
{
    if(t.next_cache == nullptr)
        return;
    auto* const to            = static_cast<std::byte*>(t.next_cache);
    const auto* const from    = static_cast<const std::byte*>(t.x);
    const long_index_t length = p.spec.conv.input[0], reach = p.reach;
    if(length >= reach)
        return copy_frames(p.cache, to, p.x, from + p.x.at(length - reach), reach, stream);
    if(!p.spec.first) // the copy ends with the chunk
        return copy_frames(
            p.cache, to, p.copy, copy_at + p.copy.at(p.joined_frames() - reach), reach, stream);
    HIP_CHECK_ERROR(hipMemsetAsync(to, 0, p.cache_bytes(), stream));
    copy_frames(p.cache, to + p.cache.at(reach - length), p.x, from, length, stream);
}

} // namespace

CausalConvPlan::CausalConvPlan(const CausalConvSpec& spec, const PlanOptions& options)
    : prepared_(std::make_shared<const Prepared>(spec, options))
{}

const CausalConvSpec& CausalConvPlan::spec() const { return prepared_->spec; }
const std::string& CausalConvPlan::kernel() const { return prepared_->kernel; }
long_index_t CausalConvPlan::cached_frames() const { return prepared_->reach; }
std::size_t CausalConvPlan::cache_bytes() const { return prepared_->cache_bytes(); }
Extents CausalConvPlan::output() const { return prepared_->output; }
std::size_t CausalConvPlan::y_bytes() const { return prepared_->y_bytes; }
long_index_t CausalConvPlan::next_skip() const { return prepared_->next_skip; }
std::size_t CausalConvPlan::workspace_size() const { return prepared_->workspace; }

void CausalConvPlan::run(const CausalConvTensors& t) const
{
    const Prepared& p = *prepared_;
    if(const int device = current_device(); device != p.device)
        refuse_run("the plan was made for device " + std::to_string(p.device) + ", but device " +
                   std::to_string(device) + " is current");
    check(ranges_of(p, t));
    const auto stream   = static_cast<hipStream_t>(t.stream);
    auto* const copy_at = static_cast<std::byte*>(t.workspace);
    join(p, t, copy_at, stream);
    if(p.has_two)
        run_two(p, t, stream);
    else
        for(const ChunkPart& part : p.parts)
            run_part(p, part, t);
    write_cache(p, t, copy_at, stream);
}

std::string CausalConvPlan::explain() const
{
    const Prepared& p = *prepared_;
    std::string s = to_string(p.spec.conv) + "\n  chunk: " + std::to_string(p.spec.conv.input[0]) +
                    " new frames, " +
                    (p.spec.first ? "the first of the sequence"
                                  : std::to_string(p.reach) + " cached frames before them") +
                    "; " + std::to_string(p.output[0]) +
                    " outputs\n  kernel: " + (p.kernel.empty() ? "none" : p.kernel) +
                    ", of all chunks\n";
    for(const ChunkPart& part : p.parts)
        s += "  outputs " + std::to_string(part.first) + " to " + std::to_string(part.last) +
             (part.of_copy ? ": from a copy of " + std::to_string(p.reach - p.left_out) +
                                 (p.spec.first ? " zeros and " : " cached and ") +
                                 std::to_string(p.copied) + " new frames"
                           : std::string(": from the chunk, in place")) +
             (p.alone ? ", images one by one" : "") + '\n';
    return s + "  workspace: " + std::to_string(p.workspace) + " bytes, " +
           std::to_string(p.copy_bytes) + " of them for the copy\n";
}

} // namespace ck
