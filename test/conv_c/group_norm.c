/* Group norm from C: each field and each tensor is the one that its name says, and refusals name
 * what is wrong. */
#include "ck/group_norm.h"

#include "require.h"
#include <stdlib.h>
#include <string.h>

enum
{
    images   = 2,
    pixels   = 5,
    channels = 6,
    groups   = 2,
    in_group = channels / groups,
    count    = pixels * in_group,
    size     = images * pixels * channels
};

struct arrays
{
    float x[size], residual[size], y[size], dy[size], dx[size], d_residual[size];
    float weight[channels], bias[channels], d_weight[channels], d_bias[channels];
    float mean[images * groups], inverse[images * groups];
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
        a->dy[i]       = (float)(i * 3 % 13) / 4 - 1;
        a->residual[i] = (float)(i * 5 % 17) / 8 - 1;
    }
    for(int c = 0; c < channels; ++c)
        a->weight[c] = 1.5f - (float)c / 2, a->bias[c] = (float)c / 4;
}

static ck_group_norm_tensors tensors_of(struct arrays* a)
{
    ck_group_norm_tensors t = {0};
    t.size                  = sizeof t;
    t.x = a->x, t.weight = a->weight, t.bias = a->bias, t.y = a->y;
    t.mean = a->mean, t.inverse_deviation = a->inverse, t.dy = a->dy, t.dx = a->dx;
    t.d_weight = a->d_weight, t.d_bias = a->d_bias;
    return t;
}

/* The i-th element of a group of an image. */
static int at(int statistic, int i)
{
    return (statistic / groups * pixels + i / in_group) * channels + statistic % groups * in_group +
           i % in_group;
}

/* Everything by plain loops. slope: of leaky_relu; 0 is relu. adds: whether there is a residual.
 * older: whether the structs are those before it. */
static int numbers(double slope, int adds, int older)
{
    static struct arrays a;
    fill(&a);
    ck_group_norm_spec spec;
    memset(&spec, 77, sizeof spec);
    REQUIRE(ck_group_norm_spec_init(
                &spec, older ? offsetof(ck_group_norm_spec, residual) : sizeof spec) == CK_CONV_OK);
    if(!older)
        spec.residual = adds;
    spec.activation = CK_GROUP_NORM_RELU, spec.epsilon = 0.5, spec.alignment = 4;
    if(slope != 0)
        spec.activation = CK_GROUP_NORM_LEAKY_RELU, spec.slope = slope;
    spec.images = images, spec.pixels = pixels, spec.channels = channels, spec.groups = groups;
    ck_group_norm_plan* plan = NULL;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_OK && plan != NULL);
    size_t bytes = 0;
    REQUIRE(ck_group_norm_plan_workspace_size(plan, &bytes) == CK_CONV_OK);
    REQUIRE(bytes > 0);
    ck_group_norm_tensors t = tensors_of(&a);
    t.workspace             = malloc(bytes); /* at a multiple of 16 */
    if(adds || older)                        /* an older library's tensors end before */
        t.residual = a.residual, t.d_residual = a.d_residual;
    if(older)
        t.size = offsetof(ck_group_norm_tensors, residual);
    REQUIRE(ck_group_norm_forward(plan, &t) == CK_CONV_OK);
    REQUIRE(ck_group_norm_backward(plan, &t) == CK_CONV_OK);
    double weights[channels] = {0}, biases[channels] = {0};
    for(int s = 0; s < images * groups; ++s)
    {
        double mean = 0, variance = 0, sum = 0, moment = 0, dz[count];
        for(int i = 0; i < count; ++i)
            mean += a.x[at(s, i)] / (double)count;
        for(int i = 0; i < count; ++i)
            variance += (a.x[at(s, i)] - mean) * (a.x[at(s, i)] - mean) / count;
        const double inverse = 1 / root(variance + 0.5);
        REQUIRE(near(a.mean[s], mean) && near(a.inverse[s], inverse));
        for(int i = 0; i < count; ++i)
        {
            const int e = at(s, i), c = e % channels;
            const double from = (a.x[e] - mean) * inverse,
                         z    = from * a.weight[c] + a.bias[c] + (adds ? a.residual[e] : 0);
            REQUIRE(near(a.y[e], z > 0 ? z : slope * z));
            dz[i] = z > 0 ? a.dy[e] : slope * a.dy[e];
            REQUIRE(near(a.d_residual[e], adds ? dz[i] : 0));
            sum += a.weight[c] * dz[i], moment += a.weight[c] * dz[i] * from;
            weights[c] += dz[i] * from, biases[c] += dz[i];
        }
        for(int i = 0; i < count; ++i)
        {
            const int e = at(s, i);
            REQUIRE(near(a.dx[e],
                         inverse * (a.weight[e % channels] * dz[i] - sum / count -
                                    (a.x[e] - mean) * inverse * moment / count)));
        }
    }
    for(int c = 0; c < channels; ++c)
        REQUIRE(near(a.d_weight[c], weights[c]) && near(a.d_bias[c], biases[c]));
    free(t.workspace);
    ck_group_norm_plan_destroy(plan);
    return 0;
}

