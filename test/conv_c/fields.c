/* Each field of ck_conv_spec has the effect that its name says, and comes back from a plan. What
 * the library took is read from the spec's words, in a plan's text or in a refusal. */
#include "require.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum kind
{
    ints, /* of C's int */
    wides,
    sizes,
    floats
};

/* A field that is changed, with what makes the change sound, and how the words begin then. Rows are
 * in the fields' order. */
struct row
{
    const char* name;
    size_t offset, bytes;
    enum kind kind;
    double values[5];
    int count;
    const char* words;
};

#define F(field, kind, count, words, ...)                                                          \
    {                                                                                              \
#field, offsetof(ck_conv_spec, field), sizeof(((ck_conv_spec*)0)->field), kind,            \
            {__VA_ARGS__ }, count, words                                                           \
    }
#define REST "strides=1x1 dilations=1x1 pads=0:0x0:0"
#define FORWARD "direction=forward type=f32 "
#define INTEGERS "direction=forward type=i8 "
#define FLOATS "direction=forward type=f8_ocp y_type=f32 "
#define SIZES "n=2 k=3 c=4 input=9x7 filter=3x2 "

static const struct row rows[] = {
    F(direction, ints, 1, "direction=backward_data type=f32 " SIZES REST, CK_CONV_BACKWARD_DATA),
    F(type, ints, 1, "direction=forward type=f16 " SIZES REST, CK_CONV_F16),
    F(x_type, ints, 1, FORWARD "x_type=bf16 " SIZES REST, CK_CONV_BF16),
    F(w_type, ints, 1, FORWARD "w_type=i8 " SIZES REST, CK_CONV_I8),
    F(y_type, ints, 1, FORWARD "y_type=f16 " SIZES REST, CK_CONV_F16),
    F(compute, ints, 1, FORWARD "compute=tf32 " SIZES REST, CK_CONV_TF32),
    F(layout, ints, 1, FORWARD "layout=channels_first " SIZES REST, CK_CONV_CHANNELS_FIRST),
    F(rank, ints, 1, FORWARD "n=2 k=3 c=4 input=9 filter=3 strides=1 dilations=1 pads=0:0", 1),
    F(groups, wides, 1, FORWARD "groups=5 " SIZES REST, 5),
    F(n, wides, 1, FORWARD "n=6 k=3 c=4 input=9x7 filter=3x2 " REST, 6),
    F(k, wides, 1, FORWARD "n=2 k=6 c=4 input=9x7 filter=3x2 " REST, 6),
    F(c, wides, 1, FORWARD "n=2 k=3 c=6 input=9x7 filter=3x2 " REST, 6),
    F(input, wides, 2, FORWARD "n=2 k=3 c=4 input=11x12 filter=3x2 " REST, 11, 12),
    F(filter, wides, 2, FORWARD "n=2 k=3 c=4 input=9x7 filter=4x5 " REST, 4, 5),
    F(strides, wides, 2, FORWARD SIZES "strides=2x3 dilations=1x1 pads=0:0x0:0", 2, 3),
    F(dilations, wides, 2, FORWARD SIZES "strides=1x1 dilations=2x3 pads=0:0x0:0", 2, 3),
    F(pad_low, wides, 2, FORWARD SIZES "strides=1x1 dilations=1x1 pads=2:0x1:0", 2, 1),
    F(pad_high, wides, 2, FORWARD SIZES "strides=1x1 dilations=1x1 pads=0:2x0:1", 2, 1),
    F(transposed, ints, 1, FORWARD SIZES REST " transposed=1 output_padding=0x0", 1),
    F(output_padding,
      wides,
      2,
      FORWARD SIZES "strides=2x3 dilations=1x1 pads=0:0x0:0 transposed=1 output_padding=1x2",
      1,
      2),
    F(x_strides,
      wides,
      5,
      FORWARD "layout=strided " SIZES REST
              " x_strides=1x1000x2x77x8 w_strides=1x100x2x30x9 y_strides=1x900x3x60x9",
      1,
      1000,
      2,
      77,
      8),
    F(w_strides,
      wides,
      5,
      FORWARD "layout=strided " SIZES REST
              " x_strides=1x900x3x60x9 w_strides=1x1000x2x77x8 y_strides=1x900x3x60x9",
      1,
      1000,
      2,
      77,
      8),
    F(y_strides,
      wides,
      5,
      FORWARD "layout=strided " SIZES REST
              " x_strides=1x900x3x60x9 w_strides=1x100x2x30x9 y_strides=1x1000x2x77x8",
      1,
      1000,
      2,
      77,
      8),
    F(beta, floats, 1, FORWARD SIZES REST " beta=1", 1),
    F(scale, floats, 1, FORWARD SIZES REST " scale=0.5", .5),
    F(bias, ints, 1, FORWARD SIZES REST " bias=1", 1),
    F(residual,
      ints,
      1,
      FORWARD SIZES REST " residual=after_activation",
      CK_CONV_RESIDUAL_AFTER_ACTIVATION),
    F(activation, ints, 1, FORWARD SIZES REST " activation=silu", CK_CONV_SILU),
    F(bias_gradient,
      ints,
      1,
      "direction=backward_weight type=f32 " SIZES REST " bias_gradient=1",
      1),
    F(alignment, sizes, 1, FORWARD SIZES REST " alignment=8", 8),
    F(clamp_least, floats, 1, FORWARD SIZES REST " activation=clamp least=-2 most=1", -2),
    F(clamp_most, floats, 1, FORWARD SIZES REST " activation=clamp most=3", 3),
    F(quantized, ints, 1, INTEGERS SIZES REST " quantized=1", 1),
    F(channel_scale, ints, 1, INTEGERS SIZES REST " quantized=1 channel_scale=1", 1),
    F(x_zero_point, ints, 1, INTEGERS SIZES REST " quantized=1 x_zero_point=-5", -5),
    F(w_zero_point, ints, 1, INTEGERS SIZES REST " quantized=1 w_zero_point=6", 6),
    F(y_zero_point, ints, 1, INTEGERS SIZES REST " quantized=1 y_zero_point=7", 7),
    F(residual_scale,
      floats,
      1,
      INTEGERS SIZES REST " residual=before_activation quantized=1 residual_scale=0.25",
      .25),
    F(residual_zero_point,
      ints,
      1,
      INTEGERS SIZES REST " residual=before_activation quantized=1 residual_zero_point=8",
      8),
    F(residual_type,
      ints,
      1,
      INTEGERS SIZES REST " residual=before_activation quantized=1 residual_type=u8",
      CK_CONV_U8),
    F(tensor_scales, ints, 1, FLOATS SIZES REST " quantized=1 tensor_scales=1", 1),
    F(amax, ints, 1, FLOATS SIZES REST " quantized=1 amax=1", 1),
    F(leaky_slope, floats, 1, FORWARD SIZES REST " activation=leaky_relu slope=0.25", .25),
};
enum
{
    row_count = sizeof rows / sizeof rows[0]
};

