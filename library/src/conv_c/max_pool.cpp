// Implements ck/max_pool.h with ck/max_pool.hpp.
#include "ck/max_pool.h"

#include "ck/max_pool.hpp"

#include "conv_c/norm.hpp"

struct ck_max_pool_plan
{
    ck::MaxPoolPlan plan;
};

namespace {

using namespace ck::conv_c;

static_assert(sizeof(ck_max_pool_tensors) == 7 * sizeof(std::uint64_t) || sizeof(void*) != 8);

ck::MaxPoolSpec cpp_spec(const ck_max_pool_spec& c)
{
    const auto lengths = [](const std::int64_t(&l)[3]) {
        return ck::MaxPoolSpec::Lengths{l[0], l[1], l[2]};
    };
    return {.type      = static_cast<ck::DataType>(c.type),
            .images    = c.images,
            .channels  = c.channels,
            .input     = lengths(c.input),
            .window    = lengths(c.window),
            .strides   = lengths(c.strides),
            .pads      = lengths(c.pads),
            .dilations = lengths(c.dilations),
            .output    = lengths(c.output),
            .alignment = alignment_of(c, "ck_max_pool_spec")};
}

using Call = void (ck::MaxPoolPlan::*)(const ck::MaxPoolTensors&) const;

ck_conv_status run(Call call, const ck_max_pool_plan* plan, const ck_max_pool_tensors* tensors)
{
    return run_plan(
        plan,
        tensors,
        [&](const ck::MaxPoolPlan& cpp, const ck_max_pool_tensors& t) {
            (cpp.*call)(
                {.x = t.x, .y = t.y, .taps = t.taps, .dy = t.dy, .dx = t.dx, .stream = t.stream});
        },
        "the tensors' size is not sizeof(ck_max_pool_tensors) of this library");
}

} // namespace

ck_conv_status ck_max_pool_spec_init(ck_max_pool_spec* spec, size_t size)
{
    const ck_conv_status status =
        init_spec(spec, size, "size is not sizeof(ck_max_pool_spec) of this library");
    if(status != CK_CONV_OK)
        return status;
    for(std::int64_t* lengths :
        {spec->input, spec->window, spec->strides, spec->dilations, spec->output})
        std::fill_n(lengths, 3, 1);
    return CK_CONV_OK;
}

ck_conv_status ck_max_pool_plan_create(const ck_max_pool_spec* spec, ck_max_pool_plan** plan)
{
    return create_plan(spec,
                       plan,
                       cpp_spec,
                       "the spec's size is not sizeof(ck_max_pool_spec) of this library: "
                       "call ck_max_pool_spec_init(), and build with its header");
}

void ck_max_pool_plan_destroy(ck_max_pool_plan* plan) { delete plan; }

ck_conv_status ck_max_pool_forward(const ck_max_pool_plan* plan, const ck_max_pool_tensors* tensors)
{
    return run(&ck::MaxPoolPlan::forward, plan, tensors);
}

ck_conv_status ck_max_pool_backward(const ck_max_pool_plan* plan,
                                    const ck_max_pool_tensors* tensors)
{
    return run(&ck::MaxPoolPlan::backward, plan, tensors);
}