static int refusals(void)
{
    ck_group_norm_spec spec;
    ck_group_norm_plan* plan = NULL;
    size_t bytes;
    REQUIRE(ck_group_norm_spec_init(NULL, sizeof spec) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_group_norm_spec_init(&spec, sizeof spec - 1) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_group_norm_spec_init(&spec, sizeof spec) == CK_CONV_OK);
    REQUIRE(spec.size == sizeof spec && spec.type == CK_CONV_F32 && spec.alignment == 16);
    REQUIRE(spec.epsilon == 1e-5 && spec.activation == CK_GROUP_NORM_NONE && spec.images == 1);
    REQUIRE(spec.slope == 0.01 && spec.residual == 0);
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED && plan == NULL);
    REQUIRE(strstr(ck_last_error(), "pixels is 0, but must be at least 1") != NULL);
    spec.pixels = 4, spec.channels = channels, spec.groups = 4;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(),
                   "groups is 4 and channels is 6, but groups must divide channels") != NULL);
    spec.groups = groups;
    REQUIRE(ck_group_norm_plan_create(&spec, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_group_norm_plan_create(NULL, &plan) == CK_CONV_NULL_ARGUMENT);
    spec.size = 8;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_NULL_ARGUMENT);
    spec.size = sizeof spec, spec.alignment = -4;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "alignment is -4, but must be 1, 2, 4, 8 or 16") != NULL);
    spec.alignment = 16, spec.parameters_as_x = 2;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "parameters_as_x is 2") != NULL);
    spec.parameters_as_x = 0, spec.activation = 4;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "activation is 4") != NULL);
    spec.activation = CK_GROUP_NORM_NONE, spec.slope = 0.5;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "slope is 0.5, but only the activation leaky_relu") != NULL);
    spec.slope = 0.01, spec.residual = -1;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "residual is -1, but must be 0 or 1") != NULL);
    spec.residual = 1, spec.activation = CK_GROUP_NORM_SILU;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "residual is set with activation silu") != NULL);
    spec.residual   = 0;
    spec.activation = CK_GROUP_NORM_SILU, spec.type = CK_CONV_BF16;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_OK);
    REQUIRE(ck_group_norm_plan_workspace_size(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_group_norm_plan_workspace_size(NULL, &bytes) == CK_CONV_NULL_ARGUMENT);
    struct arrays a;
    ck_group_norm_tensors t = tensors_of(&a);
    REQUIRE(ck_group_norm_forward(plan, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_group_norm_forward(NULL, &t) == CK_CONV_NULL_ARGUMENT);
    t.size = 0;
    REQUIRE(ck_group_norm_backward(plan, &t) == CK_CONV_NULL_ARGUMENT);
    for(size_t s = offsetof(ck_group_norm_tensors, residual) - 1; s <= sizeof t + 1; ++s)
        if(t.size = s, s != sizeof t && s != offsetof(ck_group_norm_tensors, residual))
            REQUIRE(ck_group_norm_backward(plan, &t) == CK_CONV_NULL_ARGUMENT);
    t.size = sizeof t, t.dy = NULL;
    REQUIRE(ck_group_norm_backward(plan, &t) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "dy is null") != NULL);
    ck_group_norm_plan_destroy(plan);
    ck_group_norm_plan_destroy(NULL);
    return 0;
}

/* A caller with the header from before `slope`, `kind` or `residual`: what lies there is not the
 * library's. */
