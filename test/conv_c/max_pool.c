/* Max pooling from C: each field and each tensor is the one that its name says, and refusals name
 * what is wrong. */
#include "ck/max_pool.h"

#include "require.h"
#include <string.h>

enum
{
    height   = 5,
    width    = 7,
    channels = 2,
    out_h    = 3,
    out_w    = 2
};

static float x[height * width * channels], y[out_h * out_w * channels];
static float dy[out_h * out_w * channels], dx[height * width * channels];
static union
{
    double aligned; /* to 8 bytes */
    unsigned char at[out_h * out_w * channels];
} taps;

static void fill(void)
{
    for(int i = 0; i < height * width * channels; ++i)
        x[i] = (float)(i * 37 % 71) / 4 - 9;
    for(int i = 0; i < out_h * out_w * channels; ++i)
        dy[i] = (float)(i * 5 % 13) - 6;
}

/* Windows of 3 x 2 taps, strides of 2 and 4, a row before the image, every second pixel of a row.
 */
static int set(ck_max_pool_spec* spec)
{
    REQUIRE(ck_max_pool_spec_init(spec, sizeof *spec) == CK_CONV_OK);
    spec->images = 1, spec->channels = channels, spec->alignment = 4;
    spec->input[1] = height, spec->input[2] = width;
    spec->window[1] = 3, spec->window[2] = 2;
    spec->strides[1] = 2, spec->strides[2] = 4;
    spec->pads[1] = 1, spec->dilations[2] = 2;
    spec->output[1] = out_h, spec->output[2] = out_w;
    return 0;
}

static int numbers(void)
{
    ck_max_pool_spec spec;
    ck_max_pool_plan* plan = NULL;
    REQUIRE(set(&spec) == 0);
    fill();
    REQUIRE(ck_max_pool_plan_create(&spec, &plan) == CK_CONV_OK && plan != NULL);
    ck_max_pool_tensors t = {0};
    t.size = sizeof t, t.x = x, t.y = y, t.taps = taps.at, t.dy = dy, t.dx = dx;
    REQUIRE(ck_max_pool_forward(plan, &t) == CK_CONV_OK);
    REQUIRE(ck_max_pool_backward(plan, &t) == CK_CONV_OK);
    float right[height * width * channels] = {0};
    for(int h = 0; h < out_h; ++h)
        for(int w = 0; w < out_w; ++w)
            for(int c = 0; c < channels; ++c)
            {
                const int o = (h * out_w + w) * channels + c;
                int best = -1, tap = -1;
                for(int i = 0; i < 6; ++i)
                {
                    const int row = 2 * h - 1 + i / 2, column = 4 * w + 2 * (i % 2);
                    if(row < 0 || row >= height || column >= width)
                        continue;
                    const int at = (row * width + column) * channels + c;
                    if(best < 0 || x[at] > x[best])
                        best = at, tap = i;
                }
                REQUIRE(y[o] == x[best] && taps.at[o] == tap);
                right[best] += dy[o];
            }
    REQUIRE(memcmp(dx, right, sizeof dx) == 0);
    ck_max_pool_plan_destroy(plan);
    return 0;
}

static int refusals(void)
{
    ck_max_pool_spec spec;
    ck_max_pool_plan* plan = (ck_max_pool_plan*)&spec;
    REQUIRE(ck_max_pool_spec_init(NULL, sizeof spec) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_max_pool_spec_init(&spec, sizeof spec - 8) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(strstr(ck_last_error(), "size is not sizeof(ck_max_pool_spec)") != NULL);
    REQUIRE(ck_max_pool_spec_init(&spec, sizeof spec) == CK_CONV_OK);
    REQUIRE(spec.type == CK_CONV_F32 && spec.alignment == 16 && spec.images == 0);
    for(int d = 0; d < 3; ++d)
        REQUIRE(spec.input[d] == 1 && spec.window[d] == 1 && spec.strides[d] == 1 &&
                spec.pads[d] == 0 && spec.dilations[d] == 1 && spec.output[d] == 1);
    REQUIRE(ck_max_pool_plan_create(&spec, &plan) == CK_CONV_REFUSED && plan == NULL);
    REQUIRE(strcmp(ck_last_error(), "ck::MaxPoolSpec: images is 0, but must be at least 1") == 0);
    REQUIRE(ck_max_pool_plan_create(NULL, &plan) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_max_pool_plan_create(&spec, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(set(&spec) == 0);
    spec.size -= 8;
    REQUIRE(ck_max_pool_plan_create(&spec, &plan) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(set(&spec) == 0);
    spec.alignment = -1;
    REQUIRE(ck_max_pool_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "alignment is -1") != NULL);
    REQUIRE(set(&spec) == 0);
    REQUIRE(ck_max_pool_plan_create(&spec, &plan) == CK_CONV_OK);
    ck_max_pool_tensors t = {0};
    REQUIRE(ck_max_pool_forward(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_max_pool_forward(plan, &t) == CK_CONV_NULL_ARGUMENT);
    t.size = sizeof t;
    REQUIRE(ck_max_pool_forward(NULL, &t) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_max_pool_forward(plan, &t) == CK_CONV_REFUSED);
    REQUIRE(strcmp(ck_last_error(), "ck::MaxPoolPlan::forward: x is null") == 0);
    REQUIRE(ck_max_pool_backward(plan, &t) == CK_CONV_REFUSED);
    REQUIRE(strcmp(ck_last_error(), "ck::MaxPoolPlan::backward: dy is null") == 0);
    ck_max_pool_plan_destroy(plan);
    ck_max_pool_plan_destroy(NULL);
    return 0;
}

int max_pool(void) { return numbers() != 0 || refusals() != 0; }
