#pragma once
// What an implicit-GEMM kernel requires of a problem and of a device, for each direction. Each
// refusal is a sentence.
#include "ck/convolution/specialization.hpp"
#include "ck/convolution/support.hpp"
#include "ck/tensor_operation/gpu/conv/argument/d_argument.hpp"
#include "ck/tensor_operation/gpu/conv/argument/tensor_memory.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/operator_transform/limits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ck::tensor_operation::device {

/// shared_bytes: LDS (shared memory) of the kernel's block. shared_limit: of the device, what
/// shared_bytes_of_block() returns.
inline Support check_device(const GemmTuning& tuning,
                            arch::Target target,
                            std::size_t shared_bytes = 0,
                            std::size_t shared_limit = 0)
{
    const arch::MatrixInstruction i = instruction_of(tuning);
    if(const arch::Requirement r = requirement_of(tuning); !arch::meets(target, r))
        return refused([&] {
            return std::string("the device is ") + arch::name(target) + ", but " +
                   (r == i.requirement ? i.name : "the copying by tensor maps") + " needs " +
                   arch::name(r);
        });
    if(shared_bytes > shared_limit)
        return refused([&] {
            return "the kernel's blocks take " + std::to_string(shared_bytes) +
                   " bytes of LDS, but " + (is_amd(target) ? arch::name(target) : "this device") +
                   " has " + std::to_string(shared_limit) + " for one";
        });
    return {};
}

/// Refuses an operation that needs a workspace of `bytes` bytes and has none.
inline Support no_workspace(std::size_t bytes, const std::string& why)
{
    return refused([&] {
        return "there is no workspace, but the operation needs " + std::to_string(bytes) +
               " bytes (see GetWorkSpaceSize and SetWorkSpacePointer): " + why;
    });
}

/// Refuses an address that is not aligned to an element.
inline Support misaligned_element(const char* tensor, std::size_t bytes)
{
    return refused([&] {
        return std::string("the address of ") + tensor + " is not a multiple of the " +
               std::to_string(bytes) + " bytes of an element";
    });
}

/// Whether `tensor`, contiguous along `dimension` of the given length, can be accessed in vectors.
/// strides: of all dimensions, in elements; `at` is the index of `dimension` among them.
inline Support check_vectors(const char* tensor,
                             const char* dimension,
                             const TensorLengths& lengths,
                             const TensorStrides& strides,
                             std::size_t at,
                             index_t vector,
                             index_t element_bytes,
                             const void* pointer)
{
    const auto text    = [](auto n) { return std::to_string(n); };
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if(address % static_cast<std::uintptr_t>(element_bytes) != 0)
        return misaligned_element(tensor, static_cast<std::size_t>(element_bytes));
    if(vector == 1)
        return {};
    const auto what = [&] {
        return std::string(" in the vectors of ") + text(vector) +
               " elements in which this kernel accesses " + tensor;
    };
    if(lengths[at] % vector != 0)
        return refused([&] {
            return std::string(dimension) + " is " + text(lengths[at]) + ", not a multiple of " +
                   text(vector) + "," + what();
        });
    if(strides[at] != 1)
        return refused([&] {
            return std::string("the stride of ") + dimension + " is " + text(strides[at]) +
                   ", not 1," + what();
        });
    for(std::size_t i = 0; i < strides.size(); ++i)
        if(i != at && lengths[i] > 1 && strides[i] % vector != 0)
            return refused([&] {
                return std::string("a stride of ") + tensor + " is " + text(strides[i]) +
                       ", not a multiple of " + text(vector) + "," + what();
            });
    // Wider vectors are accessed 16 bytes at a time, and plans promise no more.
    const index_t aligned = std::min(vector * element_bytes, 16);
    if(address % static_cast<std::uintptr_t>(aligned) != 0)
        return refused([&] {
            return std::string("the address of ") + tensor + " is not a multiple of " +
                   text(aligned) + " bytes," + what();
        });
    return {};
}

/// Throws std::runtime_error if a tensor that is not empty has a null address.
inline void require_address(const char* tensor, const TensorLengths& lengths, const void* pointer)
{
    if(pointer == nullptr && element_count(lengths) > 0)
        throw std::runtime_error(std::string("the address of ") + tensor +
                                 " is null, but it has elements");
}

/// Whether a workspace, if there is one, is aligned as GetWorkSpaceSize() says.
inline Support check_workspace(const void* workspace)
{
    return reinterpret_cast<std::uintptr_t>(workspace) % 16 == 0
               ? Support{}
               : refused("the address of the workspace is not a multiple of 16 bytes");
}

