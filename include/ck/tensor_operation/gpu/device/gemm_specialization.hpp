#pragma once
// Composable Kernel's names for the sides of a GEMM that are padded to whole tiles. The positional
// operations accept them and ignore them: here every side is padded.
#include <string>

namespace ck::tensor_operation::device {

/// Sides of a GEMM that are padded to whole tiles: M rows, N columns, K reduction, O columns of a
/// second GEMM. Ignored here, because every side is padded.
enum struct GemmSpecialization
{
    Default,
    MPadding,
    NPadding,
    KPadding,
    MNPadding,
    MKPadding,
    NKPadding,
    MNKPadding,
    OPadding,
    MOPadding,
    NOPadding,
    KOPadding,
    MNOPadding,
    MKOPadding,
    NKOPadding,
    MNKOPadding
};

/// The enumerator's name.
inline std::string getGemmSpecializationString(const GemmSpecialization& s)
{
    constexpr const char* names[] = {"Default",
                                     "MPadding",
                                     "NPadding",
                                     "KPadding",
                                     "MNPadding",
                                     "MKPadding",
                                     "NKPadding",
                                     "MNKPadding",
                                     "OPadding",
                                     "MOPadding",
                                     "NOPadding",
                                     "KOPadding",
                                     "MNOPadding",
                                     "MKOPadding",
                                     "NKOPadding",
                                     "MNKOPadding"};
    const int at                  = static_cast<int>(s);
    return 0 <= at && at < 16 ? names[at] : "Unrecognized specialization!";
}

} // namespace ck::tensor_operation::device
