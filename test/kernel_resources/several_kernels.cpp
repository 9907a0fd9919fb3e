// Kernels of one direction in one source, as in the library: a function that all of them call must
// be inlined into each. clang 15 did not inline backward data's. Its result was in scratch memory,
// and the places of loads were not in scalar registers, which is an error.
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"

#include "tables/xdl.hpp"

namespace ck::test {

using namespace tensor_operation::device;
using tensor_operation::element_wise::PassThrough;
using tensor_operation::element_wise::Scale;
template <class OperationC>
using Types = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, OperationC>;

template <int row, class OperationC = PassThrough>
using Operation = ConvOperation<BackwardDataDirection,
                                Types<OperationC>,
                                tables::xdl_any<Direction::backward_data, tables::xdl_f16>[row]>;

void launch(const Operation<0>::Argument& first,
            const Operation<1>::Argument& second,
            const Operation<2>::Argument& third,
            const Operation<2, Scale>::Argument& fourth)
{
    Operation<0>::run(first, {});
    Operation<1>::run(second, {});
    Operation<2>::run(third, {});
    Operation<2, Scale>::run(fourth, {});
}

} // namespace ck::test
