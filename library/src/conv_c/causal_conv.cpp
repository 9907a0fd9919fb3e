// Implements the causal convolutions of ck/conv.h with ck/causal_conv.hpp.
#include "ck/causal_conv.hpp"

#include "ck/conv.h"

#include "conv_c/spec.hpp"
#include <algorithm>
#include <mutex>
#include <string>

/// The text is created when it is first requested.
struct ck_conv_causal_plan
{
    ck::CausalConvPlan plan;
    std::once_flag explained{};
    std::string explanation{};
};

using namespace ck::conv_c;

ck_conv_status ck_conv_causal_options_init(ck_conv_causal_options* options, size_t size)
{
    if(options == nullptr)
        return null_argument("the options are null");
    if(size != sizeof(ck_conv_causal_options))
        return null_argument("size is not sizeof(ck_conv_causal_options) of this library");
    *options = {size, 0, 0, 0};
    return CK_CONV_OK;
}

ck_conv_status ck_conv_causal_plan_create(const ck_conv_spec* spec,
                                          const ck_conv_causal_options* causal,
                                          const ck_conv_options* options,
                                          ck_conv_causal_plan** plan)
{
    if(plan == nullptr)
        return null_argument("where the plan goes is null");
    *plan = nullptr;
    if(const char* const why = wrong_spec(spec))
        return null_argument(why);
    if(causal != nullptr && causal->size != sizeof(ck_conv_causal_options))
        return null_argument("the options' size is not sizeof(ck_conv_causal_options) of this "
                             "library: call ck_conv_causal_options_init()");
    if(options != nullptr && !is_options_size(options->size))
        return null_argument("the options' size is not sizeof(ck_conv_options) of this library: "
                             "call ck_conv_options_init()");
    return guarded([&] {
        ck::CausalConvSpec s{.conv = cpp_spec(*spec)};
        if(causal != nullptr)
        {
            require_flag("ck_conv_causal_options", "first", causal->first);
            s.first = causal->first != 0;
            s.skip  = causal->skip;
            s.chunk = causal->chunk;
        }
        *plan = new ck_conv_causal_plan{ck::CausalConvPlan(s, cpp_options(options))};
    });
}

void ck_conv_causal_plan_destroy(ck_conv_causal_plan* plan) { delete plan; }

ck_conv_status
ck_conv_causal_plan_sizes(const ck_conv_causal_plan* plan, ck_conv_causal_sizes* sizes, size_t size)
{
    if(plan == nullptr || sizes == nullptr)
        return null_argument("the plan, or where its sizes go, is null");
    if(size != sizeof(ck_conv_causal_sizes))
        return null_argument("size is not sizeof(ck_conv_causal_sizes) of this library");
    return guarded([&] {
        const ck::CausalConvPlan& p = plan->plan;
        *sizes                      = {
                                 p.cached_frames(), {}, p.next_skip(), p.cache_bytes(), p.y_bytes(), p.workspace_size()};
        const ck::Extents output = p.output();
        std::copy(output.begin(), output.end(), sizes->output);
    });
}

ck_conv_status ck_conv_causal_plan_kernel(const ck_conv_causal_plan* plan, const char** name)
{
    if(plan == nullptr || name == nullptr)
        return null_argument("the plan, or where its kernel's name goes, is null");
    *name = plan->plan.kernel().c_str();
    return CK_CONV_OK;
}

ck_conv_status ck_conv_causal_plan_explain(const ck_conv_causal_plan* plan, const char** text)
{
    if(plan == nullptr || text == nullptr)
        return null_argument("the plan, or where the text goes, is null");
    return guarded([&] {
        auto* const p = const_cast<ck_conv_causal_plan*>(plan); // created here, and never const
        std::call_once(p->explained, [&] { p->explanation = p->plan.explain(); });
        *text = p->explanation.c_str();
    });
}

ck_conv_status ck_conv_causal_run(const ck_conv_causal_plan* plan,
                                  const ck_conv_causal_tensors* tensors)
{
    if(plan == nullptr || tensors == nullptr)
        return null_argument("the plan or the tensors are null");
    if(tensors->size != sizeof(ck_conv_causal_tensors))
        return null_argument("the tensors' size is not sizeof(ck_conv_causal_tensors) of this "
                             "library");
    return guarded([&] {
        const ck_conv_causal_tensors& t = *tensors;
        plan->plan.run({.x          = t.x,
                        .w          = t.w,
                        .y          = t.y,
                        .bias       = t.bias,
                        .residual   = t.residual,
                        .cache      = t.cache,
                        .next_cache = t.next_cache,
                        .workspace  = t.workspace,
                        .stream     = t.stream});
    });
}
