#pragma once
// Turns the parameters of DeviceElementwise into tensors and checks them. Contains no
// kernel.
#include "ck/tensor_operation/gpu/conv/argument/strided_tensor.hpp"

#include <vector>

namespace ck::tensor_operation::device {

template <class Operation>
struct ElementwiseArguments
{
    Support valid; ///< the number of dimensions is right; if refused, nothing else is set
    TensorLengths lengths;
    std::vector<StridedTensor> in, out;
    Operation operation;

    /// See DeviceElementwise.
    template <std::size_t dims, std::size_t ins, std::size_t outs>
    static ElementwiseArguments make(const std::array<index_t, dims>& lengths,
                                     const std::array<std::array<index_t, dims>, ins>& in_strides,
                                     const std::array<std::array<index_t, dims>, outs>& out_strides,
                                     const std::array<const void*, ins>& in,
                                     const std::array<void*, outs>& out,
                                     const Operation& operation)
    {
        ElementwiseArguments a{check_dimensions(dims), {}, {}, {}, operation};
        if(!a.valid)
            return a;
        a.lengths = to_six(lengths, 1);
        for(std::size_t i = 0; i < ins; ++i)
            a.in.push_back(
                {"input " + std::to_string(i), in[i], nullptr, to_six(in_strides[i], 0)});
        for(std::size_t i = 0; i < outs; ++i)
            a.out.push_back(
                {"output " + std::to_string(i), out[i], out[i], to_six(out_strides[i], 0)});
        return a;
    }

    /// element_bytes: sizes of the inputs' elements, then of the outputs'.
    Support check(const std::vector<std::size_t>& element_bytes) const
    {
        if(!valid)
            return valid;
        if(const Support s = check_lengths(lengths); !s)
            return s;
        for(std::size_t i = 0; i < in.size(); ++i)
            if(const Support s = check_strided(in[i], lengths, element_bytes[i]); !s)
                return s;
        for(std::size_t o = 0; o < out.size(); ++o)
        {
            const std::size_t bytes = element_bytes[in.size() + o];
            if(const Support s = check_strided(out[o], lengths, bytes); !s)
                return s;
            if(const Support s = check_written(out[o].name.c_str(), lengths, out[o].strides); !s)
                return s;
            const TensorMemory written = out[o].memory(lengths, bytes);
            for(std::size_t i = 0; i < in.size(); ++i)
            {
                const TensorMemory read = in[i].memory(lengths, element_bytes[i]);
                if(in_place(written, read))
                    continue;
                if(const Support s = check_apart(written, read); !s)
                    return s;
            }
            for(std::size_t other = 0; other < o; ++other)
                if(const Support s = check_apart(
                       written, out[other].memory(lengths, element_bytes[in.size() + other]));
                   !s)
                    return s;
        }
        return {};
    }
};

} // namespace ck::tensor_operation::device
