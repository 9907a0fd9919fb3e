#pragma once
// A grouped convolution in Composable Kernel's arrays: lengths and strides in the order G N C [D] H
// W, G K C [Z] Y X, G N K [D] H W, regardless of the order in memory.
#include "verify.hpp"
#include <algorithm>
#include <array>
#include <string>

template <std::size_t n>
using Array = std::array<ck::index_t, n>;

template <std::size_t n>
struct TensorShape
{
    Array<n> lengths, strides;

    std::size_t size() const
    {
        std::size_t product = 1;
        for(const ck::index_t length : lengths)
            product *= static_cast<std::size_t>(length);
        return product;
    }
    HostTensorDescriptor descriptor() const { return HostTensorDescriptor(lengths, strides); }
};

/// Strides of a packed tensor. memory: the dimensions from slowest to fastest, the name of a layout
/// tag. dimensions: the same letters in the order of `lengths`.
template <std::size_t n>
TensorShape<n>
packed(const std::string& memory, const std::string& dimensions, const Array<n>& lengths)
{
    TensorShape<n> shape{lengths, {}};
    ck::index_t stride = 1;
    for(std::size_t i = n; i-- > 0;)
    {
        const std::size_t d = dimensions.find(memory[i]);
        shape.strides[d]    = stride;
        stride *= lengths[d];
    }
    return shape;
}

/// Filters of length 3 with strides, dilations and pads of 1: the image keeps its size.
template <std::size_t rank>
struct GroupedProblem
{
    ck::index_t G, N, K, C;
    Array<rank> image;

    /// A small problem if the CPU stands in for a GPU.
    GroupedProblem fitting() const
    {
        if(!on_cpu())
            return *this;
        GroupedProblem small{std::min(G, 2), 1, std::min(K, 64), std::min(C, 64), {}};
        small.image.fill(5);
        std::cout << "the CPU stands in for a GPU: G " << small.G << ", N 1, K " << small.K
                  << ", C " << small.C << " and an image of 5 in each dimension instead of G " << G
                  << ", N " << N << ", K " << K << ", C " << C << " and " << image[0] << '\n';
        return small;
    }

    template <class Layout>
    TensorShape<rank + 3> input() const
    {
        return shape<Layout>("GNCDHW", {G, N, C}, image);
    }
    template <class Layout>
    TensorShape<rank + 3> weight() const
    {
        return shape<Layout>("GKCZYX", {G, K, C}, all(3));
    }
    template <class Layout>
    TensorShape<rank + 3> output() const
    {
        return shape<Layout>("GNKDHW", {G, N, K}, image);
    }

    static Array<rank> all(ck::index_t value)
    {
        Array<rank> a;
        a.fill(value);
        return a;
    }

    double flop() const
    {
        double f = 2. * G * N * K * C;
        for(const ck::index_t length : image)
            f *= 3. * length;
        return f;
    }

    /// Computes the expected result by Reference, one of the package's references.
    template <class Reference, class In, class Wei, class Out>
    static void compute(Tensor<In>& in, Tensor<Wei>& wei, Tensor<Out>& out)
    {
        using ck::tensor_operation::element_wise::PassThrough;
        const std::vector<ck::long_index_t> one(rank, 1);
        Reference::MakeInvoker().Run(Reference::MakeArgument(
            in, wei, out, one, one, one, one, PassThrough{}, PassThrough{}, PassThrough{}));
    }

private:
    template <class Layout>
    static TensorShape<rank + 3>
    shape(std::string dimensions, const Array<3>& outer, const Array<rank>& spatial)
    {
        dimensions.erase(3, 3 - rank);
        Array<rank + 3> lengths;
        std::copy(
            spatial.begin(), spatial.end(), std::copy(outer.begin(), outer.end(), lengths.begin()));
        return packed(Layout::name, dimensions, lengths);
    }
};
