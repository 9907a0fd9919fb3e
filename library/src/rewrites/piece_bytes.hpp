#pragma once
// How small pieces have to be, for each thread: see rewrites/image_pieces.hpp.
#include "ck/utility/integer.hpp"

#include <limits>

namespace ck::tensor_operation::device::instance {

/// A number of bytes. While an object of this type lives, its thread has another one.
template <class Which, long_index_t initial>
class BytesOfThread
{
public:
    explicit BytesOfThread(long_index_t most) : outer_(now()) { now() = most; }
    ~BytesOfThread() { now() = outer_; }
    BytesOfThread(const BytesOfThread&)            = delete;
    BytesOfThread& operator=(const BytesOfThread&) = delete;

    /// The value on this thread.
    static long_index_t most() { return now(); }

private:
    static long_index_t& now()
    {
        thread_local long_index_t most = initial;
        return most;
    }

    long_index_t outer_;
};

inline constexpr long_index_t any_bytes = std::numeric_limits<long_index_t>::max();
/// The most bytes of a channels-last copy of a piece's X, and of its Y: batches and images are cut
/// so that the workspace for a piece is small.
using PieceBytes = BytesOfThread<struct OfPieces, any_bytes>;

} // namespace ck::tensor_operation::device::instance