static void set(ck_conv_spec* spec, const struct row* r)
{
    for(int i = 0; i < r->count; ++i)
    {
        char* const at      = (char*)spec + r->offset;
        const double number = r->values[i];
        if(r->kind == ints)
            ((int*)at)[i] = (int)number;
        else if(r->kind == wides)
            ((int64_t*)at)[i] = (int64_t)number;
        else if(r->kind == sizes)
            ((size_t*)at)[i] = (size_t)number;
        else
            ((float*)at)[i] = (float)number;
    }
}

/* Two dimensions in which nothing is like anything else, and what the row needs. */
static int make(ck_conv_spec* spec, const struct row* r)
{
    REQUIRE(ck_conv_spec_init(spec, sizeof *spec, 2) == CK_CONV_OK);
    spec->n = 2, spec->k = 3, spec->c = 4;
    spec->input[0] = 9, spec->input[1] = 7, spec->filter[0] = 3, spec->filter[1] = 2;
    if(strcmp(r->name, "output_padding") == 0)
        spec->transposed = 1, spec->strides[0] = 2, spec->strides[1] = 3;
    if(strstr(r->name, "_strides") != NULL)
    {
        static const int64_t of_tensors[5] = {1, 900, 3, 60, 9}, of_w[5] = {1, 100, 2, 30, 9};
        spec->layout = CK_CONV_STRIDED;
        memcpy(spec->x_strides, of_tensors, sizeof of_tensors);
        memcpy(spec->w_strides, of_w, sizeof of_w);
        memcpy(spec->y_strides, of_tensors, sizeof of_tensors);
    }
    if(strcmp(r->name, "bias_gradient") == 0)
        spec->direction = CK_CONV_BACKWARD_WEIGHT;
    if(strncmp(r->name, "clamp", 5) == 0)
        spec->activation = CK_CONV_CLAMP, spec->clamp_most = r->values[0] < 0 ? 1.f : 0.f;
    const int is_leaky = strcmp(r->name, "leaky_slope") == 0;
    if(is_leaky)
        spec->activation = CK_CONV_LEAKY_RELU;
    if(!is_leaky && r->offset >= offsetof(ck_conv_spec, quantized))
        spec->type = CK_CONV_I8, spec->quantized = 1;
    if(!is_leaky && r->offset >= offsetof(ck_conv_spec, tensor_scales))
        spec->type = CK_CONV_F8_OCP, spec->y_type = CK_CONV_F32;
    if(strncmp(r->name, "residual_", 9) == 0)
        spec->residual = CK_CONV_RESIDUAL_BEFORE_ACTIVATION;
    set(spec, r);
    return 0;
}

/* The spec's words, as the library has them, and more behind them. To be freed. */
static char* words_of(const ck_conv_spec* spec)
{
    ck_conv_plan* plan          = NULL;
    const char* text            = NULL;
    const ck_conv_status status = ck_conv_plan_create(spec, NULL, &plan);
    if(status == CK_CONV_OK && ck_conv_plan_serialize(plan, &text) == CK_CONV_OK)
        text = strstr(text, "direction=");
    else
        text = ck_last_error();
    char* const words = malloc(strlen(text) + 1);
    if(words != NULL)
        strcpy(words, text);
    ck_conv_plan_destroy(plan);
    return words;
}

