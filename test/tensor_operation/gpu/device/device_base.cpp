#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include "ck/tensor_operation/gpu/device/narrowed.hpp"

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

struct Named : public BaseOperator
{
    std::string GetTypeString() const override { return "Name_Of_It<256, <1, 2>, 3>"; }
};

TEST(BaseOperator, TellsItsNameFromItsTuning)
{
    EXPECT_EQ(Named().GetInstanceString(), "Name_Of_It<256, <1, 2>, 3>");
    EXPECT_EQ(Named().GetObjectName(), "Name_Of_It");
    EXPECT_EQ(Named().GetTemplateInfo(), "256, <1, 2>, 3");
    EXPECT_EQ(BaseOperator().GetInstanceString(), "");
    EXPECT_EQ(BaseOperator().GetObjectName(), std::nullopt);
    EXPECT_EQ(BaseOperator().GetTemplateInfo(), std::nullopt);
}

TEST(Narrowed, RefusesWhatNeedsMoreThan32Bits)
{
    const std::array<long_index_t, 2> fits{2147483647, -2147483648}, too_long{1, 2147483648};
    EXPECT_EQ(narrowed(fits), (std::array<index_t, 2>{2147483647, -2147483647 - 1}));
    EXPECT_THROW(narrowed(too_long), std::invalid_argument);
    EXPECT_THROW(narrowed(std::array{fits, too_long}), std::invalid_argument);
}

} // namespace
} // namespace ck::tensor_operation::device
