/* Each tensor of a run is the one that its name says: results equal those of plain loops, with
 * all elements different, and refusals that name what is missing. */
#include "require.h"
#include <stdlib.h>
#include <string.h>

enum
{
    n      = 2,
    k      = 3,
    c      = 2,
    length = 5,
    taps   = 3,
    x_size = n * length * c,
    w_size = k * taps * c,
    y_size = n * length * k
};

struct arrays
{
    float x[x_size], w[w_size], y[y_size], bias[k], residual[y_size];
};

/* Small integers, in no order: sums are exact. */
static void fill(struct arrays* a)
{
    for(int i = 0; i < x_size; ++i)
        a->x[i] = (float)(i * 7 % 11 - 5);
    for(int i = 0; i < w_size; ++i)
        a->w[i] = (float)(i * 5 % 7 - 3);
    for(int i = 0; i < y_size; ++i)
        a->y[i] = (float)(i * 3 % 13 - 6), a->residual[i] = (float)(100 * (i % 9 - 4));
    for(int i = 0; i < k; ++i)
        a->bias[i] = (float)(10 * (i + 1));
}

/* The direction's result by plain loops; stride 1, a pad of 1. */
static void expect(int direction, struct arrays* a)
{
    float* const to = direction == CK_CONV_FORWARD         ? a->y
                      : direction == CK_CONV_BACKWARD_DATA ? a->x
                                                           : a->w;
    memset(to,
           0,
           sizeof(float) * (size_t)(direction == CK_CONV_FORWARD         ? y_size
                                    : direction == CK_CONV_BACKWARD_DATA ? x_size
                                                                         : w_size));
    for(int in = 0; in < n; ++in)
        for(int wo = 0; wo < length; ++wo)
            for(int t = 0; t < taps; ++t)
            {
                const int wi = wo + t - 1;
                if(wi < 0 || wi >= length)
                    continue;
                for(int ik = 0; ik < k; ++ik)
                    for(int ic = 0; ic < c; ++ic)
                    {
                        float* const x = &a->x[(in * length + wi) * c + ic];
                        float* const w = &a->w[(ik * taps + t) * c + ic];
                        float* const y = &a->y[(in * length + wo) * k + ik];
                        if(direction == CK_CONV_FORWARD)
                            *y += *x * *w;
                        else if(direction == CK_CONV_BACKWARD_DATA)
                            *x += *y * *w;
                        else
                            *w += *x * *y;
                    }
            }
}

static ck_conv_status
plan_with(ck_conv_spec* spec, const ck_conv_options* options, ck_conv_plan** plan)
{
    spec->n = n, spec->k = k, spec->c = c;
    spec->input[0] = length, spec->filter[0] = taps;
    spec->pad_low[0] = spec->pad_high[0] = 1;
    return ck_conv_plan_create(spec, options, plan);
}

static ck_conv_status plan_of(ck_conv_spec* spec, ck_conv_plan** plan)
{
    return plan_with(spec, NULL, plan);
}

