// Plain loops, and rules that the interfaces state.
#include "fuzz/judge.hpp"

#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <functional>

namespace ck::fuzz {
namespace {

bool is_there(const TensorArgument& t) { return t.at != tensor_count; }

/// Whether every length is small enough to count with.
bool has_small_lengths(const TensorArgument& t)
{
    long_index_t count = 1;
    for(const long_index_t length : t.lengths)
    {
        if(length < 0 || length > 4096)
            return false;
        count = std::min<long_index_t>(count * length, 1 << 20);
    }
    return count <= 8192;
}

/// Not what is empty either: nothing is where it was.
bool has_negative_stride(const TensorArgument& t)
{
    for(std::size_t i = 0; i < 6; ++i)
        if(t.lengths[i] > 1 && t.strides[i] < 0)
            return true;
    return false;
}

/// Where there is more than one element along a dimension.
bool has_small_strides(const TensorArgument& t, std::size_t element_bytes)
{
    long_index_t last = 0;
    for(std::size_t i = 0; i < 6; ++i)
        if(t.lengths[i] > 1)
        {
            if(t.strides[i] < 0 || t.strides[i] > 1 << 16)
                return false;
            last += (t.lengths[i] - 1) * t.strides[i];
        }
    return (last + 1) * static_cast<long_index_t>(element_bytes) <= 1 << 16;
}

/// The number of elements from the first to the last, both included; strides must be small.
long_index_t reach(const TensorArgument& t)
{
    long_index_t last = 0;
    for(std::size_t i = 0; i < 6; ++i)
        if(t.lengths[i] > 1)
            last += (t.lengths[i] - 1) * t.strides[i];
    return last + 1;
}

/// Whether the ranges of bytes of two tensors overlap.
bool meet(const TensorArgument& t, const TensorArgument& u, std::size_t element_bytes)
{
    const auto size = static_cast<long_index_t>(element_bytes);
    return t.at == u.at && !t.null && !u.null && !is_empty(t) && !is_empty(u) &&
           t.offset < u.offset + reach(u) * size && u.offset < t.offset + reach(t) * size;
}

long_index_t spatial_count(const TensorArgument& t)
{
    return t.lengths[3] * t.lengths[4] * t.lengths[5];
}

bool is_in_place(const TensorArgument& d, const TensorArgument& result)
{
    for(std::size_t i = 0; i < 6; ++i)
        if(d.lengths[i] != result.lengths[i] ||
           (d.lengths[i] > 1 && d.strides[i] != result.strides[i]))
            return false;
    return d.at == result.at && d.offset == result.offset;
}

} // namespace

bool is_empty(const TensorArgument& t)
{
    return std::count(t.lengths.begin(), t.lengths.end(), 0) > 0;
}

std::string fault(const Call& call, std::size_t element_bytes)
{
    const auto& [x, w, y, d0, d1] = call.tensors;
    if(x.lengths[0] < 1 || w.lengths[1] < 1 || x.lengths[2] < 1)
        return "no group or no channels";
    if(x.lengths[1] < 0)
        return "a negative batch";
    if(w.lengths[0] != x.lengths[0] || y.lengths[0] != x.lengths[0])
        return "G differs";
    if(y.lengths[1] != x.lengths[1])
        return "N differs";
    if(w.lengths[2] != x.lengths[2] || y.lengths[2] != w.lengths[1])
        return "C or K differs";
    for(std::size_t i = 0; i < 3; ++i)
    {
        if(std::min({x.lengths[3 + i], w.lengths[3 + i], call.stride[i], call.dilation[i]}) < 1)
            return "no pixels, taps, stride or dilation";
        if(y.lengths[3 + i] < 0 || y.lengths[3 + i] > full_output_length(call, i))
            return "an output length is none of this convolution";
    }
    for(const TensorArgument& d : {d0, d1})
        for(std::size_t i = 0; i < 6; ++i)
            if(is_there(d) && d.lengths[i] != 1 && d.lengths[i] != call.result().lengths[i])
                return "a D tensor is not as long as the result";
    if(call.direction == Direction::backward_weight && call.split_k < -1)
        return "split_k";
    for(const TensorArgument& t : call.tensors)
        if(is_there(t))
        {
            if(!is_empty(t) && has_negative_stride(t))
                return "a negative stride";
            if(!is_empty(t) && !t.null && t.offset % static_cast<long_index_t>(element_bytes) != 0)
                return "an address between elements";
        }
    return "";
}

bool is_small(const Call& call, std::size_t element_bytes)
{
    for(const TensorArgument& t : call.tensors)
        if(is_there(t) && (!has_small_lengths(t) || !has_small_strides(t, element_bytes)))
            return false;
    for(const Spatial* s : {&call.stride, &call.dilation, &call.pad_low, &call.pad_high})
        for(const long_index_t value : *s)
            if(value != static_cast<index_t>(value))
                return false;
    // Lengths of the GEMM that a kernel computes group by group, with or without phases.
    const auto& [x, w, y, d0, d1] = call.tensors;
    const long_index_t groups = x.lengths[0], images = x.lengths[1], k = w.lengths[1],
                       c = x.lengths[2], taps = spatial_count(w), pixels = spatial_count(y);
    long_index_t rows = images * pixels, columns = k, taken = taps, depth = c, phases = 1;
    if(call.direction == Direction::backward_data)
    {
        rows = images * spatial_count(x), columns = c, depth = k;
        for(std::size_t i = 0; i < 3; ++i)
            phases *= std::max<long_index_t>(1, std::min(call.stride[i], x.lengths[3 + i]));
    }
    else if(call.direction == Direction::backward_weight)
        rows = k, columns = c * taps, taken = 1, depth = images * pixels;
    // Slices of 8 in tiles of 32 x 32, some ms each; and sums of ones that half_t holds.
    const auto parts = [](long_index_t n, long_index_t size) { return (n + size - 1) / size; };
    return groups * phases * parts(rows, 32 * phases) * parts(columns, 32) * taken *
                   parts(depth, 8) <=
               256 &&
           taken * depth <= 2000;
}

bool is_plain(const Call& call, std::size_t element_bytes)
{
    for(const TensorArgument& t : call.tensors)
        if(*std::min_element(t.strides.begin(), t.strides.end()) < 0 ||
           t.offset % static_cast<long_index_t>(element_bytes) != 0)
            return false;
    for(const Spatial* s : {&call.stride, &call.dilation, &call.pad_low, &call.pad_high})
        for(const long_index_t value : *s)
            if(value < -(1 << 20) || value > 1 << 20)
                return false;
    const TensorArgument& t = call.result();
    for(std::size_t i = 0; i < tensor_count; ++i)
        if(const TensorArgument& u = call.tensors[i];
           &u != &t && meet(t, u, element_bytes) && !(i >= tensor_d0 && is_in_place(u, t)))
            return false;
    std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return t.strides[i] < t.strides[j];
    });
    long_index_t last = 0;
    for(const std::size_t i : order)
        if(t.lengths[i] > 1)
        {
            if(t.strides[i] <= last)
                return false;
            last += (t.lengths[i] - 1) * t.strides[i];
        }
    return true;
}

