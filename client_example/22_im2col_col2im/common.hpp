#pragma once
// Times and verifies all instances of a copy between a 2D image, N H W G C, and the matrix of its
// 3x3 windows, G M K.
#include "ck/library/reference_tensor_operation/cpu/reference_column_to_image.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_image_to_column.hpp"
#include "ck/library/tensor_operation_instance/gpu/conv_tensor_rearrange.hpp"
#include "ck/tensor_operation/gpu/device/conv_tensor_rearrange_op.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include "common/grouped_problem.hpp"

/// Times all instances for a problem; its K is ignored. Way: ImageToColumn or ColumnToImage of
/// ck::conv_tensor_rearrange_op. The exit status is failure if no instance supports the problem or
/// if a result is wrong.
template <class Way>
int run_rearrange(const GroupedProblem<2>& problem)
{
    using NHWGC = ck::tensor_layout::convolution::NHWGC;
    using DeviceOp =
        ck::tensor_operation::device::DeviceConvTensorRearrange<2, NHWGC, float, float, Way>;
    const auto p        = problem.fitting();
    const auto image    = p.input<NHWGC>();
    const auto one      = p.all(1);
    const ck::index_t M = p.N * p.image[0] * p.image[1], K = 3 * 3 * p.C;
    const std::size_t matrix_size = 1ul * p.G * M * K;
    constexpr bool reads_image = std::is_same_v<Way, ck::conv_tensor_rearrange_op::ImageToColumn>;
    const TensorShape<3> matrix{{p.G, M, K}, {M * K, K, 1}};
    const auto image_shape = image.descriptor(), matrix_shape = matrix.descriptor();
    const bool verify = verifies(1. * matrix_size); // an element is as much work as an operation
    using Reference   = std::conditional_t<
        reads_image,
        ck::tensor_operation::host::ReferenceImageToColumn<2, NHWGC, float, double>,
        ck::tensor_operation::host::ReferenceColumnToImage<2, NHWGC, float, double>>;
    Operand<float> in(reads_image ? image_shape : matrix_shape, verify);
    Result<float> out(
        reads_image ? matrix_shape : image_shape, verify, [&](Tensor<double>& expected) {
            const std::vector<ck::long_index_t> three(2, 3), ones(2, 1);
            Reference::MakeInvoker().Run(
                Reference::MakeArgument(in.host, expected, three, ones, ones, ones, ones));
        });
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        reads_image ? 0. : 1. * matrix_size, // additions
        1. * sizeof(float) * (image.size() + matrix_size),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(in.device.p,
                                          out.device.p,
                                          p.G,
                                          p.N,
                                          p.C,
                                          p.image,
                                          p.all(3),
                                          p.image,
                                          image.strides,
                                          {M * K, K, 1},
                                          one,
                                          one,
                                          one,
                                          one);
        },
        out);
}
