#ifndef CK_MAX_POOL_H
#define CK_MAX_POOL_H
/* Max pooling of channels-last tensors, from C99. ck/max_pool.hpp documents each field in full;
 * docs/max_pool.md explains the interface. Functions return a status; ck_last_error() returns the
 * message, as in ck/conv.h.
 *
 * x is [images][input][channels], y is [images][output][channels]. Lengths are depth, height and
 * width. */
#include "ck/conv.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One max pooling. */
typedef struct ck_max_pool_spec
{
    size_t size;          /* of this struct, in bytes; ck_max_pool_spec_init() sets it */
    int type;             /* ck_conv_type: F64, F32, F16, BF16; default f32 */
    int alignment;        /* of x, y and their gradients, in bytes; at most 16, the default */
    int64_t images;       /* no default */
    int64_t channels;     /* no default */
    int64_t input[3];     /* default 1 each */
    int64_t window[3];    /* taps; default 1 each */
    int64_t strides[3];   /* default 1 each */
    int64_t pads[3];      /* before the input; default 0 each */
    int64_t dilations[3]; /* default 1 each */
    int64_t output[3];    /* default 1 each */
} ck_max_pool_spec;

typedef struct ck_max_pool_plan ck_max_pool_plan; /* opaque */

/* Memory on the current device. The struct has 7 words of 64 bits. */
typedef struct ck_max_pool_tensors
{
    size_t size;   /* of this struct, in bytes */
    const void* x; /* forward: read */
    void* y;       /* forward: written */
    void* taps;    /* bytes, as many as y has elements; forward: written, or null; backward: read */
    const void* dy; /* backward: read */
    void* dx;       /* backward: written */
    void* stream;   /* hipStream_t or cudaStream_t; null: the default stream */
} ck_max_pool_tensors;

/* Sets defaults. size: sizeof(ck_max_pool_spec) as the caller compiled it. */
ck_conv_status ck_max_pool_spec_init(ck_max_pool_spec* spec, size_t size);

/* Makes a plan. The caller destroys it. */
ck_conv_status ck_max_pool_plan_create(const ck_max_pool_spec* spec, ck_max_pool_plan** plan);
/* Does nothing if plan is null. Runs that have begun continue. */
void ck_max_pool_plan_destroy(ck_max_pool_plan* plan);

/* Each function enqueues a launch on the stream and returns. It can be captured into a graph. */

/* Computes y, and taps if they are not null. */
ck_conv_status ck_max_pool_forward(const ck_max_pool_plan* plan,
                                   const ck_max_pool_tensors* tensors);
/* Computes dx from dy, and from the taps that forward wrote. */
ck_conv_status ck_max_pool_backward(const ck_max_pool_plan* plan,
                                    const ck_max_pool_tensors* tensors);

#ifdef __cplusplus
}
#endif

#endif