static int of_an_older_spec(size_t older)
{
    const size_t oldest = offsetof(ck_group_norm_spec, slope);
    ck_group_norm_spec spec;
    unsigned char untouched[sizeof spec];
    ck_group_norm_plan* plan = NULL;
    for(size_t bytes = oldest - 1; bytes <= sizeof spec + 1; ++bytes)
        REQUIRE((ck_group_norm_spec_init(&spec, bytes) == CK_CONV_OK) ==
                (bytes == oldest || bytes == offsetof(ck_group_norm_spec, kind) ||
                 bytes == offsetof(ck_group_norm_spec, residual) || bytes == sizeof spec));
    memset(&spec, 77, sizeof spec);
    memset(untouched, 77, sizeof untouched);
    REQUIRE(ck_group_norm_spec_init(&spec, older) == CK_CONV_OK);
    REQUIRE(spec.size == older);
    REQUIRE(memcmp((unsigned char*)&spec + older, untouched, sizeof spec - older) == 0);
    spec.pixels = 4, spec.channels = channels, spec.groups = groups;
    for(int activation = CK_GROUP_NORM_NONE; activation <= CK_GROUP_NORM_LEAKY_RELU; ++activation)
    {
        spec.activation = activation;
        REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_OK);
        ck_group_norm_plan_destroy(plan);
    }
    spec.size = sizeof spec, spec.activation = CK_GROUP_NORM_NONE;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_REFUSED);
    spec.size = older - 1;
    REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_NULL_ARGUMENT);
    return 0;
}

/* Layer norm and RMS norm of each pixel. */
static int kinds(void)
{
    static struct arrays a;
    for(int kind = CK_NORM_LAYER; kind <= CK_NORM_L2; ++kind)
    {
        fill(&a);
        ck_group_norm_spec spec;
        REQUIRE(ck_group_norm_spec_init(&spec, sizeof spec) == CK_CONV_OK);
        REQUIRE(spec.kind == CK_NORM_GROUP && spec.groups == 0);
        spec.kind = kind, spec.epsilon = 0.5, spec.alignment = 4;
        spec.images = images, spec.pixels = pixels, spec.channels = channels;
        ck_group_norm_plan* plan = NULL;
        REQUIRE(ck_group_norm_plan_create(&spec, &plan) == CK_CONV_OK);
        size_t bytes = 0;
        REQUIRE(ck_group_norm_plan_workspace_size(plan, &bytes) == CK_CONV_OK && bytes > 0);
        ck_group_norm_tensors t = tensors_of(&a);
        float mean[images * pixels], inverse[images * pixels];
        t.mean = mean, t.inverse_deviation = inverse, t.workspace = malloc(bytes);
        REQUIRE(ck_group_norm_forward(plan, &t) == CK_CONV_OK);
        REQUIRE(ck_group_norm_backward(plan, &t) == CK_CONV_OK);
        double biases[channels] = {0};
        for(int pixel = 0; pixel < images * pixels; ++pixel)
        {
            double m = 0, variance = 0;
            for(int c = 0; c < channels; ++c)
                m += kind == CK_NORM_LAYER ? a.x[pixel * channels + c] / (double)channels : 0;
            for(int c = 0; c < channels; ++c)
            {
                const double from = a.x[pixel * channels + c] - m;
                variance += from * from / channels;
            }
            const double least     = 0.5 * 0.5 / channels,
                         deviation = root(kind != CK_NORM_L2 ? variance + 0.5
                                          : variance > least ? variance
                                                             : least);
            REQUIRE(near(inverse[pixel], 1 / deviation));
            for(int c = 0; c < channels; ++c)
            {
                const int e = pixel * channels + c;
                REQUIRE(near(a.y[e], (a.x[e] - m) / deviation * a.weight[c] + a.bias[c]));
                biases[c] += a.dy[e];
            }
        }
        for(int c = 0; c < channels; ++c)
            REQUIRE(near(a.d_bias[c], biases[c]));
        free(t.workspace);
        ck_group_norm_plan_destroy(plan);
    }
    return 0;
}

int group_norm(void)
{
    return numbers(0, 0, 0) != 0 || numbers(0.25, 0, 0) != 0 || numbers(-0.5, 0, 0) != 0 ||
           numbers(0, 1, 0) != 0 || numbers(0.25, 1, 0) != 0 || numbers(0.25, 0, 1) != 0 ||
           refusals() != 0 || of_an_older_spec(offsetof(ck_group_norm_spec, slope)) != 0 ||
           of_an_older_spec(offsetof(ck_group_norm_spec, kind)) != 0 ||
           of_an_older_spec(offsetof(ck_group_norm_spec, residual)) != 0 || kinds() != 0;
}
