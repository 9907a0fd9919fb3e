// error: BlockSize is not the lanes of a wave
#include "ck/tensor_operation/gpu/device/impl/positional/positional.hpp"

#ifdef CK_CONTROL
constexpr ck::index_t block_size = 256;
#else
constexpr ck::index_t block_size = 128;
#endif

constexpr ck::GemmTuning tuning = ck::tensor_operation::device::positional::
    xdl_tuning<ck::half_t, float, block_size, ck::Tile{64, 64, 32}, 32, 32, 1, 1>({8, 8, 8});
