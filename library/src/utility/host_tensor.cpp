// Lengths and strides: the parts that need no template.
#include "ck/library/utility/host_tensor.hpp"

#include "ck/utility/integer.hpp"

#include <cstddef>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

void HostTensorDescriptor::CalculateStrides()
{
    mStrides.assign(mLens.size(), 1);
    for(std::size_t d = mLens.size(); d-- > 1;)
        mStrides[d - 1] = ck::math::saturating_product(mStrides[d], mLens[d]);
    CheckSize();
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

std::ostream& operator<<(std::ostream& os, const HostTensorDescriptor& desc)
{
    os << "dim " << desc.GetNumOfDimension() << ", lengths {";
    LogRange(os, desc.GetLengths(), ", ");
    os << "}, strides {";
    LogRange(os, desc.GetStrides(), ", ");
    return os << "}";
}
