#ifndef CK_CONV_H
#define CK_CONV_H
/* Convolutions for training code, from C99: describe one, plan it once, run it with any pointers.
 * This is ck/conv.hpp for C; that header documents each field in full, and docs/one_call.md
 * explains both. Link libck_conv.so (CMake: composable_kernel::ck_conv).
 *
 *   ck_conv_spec spec;
 *   ck_conv_spec_init(&spec, sizeof spec, 2);                    two dimensions, defaults
 *   spec.type = CK_CONV_F16, spec.n = 32, spec.k = 256, spec.c = 64;
 *   spec.input[0] = spec.input[1] = 56, spec.filter[0] = spec.filter[1] = 3;
 *   ck_conv_plan* plan = NULL;
 *   if(ck_conv_plan_create(&spec, NULL, &plan) != CK_CONV_OK) puts(ck_last_error());
 *
 * Functions return a status. ck_last_error() returns the error message. No function throws a C++
 * exception. All functions may be called from several threads at a time, as long as no thread
 * changes the handles and specs that are passed. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. */
typedef enum ck_conv_status
{
    CK_CONV_OK = 0,
    CK_CONV_REFUSED =
        1, /* the spec or a run's tensors break a rule, or no kernel computes the spec */
    CK_CONV_NULL_ARGUMENT =
        2, /* a parameter is null but must not be, or a struct's size is unknown */
    CK_CONV_RUNTIME_ERROR = 3, /* reported by the GPU's runtime */
    CK_CONV_OUT_OF_MEMORY = 4  /* on the CPU */
} ck_conv_status;

/* What is computed: Y, dX or dW. */
enum ck_conv_direction
{
    CK_CONV_FORWARD,
    CK_CONV_BACKWARD_DATA,
    CK_CONV_BACKWARD_WEIGHT
};
/* Types of elements, and types in which elements are multiplied: ck::DataType. */
enum ck_conv_type
{
    CK_CONV_OWN = -1, /* x_type, w_type, y_type: as `type`; compute: operands are not rounded */
    CK_CONV_F64,
    CK_CONV_F32,
    CK_CONV_F16,
    CK_CONV_BF16,
    CK_CONV_I8,
    CK_CONV_F8,
    CK_CONV_BF8,
    CK_CONV_F8_OCP,  /* e4m3: torch.float8_e4m3fn */
    CK_CONV_BF8_OCP, /* e5m2: torch.float8_e5m2 */
    CK_CONV_TF32,    /* only for compute */
    CK_CONV_U8       /* only if quantized */
};
/* The order of the dimensions in memory: ck::Layout. */
enum ck_conv_layout
{
    CK_CONV_CHANNELS_LAST,
    CK_CONV_CHANNELS_FIRST,
    CK_CONV_STRIDED
};
/* The function applied to the result: ck::Activation. */
enum ck_conv_activation
{
    CK_CONV_NO_ACTIVATION,
    CK_CONV_RELU,
    CK_CONV_SILU,
    CK_CONV_GELU,
    CK_CONV_CLAMP,
    CK_CONV_LEAKY_RELU,
    CK_CONV_HARD_SWISH,
    CK_CONV_HARD_SIGMOID,
    CK_CONV_SIGMOID
};
/* Whether a tensor of the result's shape is added, and where: ck::Residual. */
enum ck_conv_residual
{
    CK_CONV_NO_RESIDUAL,
    CK_CONV_RESIDUAL_BEFORE_ACTIVATION,
    CK_CONV_RESIDUAL_AFTER_ACTIVATION
};

