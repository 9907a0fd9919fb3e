/* The C interface, from C99, linked with libck_conv.so alone. */
#include "require.h"
#include <stdlib.h>
#include <string.h>

enum
{
    channels = 4,
    length   = 5,
    taps     = 3
};

/* One image of one dimension, all ones. */
static int three_passes(void)
{
    static float x[length * channels], w[channels * taps * channels], y[length * channels];
    for(int direction = CK_CONV_FORWARD; direction <= CK_CONV_BACKWARD_WEIGHT; ++direction)
    {
        ck_conv_spec spec;
        REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 1) == CK_CONV_OK);
        spec.direction = direction;
        spec.k = spec.c = channels;
        spec.input[0]   = length;
        spec.filter[0]  = taps;
        spec.pad_low[0] = spec.pad_high[0] = 1;
        int64_t output                     = 0;
        size_t bytes                       = 0;
        REQUIRE(ck_conv_spec_sizes(&spec, &output, NULL, &bytes, NULL) == CK_CONV_OK);
        REQUIRE(output == length && bytes == sizeof w);

        ck_conv_plan *plan = NULL, *again = NULL;
        REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
        size_t workspace_size = 0;
        REQUIRE(ck_conv_plan_workspace_size(plan, &workspace_size) == CK_CONV_OK);
        void* const workspace = workspace_size > 0 ? malloc(workspace_size) : NULL;
        for(int i = 0; i < length * channels; ++i)
            x[i] = y[i] = 1;
        for(int i = 0; i < channels * taps * channels; ++i)
            w[i] = 1;
        const ck_conv_tensors tensors = {.x = x, .w = w, .y = y, .workspace = workspace};
        REQUIRE(ck_conv_run(plan, &tensors) == CK_CONV_OK);
        if(direction == CK_CONV_FORWARD)
            REQUIRE(y[0] == 2 * channels && y[2 * channels] == 3 * channels);
        if(direction == CK_CONV_BACKWARD_DATA)
            REQUIRE(x[0] == 2 * channels && x[2 * channels] == 3 * channels);
        if(direction == CK_CONV_BACKWARD_WEIGHT)
            REQUIRE(w[0] == length - 1 && w[channels] == length);

        const char *text = NULL, *kernel = NULL, *same = NULL, *why = NULL;
        REQUIRE(ck_conv_plan_serialize(plan, &text) == CK_CONV_OK);
        REQUIRE(ck_conv_plan_deserialize(text, &again) == CK_CONV_OK);
        REQUIRE(ck_conv_plan_kernel(plan, &kernel) == CK_CONV_OK);
        REQUIRE(ck_conv_plan_kernel(again, &same) == CK_CONV_OK && strcmp(kernel, same) == 0);
        REQUIRE(ck_conv_plan_explain(plan, &why) == CK_CONV_OK && strstr(why, kernel) != NULL);
        ck_conv_plan_destroy(again);
        ck_conv_plan_destroy(plan);
        free(workspace);
    }
    return 0;
}

/* Two groups of two channels that lie in memory 0 2 1 3; what is added and summed has their
 * numbers. Forward, and the gradient of the bias. */
static int channels_in_any_order(void)
{
    enum
    {
        groups   = 2,
        of_group = 2,
        all      = groups * of_group
    };
    static const int64_t x_strides[4] = {1, groups, groups, groups},
                         w_strides[4] = {of_group, 1, 1, 1}, y_strides[4] = {1, all, groups, all};
    static float x[groups] = {1, 10}, w[all] = {1, 2, 3, 4}, y[all] = {1, 2, 4, 8},
                 residual[all] = {.25f, .5f, .125f, .0625f}, bias[all];
    for(int gradient = 1; gradient >= 0; --gradient)
    {
        ck_conv_spec spec;
        REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 1) == CK_CONV_OK);
        spec.direction = gradient ? CK_CONV_BACKWARD_WEIGHT : CK_CONV_FORWARD;
        spec.groups    = groups;
        spec.k         = of_group;
        spec.input[0] = spec.filter[0] = 1;
        spec.layout                    = CK_CONV_STRIDED;
        memcpy(spec.x_strides, x_strides, sizeof x_strides);
        memcpy(spec.w_strides, w_strides, sizeof w_strides);
        memcpy(spec.y_strides, y_strides, sizeof y_strides);
        spec.bias_gradient = gradient;
        spec.bias          = !gradient;
        spec.residual      = gradient ? CK_CONV_NO_RESIDUAL : CK_CONV_RESIDUAL_AFTER_ACTIVATION;
        ck_conv_plan* plan = NULL;
        REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
        size_t workspace_size = 0;
        REQUIRE(ck_conv_plan_workspace_size(plan, &workspace_size) == CK_CONV_OK);
        void* const workspace = workspace_size > 0 ? malloc(workspace_size) : NULL;
        static float gradient_of_w[all];
        const ck_conv_tensors tensors = {.x         = x,
                                         .w         = gradient ? gradient_of_w : w,
                                         .y         = y,
                                         .bias      = bias,
                                         .residual  = gradient ? NULL : residual,
                                         .workspace = workspace};
        REQUIRE(ck_conv_run(plan, &tensors) == CK_CONV_OK);
        for(int channel = 0; channel < all; ++channel)
        {
            static const float sums[all] = {1, 4, 2, 8};
            const int g = channel / of_group, at = g + channel % of_group * groups;
            REQUIRE(bias[channel] == sums[channel]);
            if(!gradient)
                REQUIRE(y[at] == x[g] * w[channel] + bias[channel] + residual[at]);
        }
        ck_conv_plan_destroy(plan);
        free(workspace);
    }
    return 0;
}

