// Lengths and strides: the parts that are not templates.
#include "ck/library/utility/host_tensor.hpp"

#include "ck/utility/integer.hpp"

#include <cstddef>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// Weak: PyTorch's generated sources define these four, since Composable Kernel's header only
// declares them.
[[gnu::weak]] void HostTensorDescriptor::CalculateStrides()
{
    mStrides.assign(mLens.size(), 1);
    for(std::size_t d = mLens.size(); d-- > 1;)
        mStrides[d - 1] = ck::math::saturating_product(mStrides[d], mLens[d]);
    CheckSize();
}

[[gnu::weak]] std::size_t HostTensorDescriptor::GetNumOfDimension() const { return mLens.size(); }
[[gnu::weak]] const std::vector<std::size_t>& HostTensorDescriptor::GetLengths() const
{
    return mLens;
}
[[gnu::weak]] const std::vector<std::size_t>& HostTensorDescriptor::GetStrides() const
{
    return mStrides;
}

void HostTensorDescriptor::CheckSize() const
{
    using ck::math::saturating_product, ck::math::saturating_sum;
    std::size_t elements = 1, space = 1;
    for(std::size_t d = 0; d < mLens.size(); ++d)
    {
        if(mLens[d] == 0) // no element, whatever the other lengths are
            return;
        elements = saturating_product(elements, mLens[d]);
        space    = saturating_sum(space, saturating_product(mLens[d] - 1, mStrides[d]));
    }
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    if(elements <= most && space <= most)
        return;
    std::ostringstream text;
    text << "HostTensorDescriptor: " << *this
         << ", has more elements than an address can tell, or they lie further apart";
    throw std::invalid_argument(text.str());
}

void HostTensorDescriptor::ThrowOutOfRange(const std::size_t* index, std::size_t count) const
{
    std::vector<std::ptrdiff_t> indices; // negative ones as they were given
    for(std::size_t d = 0; d < count; ++d)
        indices.push_back(static_cast<std::ptrdiff_t>(index[d]));
    std::ostringstream text;
    text << "HostTensorDescriptor: indices {";
    LogRange(text, indices, ", ");
    text << "} of lengths {";
    LogRange(text, mLens, ", ");
    text << "}, but there must be one for each, from 0 to below it";
    throw std::out_of_range(text.str());
}

std::size_t HostTensorDescriptor::GetElementSize() const
{
    std::size_t size = 1;
    for(const std::size_t length : mLens)
        size *= length;
    return size;
}

std::size_t HostTensorDescriptor::GetElementSpaceSize() const
{
    std::size_t space = 1;
    for(std::size_t d = 0; d < mLens.size(); ++d)
    {
        if(mLens[d] == 0)
            return 0;
        space += (mLens[d] - 1) * mStrides[d];
    }
    return space;
}

void HostTensorDescriptor::CheckRank() const
{
    if(mLens.size() != mStrides.size())
        throw std::invalid_argument("HostTensorDescriptor: " + std::to_string(mLens.size()) +
                                    " lengths but " + std::to_string(mStrides.size()) +
                                    " strides; must be as many");
    CheckSize();
}

void HostTensorDescriptor::CheckLayout(const char* tag) const
{
    // The dimensions in memory, slowest first, and in the order of the lengths.
    std::string memory = tag, logical;
    if(memory == "RowMajor" || memory == "ColumnMajor")
    {
        logical = "MN";
        memory  = memory == "RowMajor" ? "MN" : "NM";
    }
    else
    {
        const auto has        = [&](char letter) { return memory.find(letter) != memory.npos; };
        const char* const all = has('N') && has('C')   ? "GNCDHW"
                                : has('K') && has('C') ? "GKCZYX"
                                : has('N') && has('K') ? "GNKDHW"
                                                       : "";
        for(const char* letter = all; *letter != 0; ++letter)
            if(has(*letter))
                logical += *letter;
        if(logical.size() != memory.size()) // a bias, blocks of channels, or any strides
            return;
    }
    if(logical.size() != mLens.size())
        throw std::invalid_argument("HostTensorDescriptor: " + std::to_string(mLens.size()) +
                                    " lengths, but the layout " + tag + " has " +
                                    std::to_string(logical.size()));
    std::size_t slower = mLens.size(); // the previous dimension that has several elements
    for(const char letter : memory)
    {
        const std::size_t d = logical.find(letter);
        if(mLens[d] < 2)
            continue;
        if(slower != mLens.size() && mStrides[slower] < mStrides[d])
            throw std::invalid_argument(
                std::string("HostTensorDescriptor: the stride of ") + logical[slower] + " is " +
                std::to_string(mStrides[slower]) + " and that of " + letter + " is " +
                std::to_string(mStrides[d]) + ", but the layout " + tag + " has " + letter +
                " closer together");
        slower = d;
    }
}

std::ostream& operator<<(std::ostream& os, const HostTensorDescriptor& desc)
{
    os << "dim " << desc.GetNumOfDimension() << ", lengths {";
    LogRange(os, desc.GetLengths(), ", ");
    os << "}, strides {";
    LogRange(os, desc.GetStrides(), ", ");
    return os << "}";
}
