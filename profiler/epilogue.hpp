#pragma once
// The element-wise operations that ckProfiler fuses into forward convolutions: their D tensors, the
// functor for the kernels, and its result in exact arithmetic.
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ck::profiler {

/// Scales of a launch; powers of two, so that they cause no rounding.
inline constexpr float scale_in = 0.5f, scale_wei = 0.25f, scale_out = 0.5f;

/// Clamps limit values to [0, clamp_ceil].
inline constexpr float clamp_ceil = 6.f;

struct Epilogue
{
    const char* name;    ///< as in ck's operation_name
    const void* functor; ///< what a ConvArgument points to
    int d_tensors;       ///< a bias of K numbers, then a tensor of Y's lengths
    double slope;        ///< the most by which it enlarges a difference of its first operand
    double (*value)(double sum, const double* d);
};

/// Throws std::logic_error for other names.
inline const Epilogue& epilogue(const std::string& name)
{
    using namespace tensor_operation::element_wise;
    static const PassThrough pass_through;
    static const AddRelu add_relu;
    static const AddReluAdd add_relu_add;
    static const Clamp clamp(0.f, clamp_ceil);
    static const AddClamp add_clamp(0.f, clamp_ceil);
    static const ConvScale conv_scale(scale_in, scale_wei, scale_out);
    static const ConvInvscale conv_invscale(1 / scale_in, 1 / scale_wei, 1 / scale_out);
    constexpr double scale      = double{scale_in} * scale_wei * scale_out;
    static const Epilogue all[] = {
        {"PassThrough", &pass_through, 0, 1, [](double sum, const double*) { return sum; }},
        {"AddRelu",
         &add_relu,
         1,
         1,
         [](double sum, const double* d) { return std::max(sum + d[0], 0.); }},
        {"AddReluAdd",
         &add_relu_add,
         2,
         1,
         [](double sum, const double* d) { return std::max(sum + d[0], 0.) + d[1]; }},
        {"Clamp",
         &clamp,
         0,
         1,
         [](double sum, const double*) { return std::clamp(sum, 0., double{clamp_ceil}); }},
        {"AddClamp",
         &add_clamp,
         1,
         1,
         [](double sum, const double* d) {
             return std::clamp(sum + d[0], 0., double{clamp_ceil});
         }},
        {"ConvScale", &conv_scale, 0, scale, [](double sum, const double*) { return sum * scale; }},
        {"ConvInvscale", &conv_invscale, 0, scale, [](double sum, const double*) {
             return sum * scale;
         }}};
    for(const Epilogue& e : all)
        if(name == e.name)
            return e;
    throw std::logic_error("no epilogue '" + name + "'");
}

} // namespace ck::profiler