static int errors(void)
{
    ck_conv_spec spec;
    ck_conv_options options;
    ck_conv_plan* plan = (ck_conv_plan*)&spec;
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec - 16, 1) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_spec_init(&spec, offsetof(ck_conv_spec, clamp_least), 1) ==
            CK_CONV_OK); /* of an older header */
    REQUIRE(ck_conv_spec_init(NULL, sizeof spec, 1) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 4) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_REFUSED && plan == NULL);
    REQUIRE(strstr(ck_last_error(), "rank is 4, but must be 1, 2 or 3") != NULL);
    spec.rank = 2;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "the input length in H of a 2D convolution is 0") != NULL);
    spec.input[0] = spec.input[1] = spec.filter[0] = spec.filter[1] = 3;
    spec.type                                                       = 99;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "type is 99") != NULL);
    spec.type = CK_CONV_F32;
    REQUIRE(ck_conv_options_init(&options, sizeof options) == CK_CONV_OK);
    options.allow = "no kernel's name";
    REQUIRE(ck_conv_plan_create(&spec, &options, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "PlanOptions::allow") != NULL);
    options.allow = "(";
    REQUIRE(ck_conv_plan_create(&spec, &options, &plan) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "not a regular expression") != NULL);
    REQUIRE(ck_conv_plan_deserialize("nonsense", &plan) == CK_CONV_REFUSED);
    REQUIRE(ck_conv_run(NULL, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    const ck_conv_tensors none = {0};
    REQUIRE(ck_conv_run(plan, &none) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "x is null") != NULL);
    ck_conv_plan_destroy(plan);
    ck_conv_plan_destroy(NULL);
    return 0;
}

static void note(const char* line, void* user)
{
    printf("%s\n", line);
    ++*(int*)user;
}

/* CTest says where the database is. */
static int tuning(void)
{
    ck_conv_spec specs[2];
    ck_conv_tune_options options;
    size_t known = 7;
    int lines    = 0;
    for(int i = 0; i < 2; ++i)
    {
        REQUIRE(ck_conv_spec_init(&specs[i], sizeof specs[i], 1) == CK_CONV_OK);
        specs[i].k = specs[i].c = channels;
        specs[i].input[0]       = length;
        specs[i].filter[0]      = taps;
    }
    REQUIRE(ck_conv_tune_options_init(NULL, sizeof options) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_tune_options_init(&options, 1) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(ck_conv_tune(NULL, 1, NULL, &known) == CK_CONV_NULL_ARGUMENT && known == 0);
    REQUIRE(ck_conv_tune_options_init(&options, sizeof options) == CK_CONV_OK);
    options.progress           = note;
    options.user               = &lines;
    const ck_conv_status empty = ck_conv_tune(NULL, 0, &options, NULL);
    if(empty == CK_CONV_REFUSED && strstr(ck_last_error(), "without SQLite") != NULL)
        return 0;
    REQUIRE(empty == CK_CONV_OK && lines == 0);
    REQUIRE(ck_conv_tune(specs, 2, &options, &known) == CK_CONV_OK && known == 2 && lines == 2);
    ck_conv_plan* plan = NULL;
    const char* text   = NULL;
    REQUIRE(ck_conv_plan_create(&specs[0], NULL, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_explain(plan, &text) == CK_CONV_OK);
    REQUIRE(strstr(text, "time: measured ") != NULL);
    ck_conv_plan_destroy(plan);
    specs[0].type = 99;
    REQUIRE(ck_conv_tune(specs, 2, &options, &known) == CK_CONV_REFUSED && known == 1);
    REQUIRE(strstr(ck_last_error(), "type is 99") != NULL);
    options.again = 2;
    REQUIRE(ck_conv_tune(specs, 2, &options, &known) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "again is 2") != NULL);
    return 0;
}

int main(void)
{
    if(of_the_runtime() != 0 || last_error() != 0 || of_memory() != 0 || three_passes() != 0 ||
       channels_in_any_order() != 0 || errors() != 0 || every_field() != 0 || every_size() != 0 ||
       every_tensor() != 0 || quantized() != 0 || batch_norm() != 0 || causal_conv() != 0 ||
       group_norm() != 0 || max_pool() != 0 || every_option() != 0 || tuning() != 0 ||
       ck_conv_clear_plan_cache() != CK_CONV_OK)
        return 1;
    REQUIRE(strcmp(ck_conv_platform(), "host") == 0); /* this test's build */
    printf("version %s: three passes, errors, every field, and tuning\n", ck_conv_version());
    return 0;
}
