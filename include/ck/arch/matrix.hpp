#pragma once
// multiply_accumulate<id>(a, b, c): c += a * b by one matrix instruction of matrix_table.hpp.
//
//     template <Matrix id>
//     void multiply_accumulate(const MatrixA<id>& a, const MatrixB<id>& b, MatrixC<id>& c);
//
// a, b and c are the register values of the calling lane, in the places of the instruction's lane
// maps. All `lanes` lanes call it together. A kernel has describe(id).requirement as its own.
#include "ck/arch/matrix_table.hpp"

#if defined(CK_LANGUAGE_HIP)
#include "ck/arch/amd/matrix.hpp"
#elif defined(CK_LANGUAGE_CUDA)
#include "ck/arch/nvidia/matrix.hpp"
#else
#include "ck/arch/host/matrix.hpp"
#endif
