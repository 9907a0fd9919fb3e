// The C interface of libck_conv.so: implements ck/conv.h with ck/conv.hpp.
#include "ck/config.h"
#include "ck/conv.h"
#include "ck/conv.hpp"
#include "ck/tune.hpp"
#include "ck/version.h"

#include "conv_c/spec.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

/// Texts are created when they are first requested.
struct ck_conv_plan
{
    ck::ConvPlan plan;
    std::once_flag explained{}, serialized{};
    std::string explanation{}, serialization{};
};

namespace {

using namespace ck::conv_c;

// C and C++ use the same numbers for the same names.
static_assert(CK_CONV_BACKWARD_WEIGHT == static_cast<int>(ck::Direction::backward_weight));
static_assert(CK_CONV_F64 == static_cast<int>(ck::DataType::f64) &&
              CK_CONV_TF32 == static_cast<int>(ck::DataType::tf32) &&
              CK_CONV_U8 == static_cast<int>(ck::DataType::u8));
static_assert(CK_CONV_STRIDED == static_cast<int>(ck::Layout::strided));
static_assert(CK_CONV_CLAMP == static_cast<int>(ck::Activation::clamp) &&
              CK_CONV_SIGMOID == static_cast<int>(ck::Activation::sigmoid));
static_assert(CK_CONV_RESIDUAL_AFTER_ACTIVATION ==
              static_cast<int>(ck::Residual::after_activation));

/// Converts a spec to C. Missing strides of tensors are left out.
ck_conv_spec c_spec(const ck::ConvSpec& s)
{
    const auto number = [](auto value) { return static_cast<int>(value); };
    const auto own    = [&](std::optional<ck::DataType> t) { return t ? number(*t) : CK_CONV_OWN; };
    ck_conv_spec c{};
    ck_conv_spec_init(&c, sizeof c, number(s.input.size()));
    const auto copy = [](const auto& from, std::int64_t* to) {
        std::copy(from.begin(), from.end(), to);
    };
    c.direction = number(s.direction), c.type = number(s.type), c.layout = number(s.layout);
    c.x_type = own(s.x_type), c.w_type = own(s.w_type), c.y_type = own(s.y_type);
    c.compute = own(s.compute);
    c.groups = s.groups, c.n = s.n, c.k = s.k, c.c = s.c;
    copy(s.input, c.input), copy(s.filter, c.filter);
    copy(s.strides, c.strides), copy(s.dilations, c.dilations);
    for(std::size_t i = 0; i < s.pads.size(); ++i)
        c.pad_low[i] = s.pads[i].low, c.pad_high[i] = s.pads[i].high;
    c.transposed = s.transposed;
    copy(s.output_padding, c.output_padding);
    copy(s.x_strides, c.x_strides), copy(s.w_strides, c.w_strides), copy(s.y_strides, c.y_strides);
    c.beta = s.beta, c.scale = s.epilogue.scale;
    c.bias = s.epilogue.bias, c.residual = number(s.epilogue.residual);
    c.activation    = number(s.epilogue.activation);
    c.bias_gradient = s.bias_gradient, c.alignment = s.alignment;
    c.clamp_least = s.epilogue.least, c.clamp_most = s.epilogue.most;
    const ck::Quantization& q = s.quantization;
    c.quantized = q.enabled, c.channel_scale = q.channel_scale;
    c.x_zero_point = q.x_zero_point, c.w_zero_point = q.w_zero_point;
    c.y_zero_point = q.y_zero_point, c.residual_scale = q.residual_scale;
    c.residual_zero_point = q.residual_zero_point, c.residual_type = own(q.residual_type);
    c.tensor_scales = q.tensor_scales, c.amax = q.amax;
    c.leaky_slope = s.epilogue.slope;
    return c;
}

} // namespace

const char* ck_last_error(void)
{
    const char* text = ck::conv_c::error_text();
    return text ? text : "there is no text: out of memory, or the thread is ending";
}
const char* ck_conv_version(void) { return CK_VERSION; }

const char* ck_conv_platform(void)
{
#if defined(CK_PLATFORM_NVIDIA)
    return "nvidia";
#elif defined(CK_PLATFORM_AMD)
    return "amd";
#else
    return "host";
#endif
}

