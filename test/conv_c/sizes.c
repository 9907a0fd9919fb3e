/* The size of each struct, at each function that takes one: this header's, an older one's, others.
 */
#include "require.h"
#include <string.h>

/* Whether a ck_conv_spec had this size in an earlier version. */
static int is_older(size_t size)
{
    return size == offsetof(ck_conv_spec, clamp_least) ||
           size == offsetof(ck_conv_spec, quantized) || size == offsetof(ck_conv_spec, leaky_slope);
}

/* 0 where the status is right for a struct of so many bytes. */
static int is_right(size_t size, size_t exact, ck_conv_status status)
{
    const int known =
        size == exact || (exact == sizeof(ck_conv_spec) && is_older(size)) ||
        (exact == sizeof(ck_conv_options) && size == offsetof(ck_conv_options, batch_invariant));
    if((status != CK_CONV_NULL_ARGUMENT) == known)
        return 0;
    printf("size %zu of %zu: status %d; %s\n", size, exact, (int)status, ck_last_error());
    return 1;
}

/* Sizes to try, around the right ones. */
static const int around[] = {
    -40, -36, -32, -31, -24, -16, -9, -8, -7, -4, -1, 0, 1, 4, 8, 16, 4096};
enum
{
    tries      = sizeof around / sizeof around[0],
    spec_bytes = sizeof(ck_conv_spec)
};

static int small(ck_conv_spec* spec)
{
    REQUIRE(ck_conv_spec_init(spec, sizeof *spec, 1) == CK_CONV_OK);
    spec->input[0] = 5, spec->filter[0] = 3;
    return 0;
}

static int of_specs(void)
{
    struct
    {
        ck_conv_spec spec;
        unsigned char beyond[4096];
    } room;
    for(int i = -2; i < tries; ++i)
    {
        const size_t size = i == -2 ? 0 : i == -1 ? 1 : (size_t)(spec_bytes + around[i]);
        memset(&room, 77, sizeof room);
        ck_conv_status status = ck_conv_spec_init(&room.spec, size, 1);
        if(is_right(size, spec_bytes, status) != 0)
            return 1;
        /* Nothing is written behind what the caller has, and nothing at all if it is wrong. */
        for(size_t at = status == CK_CONV_OK ? size : 0; at < sizeof room; ++at)
            REQUIRE(((const unsigned char*)&room)[at] == 77);
        REQUIRE(status != CK_CONV_OK || room.spec.size == size);

        ck_conv_spec spec;
        ck_conv_plan* plan = NULL;
        size_t known       = 7;
        if(small(&spec) != 0)
            return 1;
        REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
        memset(&room, 77, sizeof room);
        status = ck_conv_plan_spec(plan, &room.spec, size);
        ck_conv_plan_destroy(plan);
        if(is_right(size, spec_bytes, status) != 0)
            return 1;
        for(size_t at = status == CK_CONV_OK ? size : 0; at < sizeof room; ++at)
            REQUIRE(((const unsigned char*)&room)[at] == 77);
        REQUIRE(status != CK_CONV_OK || room.spec.size == size);

        spec.size = size;
        if(is_right(size, spec_bytes, ck_conv_spec_sizes(&spec, NULL, NULL, NULL, NULL)) != 0)
            return 1;
        status = ck_conv_plan_create(&spec, NULL, &plan);
        if(is_right(size, spec_bytes, status) != 0)
            return 1;
        REQUIRE((plan != NULL) == (status == CK_CONV_OK));
        ck_conv_plan_destroy(plan);
        ck_conv_spec two[2];
        if(small(&two[0]) != 0)
            return 1;
        two[1] = spec;
        if(size != spec_bytes && !is_older(size))
            REQUIRE(ck_conv_tune(two, 2, NULL, &known) == CK_CONV_NULL_ARGUMENT && known == 0);
    }
    return 0;
}

/* A caller with the header from before clamp_least: what lies there is not the library's. */
static int of_an_older_spec(void)
{
    ck_conv_spec spec, again;
    ck_conv_plan* plan = NULL;
    if(small(&spec) != 0)
        return 1;
    const size_t older = offsetof(ck_conv_spec, clamp_least);
    spec.size          = older;
    spec.clamp_least = 5, spec.clamp_most = 1;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_spec(plan, &again, sizeof again) == CK_CONV_OK);
    REQUIRE(again.clamp_least == 0 && again.clamp_most == 0);
    ck_conv_plan_destroy(plan);
    spec.size = spec_bytes;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_REFUSED);

    spec.activation = CK_CONV_CLAMP, spec.clamp_least = -1;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_spec(plan, &again, older) == CK_CONV_REFUSED); /* it would lose them */
    REQUIRE(strstr(ck_last_error(), "no clamp_least and clamp_most, but the plan has") != NULL);
    for(int i = 0; i < 2; ++i) /* either of them */
    {
        ck_conv_plan* limited = NULL;
        spec.clamp_least = i == 0 ? -1.f : 0.f, spec.clamp_most = i == 0 ? 0.f : 1.f;
        REQUIRE(ck_conv_plan_create(&spec, NULL, &limited) == CK_CONV_OK);
        REQUIRE(ck_conv_plan_spec(limited, &again, older) == CK_CONV_REFUSED);
        ck_conv_plan_destroy(limited);
    }
    /* One with limits of clamp, but not quantized. */
    REQUIRE(ck_conv_plan_spec(plan, &again, offsetof(ck_conv_spec, quantized)) == CK_CONV_OK);
    REQUIRE(again.clamp_least == -1);
    REQUIRE(ck_conv_plan_spec(plan, NULL, sizeof again) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_plan_spec(NULL, &again, sizeof again) == CK_CONV_NULL_ARGUMENT);
    ck_conv_plan_destroy(plan);
    return 0;
}

