#pragma once
// Tensor<T>: elements in host memory with a descriptor. Functions that visit all indices of a
// tensor on several threads.
#include "ck/library/utility/algorithm.hpp"
#include "ck/library/utility/host_tensor_descriptor.hpp"
#include "ck/library/utility/parallel_for.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// Prints the elements, converted to T, with `delim` between them.
template <class T, class Range>
std::ostream& LogRangeAsType(std::ostream& os, Range&& range, const std::string& delim)
{
    bool first = true;
    for(const auto& element : range)
    {
        if(!std::exchange(first, false))
            os << delim;
        os << ck::type_convert<T>(element);
    }
    return os;
}

/// f(args[0], args[1] ...)
template <class F, class Args>
auto call_f_unpack_args(F&& f, Args&& args)
{
    return std::apply(std::forward<F>(f), std::forward<Args>(args));
}
/// T(args[0], args[1] ...)
template <class T, class Args>
T construct_f_unpack_args(Args&& args)
{
    return std::make_from_tuple<T>(std::forward<Args>(args));
}

/// Calls f(i0, i1 ...) for every index within the lengths, the last one fastest. Every thread has
/// its own copy of f.
template <class F, std::size_t rank>
struct ParallelTensorFunctor
{
    /// f takes one index for each dimension; lens: the lengths of the dimensions.
    ParallelTensorFunctor(F f, std::array<std::size_t, rank> lens) : mF(std::move(f)), mLens(lens)
    {}

    /// The indices of element i in the order in which the last dimension is the fastest.
    std::array<std::size_t, rank> GetNdIndices(std::size_t i) const
    {
        std::array<std::size_t, rank> indices;
        for(std::size_t d = rank; d-- > 0; i /= mLens[d])
            indices[d] = i % mLens[d];
        return indices;
    }

    /// Runs on `num_thread` threads; rethrows the first exception.
    void operator()(std::size_t num_thread = 1) const
    {
        std::size_t count = 1;
        for(const std::size_t len : mLens)
            count *= len;
        const std::size_t threads = std::max<std::size_t>(num_thread, 1);
        ck::utils::parallel_for(count,
                                (count + threads - 1) / threads,
                                threads,
                                [this](std::size_t begin, std::size_t end) {
                                    F f = mF;
                                    if(begin == end)
                                        return;
                                    auto indices = GetNdIndices(begin);
                                    for(std::size_t i = begin; i < end; ++i)
                                    {
                                        std::apply(f, indices);
                                        for(std::size_t d = rank; d-- > 0;)
                                        {
                                            if(++indices[d] < mLens[d])
                                                break;
                                            indices[d] = 0;
                                        }
                                    }
                                });
    }

    F mF;                                ///< function that is called
    std::array<std::size_t, rank> mLens; ///< lengths of the dimensions
};

/// A ParallelTensorFunctor of these lengths.
template <class F, class... Lens>
auto make_ParallelTensorFunctor(F f, Lens... lens)
{
    return ParallelTensorFunctor<F, sizeof...(Lens)>(std::move(f),
                                                     {static_cast<std::size_t>(lens)...});
}

/// A tensor in host memory: its elements, and a descriptor that maps indices to offsets. Memory is
/// large enough for the largest offset, and starts as T{}.
template <class T>
struct Tensor
{
    /// Lengths and strides.
    using Descriptor = HostTensorDescriptor;
    /// The memory.
    using Data = std::vector<T>;

    /// Allocates memory for a descriptor.
    Tensor(const Descriptor& desc) : mDesc(desc), mData(desc.GetElementSpaceSize()) {}

    /// Contiguous, the last dimension fastest.
    template <std::integral X>
    Tensor(std::initializer_list<X> lens) : Tensor(Descriptor(lens))
    {}
    /// Contiguous, the last dimension fastest.
    Tensor(std::initializer_list<ck::long_index_t> lens) : Tensor(Descriptor(lens)) {}
    /// Strides in elements.
    template <std::integral X, std::integral Y>
    Tensor(std::initializer_list<X> lens, std::initializer_list<Y> strides)
        : Tensor(Descriptor(lens, strides))
    {}
    /// Contiguous, the last dimension fastest.
    template <IntegerRange Lengths>
    Tensor(const Lengths& lens) : Tensor(Descriptor(lens))
    {}
    /// Strides in elements.
    template <IntegerRange Lengths, IntegerRange Strides>
    Tensor(const Lengths& lens, const Strides& strides) : Tensor(Descriptor(lens, strides))
    {}
    /// Converts the value of every element.
    template <class FromT>
    explicit Tensor(const Tensor<FromT>& other) : Tensor(other.template CopyAsType<T>())
    {}

    /// Converts the value of every element.
    template <class OutT>
    Tensor<OutT> CopyAsType() const
    {
        Tensor<OutT> result(mDesc);
        std::transform(
            begin(), end(), result.begin(), [](const T& x) { return ck::type_convert<OutT>(x); });
        return result;
    }

    /// Lengths of the dimensions.
    decltype(auto) GetLengths() const { return mDesc.GetLengths(); }
    /// Strides in elements.
    decltype(auto) GetStrides() const { return mDesc.GetStrides(); }
    /// Number of dimensions.
    std::size_t GetNumOfDimension() const { return mDesc.GetNumOfDimension(); }
    /// Number of elements.
    std::size_t GetElementSize() const { return mDesc.GetElementSize(); }
    /// Elements of memory, gaps included.
    std::size_t GetElementSpaceSize() const { return mDesc.GetElementSpaceSize(); }
    /// Bytes of memory, gaps included.
    std::size_t GetElementSpaceSizeInBytes() const { return GetElementSpaceSize() * sizeof(T); }

