#pragma once
// A forward convolution, then the reductions of its result over channels: two launches.
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_device_operation.hpp"
#include "ck/tensor_operation/gpu/grid/reduce_channels.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace ck::tensor_operation::device {

/// Implements all of Interface, a DeviceGroupedConvFwdMultipleDMultipleR, except
/// MakeArgumentPointer. Conv: a forward operation (GroupedConvOperation) with ConvTypes Types.
/// Reduction: a grid::ReduceChannels that reads the stored E and writes element types Rs.
template <class Interface, class Conv, class Types, class Rs, class Reduction>
struct ReducedConvOperation : public Interface
{
    using Convolution = Conv;
    using Operation   = typename Conv::Operation;
    using Kernel      = typename Operation::Kernel;

    struct Argument : public BaseArgument
    {
        typename Conv::Argument conv;
        typename Reduction::Params reduction{};
        TensorLengths r_lengths{}; ///< g n 1 d h w
        TensorStrides r_strides{};
        Support valid;

        std::size_t GetWorkspaceSizeBytes() const { return conv.GetWorkspaceSizeBytes(); }
        /// Prints the lengths of the matrices that the convolution multiplies.
        void Print() const { conv.Print(); }
    };

    struct Invoker : public BaseInvoker
    {
        float Run(const Argument& a, const StreamConfig& config = StreamConfig{})
        {
            if(const Support s = supports(a); !s)
                throw std::runtime_error("this forward convolution with reductions does not "
                                         "support this problem: " +
                                         s.reason);
            for(const void* r : a.reduction.r)
                require_address("R", a.r_lengths, r);
            const float milliseconds = typename Conv::Invoker{}.Run(with_workspace(a), config);
            const auto blocks        = block_count(a);
            if(blocks == 0)
                return milliseconds;
            return milliseconds + launch_and_time_kernel<Reduction>(
                                      config, static_cast<index_t>(blocks), a.reduction);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& config = StreamConfig{}) override
        {
            return Run(own_argument<Argument>(argument), config);
        }
    };

    static Invoker MakeInvoker() { return {}; }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::unique_ptr<BaseInvoker>(new Invoker());
    }

    static Support supports(const Argument& a)
    {
        if(const Support s = Conv::supports(with_workspace(a)); !s)
            return s;
        if(!a.valid)
            return a.valid;
        if(block_count(a) > std::numeric_limits<index_t>::max())
            return refused("R has " + std::to_string(a.reduction.rows()) +
                           " elements, more than one launch reduces");
        return check_memory_of_r(a);
    }
    static bool IsSupportedArgument(const Argument& a) { return static_cast<bool>(supports(a)); }
    bool IsSupportedArgument(const BaseArgument* a) override
    {
        return IsSupportedArgument(own_argument<Argument>(a));
    }
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return supports(own_argument<Argument>(a)).reason;
    }
    std::size_t GetWorkSpaceSize(const BaseArgument* a) const override
    {
        return own_argument<Argument>(a).GetWorkspaceSizeBytes();
    }

    template <class Ds, class Pointers, class Tensor, class Tensors, class R, class Dims>
    static Argument make(const void* a,
                         const void* b,
                         const Ds& ds,
                         void* e,
                         const Pointers& rs,
                         const Tensor& a_lengths,
                         const Tensor& a_strides,
                         const Tensor& b_lengths,
                         const Tensor& b_strides,
                         const Tensors& ds_lengths,
                         const Tensors& ds_strides,
                         const Tensor& e_lengths,
                         const Tensor& e_strides,
                         const R& r_lengths,
                         const R& r_strides,
                         const Dims& strides,
                         const Dims& dilations,
                         const Dims& left_pads,
                         const Dims& right_pads,
                         const typename Operation::OperationA& operation_a,
                         const typename Operation::OperationB& operation_b,
                         const typename Operation::OperationC& operation_c,
                         const decltype(Reduction::Params::qs)& qs,
                         const decltype(Reduction::Params::rs_operations)& rs_operations)
    {
        Argument r{};
        r.conv      = Conv::make(a,
                            b,
                            ds,
                            e,
                            a_lengths,
                            a_strides,
                            b_lengths,
                            b_strides,
                            ds_lengths,
                            ds_strides,
                            e_lengths,
                            e_strides,
                            strides,
                            dilations,
                            left_pads,
                            right_pads,
                            operation_a,
                            operation_b,
                            operation_c);
        r.r_lengths = with_channel(r_lengths, 1, 1);
        r.r_strides = with_channel(r_strides, 0, 0);

        const ConvProblem& p           = r.conv.problem;
        typename Reduction::Params& to = r.reduction;
        TensorLengths expected         = p.output_lengths();
        expected[2]                    = 1;
        for(std::size_t i = 0; i < expected.size(); ++i)
            if(r.valid && r.r_lengths[i] != expected[i])
                r.valid = refused("a length of R is " + std::to_string(r.r_lengths[i]) +
                                  ", but that of E is " + std::to_string(expected[i]));
        to.e              = static_cast<decltype(to.e)>(e);
        to.channels       = p.out_channels;
        to.channel_stride = p.output_strides[2];
        to.qs             = qs;
        to.rs_operations  = rs_operations;
        std::copy(rs.begin(), rs.end(), to.r);
        for(std::size_t d = 0, i = 0; i < expected.size(); ++i)
            if(i != 2)
            {
                to.length[d]   = r.r_lengths[i];
                to.e_stride[d] = p.output_strides[i];
                for(auto& r_stride : to.r_stride)
                    r_stride[d] = r.r_strides[i];
                ++d;
            }
        return r;
    }