ck_conv_status ck_conv_spec_init(ck_conv_spec* spec, size_t size, int rank)
{
    if(spec == nullptr)
        return null_argument("the spec is null");
    if(!is_spec_size(size))
        return null_argument("size is not sizeof(ck_conv_spec) of this library");
    std::memset(spec, 0, size);
    spec->size   = size;
    spec->type   = CK_CONV_F32;
    spec->x_type = spec->w_type = spec->y_type = spec->compute = CK_CONV_OWN;
    spec->rank                                                 = rank;
    spec->groups = spec->n = spec->k = spec->c = 1;
    for(int i = 0; i < 3; ++i)
        spec->strides[i] = spec->dilations[i] = 1;
    spec->scale     = 1;
    spec->alignment = 16;
    if(size > offsetof(ck_conv_spec, quantized))
    {
        spec->residual_scale = 1;
        spec->residual_type  = CK_CONV_OWN;
    }
    return CK_CONV_OK;
}

ck_conv_status ck_conv_options_init(ck_conv_options* options, size_t size)
{
    if(options == nullptr)
        return null_argument("the options are null");
    if(!is_options_size(size))
        return null_argument("size is not sizeof(ck_conv_options) of this library");
    std::memset(options, 0, size);
    options->size            = size;
    options->workspace_limit = SIZE_MAX;
    return CK_CONV_OK;
}

ck_conv_status ck_conv_spec_sizes(
    const ck_conv_spec* spec, int64_t* output, size_t* x_bytes, size_t* w_bytes, size_t* y_bytes)
{
    if(const char* const why = wrong_spec(spec))
        return null_argument(why);
    return guarded([&] {
        const ck::ConvSpec s       = cpp_spec(*spec);
        const ck::Extents lengths  = s.output();
        const std::size_t bytes[3] = {s.x_bytes(), s.w_bytes(), s.y_bytes()};
        if(output != nullptr)
            for(std::size_t i = 0; i < lengths.size(); ++i)
                output[i] = lengths[i];
        size_t* const to[3] = {x_bytes, w_bytes, y_bytes};
        for(int i = 0; i < 3; ++i)
            if(to[i] != nullptr)
                *to[i] = bytes[i];
    });
}

ck_conv_status
ck_conv_plan_create(const ck_conv_spec* spec, const ck_conv_options* options, ck_conv_plan** plan)
{
    if(plan == nullptr)
        return null_argument("where the plan goes is null");
    *plan = nullptr;
    if(const char* const why = wrong_spec(spec))
        return null_argument(why);
    if(options != nullptr && !is_options_size(options->size))
        return null_argument("the options' size is not sizeof(ck_conv_options) of this library: "
                             "call ck_conv_options_init()");
    return guarded(
        [&] { *plan = new ck_conv_plan{ck::plan(cpp_spec(*spec), cpp_options(options))}; });
}

ck_conv_status ck_conv_plan_deserialize(const char* text, ck_conv_plan** plan)
{
    if(plan == nullptr)
        return null_argument("where the plan goes is null");
    *plan = nullptr;
    if(text == nullptr)
        return null_argument("the text is null");
    return guarded([&] { *plan = new ck_conv_plan{ck::deserialize(text)}; });
}

void ck_conv_plan_destroy(ck_conv_plan* plan) { delete plan; }

ck_conv_status ck_conv_plan_spec(const ck_conv_plan* plan, ck_conv_spec* spec, size_t size)
{
    if(plan == nullptr || spec == nullptr)
        return null_argument("the plan, or where its spec goes, is null");
    if(!is_spec_size(size))
        return null_argument("size is not sizeof(ck_conv_spec) of this library");
    return guarded([&] {
        ck_conv_spec c     = c_spec(plan->plan.spec());
        const auto require = [&](std::size_t offset, bool is_used, const char* fields) {
            if(size <= offset && is_used)
                throw ck::Refused("ck_conv_plan_spec: a ck_conv_spec of " + std::to_string(size) +
                                  " bytes has no " + fields + ", but the plan has");
        };
        require(offsetof(ck_conv_spec, quantized), c.quantized != 0, "field `quantized`");
        require(offsetof(ck_conv_spec, clamp_least),
                c.clamp_least != 0 || c.clamp_most != 0,
                "clamp_least and clamp_most");
        require(offsetof(ck_conv_spec, leaky_slope), c.leaky_slope != 0, "leaky_slope");
        c.size = size;
        std::memcpy(spec, &c, size);
    });
}

ck_conv_status ck_conv_plan_workspace_size(const ck_conv_plan* plan, size_t* bytes)
{
    if(plan == nullptr || bytes == nullptr)
        return null_argument("the plan, or where its size goes, is null");
    *bytes = plan->plan.workspace_size();
    return CK_CONV_OK;
}

