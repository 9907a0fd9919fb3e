// Grouped GEMMs of bf16.
#include "grouped_gemm_tunings.hpp"

namespace ck::profiler {

GroupedGemms grouped_gemms_bf16(bool a_row_major, bool b_row_major)
{
    return make_grouped_gemms<bhalf_t, false>(a_row_major, b_row_major);
}

} // namespace ck::profiler