/* One convolution. Arrays hold `rank` values, [D] [H] W; strides of tensors hold rank + 3. */
typedef struct ck_conv_spec
{
    size_t size;          /* of this struct, in bytes; ck_conv_spec_init() sets it */
    int direction;        /* ck_conv_direction */
    int type;             /* ck_conv_type; default f32 */
    int x_type;           /* of X; default CK_CONV_OWN */
    int w_type;           /* of W; default CK_CONV_OWN */
    int y_type;           /* of Y; default CK_CONV_OWN */
    int compute;          /* type that operands are rounded to; default CK_CONV_OWN: not rounded */
    int layout;           /* ck_conv_layout */
    int rank;             /* 1 to 3 */
    int64_t groups;       /* default 1 */
    int64_t n;            /* images; default 1 */
    int64_t k;            /* output channels of one group; default 1 */
    int64_t c;            /* input channels of one group; default 1 */
    int64_t input[3];     /* lengths; no default */
    int64_t filter[3];    /* lengths; no default */
    int64_t strides[3];   /* default 1 */
    int64_t dilations[3]; /* default 1 */
    int64_t pad_low[3];   /* default 0 */
    int64_t pad_high[3];  /* default 0 */
    int transposed;       /* 0 or 1 */
    int64_t output_padding[3]; /* only transposed: at the high end of Y; default 0 */
    int64_t x_strides[6];      /* only for CK_CONV_STRIDED, in elements */
    int64_t w_strides[6];      /* likewise */
    int64_t y_strides[6];      /* likewise */
    float beta;                /* 0: overwrites the output; 1: adds to it */
    float scale;               /* default 1; int8 results round to nearest even */
    int bias;                  /* 0 or 1 */
    int residual;              /* ck_conv_residual */
    int activation;            /* ck_conv_activation */
    int bias_gradient;         /* 0 or 1 */
    size_t alignment;          /* alignment of the addresses given to a run, in bytes; default 16 */
    float clamp_least;         /* for CK_CONV_CLAMP; default 0 */
    float clamp_most;          /* for CK_CONV_CLAMP; default 0 */
    int quantized;             /* 0 or 1; the fields below are for 1: ck::Quantization */
    int channel_scale;         /* 0 or 1: a run takes a scale for each channel; only forward */
    int x_zero_point;          /* default 0; the value of padding, too */
    int w_zero_point;          /* default 0 */
    int y_zero_point;          /* default 0 */
    float residual_scale;      /* default 1 */
    int residual_zero_point;   /* default 0 */
    int residual_type;         /* ck_conv_type; default CK_CONV_OWN: that of the result */
    int tensor_scales;         /* 0 or 1: a run takes the operands' scales; only eight-bit floats */
    int amax;          /* 0 or 1: a run writes the largest magnitude; only eight-bit floats */
    float leaky_slope; /* for CK_CONV_LEAKY_RELU: the slope where x < 0; default 0 */
} ck_conv_spec;

/* What a plan may use: ck::PlanOptions. */
typedef struct ck_conv_options
{
    size_t size;            /* of this struct, in bytes; ck_conv_options_init() sets it */
    size_t workspace_limit; /* bytes; SIZE_MAX: the default; SIZE_MAX - 1: none */
    const char* allow;      /* regular expression of kernels' names; null or "": all */
    const char* forbid;     /* the same; null or "": none */
    int batch_invariant;    /* 0 or 1: an image has the same bits in a batch of any size */
} ck_conv_options;

/* Memory on the plan's device. A run writes the direction's result and amax, and reads the rest.
 * The bias of a quantized convolution is int32, or float if its operands are eight-bit floats. */
typedef struct ck_conv_tensors
{
    const void* x;        /* X or dX */
    const void* w;        /* W or dW */
    const void* y;        /* Y or dY */
    const void* bias;     /* null if there is none; bias_gradient: written */
    const void* residual; /* null if the spec has none */
    void* workspace;      /* of ck_conv_plan_workspace_size() bytes, at a multiple of 16 */
    void* stream;         /* hipStream_t or cudaStream_t; null: the default stream */
    const void* scale;    /* with channel_scale: G * K floats; otherwise not read */
    const void* x_scale;  /* with tensor_scales, if X is read: one float */
    const void* w_scale;  /* likewise, of W; with channel_scale not read */
    const void* y_scale;  /* likewise, of dY */
    const void* amax;     /* with amax: one float, which is written */
} ck_conv_tensors;

typedef struct ck_conv_plan ck_conv_plan; /* opaque; of one device */

/* Returns what went wrong in this thread's most recent failed call, or "" if none has failed. The
 * address is the same in all of a thread's calls, and valid as long as the thread lives. The next
 * failed call overwrites the text; successful calls do not change it. So f(...) != CK_CONV_OK and
 * ck_last_error() may be arguments of one printf, if no other call of the library fails there. A
 * text longer than CK_CONV_ERROR_BYTES is cut, and then ends in " ...". */
