#pragma once
// What the CPU references of all directions share: argument and checks.
#include "ck/library/reference_tensor_operation/cpu/reference_operator.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_tensor.hpp"
#include "ck/library/utility/check_err.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/host_tensor.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ck::tensor_operation::host {

/// The tensor whose shape the additional operands of an element-wise operation have.
enum class Accompanied
{
    input,
    weight,
    output,
};

/// Each direction derives from this class and defines
///   static constexpr Accompanied a_accompanies, b_accompanies, d_accompanies;
///   static void compute(const Argument&, const Shapes&);   writes the whole result
///   std::string GetTypeString() const
/// Input, Weight and Output are the types of the tensors, const except for the result.
template <class Derived,
          ck::index_t NDimSpatial,
          class Input,
          class Weight,
          class Output,
          class InElementwiseOperation,
          class WeiElementwiseOperation,
          class OutElementwiseOperation,
          class ATensors,
          class BTensors,
          class DTensors>
struct ReferenceConv : public ReferenceOperator<Derived, NDimSpatial>
{
    /// Refers to the three tensors, which must outlive it; owns the rest.
    struct Argument : public device::BaseArgument
    {
        /// The tensors; strides, dilations and pads with NDimSpatial entries, [D] H W; element-wise
        /// operations and the additional tensors that they read.
        Argument(Input& input,
                 Weight& weight,
                 Output& output,
                 std::vector<ck::long_index_t> conv_filter_strides,
                 std::vector<ck::long_index_t> conv_filter_dilations,
                 std::vector<ck::long_index_t> input_left_pads,
                 std::vector<ck::long_index_t> input_right_pads,
                 InElementwiseOperation in_element_op,
                 WeiElementwiseOperation wei_element_op,
                 OutElementwiseOperation out_element_op,
                 const ATensors& elementwise_a_tensors,
                 const BTensors& elementwise_b_tensors,
                 const DTensors& elementwise_d_tensors)
            : input_(input),
              weight_(weight),
              output_(output),
              elementwise_a_tensors_(elementwise_a_tensors),
              elementwise_b_tensors_(elementwise_b_tensors),
              elementwise_d_tensors_(elementwise_d_tensors),
              conv_strides_(std::move(conv_filter_strides)),
              conv_dilations_(std::move(conv_filter_dilations)),
              in_left_pads_(std::move(input_left_pads)),
              in_right_pads_(std::move(input_right_pads)),
              in_element_op_(in_element_op),
              wei_element_op_(wei_element_op),
              out_element_op_(out_element_op)
        {}

        /// X, or dX.
        Input& input_;
        /// W, or dW.
        Weight& weight_;
        /// Y, or dY.
        Output& output_;

        /// Additional tensors of A's operation.
        ATensors elementwise_a_tensors_;
        /// Additional tensors of B's operation.
        BTensors elementwise_b_tensors_;
        /// D tensors.
        DTensors elementwise_d_tensors_;

        /// [D] H W.
        std::vector<ck::long_index_t> conv_strides_;
        /// [D] H W.
        std::vector<ck::long_index_t> conv_dilations_;
        /// [D] H W.
        std::vector<ck::long_index_t> in_left_pads_;
        /// [D] H W.
        std::vector<ck::long_index_t> in_right_pads_;

        /// Applied to X, or to the sum of dX.
        InElementwiseOperation in_element_op_;
        /// Applied to W, or to the sum of dW.
        WeiElementwiseOperation wei_element_op_;
        /// Applied to dY, or to the sum of Y.
        OutElementwiseOperation out_element_op_;
    };

    /// Sizes and strides of all tensors, checked.
    struct Shapes
    {
        /// The convolution.
        ConvProblem problem;
        TensorShape input;  ///< X or dX
        TensorShape weight; ///< W or dW
        TensorShape output; ///< Y or dY
        /// Lengths and strides of A's additional tensors.
        std::array<TensorShape, std::tuple_size_v<ATensors>> a;
        /// Lengths and strides of B's additional tensors.
        std::array<TensorShape, std::tuple_size_v<BTensors>> b;
        /// Lengths and strides of the D tensors.
        std::array<TensorShape, std::tuple_size_v<DTensors>> d;
    };

