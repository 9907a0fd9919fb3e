#pragma once
// Why no kernel computes a problem, in an order that is easy to read.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// A kernel, and why it does not compute the problem.
struct KernelReason
{
    std::string kernel, reason;
};

/// Lines of text, each starting with "\n  ", nearest kernels first. Rules of the options come
/// before rules of problems, rules of many kernels before rules of few, and general kernels
/// before special ones. The last line lists together the kernels whose engine the device
/// lacks.
std::string in_order(const std::vector<KernelReason>& reasons);

/// A line, starting with "\n  ", that says why images that are too large for a launch are not cut
/// into pieces; empty for other problems.
std::string way_out(const Family& family, const ConvProblem& problem);

} // namespace ck::tensor_operation::device::instance
