#pragma once
// Grouped GEMM as one launch, on any engine. The tuning's matrix instruction selects the engine.
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/grouped_gemm_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/operation/type_string.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/operator_transform/matrix_product.hpp"
#include "ck/utility/reason.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ck::tensor_operation::device {

/// The operation of DeviceGroupedGemm (shapes: see there) with the tuning of a kernel. E is
/// row-major. The contiguous dimensions of A and B must be multiples of a_vector and b_vector, N of
/// c_vector, and so must the strides. B must be smaller than 2 GiB; the others may have any size.
///
/// Needs a workspace of GetWorkSpaceSize() bytes, aligned to 8, which the argument owns until the
/// launch has ended. Run copies the list of GEMMs to it.
template <typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          GemmTuning tuning>
struct DeviceGroupedGemmTuned : public DeviceGroupedGemm<ALayout,
                                                         BLayout,
                                                         DsLayout,
                                                         ELayout,
                                                         ADataType,
                                                         BDataType,
                                                         DsDataType,
                                                         EDataType,
                                                         AElementwiseOperation,
                                                         BElementwiseOperation,
                                                         CDEElementwiseOperation>
{
    using RowMajor = tensor_layout::gemm::RowMajor;
    static_assert(std::is_same_v<ELayout, RowMajor>, "E is row major");

    static constexpr bool a_along_k     = std::is_same_v<ALayout, RowMajor>;
    static constexpr bool b_along_k     = !std::is_same_v<BLayout, RowMajor>;
    static constexpr index_t NumDTensor = DsDataType::Size();

    using Transform = MatrixProduct<a_along_k, b_along_k>;
    static_assert(Accepted<grid::why_no_gemm<Transform>(tuning)>::value);

    using Gemm = grid::GridwiseConv<Transform,
                                    grid::GemmTypes<ADataType,
                                                    BDataType,
                                                    EDataType,
                                                    AElementwiseOperation,
                                                    BElementwiseOperation,
                                                    CDEElementwiseOperation,
                                                    DsDataType>,
                                    tuning>;
    static_assert(std::is_same_v<ADataType, typename Gemm::Gemm::InputA> &&
                      std::is_same_v<BDataType, typename Gemm::Gemm::InputB>,
                  "the tuning's matrix instruction multiplies other types than A's and B's");
    using GemmParams = typename Gemm::Params;
    using Kernel     = grid::GridwiseGroupedGemm<Gemm>;
    using DPointers  = std::array<const void*, static_cast<std::size_t>(NumDTensor)>;

    struct Argument : public BaseArgument
    {
        std::vector<const void*> a, b;
        std::vector<DPointers> ds;
        std::vector<void*> e;
        std::vector<GemmDesc> gemms;
        AElementwiseOperation operation_a;
        BElementwiseOperation operation_b;
        CDEElementwiseOperation operation_c;
        Support valid; // what is wrong with the vectors' lengths
    };

    struct Invoker : public BaseInvoker
    {
        float Run(const Argument& argument, const StreamConfig& config = StreamConfig{})
        {
            if(const Support s = supports(argument); !s)
                throw std::runtime_error(type_string() +
                                         " does not support this list: " + s.reason);
            return run(argument, config);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& config = StreamConfig{}) override
        {
            return Run(own_argument<Argument>(argument), config);
        }
    };

    static Argument MakeArgument(const std::vector<const void*>& p_a,
                                 const std::vector<const void*>& p_b,
                                 const std::vector<DPointers>& p_ds,
                                 const std::vector<void*>& p_e,
                                 const std::vector<GemmDesc>& gemm_desc,
                                 AElementwiseOperation a_op,
                                 BElementwiseOperation b_op,
                                 CDEElementwiseOperation cde_op)
    {
        Argument r{};
        r.a           = p_a;
        r.b           = p_b;
        r.ds          = p_ds;
        r.e           = p_e;
        r.gemms       = gemm_desc;
        r.operation_a = a_op;
        r.operation_b = b_op;
        r.operation_c = cde_op;
        if(NumDTensor == 0)
            r.ds.resize(gemm_desc.size());
        const auto expect = [&](const char* what, std::size_t given) {
            if(r.valid && given != gemm_desc.size())
                r.valid = refused(std::to_string(given) + " pointers of " + what + " for " +
                                  std::to_string(gemm_desc.size()) + " GEMMs");
        };
        expect("A", p_a.size());
        expect("B", p_b.size());
        expect("D", r.ds.size());
        expect("E", p_e.size());
        for(std::size_t i = 0; i < gemm_desc.size(); ++i)
            if(r.valid && gemm_desc[i].stride_Ds_.size() != static_cast<std::size_t>(NumDTensor))
                r.valid =
                    refused("GEMM " + std::to_string(i) + " has " +
                            std::to_string(gemm_desc[i].stride_Ds_.size()) +
                            " strides of D tensors, but there are " + std::to_string(NumDTensor));
        return r;
    }

    static Invoker MakeInvoker() { return {}; }

    /// Whether the argument can run on the current device; if not, why. Does not check the
    /// workspace.
    static Support supports(const Argument& a)
    {
        if(!a.valid)
            return a.valid;
        if(const Support s = check_device(tuning, current_target()); !s)
            return s;
        long_index_t blocks = 0;
        for(std::size_t i = 0; i < a.gemms.size(); ++i)
        {
            if(const Support s = check_gemm(a, i); !s)
                return refused("GEMM " + std::to_string(i) + ": " + s.reason);
            if(!is_empty(a.gemms[i]))
                blocks = math::saturating_sum(blocks, make_params(a, i).tiles.size());
        }
        if(blocks > std::numeric_limits<index_t>::max())
            return refused("the GEMMs have " + std::to_string(blocks) +
                           " tiles, but a launch has fewer than 2^31");
        return {};
    }
    static bool IsSupportedArgument(const Argument& a) { return static_cast<bool>(supports(a)); }
    bool IsSupportedArgument(const BaseArgument* a) override
    {
        return IsSupportedArgument(own_argument<Argument>(a));
    }
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return supports(own_argument<Argument>(a)).reason;
    }

    std::size_t GetWorkSpaceSize(const BaseArgument* a) const override
    {
        return own_argument<Argument>(a).gemms.size() * (sizeof(GemmParams) + sizeof(index_t));
    }

    std::unique_ptr<BaseArgument> MakeArgumentPointer(std::vector<const void*>& p_a,
                                                      std::vector<const void*>& p_b,
                                                      std::vector<DPointers>& p_ds,
                                                      std::vector<void*>& p_e,
                                                      std::vector<GemmDesc>& gemm_desc,
                                                      AElementwiseOperation a_op,
                                                      BElementwiseOperation b_op,
                                                      CDEElementwiseOperation cde_op) override
    {
        return std::unique_ptr<BaseArgument>(
            new Argument(MakeArgument(p_a, p_b, p_ds, p_e, gemm_desc, a_op, b_op, cde_op)));
    }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::unique_ptr<BaseInvoker>(new Invoker());
    }
    std::string GetTypeString() const override { return type_string(); }

