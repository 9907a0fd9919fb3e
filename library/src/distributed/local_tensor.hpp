#pragma once
// A rank's part of a tensor in memory, and its margins, which neighbours send.
#include "ck/convolution/problem.hpp"
#include "ck/distributed/split_convolution.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/operator_transform/limits.hpp"

#include <vector>

namespace ck::distributed {

/// A part of X or Y with its strides.
struct Part
{
    LocalTensor local;
    TensorLengths lengths;         ///< in memory: g, n, channel, d, h, w
    TensorStrides strides;         ///< in elements, likewise
    std::size_t axis          = 3; ///< the dimension of rows, as an index of these
    std::size_t element_bytes = 1;

    /// Bytes from the start of the memory to a row of the whole tensor.
    std::size_t offset(long_index_t row) const
    {
        return static_cast<std::size_t>(row - local.own.begin + local.margin) * local.row_bytes;
    }
    /// Bytes from the first to the last element of `rows` rows of an image, as kernels count them.
    long_index_t reach(long_index_t rows) const
    {
        TensorLengths image = lengths;
        image[1]            = 1;
        image[axis]         = rows;
        return ck::detail::reach_in_bytes(image, strides, static_cast<index_t>(element_bytes));
    }
};

/// what: "X" or "Y". lengths: of the whole tensor, g, n, channel, d, h, w. axis: 3 to 5. rank:
/// spatial dimensions. Throws std::invalid_argument if no memory is that large.
Part make_part(const char* what,
               const TensorLengths& lengths,
               Layout layout,
               std::size_t axis,
               std::size_t rank,
               std::size_t element_bytes,
               const Rows& own,
               long_index_t margin);

/// Receives the margins of one tensor from the neighbours.
class HaloExchange
{
public:
    /// parts, halos: those of all ranks.
    HaloExchange(Communicator& communicator,
                 const Part& part,
                 const Parts& parts,
                 const std::vector<Halo>& halos);

    /// Starts to send own rows, after the work on the stream.
    void begin(void* tensor, void* stream);
    /// The margins are filled for work that is enqueued on the stream afterwards.
    void finish();

private:
    /// Rows that go to one neighbour, or come from it.
    struct Border
    {
        int neighbour;
        Rows rows;
        DeviceMem packed; ///< without memory if the rows are contiguous
    };
    Border border(int neighbour, const Rows& rows) const;
    void* at(const Border& border) const;
    std::size_t bytes(const Border& border) const;

    Communicator& communicator_;
    Part part_;
    std::vector<Border> sent_, received_;
    void* tensor_ = nullptr;
    void* stream_ = nullptr;
    std::unique_ptr<Exchange> exchange_;
};

} // namespace ck::distributed
