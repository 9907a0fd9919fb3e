#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

struct Mine : public BaseArgument
{};
struct Another : public BaseArgument
{};

TEST(OwnArgument, IsOfTheOperationsType)
{
    const Mine mine;
    EXPECT_EQ(&own_argument<Mine>(&mine), &mine);
    EXPECT_THROW(own_argument<Mine>(nullptr), std::invalid_argument);
    EXPECT_THROW(own_argument<Another>(&mine), std::invalid_argument);
}

TEST(BaseOperator, SetsTheWorkspaceOfAnArgumentOnly)
{
    const BaseOperator op;
    Mine mine;
    int workspace = 0;
    op.SetWorkSpacePointer(&mine, &workspace);
    EXPECT_EQ(mine.p_workspace_, &workspace);
    EXPECT_THROW(op.SetWorkSpacePointer(nullptr, &workspace), std::invalid_argument);
}

} // namespace
} // namespace ck::tensor_operation::device
