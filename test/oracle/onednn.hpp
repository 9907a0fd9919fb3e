#pragma once
// Convolutions by oneDNN's CPU engine: written by others, so that no mistake of ours is in it.
#include "ck/convolution/direction.hpp"

#include "library/tensor_operation_instance/kernel_setup.hpp"
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

namespace ck::test {

/// Computes plain tensors (N, G and C, spatial; G, K, C, filter) with one kind of element.
class OneDnn
{
public:
    using DataType = dnnl::memory::data_type;

    /// The sums of a direction: of two of x, w and y, integers that `type` has. For problems with
    /// output pixels. Throws dnnl::error with dnnl_unimplemented where this CPU or oneDNN has no
    /// such convolution.
    Values sums(Direction direction,
                DataType type,
                const ConvProblem& p,
                const Values& x,
                const Values& w,
                const Values& y)
    {
        using namespace dnnl;
        constexpr auto f32 = DataType::f32;
        constexpr auto how = algorithm::convolution_direct; // Winograd's sums are not exact
        const Geometry g(p);
        const auto tensor = [&](const memory::dims& lengths, DataType t) {
            constexpr memory::format_tag image[] = {
                memory::format_tag::ncw, memory::format_tag::nchw, memory::format_tag::ncdhw};
            constexpr memory::format_tag filter[] = {
                memory::format_tag::goiw, memory::format_tag::goihw, memory::format_tag::goidhw};
            const auto rank = static_cast<std::size_t>(p.rank);
            return memory::desc(
                lengths, t, lengths.size() == rank + 2 ? image[rank - 1] : filter[rank - 1]);
        };
        const auto make_forward = [&](DataType operands, DataType result) {
            return convolution_forward::primitive_desc({prop_kind::forward,
                                                        how,
                                                        tensor(g.x, operands),
                                                        tensor(g.w, operands),
                                                        tensor(g.y, result),
                                                        g.strides,
                                                        g.dilations,
                                                        g.pads_low,
                                                        g.pads_high},
                                                       engine_);
        };
        if(direction == Direction::forward)
        {
            const auto made = make_forward(type, f32);
            return run(convolution_forward(made),
                       {DNNL_ARG_SRC, made.src_desc(), x, x_order},
                       {DNNL_ARG_WEIGHTS, made.weights_desc(), w, w_order},
                       {DNNL_ARG_DST, made.dst_desc(), y, x_order});
        }
        const auto hint = make_forward(type, type);
        if(direction == Direction::backward_data)
        {
            const convolution_backward_data::primitive_desc made({how,
                                                                  tensor(g.x, f32),
                                                                  tensor(g.w, type),
                                                                  tensor(g.y, type),
                                                                  g.strides,
                                                                  g.dilations,
                                                                  g.pads_low,
                                                                  g.pads_high},
                                                                 engine_,
                                                                 hint);
            return run(convolution_backward_data(made),
                       {DNNL_ARG_DIFF_DST, made.diff_dst_desc(), y, x_order},
                       {DNNL_ARG_WEIGHTS, made.weights_desc(), w, w_order},
                       {DNNL_ARG_DIFF_SRC, made.diff_src_desc(), x, x_order});
        }
        const convolution_backward_weights::primitive_desc made({how,
                                                                 tensor(g.x, type),
                                                                 tensor(g.w, f32),
                                                                 tensor(g.y, type),
                                                                 g.strides,
                                                                 g.dilations,
                                                                 g.pads_low,
                                                                 g.pads_high},
                                                                engine_,
                                                                hint);
        return run(convolution_backward_weights(made),
                   {DNNL_ARG_SRC, made.src_desc(), x, x_order},
                   {DNNL_ARG_DIFF_DST, made.diff_dst_desc(), y, x_order},
                   {DNNL_ARG_DIFF_WEIGHTS, made.diff_weights_desc(), w, w_order});
    }

private:
    using Order = std::array<std::size_t, 6>; // of a tensor's dimensions in memory

    static constexpr Order x_order{1, 0, 2, 3, 4, 5}, w_order{0, 1, 2, 3, 4, 5};

    /// A problem as oneDNN takes it: the last `rank` spatial dimensions; a dilation of 1 is 0.
    struct Geometry
    {
        dnnl::memory::dims x, w, y, strides, dilations, pads_low, pads_high;

        explicit Geometry(const ConvProblem& p)
            : x{p.batch, p.groups * p.in_channels},
              w{p.groups, p.out_channels, p.in_channels},
              y{p.batch, p.groups * p.out_channels}
        {
            const Spatial output = p.output();
            for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
            {
                x.push_back(p.input[i]);
                w.push_back(p.filter[i]);
                y.push_back(output[i]);
                strides.push_back(p.stride[i]);
                dilations.push_back(p.dilation[i] - 1);
                pads_low.push_back(p.pad_low[i]);
                pads_high.push_back(p.pad_high[i]);
            }
        }
    };

    struct Tensor
    {
        int argument;
        dnnl::memory::desc desc;
        const Values& values;
        Order order;

        TensorStrides strides() const { return ck::detail::packed_strides(values.lengths, order); }
    };

    Values run(const dnnl::primitive& primitive, const Tensor& a, const Tensor& b, const Tensor& c)
    {
        dnnl::memory a_memory = memory_of(a), b_memory = memory_of(b), c_memory = memory_of(c);
        primitive.execute(stream_,
                          {{a.argument, a_memory}, {b.argument, b_memory}, {c.argument, c_memory}});
        stream_.wait();
        Values result     = c.values;
        const float* sums = static_cast<const float*>(c_memory.get_data_handle());
        c.values.for_each_offset(c.strides(), [&](std::size_t i, std::size_t offset) {
            result.values[i] = static_cast<double>(sums[offset]);
        });
        return result;
    }

    /// The tensor's values in oneDNN's memory.
    dnnl::memory memory_of(const Tensor& tensor)
    {
        dnnl::memory memory(tensor.desc, engine_);
        auto* bytes      = static_cast<char*>(memory.get_data_handle());
        const Element& e = element(name(tensor.desc.data_type()));
        tensor.values.for_each_offset(tensor.strides(), [&](std::size_t i, std::size_t offset) {
            e.store(bytes + offset * e.size, tensor.values.values[i]);
        });
        return memory;
    }

    static std::string name(DataType type)
    {
        return type == DataType::s8 ? "i8" : type == DataType::bf16 ? "bf16" : "f32";
    }

    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
};

} // namespace ck::test