bool is_tangled(const Call& call, std::size_t element_bytes)
{
    const TensorArgument& result = call.result();
    const auto size              = static_cast<long_index_t>(element_bytes);
    std::vector<bool> written(1 << 20);
    const auto at = [&](const TensorArgument& t, long_index_t offset) {
        return static_cast<std::size_t>(t.offset + offset * size);
    };
    bool tangled = false;
    for_each_element(result, [&](std::size_t, long_index_t offset) {
        for(std::size_t i = 0; i < element_bytes; ++i)
        {
            tangled |= written[at(result, offset) + i];
            written[at(result, offset) + i] = true;
        }
    });
    for(std::size_t i = 0; i < tensor_count; ++i)
    {
        const TensorArgument& t = call.tensors[i];
        if(&t == &result || t.null || result.null || t.at != result.at ||
           (i >= tensor_d0 && is_in_place(t, result)))
            continue;
        for_each_element(t, [&](std::size_t, long_index_t offset) {
            for(std::size_t b = 0; b < element_bytes; ++b)
                tangled |= written[at(t, offset) + b];
        });
    }
    return tangled;
}

template <class T>
std::vector<double> expected(const Call& call, const Memory& before)
{
    const auto values_of = [&](const TensorArgument& t) {
        std::vector<double> values;
        for_each_element(t, [&](std::size_t, long_index_t offset) {
            values.push_back(type_convert<float>(before.read<T>(t, offset)));
        });
        return values;
    };
    std::array<std::vector<double>, 3> values{values_of(call.tensors[tensor_x]),
                                              values_of(call.tensors[tensor_w]),
                                              values_of(call.tensors[tensor_y])};
    const Tensor result = result_of(call.direction);
    values[result].assign(values[result].size(), 0.);
    const auto number = [&](Tensor tensor, const Lengths& index) {
        long_index_t n = 0;
        for(std::size_t d = 0; d < 6; ++d)
            n = n * call.tensors[tensor].lengths[d] + index[d];
        return static_cast<std::size_t>(n);
    };
    // Each output pixel with each tap, in each group, image and pair of channels.
    const Lengths &xl = call.tensors[tensor_x].lengths, &wl = call.tensors[tensor_w].lengths,
                  &yl = call.tensors[tensor_y].lengths;
    Spatial o{}, t{}, in{};
    const auto all_channels = [&] {
        for(std::size_t d = 0; d < 3; ++d)
        {
            in[d] = o[d] * call.stride[d] + t[d] * call.dilation[d] - call.pad_low[d];
            if(in[d] < 0 || in[d] >= xl[3 + d])
                return;
        }
        for(long_index_t g = 0; g < xl[0]; ++g)
            for(long_index_t n = 0; n < xl[1]; ++n)
                for(long_index_t k = 0; k < wl[1]; ++k)
                    for(long_index_t c = 0; c < wl[2]; ++c)
                    {
                        const std::size_t at[3] = {number(tensor_x, {g, n, c, in[0], in[1], in[2]}),
                                                   number(tensor_w, {g, k, c, t[0], t[1], t[2]}),
                                                   number(tensor_y, {g, n, k, o[0], o[1], o[2]})};
                        const std::size_t a = (result + 1) % 3, b = (result + 2) % 3;
                        values[result][at[result]] += values[a][at[a]] * values[b][at[b]];
                    }
    };
    for(o[0] = 0; o[0] < yl[3]; ++o[0])
        for(o[1] = 0; o[1] < yl[4]; ++o[1])
            for(o[2] = 0; o[2] < yl[5]; ++o[2])
                for(t[0] = 0; t[0] < wl[3]; ++t[0])
                    for(t[1] = 0; t[1] < wl[4]; ++t[1])
                        for(t[2] = 0; t[2] < wl[5]; ++t[2])
                            all_channels();
    for(const TensorArgument& d : {call.tensors[tensor_d0], call.tensors[tensor_d1]})
        if(is_there(d))
        {
            TensorArgument whole = d; // repeated
            whole.lengths        = call.result().lengths;
            for(std::size_t i = 0; i < 6; ++i)
                whole.strides[i] = d.lengths[i] == 1 ? 0 : d.strides[i];
            const std::vector<double> more = values_of(whole);
            std::transform(more.begin(),
                           more.end(),
                           values[result].begin(),
                           values[result].begin(),
                           std::plus<>{});
        }
    return values[result];
}

template std::vector<double> expected<float>(const Call&, const Memory&);
template std::vector<double> expected<half_t>(const Call&, const Memory&);

} // namespace ck::fuzz
