/* Batch norm from C: each field and each tensor is the one that its name says, and refusals name
 * what is wrong. */
#include "ck/batch_norm.h"

#include "require.h"
#include <stdlib.h>
#include <string.h>

enum
{
    rows     = 5,
    channels = 3,
    size     = rows * channels
};

struct arrays
{
    float x[size], residual[size], y[size], dy[size], dx[size], d_residual[size];
    float weight[channels], bias[channels], mean[channels], inverse[channels];
    float running_mean[channels], running_variance[channels], d_weight[channels], d_bias[channels];
};

static int near(double a, double b) { return a - b < 1e-5 && b - a < 1e-5; }

/* The root of v, which C's library has in a library of its own. */
static double root(double v)
{
    double r = v > 1 ? v : 1;
    for(int i = 0; i < 60; ++i)
        r = (r + v / r) / 2;
    return r;
}

static void fill(struct arrays* a)
{
    memset(a, 0, sizeof *a);
    for(int i = 0; i < size; ++i)
    {
        a->x[i]        = (float)(i * 7 % 11) / 2 - 2;
        a->residual[i] = (float)(i * 5 % 7) / 3 - 1;
        a->dy[i]       = (float)(i * 3 % 13) / 4 - 1;
    }
    for(int c = 0; c < channels; ++c)
    {
        a->weight[c] = 1.5f - (float)c, a->bias[c] = (float)c / 4;
        a->running_mean[c] = (float)(c + 1), a->running_variance[c] = (float)(2 * c + 1);
    }
}

static ck_batch_norm_tensors tensors_of(struct arrays* a)
{
    ck_batch_norm_tensors t = {0};
    t.size                  = sizeof t;
    t.x = a->x, t.residual = a->residual, t.weight = a->weight, t.bias = a->bias, t.y = a->y;
    t.mean = a->mean, t.inverse_deviation = a->inverse;
    t.running_mean = a->running_mean, t.running_variance = a->running_variance;
    t.dy = a->dy, t.dx = a->dx, t.d_residual = a->d_residual;
    t.d_weight = a->d_weight, t.d_bias = a->d_bias, t.momentum = 0.25;
    return t;
}

static double clamped(double z) { return z < -0.5 ? -0.5 : z > 0.75 ? 0.75 : z; }

/* Everything by plain loops. */
static int numbers(void)
{
    static struct arrays a, before;
    fill(&a);
    before = a;
    ck_batch_norm_spec spec;
    REQUIRE(ck_batch_norm_spec_init(&spec, sizeof spec) == CK_CONV_OK);
    spec.activation = CK_BATCH_NORM_CLAMP, spec.least = -0.5, spec.most = 0.75;
    spec.residual = 1, spec.rows = rows, spec.channels = channels, spec.epsilon = 0.5;
    spec.alignment           = 4;
    ck_batch_norm_plan* plan = NULL;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_OK && plan != NULL);
    size_t bytes = 0;
    REQUIRE(ck_batch_norm_plan_workspace_size(plan, &bytes) == CK_CONV_OK);
    REQUIRE(bytes > 0);
    ck_batch_norm_tensors t = tensors_of(&a);
    REQUIRE(ck_batch_norm_inference(plan, &t) == CK_CONV_OK);
    for(int i = 0; i < size; ++i)
    {
        const int c    = i % channels;
        const double z = (a.x[i] - a.running_mean[c]) / root(a.running_variance[c] + 0.5);
        REQUIRE(near(a.y[i], clamped(z * a.weight[c] + a.bias[c] + a.residual[i])));
    }
    t.workspace = malloc(bytes); /* at a multiple of 16 */
    REQUIRE(ck_batch_norm_forward(plan, &t) == CK_CONV_OK);
    REQUIRE(ck_batch_norm_backward(plan, &t) == CK_CONV_OK);
    for(int c = 0; c < channels; ++c)
    {
        double mean = 0, variance = 0, sum = 0, moment = 0;
        for(int i = c; i < size; i += channels)
            mean += a.x[i] / rows;
        for(int i = c; i < size; i += channels)
            variance += (a.x[i] - mean) * (a.x[i] - mean) / rows;
        const double inverse = 1 / root(variance + 0.5);
        REQUIRE(near(a.mean[c], mean) && near(a.inverse[c], inverse));
        REQUIRE(near(a.running_mean[c], 0.75 * before.running_mean[c] + 0.25 * mean));
        REQUIRE(near(a.running_variance[c],
                     0.75 * before.running_variance[c] + 0.25 * variance * rows / (rows - 1)));
        for(int i = c; i < size; i += channels)
        {
            const double from = (a.x[i] - mean) * inverse,
                         z    = from * a.weight[c] + a.bias[c] + a.residual[i];
            REQUIRE(near(a.y[i], clamped(z)));
            REQUIRE(a.d_residual[i] == (z > -0.5 && z < 0.75 ? a.dy[i] : 0));
            sum += a.d_residual[i], moment += a.d_residual[i] * from;
        }
        REQUIRE(near(a.d_bias[c], sum) && near(a.d_weight[c], moment));
        for(int i = c; i < size; i += channels)
            REQUIRE(near(
                a.dx[i],
                a.weight[c] * inverse *
                    (a.d_residual[i] - sum / rows - (a.x[i] - mean) * inverse * moment / rows)));
    }
    free(t.workspace);
    ck_batch_norm_plan_destroy(plan);
    return 0;
}

