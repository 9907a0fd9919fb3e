#ifndef CK_BATCH_NORM_H
#define CK_BATCH_NORM_H
/* Batch norm for training code, from C99: statistics, scale, residual and activation in one call.
 * ck/batch_norm.hpp documents each field in full; docs/batch_norm.md explains the interface.
 * Functions return a status; ck_last_error() returns the message, as in ck/conv.h.
 *
 * Tensors are dense matrices of [rows][channels]. N images with channels last have N * pixels
 * rows.
 *
 *   z = (x - mean) * inverse_deviation * weight + bias (+ residual);  y = activation(z) */
#include "ck/conv.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function applied to z: ck::BatchNormActivation. */
enum ck_batch_norm_activation
{
    CK_BATCH_NORM_NONE,
    CK_BATCH_NORM_RELU,
    CK_BATCH_NORM_SILU,
    CK_BATCH_NORM_CLAMP,
    CK_BATCH_NORM_HARD_SWISH
};

/* One batch norm. */
typedef struct ck_batch_norm_spec
{
    size_t size;      /* of this struct, in bytes; ck_batch_norm_spec_init() sets it */
    int type;         /* ck_conv_type: F64, F32, F16, BF16, of x, y and the like; default f32 */
    int activation;   /* ck_batch_norm_activation; default none */
    int residual;     /* 0 or 1: added before the activation; only with NONE, RELU, CLAMP */
    int alignment;    /* alignment of tensors with rows, in bytes; at most 16, the default */
    int64_t rows;     /* images times pixels; no default */
    int64_t channels; /* no default */
    double least;     /* for CK_BATCH_NORM_CLAMP; default 0 */
    double most;      /* for CK_BATCH_NORM_CLAMP; default 0 */
    double epsilon;   /* added to the variance; default 1e-5 */
    int64_t x_stride; /* elements from one row of x to the next; inference only; 0: channels */
} ck_batch_norm_spec;

typedef struct ck_batch_norm_plan ck_batch_norm_plan; /* opaque */

/* Memory on the current device. weight, bias, their gradients, means, deviations and variances
 * have `channels` values of f32, or of f64 if the type is f64. The struct has 18 words of 64
 * bits. */
typedef struct ck_batch_norm_tensors
{
    size_t size;             /* of this struct, in bytes */
    const void* x;           /* read */
    const void* residual;    /* forward and inference: read; null without one */
    const void* weight;      /* read; null: 1 */
    const void* bias;        /* read; null: 0 */
    void* y;                 /* written; backward: read after a residual and an activation */
    void* mean;              /* forward: written; backward: read */
    void* inverse_deviation; /* forward: written; backward: read */
    void* running_mean;      /* forward: updated, or null; inference: read */
    void* running_variance;  /* likewise; the unbiased estimate */
    const void* dy;          /* backward: read */
    void* dx;                /* backward: written */
    void* d_residual;        /* backward: written; null: not computed, or no residual */
    void* d_weight;          /* backward: written; null: not computed */
    void* d_bias;            /* backward: written; null: not computed */
    double momentum;         /* forward: running = (1 - momentum) running + momentum batch's */
    void* workspace;         /* ck_batch_norm_plan_workspace_size() bytes, aligned to 16 bytes */
    void* stream;            /* hipStream_t or cudaStream_t; null: the default stream */
} ck_batch_norm_tensors;

/* Sets defaults. size: sizeof(ck_batch_norm_spec) as the caller compiled it. */
ck_conv_status ck_batch_norm_spec_init(ck_batch_norm_spec* spec, size_t size);

/* Makes a plan. The caller destroys it. */
ck_conv_status ck_batch_norm_plan_create(const ck_batch_norm_spec* spec, ck_batch_norm_plan** plan);
/* Does nothing if plan is null. Runs that have begun continue. */
void ck_batch_norm_plan_destroy(ck_batch_norm_plan* plan);
/* The bytes of workspace that forward and backward need, whichever is more; inference needs none.
 */
ck_conv_status ck_batch_norm_plan_workspace_size(const ck_batch_norm_plan* plan, size_t* bytes);

/* Each function enqueues its launches on the stream and returns. They can be captured into a graph.
 * Sums have a fixed order: equal calls give equal bits. */

/* Computes y from x, with the mean and the variance of these rows. Needs at least two rows. */
ck_conv_status ck_batch_norm_forward(const ck_batch_norm_plan* plan,
                                     const ck_batch_norm_tensors* tensors);
/* Computes the gradients from dy, x, and what forward wrote. */
ck_conv_status ck_batch_norm_backward(const ck_batch_norm_plan* plan,
                                      const ck_batch_norm_tensors* tensors);
/* Computes y from x, with the running mean and variance. */
ck_conv_status ck_batch_norm_inference(const ck_batch_norm_plan* plan,
                                       const ck_batch_norm_tensors* tensors);

#ifdef __cplusplus
}
#endif

#endif
