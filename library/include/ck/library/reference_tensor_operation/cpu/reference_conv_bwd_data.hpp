#pragma once
// ReferenceConvBwdData: backward data on the CPU, by definition, for any strides.
#include "ck/library/reference_tensor_operation/cpu/convolution_loops.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_tensor.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ck::tensor_operation::host {

/// dX[g,n,c,hi,wi] = in_op(sum over k,y,x of out_op(dY[g,n,k,ho,wo], A...) * wei_op(W[g,k,c,y,x],
/// B...), D...),
///   hi = ho*stride + y*dilation - left_pad; in 1 to 3 dimensions. Every element of dX is written.
/// Tensors have their dimensions in this logical order and any strides; without groups the first is
/// left out. out_op and wei_op give float (double for double and int32 data), sums are double, and
/// in_op sees the sum as float (double where dX is double or int32). Uses CK_HOST_THREADS threads,
/// or all.
template <ck::index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ck::index_t NumAElementwiseTensor = 0,
          ck::index_t NumBElementwiseTensor = 0,
          ck::index_t NumDElementwiseTensor = 0>
requires(1 <= NDimSpatial && NDimSpatial <= 3) struct ReferenceConvBwdData
    : public device::BaseOperator
{
    using ATensors = std::array<Tensor<OutDataType>, NumAElementwiseTensor>;
    using BTensors = std::array<Tensor<WeiDataType>, NumBElementwiseTensor>;
    using DTensors = std::array<Tensor<OutDataType>, NumDElementwiseTensor>;

    /// What the multiplication reads, and what in_op sees.
    using Operand     = element_wise::ComputeType<WeiDataType, OutDataType>;
    using Accumulated = element_wise::ComputeType<InDataType>;

    /// Refers to dX, W and dY, which must outlive it; owns the rest.
    struct Argument : public device::BaseArgument
    {
        Argument(Tensor<InDataType>& input,
                 const Tensor<WeiDataType>& weight,
                 const Tensor<OutDataType>& output,
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

        Tensor<InDataType>& input_;         // dX
        const Tensor<WeiDataType>& weight_; // W
        const Tensor<OutDataType>& output_; // dY

        ATensors elementwise_a_tensors_;
        BTensors elementwise_b_tensors_;
        DTensors elementwise_d_tensors_;

        std::vector<ck::long_index_t> conv_strides_;
        std::vector<ck::long_index_t> conv_dilations_;
        std::vector<ck::long_index_t> in_left_pads_;
        std::vector<ck::long_index_t> in_right_pads_;

        InElementwiseOperation in_element_op_;
        WeiElementwiseOperation wei_element_op_;
        OutElementwiseOperation out_element_op_;
    };

    struct Invoker : public device::BaseInvoker
    {
        using Argument = ReferenceConvBwdData::Argument;

        /// Throws std::runtime_error for tensors that do not fit together. Returns 0.
        float Run(const Argument& arg, const StreamConfig& = StreamConfig{})
        {
            const Shapes s = shapes(arg);
            const auto dy_packed =
                pack<Operand>(s.dy.lengths, {0, 1, 3, 4, 5, 2}, [&](const auto& i) {
                    Operand y{};
                    apply_element_op(arg.out_element_op_,
                                     y,
                                     arg.output_.data()[s.dy.offset(i)],
                                     arg.elementwise_a_tensors_,
                                     s.a,
                                     i);
                    return y;
                });
            const auto w_packed =
                pack<Operand>(s.w.lengths, {0, 3, 4, 5, 1, 2}, [&](const auto& i) {
                    Operand y{};
                    apply_element_op(arg.wei_element_op_,
                                     y,
                                     arg.weight_.data()[s.w.offset(i)],
                                     arg.elementwise_b_tensors_,
                                     s.b,
                                     i);
                    return y;
                });
            convolution_backward_data(s.problem,
                                      s.dy.spatial(),
                                      dy_packed.data(),
                                      w_packed.data(),
                                      [&](long_index_t g,
                                          long_index_t n,
                                          long_index_t d,
                                          long_index_t h,
                                          long_index_t w,
                                          const double* sums) {
                                          for(long_index_t c = 0; c < s.problem.in_channels; ++c)
                                          {
                                              const std::array<long_index_t, 6> i{g, n, c, d, h, w};
                                              apply_element_op(arg.in_element_op_,
                                                               arg.input_.data()[s.dx.offset(i)],
                                                               static_cast<Accumulated>(sums[c]),
                                                               arg.elementwise_d_tensors_,
                                                               s.d,
                                                               i);
                                          }
                                      });
            return 0;
        }

        float Run(const device::BaseArgument* p_arg,
                  const StreamConfig& stream_config = StreamConfig{}) override
        {
            const auto* arg = dynamic_cast<const Argument*>(p_arg);
            if(arg == nullptr)
                throw std::runtime_error(
                    "ReferenceConvBwdData: the argument is another operation's");
            return Run(*arg, stream_config);
        }
    };

    bool IsSupportedArgument(const device::BaseArgument* p_arg) override
    {
        return WhyNotSupported(p_arg).empty();
    }

    std::string WhyNotSupported(const device::BaseArgument* p_arg) const override
    {
        const auto* arg = dynamic_cast<const Argument*>(p_arg);
        if(arg == nullptr)
            return "the argument is another operation's";
        try
        {
            shapes(*arg);
            return "";
        }
        catch(const std::runtime_error& e)
        {
            return e.what();
        }
    }

    static auto MakeArgument(Tensor<InDataType>& input,
                             const Tensor<WeiDataType>& weight,
                             const Tensor<OutDataType>& output,
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

    static auto MakeInvoker() { return Invoker{}; }
    virtual std::unique_ptr<device::BaseInvoker> MakeInvokerPointer()
    {
        return std::make_unique<Invoker>();
    }

    std::string GetTypeString() const override { return "ReferenceConvBwdData"; }

private:
    struct Shapes
    {
        ConvProblem problem;
        TensorShape dx, w, dy;
        std::array<TensorShape, NumAElementwiseTensor> a;
        std::array<TensorShape, NumBElementwiseTensor> b;
        std::array<TensorShape, NumDElementwiseTensor> d;
    };

    /// Throws std::runtime_error for tensors that do not fit together.
    static Shapes shapes(const Argument& arg)
    {
        Shapes s;
        s.dx = tensor_shape(arg.input_.mDesc, NDimSpatial, "input");
        s.w  = tensor_shape(arg.weight_.mDesc, NDimSpatial, "weight");
        s.dy = tensor_shape(arg.output_.mDesc, NDimSpatial, "output");

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
        same("G", s.dx.lengths[0], "input", s.w.lengths[0], "weight");
        same("G", s.dx.lengths[0], "input", s.dy.lengths[0], "output");
        same("N", s.dx.lengths[1], "input", s.dy.lengths[1], "output");
        same("C", s.dx.lengths[2], "input", s.w.lengths[2], "weight");
        same("K", s.w.lengths[1], "weight", s.dy.lengths[2], "output");

        ConvProblem& p   = s.problem;
        p.rank           = NDimSpatial;
        p.groups         = s.dx.lengths[0];
        p.batch          = s.dx.lengths[1];
        p.in_channels    = s.dx.lengths[2];
        p.out_channels   = s.w.lengths[1];
        p.input          = s.dx.spatial();
        p.filter         = s.w.spatial();
        p.stride         = spatial("strides", arg.conv_strides_, 1);
        p.dilation       = spatial("dilations", arg.conv_dilations_, 1);
        p.pad_low        = spatial("left pads", arg.in_left_pads_, 0);
        p.pad_high       = spatial("right pads", arg.in_right_pads_, 0);
        p.input_strides  = s.dx.strides;
        p.filter_strides = s.w.strides;
        p.output_strides = s.dy.strides;
        if(const Support support = validate(p); !support)
            throw std::runtime_error(support.reason);

        s.a = operand_shapes(arg.elementwise_a_tensors_, s.dy.lengths, NDimSpatial, "A");
        s.b = operand_shapes(arg.elementwise_b_tensors_, s.w.lengths, NDimSpatial, "B");
        s.d = operand_shapes(arg.elementwise_d_tensors_, s.dx.lengths, NDimSpatial, "D");
        return s;
    }

    static Spatial
    spatial(const char* what, const std::vector<long_index_t>& values, long_index_t neutral)
    {
        if(values.size() != NDimSpatial)
            throw std::runtime_error("there are " + std::to_string(values.size()) + ' ' + what +
                                     " for " + std::to_string(NDimSpatial) + " spatial dimensions");
        return to_spatial(values, neutral);
    }
};

} // namespace ck::tensor_operation::host
