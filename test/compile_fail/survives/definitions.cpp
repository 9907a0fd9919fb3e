// What clients' builds of Composable Kernel define on the command line, with and without a value.
#define DTYPES
#define DL_KERNELS
#define CK_TILE_DISPATCHER
#define CK_ENABLE_FP16
#define CK_ENABLE_TF32 1
#define CK_USE_XDL
#define CK_USE_WMMA 1
#define CK_USE_GFX94
#define CK_USE_GFX95 1
#define CK_USE_GFX1250
#define CK_USE_FNUZ_FP8 1
#include "ck/utility/data_type.hpp"

static_assert(sizeof(ck::f8_t) == 1);
