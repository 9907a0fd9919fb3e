// Backward weight of int8 by MFMA: clang 22 did not inline the lists of its 16 loads per slice, and
// the places of the loads were in scratch memory.
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "tables/xdl.hpp"
#include <cstdint>

namespace ck::test {

using tensor_operation::element_wise::PassThrough;
using Types = tensor_operation::device::
    ConvTypes<std::int8_t, std::int8_t, std::int8_t, PassThrough, PassThrough, PassThrough>;

template <int row>
using Operation = tensor_operation::device::
    BackwardWeightOperation<Types, tables::xdl<Direction::backward_weight, tables::xdl_i8>[row]>;

void launch(const Operation<0>::Argument& first, const Operation<4>::Argument& last)
{
    Operation<0>::run(first, {});
    Operation<4>::run(last, {});
}

} // namespace ck::test
