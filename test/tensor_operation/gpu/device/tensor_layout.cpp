// Layout tags print their names.
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace {

using namespace ck::tensor_layout::convolution;

template <class Layout>
std::string print(Layout layout)
{
    std::ostringstream os;
    os << layout;
    return os.str();
}

TEST(TensorLayout, PrintsItsName)
{
    EXPECT_EQ(print(NHWGC{}), "NHWGC");
    EXPECT_EQ(print(G_K_ZYX_C{}), "G_K_ZYX_C");
    EXPECT_EQ(print(ck::tensor_layout::gemm::RowMajor{}), "RowMajor");
    EXPECT_EQ(std::string(GKZYXC::name), "GKZYXC");
}

} // namespace
