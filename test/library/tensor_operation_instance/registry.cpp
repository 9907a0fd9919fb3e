#include "ck/library/tensor_operation_instance/registry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::tensor_operation::device::instance {

namespace {

constexpr DataType types[] = {DataType::f16, DataType::bf16, DataType::f32};

Family backward_data(index_t rank, DataType type)
{
    const Layout in[]  = {Layout::nwc, Layout::nhwc, Layout::ndhwc};
    const Layout wei[] = {Layout::kxc, Layout::kyxc, Layout::kzyxc};
    const Layout out[] = {Layout::nwk, Layout::nhwk, Layout::ndhwk};
    return {Direction::backward_data,
            rank,
            in[rank - 1],
            wei[rank - 1],
            out[rank - 1],
            type,
            type,
            type};
}

} // namespace

TEST(Registry, NamesAreUniqueInAFamilyAndThoseOfTheOperations)
{
    for(index_t rank = 1; rank <= 3; ++rank)
        for(const DataType type : types)
        {
            std::set<std::string> names;
            for(const Instance& i : instances_of(backward_data(rank, type)))
            {
                EXPECT_TRUE(names.insert(i.name).second) << "twice: " << i.name;
                EXPECT_EQ(i.make()->GetTypeString(), i.name);
                EXPECT_EQ(i.name.rfind("DeviceConvNdBwdDataNwcKxcNwk_", 0), 0u) << i.name;
            }
            EXPECT_GE(names.size(), 2u) << "rank " << rank << ", type " << static_cast<int>(type);
        }
}

TEST(Registry, RanksHaveTheSameInstancesInTheSameOrder)
{
    for(const DataType type : types)
    {
        const auto one = instances_of(backward_data(1, type));
        for(index_t rank = 2; rank <= 3; ++rank)
        {
            const auto other = instances_of(backward_data(rank, type));
            ASSERT_EQ(other.size(), one.size());
            for(std::size_t i = 0; i < one.size(); ++i)
            {
                EXPECT_EQ(other[i].name, one[i].name);
                EXPECT_NE(other[i].make, one[i].make);
            }
        }
    }
}

TEST(Registry, AnswersTheSameEveryTime)
{
    const Family family = backward_data(2, DataType::f16);
    EXPECT_EQ(instances_of(family).data(), instances_of(family).data());
}

TEST(Registry, OtherFamiliesAreEmpty)
{
    EXPECT_TRUE(instances_of(backward_data(2, DataType::i8)).empty());
    EXPECT_TRUE(instances_of(backward_data(2, DataType::unknown)).empty());

    Family family    = backward_data(2, DataType::f16);
    family.direction = Direction::forward;
    EXPECT_TRUE(instances_of(family).empty());

    family      = backward_data(2, DataType::f16);
    family.rank = 3; // the layouts are those of rank 2
    EXPECT_TRUE(instances_of(family).empty());

    family          = backward_data(2, DataType::f16);
    family.wei_type = DataType::f32;
    EXPECT_TRUE(instances_of(family).empty());

    family           = backward_data(2, DataType::f16);
    family.in_layout = Layout::unknown;
    EXPECT_TRUE(instances_of(family).empty());
}

TEST(Registry, TypesWithoutInstancesAreUnknown)
{
    EXPECT_EQ(data_type_of<double>, DataType::unknown);
    EXPECT_EQ(data_type_of<half_t>, DataType::f16);
    EXPECT_EQ(data_type_of<bhalf_t>, DataType::bf16);
    EXPECT_EQ(layout_of<tensor_layout::convolution::NCHW>, Layout::unknown);
    EXPECT_EQ(layout_of<tensor_layout::convolution::NHWC>, Layout::nhwc);
}

} // namespace ck::tensor_operation::device::instance
