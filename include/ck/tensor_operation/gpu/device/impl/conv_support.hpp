#pragma once
// What an implicit-GEMM kernel asks of a problem and of a device, direction by direction. Each
// refusal is a sentence.
#include "ck/convolution/support.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/operator_transform/backward_data_limits.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace ck::tensor_operation::device {

inline Support check_device(const GemmTuning& tuning, arch::Target target)
{
    const arch::MatrixInstruction i = instruction_of(tuning);
    if(!arch::meets(target, i.requirement))
        return refused(std::string("the device is ") + arch::name(target) + ", but " + i.name +
                       " needs " + arch::name(i.requirement));
    return {};
}

/// Whether `tensor`, contiguous along `dimension` of the given length, can be accessed in vectors.
/// strides: of all dimensions, elements; `at` is the place of `dimension` among them.
inline Support check_vectors(const char* tensor,
                             const char* dimension,
                             const TensorLengths& lengths,
                             const TensorStrides& strides,
                             std::size_t at,
                             index_t vector,
                             index_t element_bytes,
                             const void* pointer)
{
    if(vector == 1)
        return {};
    const auto text        = [](auto n) { return std::to_string(n); };
    const std::string what = std::string(" in the vectors of ") + text(vector) +
                             " elements in which this kernel accesses " + tensor;
    if(lengths[at] % vector != 0)
        return refused(std::string(dimension) + " is " + text(lengths[at]) +
                       ", not a multiple of " + text(vector) + "," + what);
    if(strides[at] != 1)
        return refused(std::string("the stride of ") + dimension + " is " + text(strides[at]) +
                       ", not 1," + what);
    for(std::size_t i = 0; i < strides.size(); ++i)
        if(i != at && lengths[i] > 1 && strides[i] % vector != 0)
            return refused(std::string("a stride of ") + tensor + " is " + text(strides[i]) +
                           ", not a multiple of " + text(vector) + "," + what);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if(address % static_cast<std::uintptr_t>(vector * element_bytes) != 0)
        return refused(std::string("the address of ") + tensor + " is not a multiple of " +
                       text(vector * element_bytes) + " bytes," + what);
    return {};
}

inline bool is_1x1_stride1_pad0(const ConvProblem& p)
{
    const Spatial ones{1, 1, 1}, zeros{0, 0, 0};
    return p.filter == ones && p.stride == ones && p.pad_low == zeros && p.pad_high == zeros;
}

/// dX, W, dY: may be null, then only their alignment goes unchecked.
struct ConvPointers
{
    const void *input, *filter, *output;
};

/// Whether backward data of a valid problem can run with the tuning; the device apart.
inline Support check_backward_data_tuning(const GemmTuning& t,
                                          const ConvProblem& p,
                                          const ElementBytes& bytes,
                                          const ConvPointers& at)
{
    for(const Support& s :
        {check_vectors("dY",
                       "K",
                       p.output_lengths(),
                       p.output_strides,
                       2,
                       t.a_vector,
                       bytes.output,
                       at.output),
         check_vectors("W",
                       "C",
                       p.filter_lengths(),
                       p.filter_strides,
                       2,
                       t.b_vector,
                       bytes.filter,
                       at.filter),
         check_vectors(
             "dX", "C", p.input_lengths(), p.input_strides, 2, t.c_vector, bytes.input, at.input)})
        if(!s)
            return s;
    return check_backward_data(p, 1, bytes);
}

} // namespace ck::tensor_operation::device