static int refusals(void)
{
    ck_batch_norm_spec spec;
    ck_batch_norm_plan* plan = NULL;
    size_t bytes;
    REQUIRE(ck_batch_norm_spec_init(NULL, sizeof spec) == CK_CONV_NULL_ARGUMENT);
    for(size_t s = 0; s <= sizeof spec + 1; ++s) /* the older one has no x_stride */
        REQUIRE((ck_batch_norm_spec_init(&spec, s) == CK_CONV_OK) ==
                (s == offsetof(ck_batch_norm_spec, x_stride) || s == sizeof spec));
    spec.x_stride = -3;
    REQUIRE(ck_batch_norm_spec_init(&spec, offsetof(ck_batch_norm_spec, x_stride)) == CK_CONV_OK);
    REQUIRE(spec.size == offsetof(ck_batch_norm_spec, x_stride) && spec.x_stride == -3);
    spec.rows = 2, spec.channels = channels;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_OK);
    ck_batch_norm_plan_destroy(plan), plan = NULL;
    spec.size = sizeof spec;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "x_stride is -3, but must be 0 or at least channels") != NULL);
    REQUIRE(ck_batch_norm_spec_init(&spec, sizeof spec) == CK_CONV_OK);
    REQUIRE(spec.size == sizeof spec && spec.type == CK_CONV_F32 && spec.alignment == 16);
    REQUIRE(spec.epsilon == 1e-5 && spec.activation == CK_BATCH_NORM_NONE && spec.residual == 0);
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED && plan == NULL);
    REQUIRE(strstr(ck_last_error(), "rows is 0, but must be at least 1") != NULL);
    spec.rows = 1, spec.channels = channels;
    REQUIRE(ck_batch_norm_plan_create(&spec, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_batch_norm_plan_create(NULL, &plan) == CK_CONV_NULL_ARGUMENT);
    spec.size = 8;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_NULL_ARGUMENT);
    spec.size = sizeof spec, spec.residual = 2;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "ck_batch_norm_spec: residual is 2") != NULL);
    spec.residual = 0, spec.alignment = -4;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "alignment is -4, but must be 1, 2, 4, 8 or 16") != NULL);
    spec.alignment = 16, spec.type = CK_CONV_OWN;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "type is -1") != NULL);
    spec.type = CK_CONV_BF16;
    REQUIRE(ck_batch_norm_plan_create(&spec, &plan) == CK_CONV_OK);
    REQUIRE(ck_batch_norm_plan_workspace_size(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_batch_norm_plan_workspace_size(NULL, &bytes) == CK_CONV_NULL_ARGUMENT);
    struct arrays a;
    ck_batch_norm_tensors t = tensors_of(&a);
    REQUIRE(ck_batch_norm_forward(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_batch_norm_forward(NULL, &t) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_batch_norm_forward(plan, &t) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "rows is 1, but a variance needs at least two") != NULL);
    t.size = 0;
    REQUIRE(ck_batch_norm_backward(plan, &t) == CK_CONV_NULL_ARGUMENT);
    t.size = sizeof t, t.dy = NULL;
    REQUIRE(ck_batch_norm_backward(plan, &t) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "dy is null") != NULL);
    ck_batch_norm_plan_destroy(plan);
    ck_batch_norm_plan_destroy(NULL);
    return 0;
}

int batch_norm(void) { return numbers() != 0 || refusals() != 0; }
