// The version of the installed package, and a header of it by both of its paths.
#include "ck/version.h"

#include "ck/config.h"
#include "ck/library/reference_tensor_operation/cpu/reference_grouped_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "library/reference_tensor_operation/cpu/reference_grouped_conv_bwd_weight.hpp"
#include <cstdio>

using ck::tensor_operation::element_wise::PassThrough;
using Reference = ck::tensor_operation::host::
    ReferenceConvBwdWeight<2, float, float, float, PassThrough, PassThrough, PassThrough>;
static_assert(sizeof(Reference) > 0);

int main()
{
    std::printf("composable_kernel %s\n", CK_VERSION);
    return 0;
}
