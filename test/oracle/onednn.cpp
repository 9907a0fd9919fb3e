#include "oracle/onednn.hpp"

#include <bit>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>

namespace ck::test {

namespace {

using dnnl::memory;
using DataType = memory::data_type;

/// A problem as oneDNN takes it: the last `rank` spatial dimensions; a dilation of 1 is 0.
struct Geometry
{
    memory::dims x, w, y, strides, dilations, pads_low, pads_high;
    std::size_t rank;

    explicit Geometry(const ConvProblem& p)
        : x{p.batch, p.groups * p.in_channels},
          w{p.groups, p.out_channels, p.in_channels},
          y{p.batch, p.groups * p.out_channels},
          rank(static_cast<std::size_t>(p.rank))
    {
        const Spatial output = p.output();
        for(std::size_t i = 3 - rank; i < 3; ++i)
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

    memory::desc image(const memory::dims& lengths, DataType type) const
    {
        using Tag            = memory::format_tag;
        constexpr Tag tags[] = {Tag::ncw, Tag::nchw, Tag::ncdhw};
        return memory::desc(lengths, type, tags[rank - 1]);
    }
    memory::desc filter(DataType type) const
    {
        using Tag            = memory::format_tag;
        constexpr Tag tags[] = {Tag::goiw, Tag::goihw, Tag::goidhw};
        return memory::desc(w, type, tags[rank - 1]);
    }
};

/// An argument of a primitive.
struct Operand
{
    int name;
    memory::desc desc;
    const std::vector<float>& values;
};

/// The values in oneDNN's memory.
memory memory_of(const Operand& from, const dnnl::engine& engine)
{
    memory to(from.desc, engine);
    void* data = to.get_data_handle();
    for(std::size_t i = 0; i < from.values.size(); ++i)
        switch(from.desc.data_type())
        {
        case DataType::s8:
            static_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(from.values[i]);
            break;
        case DataType::bf16: // small integers need no rounding
            static_cast<std::uint16_t*>(data)[i] =
                static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(from.values[i]) >> 16);
            break;
        default:
            static_cast<float*>(data)[i] = from.values[i];
        }
    return to;
}

} // namespace

struct OneDnn::Engine
{
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};

    std::vector<float> run(const dnnl::primitive& primitive,
                           const Operand& a,
                           const Operand& b,
                           const Operand& result) const
    {
        dnnl::stream stream(engine);
        const memory c = memory_of(result, engine);
        primitive.execute(
            stream,
            {{a.name, memory_of(a, engine)}, {b.name, memory_of(b, engine)}, {result.name, c}});
        stream.wait();
        const float* sums = static_cast<const float*>(c.get_data_handle());
        return std::vector<float>(sums, sums + result.values.size());
    }
};

OneDnn::OneDnn() : engine_(std::make_unique<Engine>()) {}
OneDnn::~OneDnn() = default;

std::optional<std::vector<float>> OneDnn::sums(Direction direction,
                                               Type elements,
                                               const ConvProblem& p,
                                               const std::vector<float>& x,
                                               const std::vector<float>& w,
                                               const std::vector<float>& y) const
try
{
    using namespace dnnl;
    constexpr auto f32  = DataType::f32;
    constexpr auto how  = algorithm::convolution_direct; // Winograd's sums are not exact
    const DataType type = elements == Type::i8     ? DataType::s8
                          : elements == Type::bf16 ? DataType::bf16
                                                   : f32;
    const Geometry g(p);
    const auto make_forward = [&](DataType result) {
        return convolution_forward::primitive_desc({prop_kind::forward,
                                                    how,
                                                    g.image(g.x, type),
                                                    g.filter(type),
                                                    g.image(g.y, result),
                                                    g.strides,
                                                    g.dilations,
                                                    g.pads_low,
                                                    g.pads_high},
                                                   engine_->engine);
    };
    if(direction == Direction::forward)
    {
        const auto made = make_forward(f32);
        return engine_->run(convolution_forward(made),
                            {DNNL_ARG_SRC, made.src_desc(), x},
                            {DNNL_ARG_WEIGHTS, made.weights_desc(), w},
                            {DNNL_ARG_DST, made.dst_desc(), y});
    }
    const auto hint = make_forward(type);
    if(direction == Direction::backward_data)
    {
        const convolution_backward_data::primitive_desc made({how,
                                                              g.image(g.x, f32),
                                                              g.filter(type),
                                                              g.image(g.y, type),
                                                              g.strides,
                                                              g.dilations,
                                                              g.pads_low,
                                                              g.pads_high},
                                                             engine_->engine,
                                                             hint);
        return engine_->run(convolution_backward_data(made),
                            {DNNL_ARG_DIFF_DST, made.diff_dst_desc(), y},
                            {DNNL_ARG_WEIGHTS, made.weights_desc(), w},
                            {DNNL_ARG_DIFF_SRC, made.diff_src_desc(), x});
    }
    const convolution_backward_weights::primitive_desc made({how,
                                                             g.image(g.x, type),
                                                             g.filter(f32),
                                                             g.image(g.y, type),
                                                             g.strides,
                                                             g.dilations,
                                                             g.pads_low,
                                                             g.pads_high},
                                                            engine_->engine,
                                                            hint);
    return engine_->run(convolution_backward_weights(made),
                        {DNNL_ARG_SRC, made.src_desc(), x},
                        {DNNL_ARG_DIFF_DST, made.diff_dst_desc(), y},
                        {DNNL_ARG_DIFF_WEIGHTS, made.diff_weights_desc(), w});
}
catch(const dnnl::error& e)
{
    if(e.status != dnnl_unimplemented)
        throw;
    return std::nullopt;
}

} // namespace ck::test
