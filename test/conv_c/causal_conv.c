/* Causal convolutions from C: each field and each tensor is the one that its name says, chunks are
 * the whole sequence, and refusals name what is wrong. */
#include "require.h"
#include <stdlib.h>
#include <string.h>

enum
{
    frames   = 7,
    taps     = 2,
    dilation = 2,
    reach    = (taps - 1) * dilation,
    stride   = 2,
    outputs  = 4,
    channels = 4
};

struct arrays
{
    float x[frames * channels], w[channels * taps * channels], y[outputs * channels];
    float expected[outputs * channels], bias[channels], residual[outputs * channels];
    float cache[2][reach * channels];
};

static ck_conv_spec spec_of(int new_frames)
{
    ck_conv_spec spec;
    ck_conv_spec_init(&spec, sizeof spec, 1);
    spec.k = spec.c = channels;
    spec.input[0] = new_frames, spec.filter[0] = taps;
    spec.strides[0] = stride, spec.dilations[0] = dilation;
    spec.bias = 1, spec.residual = CK_CONV_RESIDUAL_AFTER_ACTIVATION;
    spec.activation = CK_CONV_RELU;
    return spec;
}

/* Small integers, and their result by plain loops. */
static void fill(struct arrays* a)
{
    memset(a, 0, sizeof *a);
    for(int i = 0; i < frames * channels; ++i)
        a->x[i] = (float)(i * 7 % 11 - 5);
    for(int i = 0; i < channels * taps * channels; ++i)
        a->w[i] = (float)(i * 5 % 7 - 3);
    for(int i = 0; i < channels; ++i)
        a->bias[i] = (float)i;
    for(int t = 0; t < outputs; ++t)
        for(int k = 0; k < channels; ++k)
        {
            const int at    = t * channels + k;
            float sum       = a->bias[k];
            a->residual[at] = (float)(at % 3);
            for(int tap = 0; tap < taps; ++tap)
                for(int c = 0; c < channels; ++c)
                {
                    const int frame = t * stride + tap * dilation - reach;
                    if(frame >= 0)
                        sum += a->x[frame * channels + c] * a->w[(k * taps + tap) * channels + c];
                }
            a->expected[at] = (sum > 0 ? sum : 0) + a->residual[at];
        }
}

static ck_conv_causal_tensors tensors_of(struct arrays* a, int frame, int output)
{
    ck_conv_causal_tensors t = {0};
    t.size                   = sizeof t;
    t.x = a->x + frame * channels, t.w = a->w, t.y = a->y + output * channels;
    t.bias = a->bias, t.residual = a->residual + output * channels;
    return t;
}

/* Chunks of so many frames. */
static int in_chunks(int length)
{
    static struct arrays a;
    fill(&a);
    ck_conv_causal_options causal;
    REQUIRE(ck_conv_causal_options_init(&causal, sizeof causal) == CK_CONV_OK);
    REQUIRE(causal.first == 0 && causal.skip == 0 && causal.chunk == 0);
    causal.first = 1, causal.chunk = 5;
    int output = 0, now = 0;
    char kernel[200] = "";
    for(int frame = 0; frame < frames; frame += length)
    {
        const int count           = frames - frame < length ? frames - frame : length;
        const ck_conv_spec spec   = spec_of(count);
        ck_conv_causal_plan* plan = NULL;
        ck_conv_causal_sizes sizes;
        const char *name = NULL, *text = NULL, *again = NULL;
        REQUIRE(ck_conv_causal_plan_create(&spec, &causal, NULL, &plan) == CK_CONV_OK);
        REQUIRE(ck_conv_causal_plan_sizes(plan, &sizes, sizeof sizes) == CK_CONV_OK);
        REQUIRE(sizes.cached_frames == reach && sizes.cache_bytes == sizeof a.cache[0]);
        REQUIRE(sizes.y_bytes == (size_t)sizes.output[0] * channels * sizeof(float));
        REQUIRE(sizes.next_skip == (stride - (frame + count) % stride) % stride);
        REQUIRE(ck_conv_causal_plan_kernel(plan, &name) == CK_CONV_OK);
        REQUIRE(kernel[0] == '\0' || name[0] == '\0' || strcmp(kernel, name) == 0);
        strncpy(kernel, name, sizeof kernel - 1);
        REQUIRE(ck_conv_causal_plan_explain(plan, &text) == CK_CONV_OK &&
                strstr(text, "new frames") != NULL);
        REQUIRE(ck_conv_causal_plan_explain(plan, &again) == CK_CONV_OK && again == text);

        ck_conv_causal_tensors t = tensors_of(&a, frame, output);
        t.cache = frame == 0 ? NULL : a.cache[now], t.next_cache = a.cache[1 - now];
        t.workspace = sizes.workspace_bytes > 0 ? malloc(sizes.workspace_bytes) : NULL;
        REQUIRE(ck_conv_causal_run(plan, &t) == CK_CONV_OK);
        free(t.workspace);
        ck_conv_causal_plan_destroy(plan);
        output += (int)sizes.output[0];
        causal.first = 0, causal.skip = sizes.next_skip;
        now = 1 - now;
    }
    REQUIRE(output == outputs && memcmp(a.y, a.expected, sizeof a.y) == 0);
    REQUIRE(memcmp(a.cache[now], a.x + (frames - reach) * channels, sizeof a.cache[now]) == 0);
    return 0;
}

