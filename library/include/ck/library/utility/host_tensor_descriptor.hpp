#pragma once
// Lengths and strides of a tensor in host memory, in elements.
#include "ck/library/utility/ranges.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/utility/data_type.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Prints the elements with `delim` between them.
template <class Range>
std::ostream& LogRange(std::ostream& os, Range&& range, const std::string& delim)
{
    bool first = true;
    for(const auto& element : range)
    {
        if(!std::exchange(first, false))
            os << delim;
        os << element;
    }
    return os;
}

/// The same for a range of lengths: anything iterable whose elements are integers.
template <class Range>
concept IntegerRange =
    ck::ranges::range<const Range> && std::integral<ck::ranges::range_value_t<const Range>>;

/// A tag of tensor_layout.hpp.
template <class T>
concept LayoutTag = std::derived_from<T, ck::tensor_layout::BaseTensorLayout>;

/// Lengths and strides of a tensor, in elements. Constructors throw std::invalid_argument for
/// negative values, for lists of different lengths, and for sizes that no address can hold.
struct HostTensorDescriptor
{
    HostTensorDescriptor() = default;

    /// Packed, the last dimension fastest.
    template <std::integral X>
    HostTensorDescriptor(const std::initializer_list<X>& lens) : mLens(AsSizes(lens))
    {
        CalculateStrides();
    }
    /// Packed, the last dimension fastest.
    HostTensorDescriptor(const std::initializer_list<ck::long_index_t>& lens) : mLens(AsSizes(lens))
    {
        CalculateStrides();
    }
    /// Packed, the last dimension fastest.
    template <IntegerRange Lengths>
    HostTensorDescriptor(const Lengths& lens) : mLens(AsSizes(lens))
    {
        CalculateStrides();
    }

    /// Strides may overlap elements (0: broadcast) and leave gaps.
    template <std::integral X, std::integral Y>
    HostTensorDescriptor(const std::initializer_list<X>& lens,
                         const std::initializer_list<Y>& strides)
        : HostTensorDescriptor(AsSizes(lens), AsSizes(strides))
    {}
    /// Strides may overlap elements (0: broadcast) and leave gaps.
    HostTensorDescriptor(const std::initializer_list<ck::long_index_t>& lens,
                         const std::initializer_list<ck::long_index_t>& strides)
        : HostTensorDescriptor(AsSizes(lens), AsSizes(strides))
    {}
    /// Strides may overlap elements (0: broadcast) and leave gaps.
    template <IntegerRange Lengths, IntegerRange Strides>
    HostTensorDescriptor(const Lengths& lens, const Strides& strides)
        : mLens(AsSizes(lens)),
          mStrides(AsSizes(strides))
    {
        CheckRank();
    }

    /// The same, with strides that are those of a layout tag: a tag of a matrix, or of a tensor of
    /// a convolution, whose dimensions are in the order G N C [D] H W, G K C [Z] Y X or G N K [D] H
    /// W. Throws std::invalid_argument for strides that have another order.
    /// BypassLayoutVerification says nothing.
    template <IntegerRange Lengths, IntegerRange Strides, LayoutTag Layout>
    HostTensorDescriptor(const Lengths& lens, const Strides& strides, const Layout&)
        : HostTensorDescriptor(lens, strides)
    {
        if constexpr(!std::is_same_v<Layout, ck::tensor_layout::BypassLayoutVerification>)
            CheckLayout(Layout::name);
    }
    /// The same.
    template <std::integral X, std::integral Y, LayoutTag Layout>
    HostTensorDescriptor(const std::initializer_list<X>& lens,
                         const std::initializer_list<Y>& strides,
                         const Layout& layout)
        : HostTensorDescriptor(AsSizes(lens), AsSizes(strides), layout)
    {}
    /// The same.
    template <LayoutTag Layout>
    HostTensorDescriptor(const std::initializer_list<ck::long_index_t>& lens,
                         const std::initializer_list<ck::long_index_t>& strides,
                         const Layout& layout)
        : HostTensorDescriptor(
              std::vector<ck::long_index_t>(lens), std::vector<ck::long_index_t>(strides), layout)
    {}

