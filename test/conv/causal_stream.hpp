#pragma once
// A sequence that is convolved chunk by chunk, as a user of ck/causal_conv.hpp does it.
#include "ck/causal_conv.hpp"

#include "conv/convolution.hpp"
#include <random>
#include <set>

namespace ck::conv_test {

using Bytes = std::vector<char>;

/// Numbers of which every order of sums has bits of its own.
inline Bytes reals(const Element& of, std::size_t count, unsigned seed)
{
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> numbers(-1, 1);
    Bytes bytes(count * of.size);
    for(std::size_t i = 0; i < count; ++i)
        of.store(bytes.data() + i * of.size, numbers(engine));
    return bytes;
}

/// Rows of `row` bytes in a tensor of frames: one for each image, or for each channel of each.
struct Rows
{
    std::size_t count, frame; ///< bytes of a frame of one row

    Bytes part(const Bytes& all, long_index_t from, long_index_t frames) const
    {
        Bytes r;
        const std::size_t row = all.size() / count;
        for(std::size_t i = 0; i < count; ++i)
        {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(
                                                 i * row + static_cast<std::size_t>(from) * frame);
            r.insert(r.end(), begin, begin + frames * static_cast<std::ptrdiff_t>(frame));
        }
        return r;
    }
    /// a, then b.
    Bytes joined(const Bytes& a, const Bytes& b) const
    {
        Bytes r;
        for(std::size_t i = 0; i < count; ++i)
            for(const Bytes* const from : {&a, &b})
            {
                const auto row   = static_cast<std::ptrdiff_t>(from->size() / count);
                const auto begin = from->begin() + static_cast<std::ptrdiff_t>(i) * row;
                r.insert(r.end(), begin, begin + row);
            }
        return r;
    }
};

/// What a user of the interface has in memory.
class Stream
{
public:
    explicit Stream(const ConvSpec& whole, unsigned seed = 1)
        : spec_(whole),
          of_(element(name(whole.type))),
          x_(rows(whole.c, whole.input)),
          y_(rows(whole.k, padded(whole).output())),
          x(reals(of_, whole.x_bytes() / of_.size, seed)),
          w(memory(reals(of_, whole.w_bytes() / of_.size, seed + 1))),
          bias(memory(reals(of_, static_cast<std::size_t>(whole.groups * whole.k), seed + 2))),
          residual_(reals(of_, padded(whole).y_bytes() / of_.size, seed + 3)),
          begun_(reals(of_, padded(whole).y_bytes() / of_.size, seed + 4))
    {}

    /// The ordinary convolution, with zeros before the sequence.
    static ConvSpec padded(ConvSpec whole)
    {
        whole.pads[0].low =
            (whole.filter[0] - 1) * (whole.dilations.empty() ? 1 : whole.dilations[0]);
        return whole;
    }
    /// The sequence's outputs by that, and by any kernel.
    Bytes ordinary() const
    {
        const ConvPlan p      = plan(padded(spec_));
        const PlacedMemory in = memory(x), add = memory(residual_);
        const PlacedMemory out = memory(begun_);
        const PlacedMemory workspace(p.workspace_size());
        p.run({.x    = in.GetDeviceBuffer(),
               .w    = w.GetDeviceBuffer(),
               .y    = out.GetDeviceBuffer(),
               .bias = spec_.epilogue.bias ? bias.GetDeviceBuffer() : nullptr,
               .residual =
                   spec_.epilogue.residual != Residual::none ? add.GetDeviceBuffer() : nullptr,
               .workspace = workspace.GetDeviceBuffer()});
        return bytes_of(out);
    }

    /// The outputs of chunks of these lengths. begin: the first cache; empty: zeros.
    /// in_place: whether each next cache is written over the last one.
    Bytes in_chunks(const std::vector<long_index_t>& lengths,
                    bool in_place              = true,
                    const Bytes& begin         = {},
                    const PlanOptions& options = {})
    {
        Bytes y;
        std::unique_ptr<PlacedMemory> cache;
        long_index_t at = 0, outputs = 0, skip = 0;
        for(const long_index_t frames : lengths)
        {
            CausalConvSpec s{.conv = spec_, .first = at == 0 && begin.empty(), .skip = skip};
            s.conv.input[0] = frames;
            s.chunk         = chunk;
            const CausalConvPlan p(s, options);
            kernels.insert(p.kernel());
            if(cache == nullptr)
            {
                cache = std::make_unique<PlacedMemory>(p.cache_bytes(), 1);
                cache->ToDevice(begin.data(), begin.size());
            }
            const Bytes added     = y_.part(residual_, outputs, p.output()[0]);
            const PlacedMemory in = memory(x_.part(x, at, frames)), add = memory(added);
            const PlacedMemory out = spec_.beta == 1
                                         ? memory(y_.part(begun_, outputs, p.output()[0]))
                                         : memory(Bytes(p.y_bytes(), '\xff'));
            EXPECT_EQ(added.size(), p.y_bytes());
            const PlacedMemory workspace(p.workspace_size());
            workspace.fill(at % 2 == 0 ? 0xff : 0x4b);
            auto next = in_place ? nullptr : std::make_unique<PlacedMemory>(p.cache_bytes(), 1);
            p.run({.x    = in.GetDeviceBuffer(),
                   .w    = w.GetDeviceBuffer(),
                   .y    = out.GetDeviceBuffer(),
                   .bias = spec_.epilogue.bias ? bias.GetDeviceBuffer() : nullptr,
                   .residual =
                       spec_.epilogue.residual != Residual::none ? add.GetDeviceBuffer() : nullptr,
                   .cache      = s.first ? nullptr : cache->GetDeviceBuffer(),
                   .next_cache = (in_place ? cache : next)->GetDeviceBuffer(),
                   .workspace  = workspace.GetDeviceBuffer()});
            if(!in_place)
                cache = std::move(next);
            y = y.empty() ? bytes_of(out) : y_.joined(y, bytes_of(out));
            at += frames;
            outputs += p.output()[0];
            skip = p.next_skip();
        }
        last_cache = bytes_of(*cache);
        return y;
    }
    Bytes whole() { return in_chunks({spec_.input[0]}); }

    /// Frames of X, with zeros before it; the last before frame `end`.
    Bytes frames_before(long_index_t end) const
    {
        const long_index_t reach = padded(spec_).pads[0].low;
        const Bytes zeros(x_.count * x_.frame * static_cast<std::size_t>(reach));
        return x_.part(x_.joined(zeros, x), end, reach);
    }

    Bytes last_cache;
    std::set<std::string> kernels;
    long_index_t chunk = 0;

private:
    Rows rows(long_index_t channels, const Extents& spatial) const
    {
        std::size_t pixels = of_.size;
        for(std::size_t i = 1; i < spatial.size(); ++i)
            pixels *= static_cast<std::size_t>(spatial[i]);
        const auto n = static_cast<std::size_t>(spec_.n),
                   c = static_cast<std::size_t>(spec_.groups * channels);
        return spec_.layout == Layout::channels_last ? Rows{n, pixels * c} : Rows{n * c, pixels};
    }
    static PlacedMemory memory(const Bytes& bytes) { return test::on_device(bytes); }
    static Bytes bytes_of(const PlacedMemory& memory)
    {
        Bytes r(memory.GetBufferSize());
        memory.FromDevice(r.data());
        return r;
    }

    ConvSpec spec_;
    const Element& of_;
    Rows x_, y_;

public:
    Bytes x;
    PlacedMemory w, bias;

private:
    Bytes residual_, begun_;
};

} // namespace ck::conv_test
