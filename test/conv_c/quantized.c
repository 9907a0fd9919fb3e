/* Quantized convolutions with all that they read, from C. */
#include "require.h"
#include <stdlib.h>
#include <string.h>

static int integers(void)
{
    /* A struct, for addresses that are multiples of 4. */
    static struct
    {
        int32_t bias[2];
        float scale[2];
        uint8_t x[4];
        int8_t w[8], residual[4];
        uint8_t y[4];
    } m = {{6, -300}, {.25f, 2.f}, {50, 8, 14}, {2, 6, 2, 1, -2, 2}, {4, -5}, {0}};
    ck_conv_spec spec;
    ck_conv_plan* plan = NULL;
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 2) == CK_CONV_OK);
    REQUIRE(spec.quantized == 0 && spec.residual_scale == 1 && spec.residual_type == CK_CONV_OWN);
    spec.type = CK_CONV_U8, spec.w_type = CK_CONV_I8;
    spec.k = 2, spec.c = 3;
    for(int i = 0; i < 2; ++i)
        spec.input[i] = spec.filter[i] = 1;
    spec.alignment = 4;
    spec.bias = 1, spec.activation = CK_CONV_RELU;
    spec.residual  = CK_CONV_RESIDUAL_AFTER_ACTIVATION;
    spec.quantized = 1, spec.channel_scale = 1;
    spec.x_zero_point = 10, spec.w_zero_point = 1, spec.y_zero_point = 20;
    spec.residual_type = CK_CONV_I8, spec.residual_scale = .5f, spec.residual_zero_point = -1;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    size_t workspace_size = 0;
    REQUIRE(ck_conv_plan_workspace_size(plan, &workspace_size) == CK_CONV_OK);
    void* const workspace   = malloc(workspace_size > 0 ? workspace_size : 1);
    ck_conv_tensors tensors = {.x         = m.x,
                               .w         = m.w,
                               .y         = m.y,
                               .bias      = m.bias,
                               .residual  = m.residual,
                               .workspace = workspace,
                               .scale     = m.scale};
    REQUIRE(ck_conv_run(plan, &tensors) == CK_CONV_OK);
    /* (40 * 1 - 2 * 5 + 4 * 1 + 6) / 4 + (4 + 1) / 2 = 12.5, which is rounded to 12;
     * (40 * 0 - 2 * -3 + 4 * 1 - 300) * 2 is negative: 0 + (-5 + 1) / 2. */
    REQUIRE(m.y[0] == 20 + 12 && m.y[1] == 20 - 2);
    tensors.scale = NULL;
    REQUIRE(ck_conv_run(plan, &tensors) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "scale is null, but has 8 bytes") != NULL);
    ck_conv_plan_destroy(plan);
    free(workspace);
    return 0;
}

/* The gradient of X, of e4m3 and e5m2. */
static int floats(void)
{
    /* e4m3: 2, -1.5, 448; e5m2: 1, -0.25 */
    static struct
    {
        float x[2], w_scale, y_scale, amax;
        uint8_t w[4], y[4];
    } m = {{0}, .5f, 3.f, 77.f, {0x40, 0x7e, 0xbc, 0x40}, {0x3c, 0xb4}};
    ck_conv_spec spec;
    ck_conv_plan* plan = NULL;
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 2) == CK_CONV_OK);
    REQUIRE(spec.tensor_scales == 0 && spec.amax == 0);
    spec.direction = CK_CONV_BACKWARD_DATA;
    spec.w_type = CK_CONV_F8_OCP, spec.y_type = CK_CONV_BF8_OCP;
    spec.k = 2, spec.c = 2;
    for(int i = 0; i < 2; ++i)
        spec.input[i] = spec.filter[i] = 1;
    spec.alignment = 4;
    spec.quantized = 1, spec.tensor_scales = 1, spec.amax = 1;
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK);
    size_t workspace_size = 0;
    REQUIRE(ck_conv_plan_workspace_size(plan, &workspace_size) == CK_CONV_OK);
    void* const workspace   = malloc(workspace_size > 0 ? workspace_size : 1);
    ck_conv_tensors tensors = {.x         = m.x,
                               .w         = m.w,
                               .y         = m.y,
                               .workspace = workspace,
                               .w_scale   = &m.w_scale,
                               .y_scale   = &m.y_scale,
                               .amax      = &m.amax};
    REQUIRE(ck_conv_run(plan, &tensors) == CK_CONV_OK);
    /* 1.5 * (2 * 1 + 1.5 / 4), 1.5 * (448 * 1 - 2 / 4) */
    REQUIRE(m.x[0] == 3.5625f && m.x[1] == 671.25f && m.amax == 671.25f);
    tensors.amax = NULL;
    REQUIRE(ck_conv_run(plan, &tensors) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "amax is null, but has 4 bytes") != NULL);
    ck_conv_plan_destroy(plan);
    free(workspace);
    return 0;
}

int quantized(void) { return integers() != 0 || floats() != 0; }
