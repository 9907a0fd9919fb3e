// Grouped GEMMs of f32.
#include "grouped_gemm_tunings.hpp"

namespace ck::profiler {

GroupedGemms grouped_gemms_f32(bool a_row_major, bool b_row_major)
{
    return make_grouped_gemms<float, false>(a_row_major, b_row_major);
}

} // namespace ck::profiler
