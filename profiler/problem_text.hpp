#pragma once
// A problem as a line of words: "g2 n256 c64 k64 in56x56 f3x3 s1x1 d1x1 p1". C and K are for one
// group. Spatial lists are [D x] H x W; one number applies to all dimensions.
//
//   g  groups (1)     in  input lengths, which give the rank    d  dilations (1)
//   n  images (1)     f   filter lengths (1)                    p  left and right pads (0)
//   c  channels of X  s   strides (1)                           pl, pr  left, right pads alone
//   k  channels of Y
#include "ck/convolution/problem.hpp"

#include <string>

namespace ck::profiler {

/// Throws WrongArgument with the word and the rule. Strides are those of nhwgc.
ConvProblem problem_from_text(const std::string& text);

/// The shortest text from which problem_from_text() makes the same problem.
std::string to_text(const ConvProblem& p);

} // namespace ck::profiler
