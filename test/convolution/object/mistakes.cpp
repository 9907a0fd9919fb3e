// How the object reports invalid calls on the host, where a kernel that cannot go on throws. On a
// GPU it traps.
#include <gtest/gtest.h>

#include "convolution/object/object_problem.hpp"
#include <functional>

namespace ck::test {
namespace {

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)

using namespace ConvBackpropApi;

template <class T, ConvFormat format>
using TensorOf  = ConvType<TPosition::GM, format, T>;
using InputSize = ConvType<TPosition::GM, ConvFormat::ND, std::int32_t>;
using Object    = Conv3DBackpropInput<TensorOf<half, ConvFormat::FRACTAL_Z_3D>,
                                   InputSize,
                                   TensorOf<half, ConvFormat::NDC1HWC0>,
                                   TensorOf<half, ConvFormat::NDC1HWC0>>;

struct Calls
{
    TConv3DBackpropInputTiling tiling;
    Share share;
    GlobalTensor<half> dy, w, dx;
    const std::function<void(Object&, const Calls&)>* calls;

    /// All that comes before Iterate().
    void prepare(Object& object) const
    {
        object.Init(&tiling);
        object.SetSingleShape(share.singleShapeM, share.singleShapeK, share.singleShapeN);
        object.SetStartPosition(share.dinStartIdx, share.curHoStartIdx);
        object.SetGradOutput(dy);
        object.SetWeight(w);
    }
};

void kernel(Calls c)
{
    Object object;
    (*c.calls)(object, c);
}

struct ObjectMistakes : testing::Test
{
    ObjectTensors<half> t{
        {1, 24, 20, {1, 3, 3}, {2, 5, 6}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}},
        ConvFormat::NDC1HWC0,
        ConvFormat::FRACTAL_Z_3D,
        ConvFormat::NDC1HWC0,
        1};
    OnDevice<half> dy{t.dy_data}, w{t.w_data}, dx{std::vector<half>(t.dx.size() + 8)};
    Calls c{};

    ObjectMistakes()
    {
        auto tiling = t.tiling(Platform::current());
        tiling.SetSingleShape(60, 0); // the whole
        if(tiling.GetTiling(c.tiling) != 0)
            throw std::runtime_error(tiling.GetReason());
        c.share = c.tiling.share(0);
        c.dy.SetGlobalBuffer(dy.get(), t.dy_data.size());
        c.w.SetGlobalBuffer(w.get(), t.w_data.size());
        c.dx.SetGlobalBuffer(dx.get(), t.dx.size());
    }

    /// "" where the kernel ends well.
    std::string says(const std::function<void(Object&, const Calls&)>& calls,
                     std::uint32_t lds_less = 0)
    {
        c.calls = &calls;
        try
        {
            static_cast<void>(
                arch::launch_function(kernel, 1, 256, c.tiling.ldsBytes() - lds_less, nullptr, c));
        }
        catch(const std::exception& error)
        {
            return error.what();
        }
        return "";
    }
    void expect(const char* part,
                const std::function<void(Object&, const Calls&)>& calls,
                std::uint32_t lds_less = 0)
    {
        EXPECT_NE(says(calls, lds_less).find(part), std::string::npos)
            << part << ", but: " << says(calls, lds_less);
    }
};

TEST_F(ObjectMistakes, NoneInTheExample)
{
    EXPECT_EQ(says([](Object& o, const Calls& a) {
                  a.prepare(o);
                  while(o.Iterate())
                      o.GetTensorC(a.dx[a.share.offsetC]);
                  EXPECT_FALSE(o.Iterate()); // it stays at the end
                  o.End();
              }),
              "");
}

TEST_F(ObjectMistakes, OrderOfCalls)
{
    expect("Iterate: call Init", [](Object& o, const Calls&) { o.Iterate(); });
    expect("SetSingleShape: Init has not been called",
           [](Object& o, const Calls&) { o.SetSingleShape(6, 216, 16); });
    expect("SetStartPosition: Init has not been called",
           [](Object& o, const Calls&) { o.SetStartPosition(0, 0); });
    expect("SetWeight before it", [](Object& o, const Calls& a) {
        o.Init(&a.tiling);
        o.SetSingleShape(a.share.singleShapeM, a.share.singleShapeK, a.share.singleShapeN);
        o.SetStartPosition(0, a.share.curHoStartIdx);
        o.SetGradOutput(a.dy);
        o.Iterate();
    });
    expect("GetTensorC: Iterate has handed out no block", [](Object& o, const Calls& a) {
        a.prepare(o);
        o.GetTensorC(a.dx);
    });
    expect("ForEach: Iterate has handed out no block", [](Object& o, const Calls& a) {
        a.prepare(o);
        while(o.Iterate())
            ;
        o.ForEach([](float&, const Position&) {});
    });
    expect("Iterate: call Init", [](Object& o, const Calls& a) {
        a.prepare(o);
        o.End();
        o.Iterate();
    });
    expect("another part of the reduction", [](Object& o, const Calls& a) {
        a.prepare(o);
        while(o.Iterate(true))
            ;
    });
    expect("Init: there is no tiling", [](Object& o, const Calls&) { o.Init(nullptr); });
}

