// Labels: not emulated
// More pixels, channels or images than one block handles, and more than all blocks that run at
// once.
#include "norm/group_norm.hpp"

namespace ck::group_norm_test {

TEST(GroupNormNumbers, OfManyPixelsAndChannelsAndImages)
{
    for(const DataType type : {DataType::f32, DataType::bf16})
    {
        check(spec_of(type, 1, 4001, 64, 32));
        check(spec_of(type, 2, 2500, 3, 1));
        check(spec_of(type, 2, 70, 2048, 32));
    }
    check(spec_of(DataType::bf16, 301, 20, 24, 3));
    check(instances_of(DataType::f16, 1, 1 << 20, 1));
    check(instances_of(DataType::bf16, 1, 5000, 77));
    check(instances_of(DataType::f32, 2, 9, 2100));
    check(with_residual(instances_of(DataType::bf16, 2, 5000, 77)));
    check(with_residual(instances_of(DataType::f32, 2, 2500, 64)));
    check(spec_of(
        DataType::f16, 3, 3, 20000, 2)); // a group of more channels than a block has threads
}

TEST(RowNorm, OfManyPixels)
{
    for(const NormKind kind : {NormKind::layer, NormKind::rms})
        check(spec_of(kind, DataType::bf16, 40003, 8));
    check(spec_of(NormKind::layer, DataType::f32, 600, 1500));
    check(
        spec_of(NormKind::layer, DataType::f32, 270, 4100)); // more rows than blocks, in two chunks
}

} // namespace ck::group_norm_test
