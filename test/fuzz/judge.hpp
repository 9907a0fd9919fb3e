#pragma once
// Judges a call independently of the library: whether it must be refused, and which numbers it must
// give.
#include "fuzz/call.hpp"
#include "fuzz/memory.hpp"

namespace ck::fuzz {

/// Why every operation must refuse the call; empty if none must. Does not check whether tensors
/// share memory.
std::string fault(const Call& call, std::size_t element_bytes);

/// Whether the call, without a fault, computes little, and each tensor has few bytes.
bool is_small(const Call& call, std::size_t element_bytes);

/// Whether a call without a fault is not odd either, as an operation for everything may refuse: no
/// stride is negative and no address between elements, not even where there are none, no pad is
/// huge, the result's strides nest: each is above what those of shorter ones span; and its range of
/// bytes meets that of no tensor that is read, D in its place excepted. The call
/// must be small.
bool is_plain(const Call& call, std::size_t element_bytes);

/// For a small call: whether the result shares a byte with an element that is read, other than with
/// a D tensor that is the result itself, or one of its elements with another.
bool is_tangled(const Call& call, std::size_t element_bytes);

/// The result of a small call's plain loops, by the number of the element: the last index is the
/// fastest. before: the memory before the run.
template <class T>
std::vector<double> expected(const Call& call, const Memory& before);

bool is_empty(const TensorArgument& t);

/// f(number, offset) of each element; the offset in elements.
template <class F>
void for_each_element(const TensorArgument& t, const F& f)
{
    const auto& [l, s] = std::tie(t.lengths, t.strides);
    std::size_t number = 0;
    Lengths i{};
    for(i[0] = 0; i[0] < l[0]; ++i[0])
        for(i[1] = 0; i[1] < l[1]; ++i[1])
            for(i[2] = 0; i[2] < l[2]; ++i[2])
                for(i[3] = 0; i[3] < l[3]; ++i[3])
                    for(i[4] = 0; i[4] < l[4]; ++i[4])
                        for(i[5] = 0; i[5] < l[5]; ++i[5])
                        {
                            long_index_t offset = 0;
                            for(std::size_t d = 0; d < 6; ++d)
                                offset += i[d] == 0 ? 0 : i[d] * s[d];
                            f(number++, offset);
                        }
}

} // namespace ck::fuzz
