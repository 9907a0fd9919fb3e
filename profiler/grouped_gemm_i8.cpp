// Grouped GEMMs of i8.
#include "grouped_gemm_tunings.hpp"

namespace ck::profiler {

GroupedGemms grouped_gemms_i8(bool a_row_major, bool b_row_major)
{
    return make_grouped_gemms<std::int8_t, false>(a_row_major, b_row_major);
}

} // namespace ck::profiler
