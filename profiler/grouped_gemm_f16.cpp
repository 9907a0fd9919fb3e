// Grouped GEMMs of f16.
#include "grouped_gemm_tunings.hpp"

namespace ck::profiler {

GroupedGemms grouped_gemms_f16(bool a_row_major, bool b_row_major)
{
    return make_grouped_gemms<half_t, true>(a_row_major, b_row_major);
}

} // namespace ck::profiler
