// The arguments that an operation gets from a call, and a description of the call.
#include "fuzz/call.hpp"

#include <algorithm>
#include <sstream>

namespace ck::fuzz {
namespace {

void narrow(long_index_t& value) { value = static_cast<index_t>(value); }

template <class Values>
std::string list(const Values& values)
{
    std::ostringstream s;
    for(const auto& v : values)
        s << (&v == values.data() ? "" : " ") << v;
    return s.str();
}

} // namespace

Call as_told(Call call, std::size_t rank, std::size_t d_count, bool wide)
{
    for(TensorArgument& t : call.tensors)
        for(std::size_t i = 3; i < 6 - rank; ++i)
            t.lengths[i] = t.strides[i] = 1;
    for(std::size_t i = 0; i < 3 - rank; ++i)
    {
        call.stride[i] = call.dilation[i] = 1;
        call.pad_low[i] = call.pad_high[i] = 0;
    }
    call.rank = rank;
    for(std::size_t t = tensor_d0 + d_count; t < tensor_count; ++t)
        call.tensors[t] = TensorArgument{};
    if(!wide)
    {
        for(TensorArgument& t : call.tensors)
        {
            std::for_each(t.lengths.begin(), t.lengths.end(), narrow);
            std::for_each(t.strides.begin(), t.strides.end(), narrow);
        }
        for(Spatial* s : {&call.stride, &call.dilation, &call.pad_low, &call.pad_high})
            std::for_each(s->begin(), s->end(), narrow);
    }
    narrow(call.split_k);
    return call;
}

__int128 full_output_length(const Call& call, std::size_t dimension)
{
    const auto at      = [&](const Spatial& s) { return __int128{s[dimension]}; };
    const auto length  = [&](Tensor t) { return __int128{call.tensors[t].lengths[3 + dimension]}; };
    const __int128 end = at(call.dilation) * (length(tensor_w) - 1) + 1;
    const __int128 room = length(tensor_x) + at(call.pad_low) + at(call.pad_high) - end;
    return room < 0 || at(call.stride) < 1 ? 0 : room / at(call.stride) + 1;
}

std::string text(const Call& call)
{
    static constexpr const char* names[] = {"x", "w", "y", "d0", "d1"};
    std::ostringstream s;
    s << name(call.direction) << ", rank " << call.rank << ", stride " << list(call.stride)
      << ", dilation " << list(call.dilation) << ", left pads " << list(call.pad_low)
      << ", right pads " << list(call.pad_high) << ", split_k " << call.split_k << ", workspace "
      << (call.workspace == Workspace::as_asked ? "as asked"
          : call.workspace == Workspace::none   ? "none"
                                                : "misaligned");
    if(call.longer < 7 || call.shorter < 7)
        s << ", lists too long " << call.longer << ", too short " << call.shorter;
    for(std::size_t i = 0; i < tensor_count; ++i)
        if(const TensorArgument& t = call.tensors[i]; t.at != tensor_count)
        {
            s << "\n  " << names[i] << ": lengths " << list(t.lengths) << ", strides "
              << list(t.strides);
            if(t.null)
                s << ", null";
            else
                s << ", in the memory of " << names[t.at] << " at byte " << t.offset;
        }
    return s.str();
}

} // namespace ck::fuzz
