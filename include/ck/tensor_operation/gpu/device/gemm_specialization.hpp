#pragma once
// Which sides of a GEMM are padded to whole tiles, in Composable Kernel's names. Accepted by the
// positional operations without effect: every side always is.
#include <string>

namespace ck::tensor_operation::device {

/// Sides of a GEMM that are padded to whole tiles: M rows, N columns, K reduction, O columns of a
/// second GEMM. Without effect here: every side is.
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

/// The enumerator as text.
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
