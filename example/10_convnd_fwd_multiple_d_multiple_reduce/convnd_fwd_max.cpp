// Forward with a reduction: Y = X * W, and R = the largest channel of Y for each pixel, by the
// operation under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_d_multiple_r_xdl_cshuffle.hpp"
#include "ck/utility/reduction_operator.hpp"

#include "common/conv_example.hpp"

using namespace example;

struct ConvFwdMax : ConvExample<EXAMPLE_TYPE>
{
    using T   = EXAMPLE_TYPE;
    using Acc = std::conditional_t<sizeof(T) == 1, std::int32_t, float>;

    template <index_t... Is>
    using S = ck::Sequence<Is...>;

    // A workgroup of 256 computes 128 x 128 of Y (N Ho Wo x K), each wave 2 x 2 tiles of 32 x 32.
    template <index_t rank, index_t vector>
    using Xdl = device::DeviceGroupedConvFwdMultipleDMultipleR_Xdl_CShuffle<
        rank,
        typename Layouts<rank>::In,  // ALayout
        typename Layouts<rank>::Wei, // BLayout
        typename Layouts<rank>::Out, // DELayout
        std::tuple_element_t<rank - 1,
                             std::tuple<ck::tensor_layout::convolution::GNW,
                                        ck::tensor_layout::convolution::GNHW,
                                        ck::tensor_layout::convolution::GNDHW>>, // RLayout
        T,                                                                       // ADataType
        T,                                                                       // BDataType
        Acc,                                                                     // AccDataType
        Acc,                                                                     // CShuffleDataType
        ck::Tuple<>,                                                             // DsDataType
        T,                                                                       // EDataType
        Acc,                                               // ReduceAccDataType
        ck::Tuple<T>,                                      // RsDataType
        PassThrough,                                       // AElementwiseOperation
        PassThrough,                                       // BElementwiseOperation
        PassThrough,                                       // CDEElementwiseOperation
        ck::Tuple<PassThrough>,                            // QsElementwiseOperation
        ck::Tuple<PassThrough>,                            // RsElementwiseOperation
        ck::Tuple<ck::reduce::Max>,                        // ThreadReduceOperations
        void,                                              // RsGlobalMemoryDataOperation
        device::ConvolutionForwardSpecialization::Default, // ConvForwardSpecialization
        device::GemmSpecialization::MNKPadding,            // GemmSpec
        1,                                                 // NumGemmKPrefetchStage
        256,                                               // BlockSize
        128,                                               // MPerBlock
        128,                                               // NPerBlock
        64 / sizeof(T),                                    // KPerBlock
        16 / sizeof(T),                                    // AK1
        16 / sizeof(T),                                    // BK1
        32,                                                // MPerXDL
        32,                                                // NPerXDL
        2,                                                 // MXdlPerWave
        2,                                                 // NXdlPerWave
        S<4, 64, 1>, // ABlockTransferThreadClusterLengths_AK0_M_AK1
        S<1, 0, 2>,  // ABlockTransferThreadClusterArrangeOrder
        S<1, 0, 2>,  // ABlockTransferSrcAccessOrder
        2,           // ABlockTransferSrcVectorDim
        vector,      // ABlockTransferSrcScalarPerVector
        vector,      // ABlockTransferDstScalarPerVector_AK1
        1,           // ABlockLdsExtraM
        S<4, 64, 1>, // BBlockTransferThreadClusterLengths_BK0_N_BK1
        S<1, 0, 2>,  // BBlockTransferThreadClusterArrangeOrder
        S<1, 0, 2>,  // BBlockTransferSrcAccessOrder
        2,           // BBlockTransferSrcVectorDim
        vector,      // BBlockTransferSrcScalarPerVector
        vector,      // BBlockTransferDstScalarPerVector_BK1
        1,           // BBlockLdsExtraN
        1,           // CShuffleMXdlPerWavePerShuffle
        1,           // CShuffleNXdlPerWavePerShuffle
        S<64, 4>,    // CDRThreadTransferClusterLengths_MPerBlock_NPerBlock
        vector,      // CDEBlockTransferScalarPerVector_NPerBlock
        1>;          // RThreadTransferDstScalarPerVector_MPerBlock
    template <index_t rank>
    using Operations = std::tuple<Xdl<rank, 16 / sizeof(T)>, Xdl<rank, 1>>;

    /// R, packed, in the order G, N, spatial.
    template <index_t rank>
    struct Further
    {
        std::array<index_t, rank + 2> lengths, strides;
        DeviceMem r;

        explicit Further(const ConvParam& p)
        {
            lengths[0] = static_cast<index_t>(p.G_), lengths[1] = static_cast<index_t>(p.N_);
            std::copy_n(p.output_spatial_lengths_.begin(), rank, lengths.begin() + 2);
            index_t next = 1;
            for(std::size_t d = rank + 2; d-- > 0; next *= lengths[d])
                strides[d] = next;
            r.Realloc(sizeof(T) * static_cast<std::size_t>(next));
        }

        /// Whether R is exactly the largest channel of each pixel of the stored Y.
        bool verify(const Tensor<T>& y) const
        {
            std::vector<T> got(r.GetBufferSize() / sizeof(T)), expected(got.size());
            std::vector<bool> seen(got.size());
            r.FromDevice(got.data());
            y.ForEach([&](auto&, const std::vector<std::size_t>& i) {
                std::size_t at = 0;
                for(std::size_t d = 0; d < rank + 2; ++d)
                    at += i[d < 2 ? d : d + 1] * static_cast<std::size_t>(strides[d]);
                if(!seen[at] ||
                   ck::type_convert<double>(y(i)) > ck::type_convert<double>(expected[at]))
                    expected[at] = y(i);
                seen[at] = true;
            });
            return ck::utils::check_err(got, expected, "Error: R is wrong", 0, 0);
        }
    };

    struct Direction : Forward<ConvFwdMax>
    {
        template <index_t rank>
        static auto argument(auto& op, const ConvParam& p, const auto& t)
        {
            const Arguments<rank, 0> a(p, t.ds);
            return op.MakeArgumentPointer(t.in.pointer(),
                                          t.wei.pointer(),
                                          {},
                                          t.out.pointer(),
                                          {t.further.r.GetDeviceBuffer()},
                                          t.in.template lengths<rank>(),
                                          t.in.template strides<rank>(),
                                          t.wei.template lengths<rank>(),
                                          t.wei.template strides<rank>(),
                                          {},
                                          {},
                                          t.out.template lengths<rank>(),
                                          t.out.template strides<rank>(),
                                          t.further.lengths,
                                          t.further.strides,
                                          a.strides,
                                          a.dilations,
                                          a.left_pads,
                                          a.right_pads,
                                          {},
                                          {},
                                          {},
                                          {},
                                          {});
        }
    };

    static Defaults defaults()
    {
        const auto with_batch = [](index_t n) {
            return ConvParam(2, 1, n, 256, 192, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
        };
        return {with_batch(128), with_batch(2)};
    }
};

int main(int argc, char* argv[]) { return conv_main<ConvFwdMax>(argc, argv); }