    /// Sets all memory to T{}.
    void SetZero() { std::fill(mData.begin(), mData.end(), T{}); }

    /// Calls f(*this, index) for every index, the last dimension fastest.
    template <class F>
    void ForEach(F&& f)
    {
        ForEachIndex([&](const std::vector<std::size_t>& index) { f(*this, index); });
    }
    /// The same for a const tensor.
    template <class F>
    void ForEach(F&& f) const
    {
        ForEachIndex([&](const std::vector<std::size_t>& index) { f(*this, index); });
    }

    /// Sets every element to g(i0, i1 ...). Each thread has its own copy of g. Ranks 1 to 6,
    /// and 12.
    template <class G>
    void GenerateTensorValue(G g, std::size_t num_thread = 1)
    {
        switch(GetNumOfDimension())
        {
        case 1:
            return Generate<1>(g, num_thread);
        case 2:
            return Generate<2>(g, num_thread);
        case 3:
            return Generate<3>(g, num_thread);
        case 4:
            return Generate<4>(g, num_thread);
        case 5:
            return Generate<5>(g, num_thread);
        case 6:
            return Generate<6>(g, num_thread);
        case 12:
            return Generate<12>(g, num_thread);
        default:
            throw std::runtime_error("GenerateTensorValue: the tensor has " +
                                     std::to_string(GetNumOfDimension()) +
                                     " dimensions; must be 1 to 6, or 12");
        }
    }

    /// Offset of an element in memory, in elements. Throws std::out_of_range as the descriptor
    /// does.
    template <std::integral... Is>
    std::size_t GetOffsetFromMultiIndex(Is... is) const
    {
        return mDesc.GetOffsetFromMultiIndex(is...);
    }
    /// An element by its indices, one for each dimension. Throws std::out_of_range if their number
    /// is wrong, if one is negative or not less than its length, or if the memory, which may be
    /// resized, does not contain the element.
    template <std::integral... Is>
    T& operator()(Is... is)
    {
        return mData[InMemory(mDesc.GetOffsetFromMultiIndex(is...))];
    }
    /// The same for a const tensor.
    template <std::integral... Is>
    const T& operator()(Is... is) const
    {
        return mData[InMemory(mDesc.GetOffsetFromMultiIndex(is...))];
    }
    /// An element by a list of its indices. Throws likewise.
    T& operator()(const std::vector<std::size_t>& index)
    {
        return mData[InMemory(mDesc.GetOffsetFromMultiIndex(index))];
    }
    /// The same for a const tensor.
    const T& operator()(const std::vector<std::size_t>& index) const
    {
        return mData[InMemory(mDesc.GetOffsetFromMultiIndex(index))];
    }

    // The memory as a range, including gaps between elements.
    /// Start of the memory, gaps included.
    auto begin() { return mData.begin(); }
    /// End of the memory.
    auto end() { return mData.end(); }
    /// Start of the memory, gaps included.
    auto begin() const { return mData.begin(); }
    /// End of the memory.
    auto end() const { return mData.end(); }
    /// The memory.
    T* data() { return mData.data(); }
    /// The memory.
    const T* data() const { return mData.data(); }
    /// Elements of memory, gaps included.
    std::size_t size() const { return mData.size(); }

    /// The memory as elements of another type, whose size divides sizeof(T).
    template <class U = T>
    std::span<U> AsSpan()
    {
        static_assert(sizeof(T) % sizeof(U) == 0);
        return {reinterpret_cast<U*>(data()), size() * (sizeof(T) / sizeof(U))};
    }
    /// The same for a const tensor.
    template <class U = T>
    std::span<const U> AsSpan() const
    {
        static_assert(sizeof(T) % sizeof(U) == 0);
        return {reinterpret_cast<const U*>(data()), size() * (sizeof(T) / sizeof(U))};
    }

    Descriptor mDesc; ///< lengths and strides
    Data mData;       ///< elements, gaps included

private:
    std::size_t InMemory(std::size_t offset) const
    {
        if(offset >= mData.size()) [[unlikely]]
            throw std::out_of_range("Tensor: an element is number " + std::to_string(offset) +
                                    " in memory, which has " + std::to_string(mData.size()));
        return offset;
    }

    template <class F>
    void ForEachIndex(F&& f) const
    {
        const auto& lengths = GetLengths();
        std::vector<std::size_t> index(lengths.size(), 0);
        for(std::size_t left = GetElementSize(); left > 0; --left)
        {
            f(std::as_const(index));
            for(std::size_t d = index.size(); d-- > 0;)
            {
                if(++index[d] < lengths[d])
                    break;
                index[d] = 0;
            }
        }
    }

    template <std::size_t rank, class G>
    void Generate(const G& g, std::size_t num_thread)
    {
        std::array<std::size_t, rank> lens;
        for(std::size_t d = 0; d < rank; ++d)
            lens[d] = GetLengths()[d];
        const auto set = [this, g = g](auto... is) mutable {
            (*this)(is...) = ck::type_convert<T>(g(is...));
        };
        ParallelTensorFunctor<std::remove_const_t<decltype(set)>, rank>(set, lens)(num_thread);
    }
};