const char* ck_last_error(void);
/* The largest size of that text in bytes, with its terminating null. */
#define CK_CONV_ERROR_BYTES 16384
/* The version of the library: "major.minor.patch". */
const char* ck_conv_version(void);
/* What the library was built for, and where tensors must be: "host", "amd" or "nvidia". */
const char* ck_conv_platform(void);

/* Sets defaults for `rank` dimensions. size: sizeof(ck_conv_spec) as the caller compiled it. */
ck_conv_status ck_conv_spec_init(ck_conv_spec* spec, size_t size, int rank);
/* Sets defaults. size: sizeof(ck_conv_options) as the caller compiled it. */
ck_conv_status ck_conv_options_init(ck_conv_options* options, size_t size);

/* Writes [Do] [Ho] Wo to output[rank], and the bytes of the tensors. Each pointer may be null. */
ck_conv_status ck_conv_spec_sizes(
    const ck_conv_spec* spec, int64_t* output, size_t* x_bytes, size_t* w_bytes, size_t* y_bytes);

/* Makes a plan for the current device, or takes it from the cache. options may be null. The caller
 * destroys the plan. */
ck_conv_status
ck_conv_plan_create(const ck_conv_spec* spec, const ck_conv_options* options, ck_conv_plan** plan);
/* Makes a plan from ck_conv_plan_serialize()'s text. The caller destroys the plan. */
ck_conv_status ck_conv_plan_deserialize(const char* text, ck_conv_plan** plan);
/* Does nothing if plan is null. Runs that have begun continue. */
void ck_conv_plan_destroy(ck_conv_plan* plan);

/* What the plan was made from; tensor strides are set only for CK_CONV_STRIDED. size:
 * sizeof(ck_conv_spec) as the caller compiled it. */
ck_conv_status ck_conv_plan_spec(const ck_conv_plan* plan, ck_conv_spec* spec, size_t size);
/* The bytes of workspace that a run needs; may be 0. */
ck_conv_status ck_conv_plan_workspace_size(const ck_conv_plan* plan, size_t* bytes);
/* The name of the kernel: engine and tuning. The text lives as long as the plan. */
ck_conv_status ck_conv_plan_kernel(const ck_conv_plan* plan, const char** name);
/* Several lines of text: the spec, the kernel, and why each other kernel was not chosen. The text
 * lives as long as the plan. */
ck_conv_status ck_conv_plan_explain(const ck_conv_plan* plan, const char** text);
/* A line for ck_conv_plan_deserialize(). The text lives as long as the plan. */
ck_conv_status ck_conv_plan_serialize(const ck_conv_plan* plan, const char** text);

/* Enqueues the convolution on the stream and returns. Can be captured into a graph. */
ck_conv_status ck_conv_run(const ck_conv_plan* plan, const ck_conv_tensors* tensors);

/* Empties the cache of plans; handles stay valid. */
ck_conv_status ck_conv_clear_plan_cache(void);

/* Causal convolutions, chunk by chunk: ck/causal_conv.hpp documents them in full, and
 * docs/video_and_volumes.md explains them. The outermost dimension of the spec is time, and its
 * elements are frames. A cache holds the (filter - 1) * dilation frames before the chunk. Together,
 * the outputs of all chunks equal those of the whole sequence bit for bit. */
typedef struct ck_conv_causal_options
{
    size_t size;   /* of this struct, in bytes; ck_conv_causal_options_init() sets it */
    int first;     /* 0 or 1: zeros precede the chunk, and no cache is read; default 0 */
    int64_t skip;  /* with a stride: next_skip of the previous chunk; default 0 */
    int64_t chunk; /* frames for which the kernel is chosen; 0, the default: 4096, 256 or 16 */
} ck_conv_causal_options;

