#pragma once
// Why none of some kernels computes a problem, in an order to be read.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// A kernel, and why it does not.
struct KernelReason
{
    std::string kernel, reason;
};

/// Lines of text, each begun by "\n  ": those first that came the nearest. What options forbid
/// stands before what a problem breaks, a rule of many kernels before one of few, kernels of
/// particular problems after those of any, and in the last line, together, those whose engine the
/// device lacks.
std::string in_order(const std::vector<KernelReason>& reasons);

/// A line, begun by "\n  ", that says of images which are too large for a launch why they are not
/// cut into pieces; empty for others.
std::string way_out(const Family& family, const ConvProblem& problem);

} // namespace ck::tensor_operation::device::instance
