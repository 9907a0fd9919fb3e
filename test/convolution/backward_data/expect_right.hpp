#pragma once
// Backward data of grouped problems, compared exactly.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"

#include "convolution/grouped_operation.hpp"

namespace ck::test {

/// dX = 2 * conv, for problems of one rank.
template <index_t rank, class T, GemmTuning tuning>
void expect_backward_data_right(unsigned seed)
{
    using L         = Layouts<rank>;
    using Op        = tensor_operation::device::DeviceGroupedConvBwdDataImplicitGemm<rank,
                                                                              typename L::Output,
                                                                              typename L::Weight,
                                                                              Tuple<>,
                                                                              typename L::Input,
                                                                              T,
                                                                              T,
                                                                              Tuple<>,
                                                                              T,
                                                                              PassThrough,
                                                                              PassThrough,
                                                                              Scale,
                                                                              tuning>;
    using Reference = tensor_operation::host::
        ReferenceConvBwdData<rank, T, T, T, Scale, PassThrough, PassThrough>;
    expect_right_groups<true, 0, rank, T, Op, Reference>(seed, tuning, Scale{2.f});
}

} // namespace ck::test
