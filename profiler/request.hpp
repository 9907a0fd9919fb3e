#pragma once
// A request to ckProfiler: an operation, its types and layout, problems, and how to measure.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/library/tensor_operation_instance/family.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace ck::profiler {

/// A wrong argument: the program ends with status 2.
struct WrongArgument : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Composable Kernel has a number for it, but the library does not compute it: status 1.
struct NotImplemented : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// The order of the dimensions in memory, slowest first.
enum class Layout
{
    gnhwc, ///< GN[D]HWC, GK[Z]YXC, GN[D]HWK
    nhwgc, ///< N[D]HWGC, GK[Z]YXC, N[D]HWGK
    ngchw, ///< NGC[D]HW, GK[Z]YXC, NGK[D]HW
    nchw,  ///< NGC[D]HW, GKC[Z]YX, NGK[D]HW: channels first
};

/// "nhwgc" and so on; the same for other ranks.
const char* name(Layout layout);
/// Throws WrongArgument, which lists the layouts.
Layout layout_from_name(const std::string& name);
/// Sets the layout's contiguous strides.
void set_strides(ConvProblem& p, Layout layout);

/// The contents of buffers before a kernel runs.
enum class Fill
{
    zero    = 0,
    integer = 1, ///< whole numbers from -5 to 5, eight bits: from -2 to 2
    decimal = 2, ///< uniform, first tensor in [0, 1), second in [-0.5, 0.5)
    normal  = 3, ///< random normal
};

struct NamedProblem
{
    std::string name;
    ConvProblem problem;

    /// What limits its speed, roughly.
    std::string kind() const;
};

/// One of the program's convolutions: its types are in the library's registry.
struct ConvRequest
{
    std::string operation; ///< as on the command line: grouped_conv_fwd
    std::string variant;   ///< such as convscale, for operations with several; else empty
    std::string type;      ///< as on the command line: f16, f16_as_bf8_f8
    tensor_operation::device::instance::Family family;
    Layout layout = Layout::nhwgc;
    std::vector<NamedProblem> problems;
    std::vector<index_t> split_k{-1}; ///< for backward weight: each is tried; -1: automatic
};

/// How to measure and what to print, for all operations.
struct Options
{
    bool verify       = true;
    bool time         = true;
    bool print_tensor = false;
    bool why          = false; ///< print the reason of each instance that refused
    bool warm_cache   = false; ///< one set of buffers, which may stay in the cache
    bool order_2024   = false; ///< positional numbers have the order of 2024
    Fill fill         = Fill::normal;
    int rounds        = 0;        ///< timed rounds of each instance; 0: 5, on the CPU 1
    double warm_up    = 0.25;     ///< seconds of load before rounds with a rival
    std::string instances;        ///< regular expression of type strings; empty: all
    std::string rival;            ///< "cudnn", or empty
    std::string json, csv, times; ///< files to write; empty: none
};

} // namespace ck::profiler