TEST_F(ObjectMistakes, ShapesBeyondTheProblem)
{
    const auto shape = [&](std::uint64_t m, std::uint64_t k, std::uint32_t n) {
        return says([=](Object& o, const Calls& a) {
            o.Init(&a.tiling);
            o.SetSingleShape(m, k, n);
        });
    };
    EXPECT_EQ(shape(60, 24 * 9, 20), "");
    EXPECT_EQ(shape(60, 32 * 9, 32), ""); // lanes of padding included
    for(const std::uint64_t m : {0, 61, 66, 5})
        EXPECT_NE(shape(m, 24 * 9, 20).find("singleShapeM is not a number"), std::string::npos)
            << m;
    for(const std::uint64_t k : {0, 24 * 9 + 1, 33 * 9})
        EXPECT_NE(shape(60, k, 20).find("singleShapeK is not a number"), std::string::npos) << k;
    for(const std::uint32_t n : {0, 33})
        EXPECT_NE(shape(60, 24 * 9, n).find("singleShapeN is not a number"), std::string::npos)
            << n;

    const auto start = [&](std::uint32_t d, std::int32_t h) {
        return says([=](Object& o, const Calls& a) {
            a.prepare(o);
            o.SetSingleShape(6, a.share.singleShapeK, 20);
            o.SetStartPosition(d, h);
            o.Iterate();
        });
    };
    EXPECT_EQ(start(1, -1), ""); // hi = curHo + 2 - 1
    EXPECT_EQ(start(1, 3), "");
    for(const auto& [d, h] : {std::pair{2u, -1}, {0u, -2}, {0u, 4}})
        EXPECT_NE(start(d, h).find("outside of dX"), std::string::npos) << d << ' ' << h;
    expect("the share goes beyond dX", [](Object& o, const Calls& a) {
        a.prepare(o);
        o.SetStartPosition(0, 0);
        o.Iterate();
    });
}

TEST_F(ObjectMistakes, Addresses)
{
    expect("SetGradOutput: the address is null or no multiple of 16 bytes",
           [](Object& o, const Calls& a) {
               a.prepare(o);
               o.SetGradOutput(a.dy[4]);
           });
    expect("SetWeight: the address is null", [](Object& o, const Calls& a) {
        a.prepare(o);
        o.SetWeight(GlobalTensor<half>{});
    });
    expect("GetTensorC: the address is null or no multiple of 16 bytes",
           [](Object& o, const Calls& a) {
               a.prepare(o);
               o.Iterate();
               o.GetTensorC(a.dx[1]);
           });
    expect("the offset is beyond the tensor",
           [](Object&, const Calls& a) { static_cast<void>(a.dy[1 << 20]); });
    expect("enAtomic is 0, to store, or 1, to add", [](Object& o, const Calls& a) {
        a.prepare(o);
        o.Iterate();
        o.GetTensorC(a.dx, 2);
    });
}

TEST_F(ObjectMistakes, AddressesOfChannelsFirst)
{
    using First      = TensorOf<half, ConvFormat::NCDHW>;
    const auto check = [&](const char* part, auto set) {
        expect(part, [=](Object&, const Calls& a) {
            Conv3DBackpropInput<First, InputSize, First, First> o;
            const auto dy = reinterpret_cast<std::uintptr_t>(a.dy.data());
            GlobalTensor<half> between; // two elements
            between.SetGlobalBuffer(reinterpret_cast<half*>(dy + 1));
            set(o, a, between);
        });
    };
    EXPECT_EQ(says([](Object&, const Calls& a) { // any element will do
                  Conv3DBackpropInput<First, InputSize, First, First> o;
                  o.SetGradOutput(a.dy[1]);
                  o.SetWeight(a.w[3]);
              }),
              "");
    check("SetGradOutput: the address is null or none of an element",
          [](auto& o, const Calls&, auto& between) { o.SetGradOutput(between); });
    check("SetWeight: the address is null or none of an element",
          [](auto& o, const Calls&, auto& between) { o.SetWeight(between); });
    check("SetWeight: the address is null or none of an element",
          [](auto& o, const Calls&, auto&) { o.SetWeight(GlobalTensor<half>{}); });
}

TEST_F(ObjectMistakes, TilingOfAnotherKernel)
{
    const auto init = [](Object& o, const Calls& a) { o.Init(&a.tiling); };
    auto tiling     = t.tiling(Platform::current());
    ASSERT_TRUE(tiling.SetBase(64));
    ASSERT_EQ(tiling.GetTiling(c.tiling), 0);
    expect("other types, formats or blocks", init);
    tiling.SetBase(128);
    for(const auto set : {&Conv3DBpInputTiling::SetWeightType,
                          &Conv3DBpInputTiling::SetGradOutputType,
                          &Conv3DBpInputTiling::SetGradInputType})
        ASSERT_TRUE((tiling.*set)(TPosition::GM,
                                  set == &Conv3DBpInputTiling::SetWeightType
                                      ? ConvFormat::FRACTAL_Z_3D
                                      : ConvFormat::NDC1HWC0,
                                  ConvDtype::BF16));
    ASSERT_EQ(tiling.GetTiling(c.tiling), 0);
    expect("other types, formats or blocks", init);
    expect(
        "bytes of shared memory, but needs",
        [&](Object& o, const Calls& a) {
            auto own          = t.tiling(Platform::current());
            Calls with_tiling = a;
            own.GetTiling(with_tiling.tiling);
            with_tiling.prepare(o);
            o.Iterate();
        },
        64);
}

#endif

} // namespace
} // namespace ck::test
