// Plans: right results in all directions, types, ranks and layouts, and the same bits as the kernel
// called directly.
//
// Labels: compiled alone
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/fill.hpp"

#include "conv/convolution.hpp"

namespace ck::conv_test {
namespace {

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};
constexpr DataType types[]{DataType::f32, DataType::f16, DataType::bf16};

/// Runs the spec's plan and compares its result; counts what ran.
void expect_right(const ConvSpec& spec, int& ran)
{
    if(!has_kernels(spec))
        return;
    const ConvPlan p = plan(spec);
    EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << to_string(spec) << ", " << p.kernel();
    ++ran;
}

/// Why there is no plan; "" if there is one.
std::string refusal(const ConvSpec& spec, const PlanOptions& options = {})
{
    try
    {
        plan(spec, options);
        return "";
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
}

/// The bits of the result when the plan's kernel is called through the registry.
std::vector<char> by_registry(const ConvSpec& spec, const ConvPlan& p, Convolution& tensors)
{
    const char* const type = name(spec.type);
    const Family family{spec.direction,
                        type,
                        type,
                        type,
                        "",
                        type,
                        type,
                        "PassThrough",
                        "PassThrough",
                        "PassThrough"};
    static const element_wise::PassThrough pass;
    const ConvTensors t = tensors.tensors(p);
    ConvArgument a{};
    a.problem     = to_conv_param(spec).GetProblem();
    a.split_k     = -1;
    a.workspace   = t.workspace;
    a.operation_a = a.operation_b = a.operation_c = &pass;
    const bool forward                            = spec.direction == Direction::forward,
               weight                             = spec.direction == Direction::backward_weight;
    a.a                                           = {forward ? t.x : t.y};
    a.b                                           = {weight ? t.x : t.w};
    a.c                                           = tensors.result().memory.GetDeviceBuffer();
    for(const ConvKernel& kernel : kernels_of(family))
        if(kernel.name == p.kernel())
        {
            tensors.spoil();
            kernel.run(a, {});
            tensors.result().read();
            return tensors.result().bytes;
        }
    ADD_FAILURE() << "the registry has no " << p.kernel();
    return {};
}

} // namespace

TEST(Plan, IsRightInAllDirectionsTypesAndRanks)
{
    int ran = 0;
    for(const Direction direction : directions)
        for(const DataType type : types)
            for(std::size_t rank = 1; rank <= 3; ++rank)
                for(const long_index_t channels : {3, 8, 64})
                    for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                    {
                        ConvSpec spec  = spec_of_rank(rank);
                        spec.direction = direction;
                        spec.type      = type;
                        spec.c         = channels;
                        spec.layout    = layout;
                        if(channels == 64)
                            spec.groups = 1;
                        expect_right(spec, ran);
                    }
    EXPECT_GE(ran, 54);
}

/// Pixels of few channels that a window has as a whole row are loaded in long vectors.
TEST(Plan, TakesPatchesInLongVectors)
{
    int ran = 0;
    for(const Direction direction : directions)
    {
        ConvSpec spec{.direction = direction,
                      .type      = DataType::f16,
                      .n         = 2,
                      .k         = 16,
                      .c         = 2,
                      .input     = {8, 16},
                      .filter    = {4, 8},
                      .strides   = {4, 8}};
        const PlanOptions long_vectors{.allow  = ", [48], [48], [48], ",
                                       .forbid = "ChannelsLast<|DepthToSpace<"};
        const ConvPlan p = plan(spec, long_vectors);
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.kernel();
        ConvSpec other = spec;
        other.strides  = {4, 7}; // windows overlap: no patches
        EXPECT_THROW(plan(other, long_vectors), Refused);
        ++ran;
    }
    EXPECT_EQ(ran, 3);
}

TEST(Plan, HasTheBitsOfItsKernelCalledDirectly)
{
    int ran = 0;
    for(const Direction direction : directions)
        for(const DataType type : types)
            for(std::size_t rank = 1; rank <= 3; ++rank)
            {
                ConvSpec spec  = spec_of_rank(rank);
                spec.direction = direction;
                spec.type      = type;
                spec.n         = 5;
                if(!has_kernels(spec))
                    continue;
                const ConvPlan p = plan(spec);
                Convolution tensors(spec);
                // Thirds are not exact, so another order of summation would show.
                for(SpecTensor* t : {&tensors.x, &tensors.w, &tensors.y})
                {
                    for(std::size_t i = 0; i < t->values.values.size(); ++i)
                        t->values.values[i] = static_cast<double>(i * 7 % 31) / 3 - 5;
                    t->write();
                }
                const std::vector<char> direct = by_registry(spec, p, tensors);
                tensors.spoil();
                p.run(tensors.tensors(p));
                tensors.result().read();
                EXPECT_EQ(tensors.result().bytes, direct) << to_string(spec) << p.kernel();
                ++ran;
            }
    EXPECT_GE(ran, 9);
}

TEST(Plan, TakesAnyStrides)
{
    int ran = 0;
    for(const Direction direction : directions)
    {
        ConvSpec spec     = spec_of_rank(2);
        spec.direction    = direction;
        spec.layout       = Layout::strided;
        const auto padded = [](const TensorLengths& l, bool filter) { // gaps after each dimension
            Strides s;
            const long_index_t c = 1, w = l[2] * l[0] * 2 + 1, h = w * l[5] + 3, n = h * l[4] + 5;
            for(const long_index_t stride : {filter ? n * l[1] : 2 * l[2], n, c, h, w})
                s.push_back(stride);
            return s;
        };
        spec.layout    = Layout::channels_last;
        const auto y   = Convolution::y_lengths(spec);
        spec.layout    = Layout::strided;
        spec.x_strides = padded(Convolution::x_lengths(spec), false);
        spec.w_strides = padded(Convolution::w_lengths(spec), true);
        spec.y_strides = padded(y, false);
        expect_right(spec, ran);
    }
    EXPECT_GE(ran, 1);
}

TEST(Plan, TakesEmptyBatches)
{
    int ran = 0;
    for(const Direction direction : directions)
    {
        ConvSpec spec  = spec_of_rank(2);
        spec.direction = direction;
        spec.n         = 0;
        expect_right(spec, ran);
        if(has_kernels(spec) && direction == Direction::forward)
        {
            EXPECT_NO_THROW(plan(spec).run({.w = Convolution(spec).w.memory.GetDeviceBuffer()}));
        }
    }
    EXPECT_GE(ran, 1);
}

/// Also types for which only kernels of others compute, such as Upcast<...>: then the other
/// kernels' reasons say what is in the way.
TEST(Plan, TakesEmptyTensorsOfEveryTypeThatItTakes)
{
    int ran = 0, upcast = 0;
    for(const Direction direction : directions)
        for(const DataType type : {DataType::f64,
                                   DataType::f32,
                                   DataType::f16,
                                   DataType::bf16,
                                   DataType::i8,
                                   DataType::f8,
                                   DataType::f8_ocp})
        {
            ConvSpec spec  = spec_of_rank(2);
            spec.direction = direction;
            spec.type      = type;
            spec.pads      = {};
            if(refusal(spec) != "")
                continue;
            if(plan(spec).kernel().starts_with("Upcast<"))
            {
                ++upcast;
                const std::string why = refusal(spec, {.workspace_limit = 0, .allow = "^Upcast<"});
                EXPECT_NE(why.find("PlanOptions::workspace_limit is 0"), std::string::npos) << why;
            }
            spec.n = 0;
            EXPECT_EQ(Convolution(spec).mistakes(plan(spec)), 0u) << to_string(spec);
            spec.n = 2, spec.filter = {9, 1}; // Y has no rows
            EXPECT_EQ(Convolution(spec).mistakes(plan(spec)), 0u) << to_string(spec);
            ++ran;
        }
    EXPECT_GE(ran, 1);
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(upcast, 2); // dX of e4m3
#endif
}

TEST(Plan, TakesAddressesOfLessAlignmentWhereTheSpecSaysSo)
{
    ConvSpec spec  = spec_of_rank(2);
    spec.type      = DataType::f16;
    spec.alignment = 2;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec);
    Convolution c(spec);
    ConvTensors t = c.tensors(p);
    DeviceMem x(c.x.bytes.size() + 16), y(c.y.bytes.size() + 16);
    std::vector<char> moved(2);
    moved.insert(moved.end(), c.x.bytes.begin(), c.x.bytes.end());
    x.ToDevice(moved.data(), moved.size());
    t.x = static_cast<char*>(x.GetDeviceBuffer()) + 2;
    t.y = static_cast<char*>(y.GetDeviceBuffer()) + 2;
    p.run(t);
    std::vector<char> got(moved.size()), expected;
    got.resize(c.y.bytes.size() + 2);
    y.FromDevice(got.data(), got.size());
    EXPECT_EQ(c.mistakes(p), 0u);
    EXPECT_TRUE(std::equal(c.y.bytes.begin(), c.y.bytes.end(), got.begin() + 2));

