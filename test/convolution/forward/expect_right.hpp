#pragma once
// Forward of grouped problems with one residual, compared exactly.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

#include "convolution/grouped_operation.hpp"

namespace ck::test {

/// Y = 2 * conv + 0.5 * D with one residual, for problems of one rank.
template <index_t rank, class T, GemmTuning tuning>
void expect_forward_right(unsigned seed)
{
    using L         = Layouts<rank>;
    using Op        = tensor_operation::device::DeviceGroupedConvFwdImplicitGemm<rank,
                                                                          typename L::Input,
                                                                          typename L::Weight,
                                                                          Tuple<typename L::Output>,
                                                                          typename L::Output,
                                                                          T,
                                                                          T,
                                                                          Tuple<T>,
                                                                          T,
                                                                          PassThrough,
                                                                          PassThrough,
                                                                          Bilinear,
                                                                          tuning>;
    using Reference = tensor_operation::host::
        ReferenceConvFwd<rank, T, T, T, PassThrough, PassThrough, Bilinear, 0, 0, 1>;
    expect_right_groups<false, 1, rank, T, Op, Reference>(seed, tuning, Bilinear{2.f, .5f});
}

} // namespace ck::test
