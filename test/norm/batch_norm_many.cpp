// Labels: not emulated
// More rows or channels than one block handles, and more than all blocks that run at once.
#include "norm/batch_norm.hpp"

namespace ck::batch_norm_test {

TEST(BatchNormNumbers, OfManyRowsAndChannels)
{
    for(const DataType type : {DataType::f32, DataType::bf16})
    {
        check(spec_of(type, 4001, 24));
        check(spec_of(type, 2500, 3));
        check(spec_of(type, 70, 2048));
    }
    check(spec_of(DataType::f16, 3, 70001)); // more tiles than blocks run together
    check(spec_of(DataType::f32, 9000, 1));
}

} // namespace ck::batch_norm_test
