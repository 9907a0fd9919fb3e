#pragma once
// Transposed convolutions with the kernels of the library: their families and arguments.
#include "ck/convolution/transposed.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The family of a pass, from the element types of its operands and its result:
///
///                     A     B     C
///   forward           x     w     y
///   input_gradient    dy    w     dx
///   filter_gradient   x     dy    dw
template <TransposedPass pass, class A, class B = A, class C = A>
using TransposedFamily = ConvFamily<direction_of(pass), A, B, C>;

/// The argument of the family's kernels. Tensors have the problem's lengths and strides, in the
/// order of the table above; they are in device memory, or null until it runs. If the problem is
/// invalid, `valid` says why, and kernels refuse it for that reason. Split and workspace are as in
/// ConvArgument; forward and input_gradient ignore the split.
inline ConvArgument
transposed_argument(const ConvTranspose& p, const void* a, const void* b, void* c)
{
    static const element_wise::PassThrough pass_through;
    ConvArgument argument{};
    argument.valid = validate(p);
    if(argument.valid) // otherwise lengths of the convolution might overflow
        argument.problem = p.convolution();
    argument.a           = {a};
    argument.b           = {b};
    argument.c           = c;
    argument.operation_a = argument.operation_b = argument.operation_c = &pass_through;
    return argument;
}

} // namespace ck::tensor_operation::device::instance