    /// Makes an argument; see Argument.
    static auto MakeArgument(Input& input,
                             Weight& weight,
                             Output& output,
                             std::vector<ck::long_index_t> conv_filter_strides,
                             std::vector<ck::long_index_t> conv_filter_dilations,
                             std::vector<ck::long_index_t> input_left_pads,
                             std::vector<ck::long_index_t> input_right_pads,
                             InElementwiseOperation in_element_op,
                             WeiElementwiseOperation wei_element_op,
                             OutElementwiseOperation out_element_op,
                             const ATensors& elementwise_a_tensors = {},
                             const BTensors& elementwise_b_tensors = {},
                             const DTensors& elementwise_d_tensors = {})
    {
        return Argument(input,
                        weight,
                        output,
                        std::move(conv_filter_strides),
                        std::move(conv_filter_dilations),
                        std::move(input_left_pads),
                        std::move(input_right_pads),
                        in_element_op,
                        wei_element_op,
                        out_element_op,
                        elementwise_a_tensors,
                        elementwise_b_tensors,
                        elementwise_d_tensors);
    }

private:
    friend struct ReferenceOperator<Derived, NDimSpatial>;
    using ReferenceOperator<Derived, NDimSpatial>::spatial;

    /// Throws std::runtime_error if the tensors do not fit together.
    static Shapes shapes(const Argument& arg)
    {
        Shapes s;
        s.input  = tensor_shape(arg.input_.mDesc, NDimSpatial, "input");
        s.weight = tensor_shape(arg.weight_.mDesc, NDimSpatial, "weight");
        s.output = tensor_shape(arg.output_.mDesc, NDimSpatial, "output");

        const auto same = [](const char* what,
                             long_index_t x,
                             const char* x_name,
                             long_index_t y,
                             const char* y_name) {
            if(x != y)
                throw std::runtime_error(std::string(what) + " is " + std::to_string(x) +
                                         " in the " + x_name + " tensor and " + std::to_string(y) +
                                         " in the " + y_name + " tensor");
        };
        same("G", s.input.lengths[0], "input", s.weight.lengths[0], "weight");
        same("G", s.input.lengths[0], "input", s.output.lengths[0], "output");
        same("N", s.input.lengths[1], "input", s.output.lengths[1], "output");
        same("C", s.input.lengths[2], "input", s.weight.lengths[2], "weight");
        same("K", s.weight.lengths[1], "weight", s.output.lengths[2], "output");

        ConvProblem& p   = s.problem;
        p.rank           = NDimSpatial;
        p.groups         = s.input.lengths[0];
        p.batch          = s.input.lengths[1];
        p.in_channels    = s.input.lengths[2];
        p.out_channels   = s.weight.lengths[1];
        p.input          = s.input.spatial();
        p.filter         = s.weight.spatial();
        p.stride         = spatial("strides", arg.conv_strides_, 1);
        p.dilation       = spatial("dilations", arg.conv_dilations_, 1);
        p.pad_low        = spatial("left pads", arg.in_left_pads_, 0);
        p.pad_high       = spatial("right pads", arg.in_right_pads_, 0);
        p.input_strides  = s.input.strides;
        p.filter_strides = s.weight.strides;
        p.output_strides = s.output.strides;
        if(const Support support = validate(p); !support)
            throw std::runtime_error(support.reason);
        if(const Support support = crop_output(p, s.output.spatial()); !support)
            throw std::runtime_error(support.reason);

        const auto accompanied = [&](Accompanied tensor) {
            return tensor == Accompanied::input    ? s.input.lengths
                   : tensor == Accompanied::weight ? s.weight.lengths
                                                   : s.output.lengths;
        };
        s.a = operand_shapes(
            arg.elementwise_a_tensors_, accompanied(Derived::a_accompanies), NDimSpatial, "A");
        s.b = operand_shapes(
            arg.elementwise_b_tensors_, accompanied(Derived::b_accompanies), NDimSpatial, "B");
        s.d = operand_shapes(
            arg.elementwise_d_tensors_, accompanied(Derived::d_accompanies), NDimSpatial, "D");
        return s;
    }
};

} // namespace ck::tensor_operation::host
