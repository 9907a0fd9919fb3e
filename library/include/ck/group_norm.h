#ifndef CK_GROUP_NORM_H
#define CK_GROUP_NORM_H
/* Group norm with a residual and an activation, from C99: all of it in one call.
 * ck/group_norm.hpp documents each field in full; docs/group_norm.md explains the interface.
 * Functions return a status; ck_last_error() returns the message, as in ck/conv.h.
 *
 * Tensors are dense: [images][pixels][channels]. Mean and deviation are those of the pixels of one
 * image in one group of neighbouring channels, or of the channels of one pixel: layer norm and RMS
 * norm (ck_norm_kind).
 *
 *   z = (x - mean) * inverse_deviation * weight + bias (+ residual);  y = activation(z) */
#include "ck/conv.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function applied to z: ck::GroupNormActivation. */
enum ck_group_norm_activation
{
    CK_GROUP_NORM_NONE,
    CK_GROUP_NORM_RELU,
    CK_GROUP_NORM_SILU,
    CK_GROUP_NORM_LEAKY_RELU
};

/* Which values share statistics, and what these are: ck::NormKind. */
enum ck_norm_kind
{
    CK_NORM_GROUP, /* mean and deviation of the pixels of an image, in a group of channels */
    CK_NORM_LAYER, /* mean and deviation of the channels of a pixel */
    CK_NORM_RMS,   /* as layer, but with 0 as the mean: the variance is the mean square */
    CK_NORM_L2     /* as RMS, but the deviation is max(|x|, epsilon) / sqrt(channels) */
};

/* One norm. */
typedef struct ck_group_norm_spec
{
    size_t size;         /* of this struct, in bytes; ck_group_norm_spec_init() sets it */
    int type;            /* ck_conv_type: F64, F32, F16, BF16, of x, y and the like; default f32 */
    int activation;      /* ck_group_norm_activation; default none */
    int alignment;       /* alignment of x, y and the like, in bytes; at most 16, the default */
    int parameters_as_x; /* 0 or 1: weight, bias and their gradients have x's type, not f32 */
    int64_t images;      /* default 1 */
    int64_t pixels;      /* of an image; no default */
    int64_t channels;    /* no default */
    int64_t groups;      /* divides channels; CK_NORM_GROUP needs it, other kinds 0, the default */
    double epsilon;      /* added to the variance; for CK_NORM_L2, the least |x|; default 1e-5 */
    double slope;        /* of leaky_relu, where z is not positive; others need the default, 0.01 */
    int kind;            /* ck_norm_kind; default CK_NORM_GROUP */
    int64_t residual;    /* 0 or 1: added before NONE, RELU, LEAKY_RELU (slope >= 0); default 0 */
} ck_group_norm_spec;

typedef struct ck_group_norm_plan ck_group_norm_plan; /* opaque */

/* Memory on the current device. mean and inverse_deviation are [images][groups] of f32, or of f64
 * if the type is f64; they are [images][pixels] if the kind is not CK_NORM_GROUP. weight, bias and
 * their gradients have `channels` values of the same type, or of x's type with parameters_as_x. The
 * struct has 15 words of 64 bits; before it had a residual, it had the first 13. */
typedef struct ck_group_norm_tensors
{
    size_t size;             /* of this struct, in bytes */
    const void* x;           /* read */
    const void* weight;      /* read; null: 1 */
    const void* bias;        /* read; null: 0 */
    void* y;                 /* written; backward: read after a residual and an activation */
    void* mean;              /* forward: written; backward: read; not used by CK_NORM_RMS, _L2 */
    void* inverse_deviation; /* forward: written; backward: read */
    const void* dy;          /* backward: read */
    void* dx;                /* backward: written */
    void* d_weight;          /* backward: written; null: not computed */
    void* d_bias;            /* backward: written; null: not computed */
    void* workspace;         /* ck_group_norm_plan_workspace_size() bytes, aligned to 16 bytes */
    void* stream;            /* hipStream_t or cudaStream_t; null: the default stream */
    const void* residual;    /* forward: read; null without one */
    void* d_residual;        /* backward: written; null: not computed, or no residual */
} ck_group_norm_tensors;

/* Sets defaults. size: sizeof(ck_group_norm_spec) as the caller compiled it. */
ck_conv_status ck_group_norm_spec_init(ck_group_norm_spec* spec, size_t size);

/* Makes a plan. The caller destroys it. */
ck_conv_status ck_group_norm_plan_create(const ck_group_norm_spec* spec, ck_group_norm_plan** plan);
/* Does nothing if plan is null. Runs that have begun continue. */
void ck_group_norm_plan_destroy(ck_group_norm_plan* plan);
/* The bytes of workspace that forward and backward need, whichever is more. Only CK_NORM_GROUP uses
 * it in forward. */
ck_conv_status ck_group_norm_plan_workspace_size(const ck_group_norm_plan* plan, size_t* bytes);

/* Each function enqueues its launches on the stream and returns. They can be captured into a graph.
 * Sums have a fixed order: equal calls give equal bits. */

/* Computes y from x. */
ck_conv_status ck_group_norm_forward(const ck_group_norm_plan* plan,
                                     const ck_group_norm_tensors* tensors);
/* Computes the gradients from dy, x, and what forward wrote. */
ck_conv_status ck_group_norm_backward(const ck_group_norm_plan* plan,
                                      const ck_group_norm_tensors* tensors);

#ifdef __cplusplus
}
#endif

#endif