private:
    static constexpr index_t a_bytes = static_cast<index_t>(sizeof(ADataType));
    static constexpr index_t b_bytes = static_cast<index_t>(sizeof(BDataType));
    static constexpr index_t e_bytes = static_cast<index_t>(sizeof(EDataType));

    static std::string type_string() { return "DeviceGroupedGemm_" + kernel_string(tuning); }

    static bool is_empty(const GemmDesc& g) { return g.M_ == 0 || g.N_ == 0; }

    /// A matrix in the form in which conv_support.hpp takes tensors: rows are dimension 1, their
    /// elements dimension 2.
    struct Matrix
    {
        TensorLengths lengths;
        TensorStrides strides;
    };
    static Matrix matrix(long_index_t lines, long_index_t length, long_index_t stride)
    {
        return {{1, lines, length, 1, 1, 1}, {0, stride, 1, 0, 0, 0}};
    }
    static Matrix a_matrix(const GemmDesc& g, long_index_t rows)
    {
        return a_along_k ? matrix(rows, g.K_, g.stride_A_) : matrix(g.K_, rows, g.stride_A_);
    }
    static Matrix b_matrix(const GemmDesc& g)
    {
        return b_along_k ? matrix(g.N_, g.K_, g.stride_B_) : matrix(g.K_, g.N_, g.stride_B_);
    }
    static Matrix e_matrix(const GemmDesc& g, long_index_t rows)
    {
        return matrix(rows, g.N_, g.stride_C_);
    }
    template <index_t i>
    static DArgument d_argument(const Argument& a, std::size_t gemm)
    {
        constexpr bool row_major  = std::is_same_v<tuple_element_t<i, DsLayout>, RowMajor>;
        const long_index_t stride = a.gemms[gemm].stride_Ds_[static_cast<std::size_t>(i)];
        return {a.ds[gemm][static_cast<std::size_t>(i)],
                {0, row_major ? stride : 1, row_major ? 1 : stride, 0, 0, 0}};
    }

    /// Whether 32-bit offsets reach the whole matrix.
    static Support check_reach(const char* name, const Matrix& m, index_t element)
    {
        const long_index_t reach = ck::detail::reach_in_bytes(m.lengths, m.strides, element);
        return reach <= ck::detail::index_limit
                   ? Support{}
                   : refused(std::string(name) + " spans " + std::to_string(reach) +
                             " bytes, but 32-bit offsets need less than 2^31");
    }

    /// Whether workgroups can compute `rows` rows in one part.
    static Support check_rows(const Argument& a, std::size_t i, long_index_t rows)
    {
        const GemmDesc& g = a.gemms[i];
        if(rows > ck::detail::row_limit)
            return refused("M is " + std::to_string(rows) + ", more than 2^30");
        if(const Support s = check_reach("A", a_matrix(g, rows), a_bytes); !s)
            return s;
        if(const Support s = check_reach("E", e_matrix(g, rows), e_bytes); !s)
            return s;
        Support d_support;
        unrolled<0, NumDTensor>([&](auto d) {
            using D                     = tuple_element_t<d.value, DsDataType>;
            const TensorLengths lengths = {1, rows, g.N_, 1, 1, 1};
            const DArgument argument    = d_argument<d.value>(a, i);
            const std::string name      = "D" + std::to_string(d.value);
            if(d_support)
                d_support = check_d(name, lengths, argument, tuning.c_vector, sizeof(D));
            if(d_support && most_d_images(lengths, argument, sizeof(D), rows) < rows)
                d_support = refused(name + " has " + std::to_string(rows) +
                                    " rows, more than 32-bit offsets reach");
        });
        return d_support;
    }

    /// Rows that one part of the launch computes: all, or as many tiles as 32-bit offsets reach.
    static index_t sub_batch_rows(const Argument& a, std::size_t i)
    {
        const index_t rows = a.gemms[i].M_, tile = tuning.block_tile.m;
        if(check_rows(a, i, rows))
            return rows;
        index_t low = 1, high = math::integer_divide_ceil(rows, tile); // in tiles; low holds
        while(low < high)
        {
            const index_t middle = low + (high - low + 1) / 2;
            if(check_rows(a, i, long_index_t{middle} * tile))
                low = middle;
            else
                high = middle - 1;
        }
        return low * tile;
    }

    static Support check_gemm(const Argument& a, std::size_t i)
    {
        const GemmDesc& g = a.gemms[i];
        for(const auto& [name, value] : {std::pair{"M", g.M_},
                                         {"N", g.N_},
                                         {"K", g.K_},
                                         {"the stride of A", g.stride_A_},
                                         {"the stride of B", g.stride_B_},
                                         {"the stride of E", g.stride_C_}})
            if(value < 0)
                return refused(std::string(name) + " is " + std::to_string(value) +
                               ", but must be at least 0");
        for(const index_t stride : g.stride_Ds_)
            if(stride < 0)
                return refused("a stride of D is " + std::to_string(stride) +
                               ", but must be at least 0");
        if(is_empty(g))
            return {};
        for(const auto& [name, value] : {std::pair{"N", g.N_}, {"K", g.K_}})
            if(value > ck::detail::row_limit)
                return refused(std::string(name) + " is " + std::to_string(value) +
                               ", but a launch takes at most 2^30");
        if(g.M_ > 1 && g.stride_C_ < g.N_)
            return refused("the stride of E is " + std::to_string(g.stride_C_) +
                           ", less than N = " + std::to_string(g.N_) + ": its rows overlap");
        const auto check = [](const char* name,
                              const char* dimension,
                              const Matrix& m,
                              index_t vector,
                              index_t bytes,
                              const void* pointer) {
            return check_vectors(name, dimension, m.lengths, m.strides, 2, vector, bytes, pointer);
        };
        for(const Support& s :
            {check("A", a_along_k ? "K" : "M", a_matrix(g, g.M_), tuning.a_vector, a_bytes, a.a[i]),
             check("B", b_along_k ? "K" : "N", b_matrix(g), tuning.b_vector, b_bytes, a.b[i]),
             check("E", "N", e_matrix(g, g.M_), tuning.c_vector, e_bytes, a.e[i]),
             check_reach("B", b_matrix(g), b_bytes),
             check_rows(a, i, std::min(g.M_, tuning.block_tile.m))})
            if(!s)
                return s;
        return {};
    }

    /// Requires a GEMM that is not empty and passes check_gemm().
    static GemmParams make_params(const Argument& a, std::size_t i)
    {
        const GemmDesc& g  = a.gemms[i];
        const index_t rows = sub_batch_rows(a, i);
        GemmParams r{};
        r.a              = static_cast<const ADataType*>(a.a[i]);
        r.b              = static_cast<const BDataType*>(a.b[i]);
        r.c              = static_cast<EDataType*>(a.e[i]);
        r.operation_a    = a.operation_a;
        r.operation_b    = a.operation_b;
        r.operation_c    = a.operation_c;
        r.transform      = {rows, g.N_, g.K_, g.stride_A_, g.stride_B_, g.stride_C_};
        r.tiles          = {make_divisor(math::integer_divide_ceil(g.N_, tuning.block_tile.n)),
                            make_divisor(1),
                            make_divisor(math::integer_divide_ceil(rows, tuning.block_tile.m)),
                            make_divisor(1),
                            make_divisor(1),
                            static_cast<index_t>(
                       math::integer_divide_ceil(long_index_t{g.M_}, long_index_t{rows}))};
        r.a_distance     = {0, a_along_k ? long_index_t{rows} * g.stride_A_ : rows};
        r.c_distance     = {0, long_index_t{rows} * g.stride_C_};
        r.batch          = g.M_;
        r.sub_batch_size = rows;
        unrolled<0, NumDTensor>([&](auto d) {
            const DArgument argument = d_argument<d.value>(a, i);
            grid::DTensor& tensor    = r.d[d.value];
            tensor                   = {argument.pointer, 0, argument.strides[1] * rows, {}};
            tensor.stride[0]         = static_cast<index_t>(argument.strides[1]);
            tensor.stride[4]         = static_cast<index_t>(argument.strides[2]);
        });
        return r;
    }

    static float run(const Argument& a, const StreamConfig& config)
    {
        std::vector<GemmParams> gemms;
        std::vector<index_t> first_block;
        long_index_t blocks = 0;
        for(std::size_t i = 0; i < a.gemms.size(); ++i)
            if(!is_empty(a.gemms[i]))
            {
                gemms.push_back(make_params(a, i));
                first_block.push_back(static_cast<index_t>(blocks));
                blocks += gemms.back().tiles.size();
            }
        if(gemms.empty())
            return 0;
        const auto address = reinterpret_cast<std::uintptr_t>(a.p_workspace_);
        if(a.p_workspace_ == nullptr || address % alignof(GemmParams) != 0)
            throw std::runtime_error(type_string() +
                                     (a.p_workspace_ == nullptr
                                          ? " has no workspace: SetWorkSpacePointer() gives it one"
                                          : " has a workspace that is not aligned to 8 bytes"));
        const std::size_t bytes = gemms.size() * sizeof(GemmParams);
        auto* const at          = static_cast<char*>(a.p_workspace_);
        const auto copy         = [&](void* to, const auto& from) {
            HIP_CHECK_ERROR(hipMemcpyAsync(to,
                                           from.data(),
                                           from.size() * sizeof(from[0]),
                                           hipMemcpyHostToDevice,
                                           config.stream_id_));
        };
        // The source is pageable memory, so the copies have read the vectors when the calls return.
        copy(at, gemms);
        copy(at + bytes, first_block);
        return launch_and_time_kernel<Kernel>(config,
                                              static_cast<index_t>(blocks),
                                              {reinterpret_cast<const GemmParams*>(at),
                                               reinterpret_cast<const index_t*>(at + bytes),
                                               static_cast<index_t>(gemms.size())});
    }
};

} // namespace ck::tensor_operation::device