static int refusals(void)
{
    static struct arrays a;
    const ck_conv_spec right = spec_of(3);
    ck_conv_spec spec        = right;
    ck_conv_causal_options causal;
    ck_conv_options options;
    ck_conv_causal_plan* plan = NULL;
    ck_conv_causal_sizes sizes;
    const char* text;
    REQUIRE(ck_conv_causal_options_init(NULL, sizeof causal) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_options_init(&causal, 1) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_options_init(&causal, sizeof causal) == CK_CONV_OK);
    REQUIRE(ck_conv_options_init(&options, sizeof options) == CK_CONV_OK);
    REQUIRE(ck_conv_causal_plan_create(&spec, &causal, &options, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_create(NULL, &causal, &options, &plan) == CK_CONV_NULL_ARGUMENT);
    spec.size = 3;
    REQUIRE(ck_conv_causal_plan_create(&spec, &causal, NULL, &plan) == CK_CONV_NULL_ARGUMENT);
    spec = right, causal.size = 3;
    REQUIRE(ck_conv_causal_plan_create(&spec, &causal, NULL, &plan) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(strstr(ck_last_error(), "ck_conv_causal_options_init()") != NULL);
    causal.size = sizeof causal, options.size = 3;
    REQUIRE(ck_conv_causal_plan_create(&spec, NULL, &options, &plan) == CK_CONV_NULL_ARGUMENT);
    options.size = sizeof options, causal.first = 2;
    REQUIRE(ck_conv_causal_plan_create(&spec, &causal, NULL, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "first is 2, but must be 0 or 1") != NULL);
    causal.first = 0, causal.skip = 2;
    REQUIRE(ck_conv_causal_plan_create(&spec, &causal, NULL, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "skip is 2, but must be from 0 to 1") != NULL);
    causal.skip = 0, options.forbid = "";
    options.allow = "no such kernel";
    REQUIRE(ck_conv_causal_plan_create(&spec, &causal, &options, &plan) == CK_CONV_REFUSED);
    REQUIRE(plan == NULL);

    REQUIRE(ck_conv_causal_plan_create(&spec, NULL, NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_causal_plan_sizes(NULL, &sizes, sizeof sizes) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_sizes(plan, NULL, sizeof sizes) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_sizes(plan, &sizes, 8) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_kernel(NULL, &text) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_kernel(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_explain(NULL, &text) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_plan_explain(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    ck_conv_causal_tensors t = tensors_of(&a, 0, 0);
    REQUIRE(ck_conv_causal_run(NULL, &t) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_causal_run(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    t.size = 8;
    REQUIRE(ck_conv_causal_run(plan, &t) == CK_CONV_NULL_ARGUMENT);
    t.size = sizeof t;
    REQUIRE(ck_conv_causal_run(plan, &t) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "cache is null, but has 32 bytes") != NULL);
    ck_conv_causal_plan_destroy(plan);
    ck_conv_causal_plan_destroy(NULL);
    return 0;
}

int causal_conv(void)
{
    for(int length = 1; length <= frames; ++length)
        if(in_chunks(length) != 0)
            return 1;
    return refusals();
}