/* A caller with the header from before `quantized`. */
static int of_a_spec_without_quantized(void)
{
    const size_t before = offsetof(ck_conv_spec, quantized);
    ck_conv_spec spec, again;
    ck_conv_plan* plan = NULL;
    if(small(&spec) != 0)
        return 1;
    memset((char*)&spec + before, 77, sizeof spec - before);
    spec.size = before;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_spec(plan, &again, sizeof again) == CK_CONV_OK);
    REQUIRE(again.quantized == 0 && again.residual_scale == 1 &&
            again.residual_type == CK_CONV_OWN);
    ck_conv_plan_destroy(plan);

    if(small(&spec) != 0)
        return 1;
    spec.type = CK_CONV_I8, spec.quantized = 1;
    if(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_REFUSED)
    {
        REQUIRE(strstr(ck_last_error(), "no kernels of the family") != NULL);
        return 0;
    }
    REQUIRE(ck_conv_plan_spec(plan, &again, before) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "no field `quantized`, but the plan has") != NULL);
    ck_conv_plan_destroy(plan);
    return 0;
}

/* A caller with the header from before leaky_slope, which has the newer activations' numbers, too.
 */
static int of_a_spec_without_slope(void)
{
    const size_t before = offsetof(ck_conv_spec, leaky_slope);
    ck_conv_spec spec, again;
    ck_conv_plan* plan = NULL;
    if(small(&spec) != 0)
        return 1;
    spec.leaky_slope = 5, spec.size = before;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_spec(plan, &again, sizeof again) == CK_CONV_OK);
    REQUIRE(again.leaky_slope == 0);
    ck_conv_plan_destroy(plan);
    spec.size = spec_bytes;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_REFUSED);

    spec.activation = CK_CONV_LEAKY_RELU;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_spec(plan, &again, before) == CK_CONV_REFUSED); /* it would lose it */
    REQUIRE(strstr(ck_last_error(), "no leaky_slope, but the plan has") != NULL);
    ck_conv_plan_destroy(plan);
    spec.activation = CK_CONV_HARD_SWISH, spec.leaky_slope = 0;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_spec(plan, &again, before) == CK_CONV_OK);
    REQUIRE(again.activation == CK_CONV_HARD_SWISH && again.size == before);
    ck_conv_plan_destroy(plan);
    return 0;
}

static int of_options(void)
{
    const size_t exact = sizeof(ck_conv_options), tune_exact = sizeof(ck_conv_tune_options);
    ck_conv_spec spec;
    ck_conv_options options;
    ck_conv_tune_options tune, good;
    if(small(&spec) != 0)
        return 1;
    REQUIRE(ck_conv_options_init(NULL, exact) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_tune_options_init(NULL, tune_exact) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_options_init(&options, exact) == CK_CONV_OK);
    REQUIRE(options.size == exact && options.workspace_limit == SIZE_MAX && !options.allow &&
            !options.forbid);
    REQUIRE(ck_conv_tune_options_init(&good, tune_exact) == CK_CONV_OK);
    REQUIRE(good.size == tune_exact && good.plan == NULL && good.seconds == 60 &&
            good.slower == 3 && good.again == 0 && good.progress == NULL && good.user == NULL);
    good.plan = &options;
    for(int i = -2; i < tries; ++i)
    {
        const long apart       = i == -2 ? -(long)exact : i == -1 ? 1 - (long)exact : around[i];
        const size_t size      = (size_t)((long)exact + apart);
        const size_t tune_size = i < 0 ? size : (size_t)((long)tune_exact + apart);
        ck_conv_plan* plan     = NULL;
        size_t known           = 7;
        if(is_right(size, exact, ck_conv_options_init(&options, size)) != 0 ||
           is_right(tune_size, tune_exact, ck_conv_tune_options_init(&tune, tune_size)) != 0)
            return 1;
        REQUIRE(ck_conv_options_init(&options, exact) == CK_CONV_OK);
        options.size                = size;
        const ck_conv_status status = ck_conv_plan_create(&spec, &options, &plan);
        if(is_right(size, exact, status) != 0)
            return 1;
        REQUIRE((plan != NULL) == (status == CK_CONV_OK));
        ck_conv_plan_destroy(plan);
        /* No specs: nothing is measured, and sizes are looked at all the same. */
        if(is_right(size, exact, ck_conv_tune(NULL, 0, &good, &known)) != 0)
            return 1;
        REQUIRE(known == 0);
        tune      = good;
        tune.plan = NULL;
        tune.size = tune_size;
        if(is_right(tune_size, tune_exact, ck_conv_tune(NULL, 0, &tune, NULL)) != 0)
            return 1;
    }
    return 0;
}

int every_size(void)
{
    return of_specs() != 0 || of_an_older_spec() != 0 || of_a_spec_without_quantized() != 0 ||
           of_a_spec_without_slope() != 0 || of_options() != 0;
}