/* Runs the plan on a's tensors, and once without each that it wants. */
static int run(ck_conv_plan* plan, struct arrays* a, int bias, int residual)
{
    size_t bytes = 0;
    REQUIRE(ck_conv_plan_workspace_size(plan, &bytes) == CK_CONV_OK);
    void* const workspace = bytes > 0 ? malloc(bytes) : NULL;
    ck_conv_tensors t     = {.x         = a->x,
                             .w         = a->w,
                             .y         = a->y,
                             .bias      = a->bias,
                             .residual  = a->residual,
                             .workspace = workspace};
    if(!bias)
        t.bias = NULL;
    if(!residual)
        t.residual = NULL;
    const struct
    {
        const char* name;
        const void** pointer;
        int needed;
    } wanted[] = {{"x is null", &t.x, 1},
                  {"w is null", &t.w, 1},
                  {"y is null", &t.y, 1},
                  {"bias is null", &t.bias, bias},
                  {"residual is null", &t.residual, residual},
                  {"workspace is null", (const void**)&t.workspace, bytes > 0}};
    for(size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
    {
        if(!wanted[i].needed)
            continue;
        const void* const given = *wanted[i].pointer;
        *wanted[i].pointer      = NULL;
        REQUIRE(ck_conv_run(plan, &t) == CK_CONV_REFUSED);
        REQUIRE(strstr(ck_last_error(), wanted[i].name) != NULL);
        *wanted[i].pointer = (const char*)given + 1; /* and where none can be */
        REQUIRE(ck_conv_run(plan, &t) == CK_CONV_REFUSED);
        REQUIRE(strstr(ck_last_error(), "must be at a multiple of") != NULL);
        *wanted[i].pointer = given;
    }
    REQUIRE(ck_conv_run(plan, &t) == CK_CONV_OK);
    REQUIRE(ck_conv_run(NULL, &t) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_run(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    free(workspace);
    return 0;
}

static int of_directions(void)
{
    for(int direction = CK_CONV_FORWARD; direction <= CK_CONV_BACKWARD_WEIGHT; ++direction)
        for(int layout = CK_CONV_CHANNELS_LAST; layout <= CK_CONV_CHANNELS_FIRST; ++layout)
        {
            /* Copies of channels first are in the workspace; that the run asks for it is looked at.
             */
            ck_conv_spec spec;
            ck_conv_options options;
            ck_conv_plan* plan = NULL;
            static struct arrays ours;
            static struct arrays theirs;
            fill(&ours), fill(&theirs);
            REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 1) == CK_CONV_OK);
            spec.direction = direction;
            spec.layout    = layout;
            spec.alignment = 4;
            REQUIRE(ck_conv_options_init(&options, sizeof options) == CK_CONV_OK);
            if(layout == CK_CONV_CHANNELS_FIRST)
                options.allow = "^ChannelsLast<";
            REQUIRE(plan_with(&spec, &options, &plan) == CK_CONV_OK);
            if(layout == CK_CONV_CHANNELS_FIRST)
            {
                size_t bytes = 0;
                REQUIRE(ck_conv_plan_workspace_size(plan, &bytes) == CK_CONV_OK && bytes > 0);
            }
            if(run(plan, &ours, 0, 0) != 0)
                return 1;
            ck_conv_plan_destroy(plan);
            if(layout == CK_CONV_CHANNELS_FIRST)
                continue;
            expect(direction, &theirs);
            REQUIRE(memcmp(ours.x, theirs.x, sizeof ours.x) == 0);
            REQUIRE(memcmp(ours.w, theirs.w, sizeof ours.w) == 0);
            REQUIRE(memcmp(ours.y, theirs.y, sizeof ours.y) == 0);
        }
    return 0;
}

/* y = relu(scale * sum + bias) + residual: each of them in its place. */
static int of_epilogues(void)
{
    ck_conv_spec spec;
    ck_conv_plan* plan = NULL;
    static struct arrays ours, theirs;
    fill(&ours), fill(&theirs);
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 1) == CK_CONV_OK);
    spec.alignment = 4;
    spec.scale = 2, spec.bias = 1;
    spec.residual   = CK_CONV_RESIDUAL_AFTER_ACTIVATION;
    spec.activation = CK_CONV_RELU;
    REQUIRE(plan_of(&spec, &plan) == CK_CONV_OK);
    if(run(plan, &ours, 1, 1) != 0)
        return 1;
    ck_conv_plan_destroy(plan);
    expect(CK_CONV_FORWARD, &theirs);
    int cut = 0;
    for(int i = 0; i < y_size; ++i)
    {
        const float sum = 2 * theirs.y[i] + theirs.bias[i % k];
        cut += sum < 0;
        REQUIRE(ours.y[i] == (sum > 0 ? sum : 0) + theirs.residual[i]);
    }
    REQUIRE(cut > 0 && cut < y_size);
    return 0;
}

/* Backward weight writes the bias, the sums of dY, and dW. */
static int of_bias_gradients(void)
{
    ck_conv_spec spec;
    ck_conv_plan* plan = NULL;
    static struct arrays ours, theirs;
    fill(&ours), fill(&theirs);
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 1) == CK_CONV_OK);
    spec.alignment     = 4;
    spec.direction     = CK_CONV_BACKWARD_WEIGHT;
    spec.bias_gradient = 1;
    REQUIRE(plan_of(&spec, &plan) == CK_CONV_OK);
    if(run(plan, &ours, 1, 0) != 0)
        return 1;
    ck_conv_plan_destroy(plan);
    expect(CK_CONV_BACKWARD_WEIGHT, &theirs);
    REQUIRE(memcmp(ours.w, theirs.w, sizeof ours.w) == 0);
    for(int ik = 0; ik < k; ++ik)
    {
        float sum = 0;
        for(int pixel = 0; pixel < n * length; ++pixel)
            sum += theirs.y[pixel * k + ik];
        REQUIRE(ours.bias[ik] == sum);
    }
    return 0;
}

/* ck_conv_spec_sizes() has lengths and bytes in their places; each may be null. */
static int of_sizes(void)
{
    ck_conv_spec spec;
    int64_t output[4] = {-1, -1, -1, -1};
    size_t bytes[3]   = {0, 0, 0};
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 3) == CK_CONV_OK);
    spec.n = n, spec.k = k, spec.c = c, spec.type = CK_CONV_F16;
    for(int i = 0; i < 3; ++i)
        spec.input[i] = 5 + i, spec.filter[i] = 1 + i % 2;
    REQUIRE(ck_conv_spec_sizes(&spec, output, &bytes[0], &bytes[1], &bytes[2]) == CK_CONV_OK);
    REQUIRE(output[0] == 5 && output[1] == 5 && output[2] == 7 && output[3] == -1);
    REQUIRE(bytes[0] == 2 * n * c * 5 * 6 * 7 && bytes[1] == 2 * k * c * 2 &&
            bytes[2] == 2 * n * k * 5 * 5 * 7);
    for(int i = 0; i < 3; ++i)
    {
        size_t one       = 0;
        size_t* at[3]    = {NULL, NULL, NULL};
        at[i]            = &one;
        const int status = ck_conv_spec_sizes(&spec, NULL, at[0], at[1], at[2]);
        REQUIRE(status == CK_CONV_OK && one == bytes[i]);
    }
    return 0;
}

int every_tensor(void)
{
    return of_directions() != 0 || of_epilogues() != 0 || of_bias_gradients() != 0 ||
           of_sizes() != 0;
}