    spec.alignment = 16;
    EXPECT_THROW(plan(spec).run(t), Refused);
}

TEST(Plan, AgreesWithTheCpuReferences)
{
    using utils::conv::ConvParam;
    using PT = element_wise::PassThrough;
    using namespace tensor_layout::convolution;
    const ConvParam param(2, 2, 3, 16, 8, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {1, 0}, {0, 1});
    Tensor<float> x(utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(param)),
        w(utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(param)),
        y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<NHWGK>(param));
    int ran = 0;
    for(const Direction direction : directions)
    {
        const ConvSpec spec = make_spec(param, direction);
        if(!has_kernels(spec))
            continue;
        utils::FillUniformDistributionIntegerValue<float>{-3.f, 3.f}(x);
        utils::FillUniformDistributionIntegerValue<float>{-2.f, 2.f}(w);
        utils::FillUniformDistributionIntegerValue<float>{-4.f, 4.f}(y);
        Tensor<float>& result = direction == Direction::forward         ? y
                                : direction == Direction::backward_data ? x
                                                                        : w;
        const auto on_device  = [](const Tensor<float>& t) {
            DeviceMem memory(sizeof(float) * t.mData.size());
            memory.ToDevice(t.mData.data());
            return memory;
        };
        const DeviceMem dx = on_device(x), dw = on_device(w), dy = on_device(y);
        const ConvPlan p = plan(spec);
        const DeviceMem workspace(p.workspace_size());
        p.run({.x         = dx.GetDeviceBuffer(),
               .w         = dw.GetDeviceBuffer(),
               .y         = dy.GetDeviceBuffer(),
               .workspace = workspace.GetDeviceBuffer()});
        Tensor<float> got = result;
        (direction == Direction::forward         ? dy
         : direction == Direction::backward_data ? dx
                                                 : dw)
            .FromDevice(got.mData.data());
        const auto reference = [&](auto op) {
            auto argument = op.MakeArgument(x,
                                            w,
                                            y,
                                            param.conv_filter_strides_,
                                            param.conv_filter_dilations_,
                                            param.input_left_pads_,
                                            param.input_right_pads_,
                                            PT{},
                                            PT{},
                                            PT{});
            op.MakeInvoker().Run(argument);
        };
        using namespace tensor_operation::host;
        if(direction == Direction::forward)
            reference(ReferenceConvFwd<2, float, float, float, PT, PT, PT>{});
        else if(direction == Direction::backward_data)
            reference(ReferenceConvBwdData<2, float, float, float, PT, PT, PT>{});
        else
            reference(ReferenceConvBwdWeight<2, float, float, float, PT, PT, PT>{});
        EXPECT_EQ(got.mData, result.mData) << p.explain();
        ++ran;
    }
    EXPECT_GE(ran, 1);
}

TEST(Plan, ExplainsItself)
{
    const ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p       = plan(spec);
    const std::string text = p.explain();
    EXPECT_NE(text.find(to_string(spec)), std::string::npos) << text;
    EXPECT_NE(text.find("kernel: " + p.kernel()), std::string::npos) << text;
    EXPECT_NE(text.find("\n  not "), std::string::npos) << text;
}

} // namespace ck::conv_test