ck_conv_status ck_conv_plan_kernel(const ck_conv_plan* plan, const char** name)
{
    if(plan == nullptr || name == nullptr)
        return null_argument("the plan, or where its kernel's name goes, is null");
    *name = plan->plan.kernel().c_str();
    return CK_CONV_OK;
}

ck_conv_status ck_conv_plan_explain(const ck_conv_plan* plan, const char** text)
{
    if(plan == nullptr || text == nullptr)
        return null_argument("the plan, or where the text goes, is null");
    return guarded([&] {
        auto* const p = const_cast<ck_conv_plan*>(plan); // created here, and never const
        std::call_once(p->explained, [&] { p->explanation = p->plan.explain(); });
        *text = p->explanation.c_str();
    });
}

ck_conv_status ck_conv_plan_serialize(const ck_conv_plan* plan, const char** text)
{
    if(plan == nullptr || text == nullptr)
        return null_argument("the plan, or where the text goes, is null");
    return guarded([&] {
        auto* const p = const_cast<ck_conv_plan*>(plan);
        std::call_once(p->serialized, [&] { p->serialization = p->plan.serialize(); });
        *text = p->serialization.c_str();
    });
}

ck_conv_status ck_conv_run(const ck_conv_plan* plan, const ck_conv_tensors* tensors)
{
    if(plan == nullptr || tensors == nullptr)
        return null_argument("the plan or the tensors are null");
    return guarded([&] {
        const ck_conv_tensors& t = *tensors;
        // Older callers' structs end at the stream, and their specs have no scales and no amax.
        const ck::Quantization& q = plan->plan.spec().quantization;
        ck::ConvTensors all{t.x, t.w, t.y, t.bias, t.residual, t.workspace, t.stream};
        if(q.channel_scale)
            all.scale = t.scale;
        if(q.tensor_scales)
            all.x_scale = t.x_scale, all.w_scale = t.w_scale, all.y_scale = t.y_scale;
        if(q.amax)
            all.amax = t.amax;
        plan->plan.run(all);
    });
}

ck_conv_status ck_conv_clear_plan_cache(void)
{
    return guarded([] { ck::clear_plan_cache(); });
}

ck_conv_status ck_conv_tune_options_init(ck_conv_tune_options* options, size_t size)
{
    if(options == nullptr)
        return null_argument("the options are null");
    if(size != sizeof(ck_conv_tune_options))
        return null_argument("size is not sizeof(ck_conv_tune_options) of this library");
    const ck::TuneOptions defaults;
    *options = {size, nullptr, defaults.seconds, defaults.slower, 0, nullptr, nullptr};
    return CK_CONV_OK;
}

ck_conv_status ck_conv_tune(const ck_conv_spec* specs,
                            size_t count,
                            const ck_conv_tune_options* options,
                            size_t* known)
{
    if(known != nullptr)
        *known = 0;
    for(size_t i = 0; i < count; ++i)
        if(const char* const why = wrong_spec(specs == nullptr ? nullptr : specs + i))
            return null_argument(why);
    if(options != nullptr && options->size != sizeof(ck_conv_tune_options))
        return null_argument("the options' size is not sizeof(ck_conv_tune_options) of this "
                             "library: call ck_conv_tune_options_init()");
    if(options != nullptr && options->plan != nullptr && !is_options_size(options->plan->size))
        return null_argument("the plan's options' size is not sizeof(ck_conv_options) of this "
                             "library: call ck_conv_options_init()");
    return guarded([&] {
        ck::TuneOptions o;
        if(options != nullptr)
        {
            require_flag("ck_conv_tune_options", "again", options->again);
            o.plan    = cpp_options(options->plan);
            o.seconds = options->seconds;
            o.slower  = options->slower;
            o.again   = options->again != 0;
            if(options->progress != nullptr)
                o.progress = [=](const ck::TuneProgress& progress) {
                    if(progress.result != nullptr)
                        options->progress(ck::to_string(progress).c_str(), options->user);
                };
        }
        std::vector<ck::ConvSpec> all;
        for(size_t i = 0; i < count; ++i)
            all.push_back(cpp_spec(specs[i]));
        std::string why;
        size_t right = 0;
        for(const ck::TuneResult& result : ck::tune(all, o))
            if(result.kernel.empty() && why.empty())
                why = ck::to_string(result.spec) + ": " + result.why;
            else
                right += result.kernel.empty() ? 0 : 1;
        if(known != nullptr)
            *known = right;
        if(!why.empty())
            throw ck::Refused("ck_conv_tune: " + why);
    });
}
