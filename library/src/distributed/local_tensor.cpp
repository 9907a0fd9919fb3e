// Where the rows of a part are, and how they reach the neighbours. Borders in several pieces are
// packed and unpacked with copies of the GPU runtime, in order on the caller's stream.
#include "distributed/local_tensor.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace ck::distributed {

Part make_part(const char* what,
               const TensorLengths& lengths,
               Layout layout,
               std::size_t axis,
               std::size_t rank,
               std::size_t element_bytes,
               const Rows& own,
               long_index_t margin)
{
    Part part;
    TensorLengths in_memory = lengths;
    in_memory[axis]         = own.size() + 2 * margin;
    auto bytes              = static_cast<long_index_t>(element_bytes);
    for(const long_index_t length : in_memory)
        bytes = math::saturating_product(bytes, std::max<long_index_t>(length, 1));
    if(bytes == std::numeric_limits<long_index_t>::max())
        throw std::invalid_argument(std::string("ck::distributed::SplitConvPlan: the part of ") +
                                    what + " has " + std::to_string(own.size()) +
                                    " rows and 2 margins of " + std::to_string(margin) +
                                    ", more bytes than can be counted");
    part.strides       = layout == Layout::channels_last
                             ? ck::detail::packed_strides(in_memory, {1, 3, 4, 5, 0, 2})
                             : ck::detail::packed_strides(in_memory, {1, 0, 2, 3, 4, 5});
    part.lengths       = in_memory;
    part.axis          = axis;
    part.element_bytes = element_bytes;
    LocalTensor& local = part.local;
    local.own          = own;
    local.margin       = margin;
    for(std::size_t i = 6 - rank; i < 6; ++i)
        local.lengths.push_back(in_memory[i]);
    local.bytes     = static_cast<std::size_t>(element_count(in_memory)) * element_bytes;
    local.row_bytes = static_cast<std::size_t>(part.strides[axis]) * element_bytes;
    local.pitch     = local.row_bytes * static_cast<std::size_t>(in_memory[axis]);
    local.blocks    = local.pitch == 0 ? 0 : local.bytes / local.pitch;
    return part;
}

HaloExchange::HaloExchange(Communicator& communicator,
                           const Part& part,
                           const Parts& parts,
                           const std::vector<Halo>& halos)
    : communicator_(communicator),
      part_(part)
{
    const int rank   = communicator.rank();
    const auto index = static_cast<std::size_t>(rank);
    const Rows own   = parts[index];
    const auto add   = [&](std::vector<Border>& to, int neighbour, const Rows& rows) {
        if(!rows.empty())
            to.push_back(border(neighbour, rows));
    };
    if(rank > 0)
    {
        add(sent_, rank - 1, {own.begin, own.begin + halos[index - 1].high});
        add(received_, rank - 1, {own.begin - halos[index].low, own.begin});
    }
    if(rank + 1 < communicator.size())
    {
        add(sent_, rank + 1, {own.end - halos[index + 1].low, own.end});
        add(received_, rank + 1, {own.end, own.end + halos[index].high});
    }
}

HaloExchange::Border HaloExchange::border(int neighbour, const Rows& rows) const
{
    Border b{neighbour, rows, {}};
    if(part_.local.blocks > 1)
        b.packed.Realloc(bytes(b));
    return b;
}

std::size_t HaloExchange::bytes(const Border& border) const
{
    return part_.local.blocks * static_cast<std::size_t>(border.rows.size()) *
           part_.local.row_bytes;
}

void* HaloExchange::at(const Border& border) const
{
    return border.packed.GetBufferSize() > 0
               ? border.packed.GetDeviceBuffer()
               : static_cast<char*>(tensor_) + part_.offset(border.rows.begin);
}

void HaloExchange::begin(void* tensor, void* stream)
{
    tensor_ = tensor;
    stream_ = stream;
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for(const Border& b : sent_)
    {
        const std::size_t width = static_cast<std::size_t>(b.rows.size()) * part_.local.row_bytes;
        if(b.packed.GetBufferSize() > 0)
            HIP_CHECK_ERROR(
                hipMemcpy2DAsync(b.packed.GetDeviceBuffer(),
                                 width,
                                 static_cast<char*>(tensor) + part_.offset(b.rows.begin),
                                 part_.local.pitch,
                                 width,
                                 part_.local.blocks,
                                 hipMemcpyDeviceToDevice,
                                 static_cast<hipStream_t>(stream)));
        sends.push_back({b.neighbour, at(b), bytes(b)});
    }
    for(const Border& b : received_)
        receives.push_back({b.neighbour, at(b), bytes(b)});
    exchange_ = communicator_.begin(sends, receives, stream);
}

void HaloExchange::finish()
{
    const auto exchange = std::move(exchange_);
    exchange->finish();
    for(const Border& b : received_)
        if(b.packed.GetBufferSize() > 0)
        {
            const std::size_t width =
                static_cast<std::size_t>(b.rows.size()) * part_.local.row_bytes;
            HIP_CHECK_ERROR(
                hipMemcpy2DAsync(static_cast<char*>(tensor_) + part_.offset(b.rows.begin),
                                 part_.local.pitch,
                                 b.packed.GetDeviceBuffer(),
                                 width,
                                 width,
                                 part_.local.blocks,
                                 hipMemcpyDeviceToDevice,
                                 static_cast<hipStream_t>(stream_)));
        }
}

} // namespace ck::distributed
