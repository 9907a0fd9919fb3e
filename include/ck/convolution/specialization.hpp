#pragma once
// What a device operation may take for granted about its problems, in Composable Kernel's names.
#include <string>

namespace ck::tensor_operation::device {

/// What forward may take for granted. Filter1x1Pad0: every filter length 1, no padding.
/// Filter1x1Stride1Pad0: every stride 1 as well. Filter3x3: every filter length 3 and C == 1. OddC:
/// no promise; C may be odd.
enum struct ConvolutionForwardSpecialization
{
    Default,
    Filter1x1Pad0,
    Filter1x1Stride1Pad0,
    OddC,
    Filter3x3
};

/// What backward data may take for granted; see ConvolutionForwardSpecialization.
enum struct ConvolutionBackwardDataSpecialization
{
    Default,
    Filter1x1Stride1Pad0
};

/// What backward weight may take for granted; see ConvolutionForwardSpecialization.
enum struct ConvolutionBackwardWeightSpecialization
{
    Default,
    Filter1x1Stride1Pad0,
    Filter1x1Pad0,
    OddC,
    Filter3x3
};

/// The enumerator as text.
inline std::string getConvForwardSpecializationString(const ConvolutionForwardSpecialization& s)
{
    switch(s)
    {
    case ConvolutionForwardSpecialization::Default:
        return "Default";
    case ConvolutionForwardSpecialization::Filter1x1Pad0:
        return "Filter1x1Pad0";
    case ConvolutionForwardSpecialization::Filter1x1Stride1Pad0:
        return "Filter1x1Stride1Pad0";
    case ConvolutionForwardSpecialization::OddC:
        return "OddC";
    case ConvolutionForwardSpecialization::Filter3x3:
        return "Filter3x3";
    }
    return "Unrecognized specialization!";
}

/// The enumerator as text.
inline std::string
getConvBackwardDataSpecializationString(const ConvolutionBackwardDataSpecialization& s)
{
    switch(s)
    {
    case ConvolutionBackwardDataSpecialization::Default:
        return "Default";
    case ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0:
        return "Filter1x1Stride1Pad0";
    }
    return "Unrecognized specialization!";
}

/// The enumerator as text.
inline std::string
getConvBackwardWeightSpecializationString(const ConvolutionBackwardWeightSpecialization& s)
{
    switch(s)
    {
    case ConvolutionBackwardWeightSpecialization::Default:
        return "Default";
    case ConvolutionBackwardWeightSpecialization::Filter1x1Stride1Pad0:
        return "Filter1x1Stride1Pad0";
    case ConvolutionBackwardWeightSpecialization::Filter1x1Pad0:
        return "Filter1x1Pad0";
    case ConvolutionBackwardWeightSpecialization::OddC:
        return "OddC";
    case ConvolutionBackwardWeightSpecialization::Filter3x3:
        return "Filter3x3";
    }
    return "Unrecognized specialization!";
}

} // namespace ck::tensor_operation::device