    // Some programs define the next four for themselves, without the library that has them.
    /// Makes the descriptor packed.
    void CalculateStrides();

    /// Number of dimensions.
    std::size_t GetNumOfDimension() const;
    /// Number of elements.
    std::size_t GetElementSize() const;
    /// Number of elements of the smallest memory that holds the tensor; 0 if it has no element.
    std::size_t GetElementSpaceSize() const;

    /// Lengths of the dimensions.
    const std::vector<std::size_t>& GetLengths() const;
    /// Strides in elements.
    const std::vector<std::size_t>& GetStrides() const;

    /// Offset of an element, in elements; one index for each dimension. Throws std::out_of_range
    /// for more or fewer, and for one that is negative or not below its length.
    template <std::integral... Is>
    std::size_t GetOffsetFromMultiIndex(Is... is) const
    {
        const std::array<std::size_t, sizeof...(Is)> index{static_cast<std::size_t>(is)...};
        return Offset(index.data(), index.size());
    }
    /// The same of a list.
    std::size_t GetOffsetFromMultiIndex(const std::vector<std::size_t>& index) const
    {
        return Offset(index.data(), index.size());
    }

    /// Whether lengths and strides are equal.
    friend bool operator==(const HostTensorDescriptor&, const HostTensorDescriptor&) = default;

    /// dim 4, lengths {128, 128, 71, 71}, strides {645248, 1, 9088, 128}
    friend std::ostream& operator<<(std::ostream& os, const HostTensorDescriptor& desc);

private:
    std::size_t Offset(const std::size_t* index, std::size_t count) const
    {
        if(count != mLens.size()) [[unlikely]]
            ThrowOutOfRange(index, count);
        bool is_within     = true; // without a branch for each
        std::size_t offset = 0;
        for(std::size_t d = 0; d < count; ++d)
        {
            is_within &= index[d] < mLens[d];
            offset += index[d] * mStrides[d];
        }
        if(!is_within) [[unlikely]]
            ThrowOutOfRange(index, count);
        return offset;
    }
    [[noreturn]] void ThrowOutOfRange(const std::size_t* index, std::size_t count) const;
    void CheckRank() const;
    /// Throws std::invalid_argument if the strides are not in the order of the tag.
    void CheckLayout(const char* tag) const;
    /// Throws std::invalid_argument if elements, or offsets, do not fit into an address.
    void CheckSize() const;

    template <class Range>
    static std::vector<std::size_t> AsSizes(const Range& range)
    {
        std::vector<std::size_t> sizes;
        for(const auto value : range)
        {
            if(std::cmp_less(value, 0))
                throw std::invalid_argument("HostTensorDescriptor: " + std::to_string(value) +
                                            " is negative; lengths and strides must not be");
            sizes.push_back(static_cast<std::size_t>(value));
        }
        return sizes;
    }

    std::vector<std::size_t> mLens;
    std::vector<std::size_t> mStrides;
};

/// Dimension d of the result is dimension new2old[d] of `desc`. Nothing moves in memory. Throws
/// std::out_of_range for a list of another length, and for a dimension that does not exist.
template <class New2Old>
HostTensorDescriptor
transpose_host_tensor_descriptor_given_new2old(const HostTensorDescriptor& desc,
                                               const New2Old& new2old)
{
    std::vector<std::size_t> lengths, strides;
    if(std::size(new2old) != desc.GetNumOfDimension())
        throw std::out_of_range("transpose_host_tensor_descriptor_given_new2old: " +
                                std::to_string(std::size(new2old)) + " dimensions of " +
                                std::to_string(desc.GetNumOfDimension()));
    for(std::size_t d = 0; d < desc.GetNumOfDimension(); ++d)
    {
        lengths.push_back(desc.GetLengths().at(new2old[d]));
        strides.push_back(desc.GetStrides().at(new2old[d]));
    }
    return {lengths, strides};
}
