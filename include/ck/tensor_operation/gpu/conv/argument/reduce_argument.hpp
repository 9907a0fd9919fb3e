#pragma once
// Turns the parameters of DeviceReduce into two tensors and checks them. Contains no
// kernel.
#include "ck/tensor_operation/gpu/conv/argument/strided_tensor.hpp"

namespace ck::tensor_operation::device {

/// Dimensions are in the input's order. `reduced` has length 1 in dimensions that are kept; `kept`
/// has length 1 in those that are reduced, and the output's strides are 0 there.
template <class InOperation, class AccOperation>
struct ReduceArguments
{
    Support valid; ///< the parameters are right; if refused, nothing else is set
    TensorLengths kept, reduced;
    StridedTensor in, out;
    double alpha, beta;
    InOperation in_operation;
    AccOperation acc_operation;

    /// See DeviceReduce.
    template <std::size_t rank, std::size_t out_rank, std::size_t reduce_rank>
    static ReduceArguments make(const std::array<index_t, rank>& in_lengths,
                                const std::array<index_t, rank>& in_strides,
                                const std::array<index_t, out_rank>& out_lengths,
                                const std::array<index_t, out_rank>& out_strides,
                                const std::array<int, reduce_rank>& reduce_dims,
                                double alpha,
                                double beta,
                                const void* in,
                                const void* /*in_index*/,
                                void* out,
                                void* /*out_index*/,
                                const InOperation& in_operation,
                                const AccOperation& acc_operation)
    {
        ReduceArguments a{check_dimensions(rank),
                          {},
                          {},
                          {"the input", in, nullptr, to_six(in_strides, 0)},
                          {"the output", out, out, {}},
                          alpha,
                          beta,
                          in_operation,
                          acc_operation};
        if(!a.valid)
            return a;
        a.kept = to_six(in_lengths, 1);
        a.reduced.fill(1);
        constexpr std::size_t first = rank <= 6 ? 6 - rank : 0; // of the six dimensions
        std::array<bool, 6> is_reduced{};
        for(const int dim : reduce_dims)
        {
            if(dim < 0 || dim >= static_cast<int>(rank) ||
               is_reduced[first + static_cast<std::size_t>(dim)])
            {
                a.valid = refused("a reduced dimension is " + std::to_string(dim) +
                                  ", but they must be different numbers from 0 to " +
                                  std::to_string(rank - 1));
                return a;
            }
            const std::size_t at = first + static_cast<std::size_t>(dim);
            is_reduced[at]       = true;
            std::swap(a.kept[at], a.reduced[at]);
        }
        std::size_t next = 0; // among the output's dimensions
        for(std::size_t at = first; at < 6; ++at)
            if(!is_reduced[at])
            {
                if(out_lengths[next] != a.kept[at])
                {
                    a.valid = refused("length " + std::to_string(next) + " of the output is " +
                                      std::to_string(out_lengths[next]) +
                                      ", but the dimension that is kept has length " +
                                      std::to_string(a.kept[at]));
                    return a;
                }
                a.out.strides[at] = out_strides[next++];
            }
        if(next == 0 && out_lengths[0] != 1)
            a.valid = refused("the output's length is " + std::to_string(out_lengths[0]) +
                              ", but must be 1 where all dimensions are reduced");
        return a;
    }

    TensorLengths in_lengths() const
    {
        TensorLengths lengths{};
        for(std::size_t i = 0; i < lengths.size(); ++i)
            lengths[i] = kept[i] * reduced[i];
        return lengths;
    }

    Support check(std::size_t in_bytes, std::size_t out_bytes) const
    {
        if(!valid)
            return valid;
        for(const TensorLengths& lengths : {kept, reduced})
            if(const Support s = check_lengths(lengths); !s)
                return s;
        if(const Support s = check_strided(in, in_lengths(), in_bytes); !s)
            return s;
        if(const Support s = check_strided(out, kept, out_bytes); !s)
            return s;
        if(const Support s = check_written(out.name.c_str(), kept, out.strides); !s)
            return s;
        return check_apart(out.memory(kept, out_bytes), in.memory(in_lengths(), in_bytes));
    }

    /// Throws std::runtime_error if a tensor that is not empty has a null address.
    void require_addresses() const
    {
        require_memory(in, in_lengths());
        require_memory(out, kept);
    }
};

} // namespace ck::tensor_operation::device
