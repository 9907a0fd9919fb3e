// Patches by kernels that take a row of a patch for one pixel: exact integers in every direction,
// and what is no such patch.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"
#include <algorithm>
#include <tuple>

namespace ck::test {
namespace {

using enum Direction;

bool merges(const ConvKernel& kernel) { return kernel.name.starts_with("MergedColumns<"); }

/// 4 by 5 patches with `rows` rows of 4 pixels, which have 2 channels: vectors of 8.
ConvProblem patches(index_t rank, long_index_t rows)
{
    ConvProblem p;
    p.rank         = rank;
    p.batch        = 3;
    p.in_channels  = 2;
    p.out_channels = 16;
    p.filter       = {1, rank > 1 ? rows : 1, 4};
    p.stride       = p.filter;
    p.input        = {1, rank > 1 ? 4 * rows : 1, 20};
    return p;
}

/// The result of the values, by definition.
Values result(Direction direction, ConvProblem p, const Values& x, const Values& w, const Values& y)
{
    set_layout(p, {"", as_listed, as_listed});
    const Element& f64 = named_element<double>().second;
    const OnDevice on_x(x, p.input_strides, f64), on_w(w, p.filter_strides, f64),
        on_y(y, p.output_strides, f64);
    const auto pointer = [](const OnDevice& t) { return static_cast<double*>(t.pointer()); };
    Values r           = direction == forward ? y : direction == backward_data ? x : w;
    const OnDevice& of = direction == forward ? on_y : direction == backward_data ? on_x : on_w;
    if(direction == forward)
        ref::naive_conv_fwd(p, pointer(on_x), pointer(on_w), pointer(on_y));
    else if(direction == backward_data)
        ref::naive_conv_bwd_data(p, pointer(on_x), pointer(on_w), pointer(on_y));
    else
        ref::naive_conv_bwd_weight(p, pointer(on_x), pointer(on_w), pointer(on_y));
    of.memory.FromDevice(r.values.data());
    return r;
}

Family family_of(Direction direction)
{
    return direction == forward ? ConvFamily<forward, half_t, half_t, half_t>::key()
           : direction == backward_data
               ? ConvFamily<backward_data, half_t, half_t, half_t>::key()
               : ConvFamily<backward_weight, half_t, half_t, half_t>::key();
}

/// How many kernels computed it in channels last, and how many there are.
std::tuple<int, int> run_all(Direction direction, ConvProblem p)
{
    set_layout(p, layouts[1]);
    const Values x = Values::integers(p.input_lengths(), 1),
                 w = Values::integers(p.filter_lengths(), 2),
                 y = Values::integers(p.output_lengths(), 3);
    KernelSetup setup{family_of(direction), p, {x, w, y, result(direction, p, x, w, y)}, 1};
    int ran = 0, all = 0;
    for(const ConvKernel* const kernel : kernels_for(family_of(direction), setup.argument))
        if(merges(*kernel))
        {
            ++all;
            if(!setup.supports(*kernel))
                continue;
            EXPECT_EQ(setup.mistakes(*kernel), 0u) << kernel->name;
            ++ran;
        }
    return {ran, all};
}

class MergedColumns : public testing::TestWithParam<Direction>
{};
TEST_P(MergedColumns, AreRight)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    for(const ConvProblem& p : {patches(2, 3), patches(2, 4), patches(1, 1)})
        EXPECT_GE(std::get<0>(run_all(GetParam(), p)), 2);
}
TEST_P(MergedColumns, AreOfPatchesAlone)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    const auto offered = [&](const auto& change) {
        ConvProblem p = patches(2, 3);
        change(p);
        return std::get<1>(run_all(GetParam(), p));
    };
    EXPECT_GT(offered([](ConvProblem&) {}), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.pad_low[2] = 4; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.stride[2] = 2; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.input[2] += 1; }), 0) << "a column that no patch has";
    EXPECT_EQ(offered([](ConvProblem& p) { p.groups = 2; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.filter[2] = p.stride[2] = 1; }), 0);
}
INSTANTIATE_TEST_SUITE_P(Directions,
                         MergedColumns,
                         testing::Values(forward, backward_data, backward_weight),
                         [](const auto& each) {
                             return std::string(each.param == forward         ? "Forward"
                                                : each.param == backward_data ? "BackwardData"
                                                                              : "BackwardWeight");
                         });

} // namespace
} // namespace ck::test