/* What ck_conv_plan_spec() gives is the plan's spec, field for field. */
static int comes_back(const ck_conv_spec* spec, const struct row* changed)
{
    ck_conv_plan* plan = NULL;
    ck_conv_spec again;
    if(ck_conv_plan_create(spec, NULL, &plan) != CK_CONV_OK)
        return 0;
    memset(&again, 77, sizeof again);
    REQUIRE(ck_conv_plan_spec(plan, &again, sizeof again) == CK_CONV_OK);
    REQUIRE(again.size == sizeof again);
    for(int i = 0; i < row_count; ++i)
        if(memcmp((const char*)spec + rows[i].offset,
                  (const char*)&again + rows[i].offset,
                  rows[i].bytes) != 0)
        {
            /* A dimension that there is not is as the defaults are. */
            if(strcmp(changed->name, "rank") == 0 && rows[i].kind == wides &&
               memcmp((const char*)spec + rows[i].offset,
                      (const char*)&again + rows[i].offset,
                      sizeof(int64_t)) == 0)
                continue;
            printf(
                "%s of a plan with another %s is not what it was\n", rows[i].name, changed->name);
            return 1;
        }
    ck_conv_plan_destroy(plan);
    return 0;
}

/* Values that C++ could not be given. */
static int refused(void)
{
    ck_conv_spec spec;
    static const int ranks[] = {-1, 0, 4, INT_MAX, INT_MIN};
    for(size_t i = 0; i < sizeof ranks / sizeof ranks[0]; ++i)
    {
        char expected[64];
        snprintf(expected, sizeof expected, "rank is %d, but must be 1, 2 or 3", ranks[i]);
        REQUIRE(ck_conv_spec_init(&spec, sizeof spec, ranks[i]) == CK_CONV_OK);
        REQUIRE(ck_conv_spec_sizes(&spec, NULL, NULL, NULL, NULL) == CK_CONV_REFUSED);
        REQUIRE(strstr(ck_last_error(), expected) != NULL);
    }
    for(int i = 0; i < 2; ++i)
    {
        if(make(&spec, &rows[0]) != 0)
            return 1;
        spec.output_padding[i] = 1;
        REQUIRE(ck_conv_spec_sizes(&spec, NULL, NULL, NULL, NULL) == CK_CONV_REFUSED);
        REQUIRE(strstr(ck_last_error(), "output_padding is given") != NULL);
    }
    int64_t* const strides[] = {spec.x_strides, spec.w_strides, spec.y_strides};
    for(size_t i = 0; i < sizeof strides / sizeof strides[0]; ++i)
    {
        char expected[64];
        snprintf(
            expected, sizeof expected, "%c_strides[%d] is -3, but must be 0", "xwy"[i], (int)i);
        if(make(&spec, &rows[0]) != 0)
            return 1;
        strides[i][i] = -3;
        REQUIRE(ck_conv_spec_sizes(&spec, NULL, NULL, NULL, NULL) == CK_CONV_REFUSED);
        REQUIRE(strstr(ck_last_error(), expected) != NULL);
    }
    const struct
    {
        const char* name;
        int* flag;
    } flags[] = {{"transposed is 2", &spec.transposed},
                 {"bias is 2", &spec.bias},
                 {"bias_gradient is 2", &spec.bias_gradient},
                 {"quantized is 2", &spec.quantized},
                 {"channel_scale is 2", &spec.channel_scale},
                 {"tensor_scales is 2", &spec.tensor_scales},
                 {"amax is 2", &spec.amax}};
    for(size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i)
    {
        if(make(&spec, &rows[0]) != 0)
            return 1;
        *flags[i].flag = 2;
        REQUIRE(ck_conv_spec_sizes(&spec, NULL, NULL, NULL, NULL) == CK_CONV_REFUSED);
        REQUIRE(strstr(ck_last_error(), flags[i].name) != NULL);
    }
    return 0;
}

int every_field(void)
{
    size_t end = offsetof(ck_conv_spec, direction);
    for(int i = 0; i < row_count; ++i)
    {
        const struct row* const r = &rows[i];
        REQUIRE(r->offset >= end && r->offset - end < sizeof(int64_t)); /* no field is left out */
        end = r->offset + r->bytes;
        ck_conv_spec spec;
        if(make(&spec, r) != 0)
            return 1;
        char* const words = words_of(&spec);
        const size_t most = strlen(r->words);
        REQUIRE(words != NULL);
        if(strncmp(words, r->words, most) != 0 ||
           (strncmp(words + most, " kernel=", 8) != 0 && strncmp(words + most, ": the ", 6) != 0))
        {
            printf("%s: the library has\n  %s\nbut must have\n  %s\n", r->name, words, r->words);
            return 1;
        }
        free(words);
        if(comes_back(&spec, r) != 0)
            return 1;
    }
    REQUIRE(sizeof(ck_conv_spec) - end < sizeof(int64_t));
    return refused();
}
