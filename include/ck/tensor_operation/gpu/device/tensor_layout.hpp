#pragma once
// Layout tags. A tag's name spells the order of a tensor's dimensions in memory, slowest first. G
// group, N batch, C input channel, K output channel, D H W image depth, height, width, Z Y X filter
// depth, height, width. An underscore marks a place where strides are arbitrary.
#include "ck/utility/host_device.hpp"

#include <ostream>
#include <type_traits>

namespace ck::tensor_layout {

/// Base class of all tags.
struct BaseTensorLayout
{};

/// Implies no strides: HostTensorDescriptor does not check strides against this tag.
struct BypassLayoutVerification : BaseTensorLayout
{
    static constexpr const char* name = "BypassLayoutVerification"; ///< for messages
};

namespace gemm {
/// Base class of the tags of matrices.
struct BaseGemmLayout : BaseTensorLayout
{};
using LayoutBase = BaseGemmLayout; ///< the base class of the tags here
} // namespace gemm

namespace convolution {
/// Base class of the tags of convolution tensors.
struct BaseConvolutionLayout : BaseTensorLayout
{};
using LayoutBase = BaseConvolutionLayout; ///< the base class of the tags here
} // namespace convolution

/// Prints the tag's name to a stream.
template <class Layout>
requires std::is_base_of_v<BaseTensorLayout, Layout> std::ostream& operator<<(std::ostream& os,
                                                                              const Layout&)
{
    return os << Layout::name;
}

/// Declares a tag and its name.
#define CK_TENSOR_LAYOUT(tag)                                                                      \
    struct tag : LayoutBase                                                                        \
    {                                                                                              \
        static constexpr const char* name = #tag;                                                  \
    }
/// Declares tags for one, two and three spatial dimensions.
#define CK_TENSOR_LAYOUTS(tag_1d, tag_2d, tag_3d)                                                  \
    CK_TENSOR_LAYOUT(tag_1d);                                                                      \
    CK_TENSOR_LAYOUT(tag_2d);                                                                      \
    CK_TENSOR_LAYOUT(tag_3d)

namespace gemm {
CK_TENSOR_LAYOUT(RowMajor);
CK_TENSOR_LAYOUT(ColumnMajor);
} // namespace gemm

namespace convolution {

// Input tensors
CK_TENSOR_LAYOUTS(NCW, NCHW, NCDHW);
CK_TENSOR_LAYOUTS(NWC, NHWC, NDHWC);
CK_TENSOR_LAYOUTS(GNCW, GNCHW, GNCDHW);
CK_TENSOR_LAYOUTS(GNWC, GNHWC, GNDHWC);
CK_TENSOR_LAYOUTS(NWGC, NHWGC, NDHWGC);
CK_TENSOR_LAYOUTS(NGCW, NGCHW, NGCDHW);
CK_TENSOR_LAYOUTS(G_NW_C, G_NHW_C, G_NDHW_C);

// Weight tensors
CK_TENSOR_LAYOUTS(KCX, KCYX, KCZYX);
CK_TENSOR_LAYOUTS(KXC, KYXC, KZYXC);
CK_TENSOR_LAYOUTS(GKCX, GKCYX, GKCZYX);
CK_TENSOR_LAYOUTS(GKXC, GKYXC, GKZYXC);
CK_TENSOR_LAYOUTS(KXGC, KYXGC, KZYXGC);
CK_TENSOR_LAYOUTS(G_K_X_C, G_K_YX_C, G_K_ZYX_C);

// Output tensors
CK_TENSOR_LAYOUTS(NKW, NKHW, NKDHW);
CK_TENSOR_LAYOUTS(NWK, NHWK, NDHWK);
CK_TENSOR_LAYOUTS(GNKW, GNKHW, GNKDHW);
CK_TENSOR_LAYOUTS(GNWK, GNHWK, GNDHWK);
CK_TENSOR_LAYOUTS(NWGK, NHWGK, NDHWGK);
CK_TENSOR_LAYOUTS(NGKW, NGKHW, NGKDHW);
CK_TENSOR_LAYOUTS(G_NW_K, G_NHW_K, G_NDHW_K);

// Bias and reduced tensors
CK_TENSOR_LAYOUT(GC);
CK_TENSOR_LAYOUT(G_C);
CK_TENSOR_LAYOUT(G_K);
CK_TENSOR_LAYOUTS(GNW, GNHW, GNDHW);
CK_TENSOR_LAYOUTS(NWG, NHWG, NDHWG);
CK_TENSOR_LAYOUTS(G_NW, G_NHW, G_NDHW);

} // namespace convolution

/// Channels in blocks of `block`; 0 means as many as fit 32 bytes. Images are NDC1HWC0 or NC1HWC0;
/// filters are FRACTAL_Z_3D [Z, C1, Y, X, K rounded up to 16, C0] or FRACTAL_Z. Each group is a
/// tensor of its own, and the last group is padded. See convolution/channel_blocks.hpp.
#define CK_BLOCKED_LAYOUT(tag, filter)                                                             \
    template <int block_ = 0>                                                                      \
    struct tag : LayoutBase                                                                        \
    {                                                                                              \
        static constexpr const char* name = #tag;                                                  \
        static constexpr int block        = block_;                                                \
        static constexpr bool is_filter   = filter;                                                \
    }
namespace convolution {
CK_BLOCKED_LAYOUT(NC1HWC0, false);
CK_BLOCKED_LAYOUT(NDC1HWC0, false);
CK_BLOCKED_LAYOUT(FRACTAL_Z, true);
CK_BLOCKED_LAYOUT(FRACTAL_Z_3D, true);
} // namespace convolution
#undef CK_BLOCKED_LAYOUT

#undef CK_TENSOR_LAYOUTS
#undef CK_TENSOR_LAYOUT

} // namespace ck::tensor_layout
