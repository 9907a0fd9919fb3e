// What a matrix instruction's mnemonic says: v_mfma_f32_32x32x8_f16 or v_wmma_i32_16x16x16_iu8.
#pragma once

#include "instruction.hpp"
#include <string_view>

namespace emu {

enum MatrixType : int
{
    type_f32,
    type_f16,
    type_bf16,
    type_i8,
    type_fp8,
    type_bf8,
    type_f64,
    type_xf32, // f32 rounded to 10 bits of mantissa
    type_iu8,
    type_iu4,
    type_f8f6f4 // modifiers say which types these are
};
enum MatrixResult : int
{
    result_f32,
    result_i32,
    result_f64,
    result_f16,
    result_bf16
};

constexpr int bits_of(int type)
{
    switch(type)
    {
    case type_f64:
        return 64;
    case type_f32:
    case type_xf32:
        return 32;
    case type_f16:
    case type_bf16:
        return 16;
    case type_iu4:
        return 4;
    default:
        return 8;
    }
}

/// Reads what follows v_mfma_ or v_wmma_, without encoding; blocks and elements stay 0. False for
/// what is not a name.
bool read_matrix_name(std::string_view name, MatrixForm& form);

} // namespace emu
