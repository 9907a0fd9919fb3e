#pragma once
// Element types by name: their size, and bulk conversion from and to double.
#include "ck/library/utility/device_memory.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ck::measure {

struct NumberType
{
    const char* name; ///< as in ck::type_name
    std::size_t bytes;
    bool integer;
    /// Relative error of one rounding to nearest; 0 for integers.
    double unit_roundoff;
    /// Rounds `count` numbers to the type, as the library's kernels do.
    void (*encode)(const double* from, std::size_t count, void* to);
    void (*decode)(const void* from, std::size_t count, double* to);
};

/// Finds one of TensorElementTypes by its ck::type_name. Throws std::logic_error for other names.
const NumberType& number_type(const std::string& name);

/// Sets element n of `memory` to number n of the block, modulo its size, as `type`.
void fill_memory(const DeviceMem& memory,
                 long_index_t elements,
                 const std::vector<double>& block,
                 const NumberType& type);

} // namespace ck::measure
