// Lists of GEMMs of small integers in one launch, against plain loops: exactly.
//
// Labels: not sanitized, emulated on one target
#include "ck/ck.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_gemm_tuned.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

namespace ck::test {
namespace {

using tensor_operation::device::DeviceGroupedGemmTuned;
using tensor_operation::device::GemmDesc;
using tensor_operation::element_wise::Bilinear;
using tensor_operation::element_wise::PassThrough;
using Row = tensor_layout::gemm::RowMajor;
using Col = tensor_layout::gemm::ColumnMajor;
using enum arch::Matrix;

constexpr GemmTuning
tuning_of(arch::Matrix id, index_t a, index_t b, index_t c, Pipeline pipeline, index_t k = 32)
{
    return {.block_tile  = {64, 64, k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = a,
            .b_vector    = b,
            .c_vector    = c,
            .pipeline    = pipeline};
}

/// The matrix of one GEMM, `lines` of `length` elements, on the host and on the device.
template <class T>
struct Matrix
{
    Matrix(index_t lines, index_t length, index_t stride_)
        : stride(stride_),
          values(static_cast<std::size_t>(lines == 0 ? 0 : (lines - 1) * stride + length)),
          device(values.size() * sizeof(T))
    {}
    void fill_with_integers(std::mt19937& random)
    {
        for(T& x : values)
            x = type_convert<T>(static_cast<float>(static_cast<int>(random() % 5) - 2));
        device.ToDevice(values.data());
    }
    void fill_with_nan()
    {
        const T never = std::is_same_v<T, std::int8_t> ? T(-99) : type_convert<T>(std::nanf(""));
        std::fill(values.begin(), values.end(), never);
        device.ToDevice(values.data());
    }
    /// Element `i` of line `line`.
    T& at(index_t line, index_t i) { return values[static_cast<std::size_t>(line * stride + i)]; }
    void* pointer() const { return device.GetDeviceBuffer(); }

    index_t stride;
    std::vector<T> values;
    DeviceMem device;
};

struct Size
{
    index_t m, n, k;
};

/// No rows, no columns, no reduction; less than a tile, several tiles; odd numbers wherever no
/// vector forbids.
const std::vector<Size> sizes = {
    {1, 1, 1},
    {37, 71, 13},
    {0, 5, 7},
    {64, 64, 64},
    {5, 0, 16},
    {33, 40, 0},
    {0, 0, 0},
    {130, 3, 97},
    {67, 131, 40},
};

template <class T>
struct Without
{
    using Ds        = Tuple<>;
    using Layouts   = Tuple<>;
    using Operation = PassThrough;
};
/// E = 2 * A * B + 0.5 * D
template <class T>
struct WithResidual : Without<T>
{
    using Ds        = Tuple<T>;
    using Layouts   = Tuple<Row>;
    using Operation = Bilinear;
};

template <class ALayout, class BLayout, class T, template <class> class Fusion, GemmTuning tuning>
struct List
{
    static constexpr bool a_along_k = std::is_same_v<ALayout, Row>;
    static constexpr bool b_along_k = std::is_same_v<BLayout, Col>;
    static constexpr bool has_d     = Fusion<T>::Ds::Size() > 0;
    using Operation                 = typename Fusion<T>::Operation;
    using Op                        = DeviceGroupedGemmTuned<ALayout,
                                      BLayout,
                                      typename Fusion<T>::Layouts,
                                      Row,
                                      T,
                                      T,
                                      typename Fusion<T>::Ds,
                                      T,
                                      PassThrough,
                                      PassThrough,
                                      Operation,
                                      tuning>;

    /// `shared_rows`: D's rows are all the same, its stride is 0.
    explicit List(const std::vector<Size>& wanted, unsigned seed, bool shared_rows = false)
    {
        std::mt19937 random(seed);
        const auto fit = [](index_t x, index_t vector) {
            return math::integer_least_multiple(x, vector);
        };
        for(Size s : wanted)
        {
            (a_along_k ? s.k : s.m) = fit(a_along_k ? s.k : s.m, tuning.a_vector);
            s.n = fit(s.n, std::max(tuning.c_vector, b_along_k ? 1 : tuning.b_vector));
            if(b_along_k)
                s.k = fit(s.k, std::max(tuning.b_vector, a_along_k ? tuning.a_vector : 1));
            const auto stride = [&](index_t length, index_t vector) {
                return fit(length, vector) + vector * static_cast<index_t>(random() % 3);
            };
            const index_t a_length = a_along_k ? s.k : s.m, b_length = b_along_k ? s.k : s.n;
            a.emplace_back(a_along_k ? s.m : s.k, a_length, stride(a_length, tuning.a_vector));
            b.emplace_back(b_along_k ? s.n : s.k, b_length, stride(b_length, tuning.b_vector));
            e.emplace_back(s.m, s.n, stride(s.n, tuning.c_vector));
            d.emplace_back(shared_rows ? std::min(s.m, 1) : s.m,
                           s.n,
                           shared_rows ? 0 : stride(s.n, tuning.c_vector));
            a.back().fill_with_integers(random);
            b.back().fill_with_integers(random);
            d.back().fill_with_integers(random);
            e.back().fill_with_nan();
            gemms.push_back({s.m, s.n, s.k, a.back().stride, b.back().stride, e.back().stride, {}});
            if(has_d)
                gemms.back().stride_Ds_ = {d.back().stride};
            p_a.push_back(a.back().pointer());
            p_b.push_back(b.back().pointer());
            p_e.push_back(e.back().pointer());
            if constexpr(has_d)
                p_ds.push_back({d.back().pointer()});
        }
    }

    static Operation operation()
    {
        if constexpr(has_d)
            return Bilinear{2.f, .5f};
        else
            return {};
    }

    std::unique_ptr<tensor_operation::device::BaseArgument> argument()
    {
        return op.MakeArgumentPointer(p_a, p_b, p_ds, p_e, gemms, {}, {}, operation());
    }

    /// Runs, and compares all memory of E, gaps between rows included.
    void expect_right()
    {
        const auto argument = this->argument();
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        DeviceMem workspace(op.GetWorkSpaceSize(argument.get()));
        op.SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
        op.MakeInvokerPointer()->Run(argument.get());
        for(std::size_t i = 0; i < gemms.size(); ++i)
        {
            std::vector<T> got(e[i].values.size());
            e[i].device.FromDevice(got.data());
            compute(i);
            EXPECT_TRUE(got.empty() ||
                        std::memcmp(got.data(), e[i].values.data(), got.size() * sizeof(T)) == 0)
                << "GEMM " << i << ": M N K " << gemms[i].M_ << ' ' << gemms[i].N_ << ' '
                << gemms[i].K_;
        }
    }

    void compute(std::size_t i)
    {
        for(index_t m = 0; m < gemms[i].M_; ++m)
            for(index_t n = 0; n < gemms[i].N_; ++n)
            {
                float sum = 0;
                for(index_t k = 0; k < gemms[i].K_; ++k)
                    sum += type_convert<float>(a_along_k ? a[i].at(m, k) : a[i].at(k, m)) *
                           type_convert<float>(b_along_k ? b[i].at(n, k) : b[i].at(k, n));
                if constexpr(has_d)
                    operation()(e[i].at(m, n), sum, d[i].at(m, n));
                else
                    operation()(e[i].at(m, n), sum);
            }
    }

    Op op;
    std::vector<Matrix<T>> a, b, e, d;
    std::vector<GemmDesc> gemms;
    std::vector<const void*> p_a, p_b;
    std::vector<void*> p_e;
    std::vector<typename Op::DPointers> p_ds;
};

/// What the operation says of one GEMM.
template <class L>
std::string refusal()
{
    L list({{8, 8, 8}}, 1);
    return list.op.WhyNotSupported(list.argument().get());
}

template <class ALayout, class BLayout, class T, template <class> class Fusion, GemmTuning tuning>
void expect_right(unsigned seed)
{
    using L = List<ALayout, BLayout, T, Fusion, tuning>;
    CK_SKIP_WITHOUT(L::Op::Kernel::requirement, refusal<L>());
    L(sizes, seed).expect_right();
    L(std::vector<Size>(sizes.rbegin(), sizes.rend()), seed + 1, true).expect_right();
}

TEST(GroupedGemm, XdlRowTimesColumn)
{
    expect_right<Row,
                 Col,
                 half_t,
                 Without,
                 tuning_of(mfma_f32_32x32x8_f16, 8, 8, 8, Pipeline::single_buffer)>(1);
}
TEST(GroupedGemm, XdlBf16RowTimesRowWithResidual)
{
    expect_right<Row,
                 Row,
                 bhalf_t,
                 WithResidual,
                 tuning_of(mfma_f32_16x16x16_bf16_1k, 4, 4, 4, Pipeline::double_buffer)>(2);
}
TEST(GroupedGemm, WmmaColumnTimesRow)
{
    expect_right<Col,
                 Row,
                 half_t,
                 Without,
                 tuning_of(wmma_gfx11_f32_16x16x16_f16, 2, 2, 2, Pipeline::single_buffer)>(3);
}
TEST(GroupedGemm, WmmaOfGfx12ColumnTimesColumn)
{
    expect_right<Col,
                 Col,
                 half_t,
                 Without,
                 tuning_of(wmma_gfx12_f32_16x16x16_f16, 8, 8, 8, Pipeline::single_buffer)>(4);
}

TEST(GroupedGemm, DlOfBytes)
{
    expect_right<Row,
                 Col,
                 std::int8_t,
                 Without,
                 tuning_of(dot_i32_8x4x4_i8, 4, 4, 4, Pipeline::single_buffer, 64)>(16);
}

using Dl = List<Row,
                Row,
                float,
                WithResidual,
                tuning_of(dot_f32_8x4x1_f32, 1, 1, 1, Pipeline::single_buffer, 16)>;

TEST(GroupedGemm, DlRowTimesRowOfAnySizes)
{
    Dl(sizes, 6).expect_right();
    Dl(std::vector<Size>(sizes.rbegin(), sizes.rend()), 7, true).expect_right();
}

TEST(GroupedGemm, EveryBlockOfManyFindsItsGemm)
{
    std::vector<Size> many;
    for(index_t i = 0; i < 101; ++i) // 1, 2 or 0 tiles each
        many.push_back({i % 7 == 3 ? 0 : 1 + i, 1 + i % 5, 1 + i % 3});
    Dl(many, 8).expect_right();
}

TEST(GroupedGemm, NothingToDo)
{
    Dl({}, 9).expect_right();
    Dl({{0, 3, 2}, {4, 0, 2}}, 10).expect_right();
}

TEST(GroupedGemm, RefusesWithReasons)
{
    using L           = Dl;
    const auto reason = [](auto change) {
        L list({{8, 8, 8}, {8, 16, 8}}, 11);
        change(list);
        const auto argument = list.argument();
        EXPECT_FALSE(list.op.IsSupportedArgument(argument.get()));
        EXPECT_THROW(list.op.MakeInvokerPointer()->Run(argument.get()), std::runtime_error);
        return list.op.WhyNotSupported(argument.get());
    };
    EXPECT_EQ(reason([](L& l) { l.gemms[1].K_ = -1; }), "GEMM 1: K is -1, but must be at least 0");
    EXPECT_EQ(reason([](L& l) { l.gemms[1].stride_C_ = 15; }),
              "GEMM 1: the stride of E is 15, less than N = 16: its rows overlap");
    EXPECT_EQ(reason([](L& l) { l.p_a.pop_back(); }), "1 pointers of A for 2 GEMMs");
    EXPECT_EQ(reason([](L& l) { l.gemms[0].stride_Ds_ = {}; }),
              "GEMM 0 has 0 strides of D tensors, but there are 1");
    EXPECT_EQ(reason([](L& l) { l.gemms[0].stride_B_ = 1 << 29; }),
              "GEMM 0: B spans 15032385568 bytes, but 32-bit offsets need less than 2^31");
}

TEST(GroupedGemm, NeedsItsWorkspace)
{
    Dl list({{8, 8, 8}}, 13);
    const auto argument = list.argument();
    EXPECT_GT(list.op.GetWorkSpaceSize(argument.get()), 0u);
    EXPECT_THROW(list.op.MakeInvokerPointer()->Run(argument.get()), std::runtime_error);
}

TEST(GroupedGemm, MatricesBeyondTwoGigabytes)
{
    if(std::getenv("EMU_ARCH") != nullptr)
        GTEST_SKIP() << "the emulator's memory is not sparse";
    // Rows of 8 elements, far apart: A and E span 2 GiB and a few rows each.
    constexpr index_t stride = 1 << 16, rows = (1 << 13) + 70, n = 3, k = 5;
    const std::size_t bytes = std::size_t{rows} * stride * sizeof(float);
    const DeviceMem a(bytes), e(bytes), b(n * k * sizeof(float)), d(n * sizeof(float));
    std::vector<float> b_values(n * k), d_values{1, 2, 3};
    std::iota(b_values.begin(), b_values.end(), -7.f);
    b.ToDevice(b_values.data());
    d.ToDevice(d_values.data());
    auto* const first = static_cast<float*>(a.GetDeviceBuffer());
    const auto a_at = [](index_t m, index_t i) { return static_cast<float>((m + 3 * i) % 7 - 3); };
    for(index_t m = 0; m < rows; ++m)
    {
        float row[k];
        for(index_t i = 0; i < k; ++i)
            row[i] = a_at(m, i);
        HIP_CHECK_ERROR(
            hipMemcpy(first + std::size_t{stride} * m, row, sizeof row, hipMemcpyHostToDevice));
    }
    Dl::Op op;
    auto argument = Dl::Op::MakeArgument(
        {first, first},
        {b.GetDeviceBuffer(), b.GetDeviceBuffer()},
        {{d.GetDeviceBuffer()}, {d.GetDeviceBuffer()}},
        {e.GetDeviceBuffer(), e.GetDeviceBuffer()},
        {{0, n, k, stride, n, stride, {0}}, {rows, n, k, stride, n, stride, {0}}},
        {},
        {},
        Bilinear{1.f, 1.f});
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    const DeviceMem workspace(op.GetWorkSpaceSize(&argument));
    op.SetWorkSpacePointer(&argument, workspace.GetDeviceBuffer());
    op.MakeInvoker().Run(argument);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    std::size_t wrong = 0;
    for(index_t m = 0; m < rows; ++m)
    {
        float row[n];
        HIP_CHECK_ERROR(
            hipMemcpy(row,
                      static_cast<float*>(e.GetDeviceBuffer()) + std::size_t{stride} * m,
                      sizeof row,
                      hipMemcpyDeviceToHost));
        for(index_t j = 0; j < n; ++j)
        {
            float sum = d_values[static_cast<std::size_t>(j)];
            for(index_t i = 0; i < k; ++i)
                sum += a_at(m, i) * b_values[static_cast<std::size_t>(i * n + j)];
            wrong += !(row[j] == sum);
        }
    }
    EXPECT_EQ(wrong, 0u);
}

#if !defined(CK_LANGUAGE_HIP)
TEST(GroupedGemm, MmaRowTimesColumnWithAsynchronousCopies)
{
    expect_right<Row,
                 Col,
                 half_t,
                 Without,
                 tuning_of(mma_f32_16x8x16_f16, 8, 8, 8, Pipeline::async_copies)>(5);
}
TEST(GroupedGemm, WgmmaColumnTimesRow)
{
    expect_right<Col,
                 Row,
                 half_t,
                 Without,
                 GemmTuning{.block_tile  = {64, 64, 64},
                            .wave_m      = 16,
                            .wave_n      = 64,
                            .instruction = wgmma_f32_16x8x16_f16,
                            .a_vector    = 8,
                            .b_vector    = 8,
                            .c_vector    = 8,
                            .pipeline    = Pipeline::async_copies,
                            .stages      = 3}>(14);
}
TEST(GroupedGemm, RefusesWhatDoesNotFitItsVectors)
{
    using L = List<Row,
                   Col,
                   half_t,
                   Without,
                   tuning_of(mma_f32_16x8x16_f16, 8, 8, 8, Pipeline::async_copies)>;
    CK_SKIP_WITHOUT(L::Op::Kernel::requirement, refusal<L>());
    L list({{8, 8, 8}, {8, 16, 8}}, 12);
    list.gemms[1].K_ = 4;
    EXPECT_EQ(list.op.WhyNotSupported(list.argument().get()),
              "GEMM 1: K is 4, not a multiple of 8, in the vectors of 8 elements in which this "
              "kernel accesses A");
}
#endif

} // namespace
} // namespace ck::test
