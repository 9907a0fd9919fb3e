#include "request.hpp"

#include <gtest/gtest.h>

#include "operations.hpp"
#include "problem_text.hpp"
#include "profiler/refusal.hpp"
#include <string>
#include <vector>

namespace ck::profiler {
namespace {

TEST(Layouts, names)
{
    for(const Layout layout : {Layout::gnhwc, Layout::nhwgc, Layout::ngchw, Layout::nchw})
        EXPECT_EQ(layout_from_name(name(layout)), layout);
    EXPECT_EQ(layout_from_name("NHWC"), Layout::nhwgc);
    EXPECT_STREQ(name(static_cast<Layout>(99)), "unknown layout");
    EXPECT_EQ(test::refusal_of([] { layout_from_name("chwn"); }),
              "the layout is 'chwn', but must be one of gnhwc, nhwgc (or nhwc), ngchw (filters "
              "GKYXC), nchw (filters GKCYX)");
}

TEST(Layouts, strides)
{
    ConvProblem p = problem_from_text("g2 n3 c4 k5 in7x6 f2x1");
    set_strides(p, Layout::gnhwc);
    EXPECT_EQ(p.input_strides, (TensorStrides{3 * 42 * 4, 42 * 4, 1, 42 * 4, 6 * 4, 4}));
    EXPECT_EQ(p.filter_strides, (TensorStrides{5 * 2 * 4, 2 * 4, 1, 2 * 4, 4, 4}));
    set_strides(p, Layout::nhwgc);
    EXPECT_EQ(p.input_strides, (TensorStrides{4, 42 * 8, 1, 42 * 8, 6 * 8, 8}));
    set_strides(p, Layout::ngchw);
    EXPECT_EQ(p.input_strides, (TensorStrides{4 * 42, 8 * 42, 42, 42, 6, 1}));
    EXPECT_EQ(p.filter_strides[2], 1);
    EXPECT_EQ(p.output_strides, (TensorStrides{5 * 36, 10 * 36, 36, 36, 6, 1}));
    set_strides(p, Layout::nchw);
    EXPECT_EQ(p.filter_strides, (TensorStrides{5 * 8, 8, 2, 2, 1, 1}));
}

TEST(Kinds, of_problems)
{
    const auto kind = [](const char* text) {
        return NamedProblem{"", problem_from_text(text)}.kind();
    };
    EXPECT_EQ(kind("n1 c128 k128 in9x9 f3 p1"), "large");
    EXPECT_EQ(kind("n1 c128 k128 in9x9x9 f3 p1"), "1D, 3D");
    EXPECT_EQ(kind("n1 c64 k128 in9x9 f3 p1"), "narrow");
    EXPECT_EQ(kind("n1 c128 k128 in9x9"), "1x1");
    EXPECT_EQ(kind("n1 c128 k128 in9x9 f3 s2"), "strided");
    EXPECT_EQ(kind("n1 c128 k128 in9x9 f3 s2 d2"), "dilated");
    EXPECT_EQ(kind("n1 c3 k128 in9x9 f3"), "odd channels");
    EXPECT_EQ(kind("g4 n1 c8 k8 in9x9 f3"), "grouped");
    EXPECT_EQ(kind("g4 n1 c1 k1 in9x9 f3"), "depthwise");
}

} // namespace
} // namespace ck::profiler