namespace detail {

inline bool is_1x1_pad0(const ConvProblem& p)
{
    const Spatial ones{1, 1, 1}, zeros{0, 0, 0};
    return p.filter == ones && p.pad_low == zeros && p.pad_high == zeros;
}
inline Support check_1x1_stride1_pad0(const ConvProblem& p)
{
    return is_1x1_pad0(p) && p.stride == Spatial{1, 1, 1}
               ? Support{}
               : refused("the specialisation Filter1x1Stride1Pad0 is for filters of length 1, "
                         "stride 1 and no padding");
}

} // namespace detail

/// Whether the problem satisfies the operation's specialisation.
inline Support check_specialization(ConvolutionForwardSpecialization s, const ConvProblem& p)
{
    switch(s)
    {
    case ConvolutionForwardSpecialization::Default:
    case ConvolutionForwardSpecialization::OddC:
        return {};
    case ConvolutionForwardSpecialization::Filter1x1Pad0:
        return detail::is_1x1_pad0(p)
                   ? Support{}
                   : refused("the specialisation Filter1x1Pad0 is for filters of length 1 and no "
                             "padding");
    case ConvolutionForwardSpecialization::Filter1x1Stride1Pad0:
        return detail::check_1x1_stride1_pad0(p);
    case ConvolutionForwardSpecialization::Filter3x3:
        for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
            if(p.filter[i] != 3)
                return refused([&] {
                    return "a filter length is " + std::to_string(p.filter[i]) +
                           ", but the specialisation Filter3x3 is for filters of length 3";
                });
        return p.in_channels == 1 ? Support{} : refused([&] {
            return "C is " + std::to_string(p.in_channels) +
                   ", but the specialisation Filter3x3 is for C of 1";
        });
    }
    return {};
}
inline Support check_specialization(ConvolutionBackwardDataSpecialization s, const ConvProblem& p)
{
    return s == ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0
               ? detail::check_1x1_stride1_pad0(p)
               : Support{};
}

/// The name of a specialization in type strings.
inline std::string specialization_name(ConvolutionForwardSpecialization s)
{
    return getConvForwardSpecializationString(s);
}
inline std::string specialization_name(ConvolutionBackwardDataSpecialization s)
{
    return getConvBackwardDataSpecializationString(s);
}

/// C's lengths, with 1 in the dimensions along which a D tensor repeats.
inline TensorLengths lengths_of_d(TensorLengths lengths, const DArgument& d)
{
    for(std::size_t i = 0; i < lengths.size(); ++i)
        if(d.strides[i] == 0)
            lengths[i] = std::min<long_index_t>(lengths[i], 1);
    return lengths;
}

/// Whether a D tensor can be read with C of these lengths: in vectors along C's channels, or as one
/// value for all channels if vectors are single elements. Checks one image; most_d_images() limits
/// the sub-batches.
inline Support check_d(const std::string& name,
                       const TensorLengths& c_lengths,
                       const DArgument& d,
                       index_t vector,
                       std::size_t element_bytes)
{
    TensorLengths lengths = lengths_of_d(c_lengths, d);
    if(const Support s = ck::detail::addressable(name.c_str(), "GNCDHW", lengths, d.strides); !s)
        return s;
    if(d.strides[2] == 0) // not in vectors
        lengths[2] = c_lengths[2];
    if(const Support s = check_vectors(name.c_str(),
                                       "the channels",
                                       lengths,
                                       d.strides,
                                       2,
                                       vector,
                                       static_cast<index_t>(element_bytes),
                                       d.pointer);
       !s)
        return s;
    lengths[0] = lengths[1] = 1;
    const long_index_t reach =
        ck::detail::reach_in_bytes(lengths, d.strides, static_cast<index_t>(element_bytes));
    if(reach > ck::detail::index_limit)
        return refused([&] {
            return name + " spans " + std::to_string(reach) +
                   " bytes in an image, but 32-bit offsets need less than 2^31";
        });
    return {};
}

/// Returns how many of `images` images of a D tensor, with C of these lengths, 32-bit offsets
/// reach. Requires that they reach one.
inline long_index_t most_d_images(TensorLengths lengths,
                                  const DArgument& d,
                                  std::size_t element_bytes,
                                  long_index_t images)
{
    if(d.strides[1] == 0)
        return images;
    const auto element = static_cast<index_t>(element_bytes);
    lengths[1]         = 1;
    const long_index_t room =
        ck::detail::index_limit - ck::detail::reach_in_bytes(lengths, d.strides, element);
    return std::min(images, 1 + room / element / d.strides[1]);
}

/// Whether the channels of a tensor's groups are adjacent, like those of one larger group.
inline Support
check_merge(const std::string& tensor, const TensorStrides& strides, long_index_t channels)
{
    if(channels == 1 || strides[0] == channels * strides[2])
        return {};
    return refused([&] {
        return "the groups of " + tensor + " are " + std::to_string(strides[0]) +
               " elements apart, not the " + std::to_string(channels * strides[2]) +
               " of their channels, and groups that are computed as one must be";
    });
}

} // namespace ck::tensor_operation::device