/* Memory on the plan's device. y and next_cache are written. */
typedef struct ck_conv_causal_tensors
{
    size_t size;          /* sizeof(ck_conv_causal_tensors) as the caller compiled it */
    const void* x;        /* the new frames */
    const void* w;        /* W */
    void* y;              /* the chunk's part of Y */
    const void* bias;     /* null if the spec has none */
    const void* residual; /* null if the spec has none */
    const void* cache;    /* the frames before the chunk; null for the first */
    void* next_cache;     /* may be `cache`; null: not written */
    void* workspace;      /* at a multiple of 16 */
    void* stream;         /* hipStream_t or cudaStream_t; null: the default stream */
} ck_conv_causal_tensors;

/* Sizes of a plan. */
typedef struct ck_conv_causal_sizes
{
    int64_t cached_frames;  /* (filter - 1) * dilation */
    int64_t output[3];      /* [Do] [Ho] Wo of the chunk's part of Y; the first may be 0 */
    int64_t next_skip;      /* ck_conv_causal_options::skip of the next chunk */
    size_t cache_bytes;     /* of a cache */
    size_t y_bytes;         /* of the chunk's part of Y */
    size_t workspace_bytes; /* may be 0 */
} ck_conv_causal_sizes;

typedef struct ck_conv_causal_plan ck_conv_causal_plan; /* opaque; of one device */

/* Sets defaults. size: sizeof(ck_conv_causal_options) as the caller compiled it. */
ck_conv_status ck_conv_causal_options_init(ck_conv_causal_options* options, size_t size);
/* Plans a chunk for the current device. spec: input[0] is the number of new frames, and the first
 * pads are 0. Both options may be null. The caller destroys the plan. */
ck_conv_status ck_conv_causal_plan_create(const ck_conv_spec* spec,
                                          const ck_conv_causal_options* causal,
                                          const ck_conv_options* options,
                                          ck_conv_causal_plan** plan);
/* Does nothing if plan is null. Runs that have begun continue. */
void ck_conv_causal_plan_destroy(ck_conv_causal_plan* plan);
/* Writes all fields. size: sizeof(ck_conv_causal_sizes) as the caller compiled it. */
ck_conv_status ck_conv_causal_plan_sizes(const ck_conv_causal_plan* plan,
                                         ck_conv_causal_sizes* sizes,
                                         size_t size);
/* The name of the kernel of all chunks. The text lives as long as the plan. */
ck_conv_status ck_conv_causal_plan_kernel(const ck_conv_causal_plan* plan, const char** name);
/* Several lines of text: the spec, the kernel, and what is read where. The text lives as long as
 * the plan. */
ck_conv_status ck_conv_causal_plan_explain(const ck_conv_causal_plan* plan, const char** text);
/* Enqueues the chunk on the stream and returns. Can be captured into a graph. */
ck_conv_status ck_conv_causal_run(const ck_conv_causal_plan* plan,
                                  const ck_conv_causal_tensors* tensors);

/* How to measure kernels: ck/tune.hpp documents each field, and docs/tuning.md explains them. */
typedef struct ck_conv_tune_options
{
    size_t size;                 /* of this struct, in bytes; ck_conv_tune_options_init() sets it */
    const ck_conv_options* plan; /* of the plans; null: defaults */
    double seconds;              /* limit for all specs together; default 60 */
    double slower; /* leaves out kernels predicted to take over this times the best; default 3 */
    int again;     /* 0 or 1: measure specs again that are in the database; default 0 */
    /* Receives a line of text for each spec; null: it is written to stderr. Must not throw. */
    void (*progress)(const char* line, void* user);
    void* user; /* for progress */
} ck_conv_tune_options;

/* Sets defaults. size: sizeof(ck_conv_tune_options) as the caller compiled it. */
ck_conv_status ck_conv_tune_options_init(ck_conv_tune_options* options, size_t size);

/* Measures `count` specs on the current device and keeps the winners in the database, where plans
 * look first. options and known may be null. *known is set to the number of specs whose fastest
 * kernel is now known. If it is less than `count`, the status is CK_CONV_REFUSED, and
 * ck_last_error() returns the first reason. */
ck_conv_status ck_conv_tune(const ck_conv_spec* specs,
                            size_t count,
                            const ck_conv_tune_options* options,
                            size_t* known);

#ifdef __cplusplus
}
#endif

#endif