private:
    /// Reorders g, n, wos to g, n, `channel`, wos, and fills missing dimensions with `missing`.
    template <class R>
    static TensorLengths with_channel(const R& values, long_index_t channel, long_index_t missing)
    {
        TensorLengths all{values[0], values[1], channel, missing, missing, missing};
        std::copy(values.begin() + 2,
                  values.end(),
                  all.end() - static_cast<std::ptrdiff_t>(values.size() - 2));
        return all;
    }

    static typename Conv::Argument with_workspace(const Argument& a)
    {
        typename Conv::Argument conv = a.conv;
        conv.p_workspace_            = a.p_workspace_;
        return conv;
    }

    static long_index_t block_count(const Argument& a)
    {
        return math::integer_divide_ceil(a.reduction.rows(), long_index_t{Reduction::block_rows});
    }

    /// Whether the elements of each R do not overlap each other or another tensor.
    static Support check_memory_of_r(const Argument& a)
    {
        if(const Support s = ck::detail::addressable("R", "GNCDHW", a.r_lengths, a.r_strides); !s)
            return s;
        if(const Support s = check_written("R", a.r_lengths, a.r_strides); !s)
            return s;
        Support support;
        unrolled<0, Rs::Size()>([&](auto i) {
            constexpr auto bytes = static_cast<long_index_t>(sizeof(tuple_element_t<i, Rs>));
            const TensorMemory r{"R", a.reduction.r[i], a.r_lengths, a.r_strides, bytes};
            const auto check = [&](const TensorMemory& other) {
                if(support)
                    support = check_apart(r, other);
            };
            if(support && r.begin() % bytes != 0)
                support = misaligned_element("R", bytes);
            detail::check_read<typename Operation::Direction, Types>(
                a.conv, a.conv.problem, [&](const TensorMemory& read, bool) {
                    check(read);
                    return support;
                });
            check(detail::memory_of(
                "E", a.conv.problem, Role::output, a.conv.c, sizeof(typename Types::C)));
            unrolled<0, i>([&](auto other) {
                constexpr auto others =
                    static_cast<long_index_t>(sizeof(tuple_element_t<other, Rs>));
                check({"another R", a.reduction.r[other], a.r_lengths, a.r_strides, others});
            });
        });
        return support;
    }
};

namespace detail {

template <class Interface, class Conv, class Types, class Rs, class Reduction>
using ForwardWithReductions =
    MakesArguments<ReducedConvOperation<Interface, Conv, Types, Rs, Reduction>,
                   parameters_of<decltype(&Interface::MakeArgumentPointer)>>;

} // namespace detail

} // namespace ck::tensor_operation::device
