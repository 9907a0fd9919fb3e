#!/usr/bin/env python3
"""Fails where headers.py fails, where a client that includes one header lacks a name that it expects there, and where the
first error of a compiler that is set to C++17 is not the sentence about C++20.

Environment: as for headers.py.
"""
import concurrent.futures
import os
import re
import subprocess

import habit
import headers

ELEMENT = "ck/tensor_operation/gpu/element/"
DEVICE = "ck/tensor_operation/gpu/device/"
FACTORY = "ck/library/tensor_operation_instance/gpu/"
LIBRARY = "ck/library/utility/"
IMPL = DEVICE + "impl/"
UTILITY = "ck/host_utility/"
REFERENCE = "ck/library/reference_tensor_operation/cpu/"

ELEMENT_OPS = """EW::PassThrough EW::Scale EW::Bilinear EW::ScaleAdd EW::Add EW::AddRelu EW::ScaleAddScaleAddRelu
    EW::ConvScale EW::ConvScaleAdd EW::ConvScaleRelu EW::ConvInvscale EW::Relu EW::ScaleScalePass EW::ScaleScaleRelu""".split()
# Names of 2025 and 2026.
NEWER_OPS = """EW::AddClamp{0.f,6.f} EW::BiasNormalizeInInferClamp{0.f,6.f,1e-5f} EW::DynamicUnaryOp{EW::Elu{2.f}}
    EW::Normalize{1e-4} EW::NormalizeInInfer{1e-4} EW::Mul_Activation_Mul_Clamp<EW::Relu>{1.f,1.f,{}} EW::ACos EW::ACosH
    EW::ASin EW::ASinH EW::ATan EW::ATanH EW::Ceil EW::Cos EW::CosH EW::Exp EW::Floor EW::Log EW::Neg EW::Rcp EW::Sin
    EW::SinH EW::Tan""".split()
CORE = """ck::index_t ck::long_index_t ck::half_t ck::bhalf_t ck::f8_t ck::bf8_t ck::f8_fnuz_t ck::bf8_fnuz_t
    ck::f8_ocp_t ck::bf8_ocp_t""".split()
SEQUENCES = ["ck::Sequence<1, 2>", "ck::Number<3>"]
TYPES = ["ck::remove_cvref_t<const int&>", "ck::conditional_t<true, int, char>", "ck::is_same_v<int, int>"]
LAYOUTS = [f"CT::{tag}" for tag in """GKZYXC NDHWGC NDHWGK GKYXC NHWGC NHWGK GNHWC GNHWK GNDHWC GNDHWK GKXC GNWC GNWK G_K KYXC
    KZYXC NDHWC NDHWK NHWC NHWK KXC NGCHW NGKHW NWC NWK GKCZYX GNCDHW GNKDHW NGCDHW NGCW NGKDHW NWGC NWGK""".split()]
BASE = ["DEV::BaseArgument", "DEV::BaseInvoker", "DEV::BaseOperator", "StreamConfig{nullptr, true}",
        *(f"DEV::BaseOperator{{}}.{name}()" for name in (
            "GetInstanceString", "GetObjectName", "GetTemplateInfo"))]
STANDARD = ["std::array<int, 2>{}", "std::vector<int>{}", "std::unique_ptr<int>{}", "std::string{}"]
RUNTIME = ["hipMalloc(static_cast<void**>(nullptr), 0)", "hipFree(nullptr)", "hipStream_t{}"]
WORDS = ["ClientOp"]  # a client's functor with __host__ and __device__
RANGES = ["ck::ranges::copy(std::array<int, 1>{}, static_cast<int*>(nullptr))"]
CHECK = ["ck::utils::check_err(std::vector<float>{}, std::vector<float>{})"]
PARAMETER = ["ck::accumulate_n<int>(static_cast<int*>(nullptr), 0, 0, std::plus<>{})", "ck::utils::conv::ConvParam", "ck::utils::conv::get_conv_param_parser_helper_msg()",
             "ck::utils::conv::parse_conv_param(2, 1, nullptr)"]
PACKED = [f"ck::utils::conv::make_{name}_packed<CT::{tag}>(ck::utils::conv::ConvParam{{}})" for name, tag in (
    ("input_host_tensor_descriptor_g_n_c_wis", "NHWGC"), ("weight_host_tensor_descriptor_g_k_c_xs", "GKYXC"),
    ("output_host_tensor_descriptor_g_n_k_wos", "NHWGK"))]
HOST_TENSOR = ["Tensor<float>", "HostTensorDescriptor", "ck::tensor_layout::BypassLayoutVerification",
               "HostTensorDescriptor(std::vector<int>{}, std::vector<int>{}, ck::tensor_layout::gemm::RowMajor{})"]
# The reference that multiplies in another type.
COMPUTED = ["ck::tensor_operation::host::ReferenceConvFwd<2, float, float, float, ClientOp, ClientOp, ClientOp, 0, 0, 0, "
            f"ck::tf32_t>{end}" for end in ("{}", "::MakeInvoker()", "::MakeArgument(Tensor<float>({1}), Tensor<float>({1}), "
                                            "std::declval<Tensor<float>&>(), {}, {}, {}, {}, {}, {}, {})")]
FAMILY = ["ck::is_gfx11_supported()", "ck::is_gfx12_supported()", "ck::is_xdl_supported()"]
KEY = BASE + STANDARD + ELEMENT_OPS + LAYOUTS + CORE + ["ck::Tuple<int>"]


def key(operation, *arguments):
    """The interface of an operation: float, no element-wise operation."""
    return f"DEV::{operation}<2, {', '.join(arguments)}, EW::PassThrough, EW::PassThrough, EW::PassThrough>"


def bare(name):
    """The same for a header that need not bring layouts and element-wise operations."""
    return re.sub(r"\b(CT|EW)::\w+", "int", name)


FLOATS = ["float"] * 3
FORWARD_KEY = ["CT::NHWGC", "CT::GKYXC", "ck::Tuple<>", "CT::NHWGK", "float", "float", "ck::Tuple<>", "float"]
FORWARD = key("DeviceGroupedConvFwdMultipleABD", *FORWARD_KEY)
DATA = key("DeviceGroupedConvBwdDataMultipleD",
           "CT::NHWGK", "CT::GKYXC", "ck::Tuple<>", "CT::NHWGC", "float", "float", "ck::Tuple<>", "float")
WEIGHT = key("DeviceGroupedConvBwdWeight", "CT::NHWGC", "CT::GKYXC", "CT::NHWGK", *FLOATS)
WEIGHT_D = key("DeviceGroupedConvBwdWeightMultipleD",
               "CT::NHWGC", "CT::GKYXC", "CT::NHWGK", "ck::Tuple<>", *FLOATS, "ck::Tuple<>")


def called(operation, tensors, d_lists, split_k, make="MakeArgumentPointer"):
    """MakeArgumentPointer with sizes of 32 and of 64 bits. d_lists: where among the sizes the lists of D's are. split_k:
    what may stand at the end."""
    def call(size, end):
        many, few = f"std::array<ck::{size}, 5>{{}}", f"std::array<ck::{size}, 2>{{}}"
        sizes = [many] * 6
        sizes[d_lists:d_lists] = ["{}", "{}"] if d_lists else []
        arguments = [*tensors, *sizes, *[few] * 4, *["EW::PassThrough{}"] * 3, *end]
        return f"std::declval<{operation}&>().{make}({', '.join(arguments)})"
    return [call(size, end) for size in ("index_t", "long_index_t") for end in split_k]


POINTERS = ["nullptr"] * 3
TAKES = {
    "fwd_multiple_abd": (["nullptr", "nullptr", "{}", "nullptr"], 4, [[]]),
    "bwd_data_multiple_d": (["nullptr", "nullptr", "{}", "nullptr"], 4, [[], ["-1"]]),
    "bwd_weight": (POINTERS, 0, [["-1"]]),
    "bwd_weight_multiple_d": ([*POINTERS, "{}"], 6, [["-1"]]),
}
CALLED = {kind: called(interface, *TAKES[kind]) for kind, interface in zip(TAKES, (FORWARD, DATA, WEIGHT, WEIGHT_D))}

LAYOUT_SETS = """NWGC_GKXC_NWGK GNWC_GKXC_GNWK NGCW_GKXC_NGKW NHWGC_GKYXC_NHWGK GNHWC_GKYXC_GNHWK NGCHW_GKYXC_NGKHW
    NDHWGC_GKZYXC_NDHWGK GNDHWC_GKZYXC_GNDHWK NGCDHW_GKZYXC_NGKDHW NSpatialGC_GKSpatial_NSpatialGK
    GNSpatialC_GKSpatial_GNSpatialK NGCSpatial_GKSpatial_NGKSpatial""".split()
SETS = [f"std::bool_constant<DEV::is_{name}<CT::NHWGC, CT::GKYXC, CT::NHWGK>()>" for name in LAYOUT_SETS]
KERNEL = "static_cast<void (*)(int)>(nullptr)"


def with_reductions():
    """Forward whose result is reduced, by position, and a call of MakeArgument."""
    halves, shuffle = ", ".join(["ck::half_t"] * 2), "1, 1, ck::Sequence<16, 4>, 4, 1"
    along_k = "ck::Sequence<4, 16, 1>, ck::Sequence<1, 0, 2>, ck::Sequence<1, 0, 2>, 2, 8, 8, 1"
    plain, one = ", ".join(["EW::PassThrough"] * 3), "ck::Tuple<EW::PassThrough>"
    operation = ("DEV::DeviceGroupedConvFwdMultipleDMultipleR_Xdl_CShuffle<2, CT::NHWGC, CT::GKYXC, CT::NHWGK, CT::NHWG, "
                 f"{halves}, float, float, ck::Tuple<>, ck::half_t, float, ck::Tuple<float>, {plain}, {one}, {one}, "
                 "ck::Tuple<ck::reduce::Max>, ck::InMemoryDataOperationEnumSequence<ck::InMemoryDataOperationEnum::AtomicMax>, "
                 "DEV::ConvolutionForwardSpecialization::Default, DEV::GemmSpecialization::MNKPadding, "
                 f"1, 64, 32, 32, 32, 8, 8, 32, 32, 1, 1, {along_k}, {along_k}, {shuffle}>")
    arrays = {length: f"std::array<ck::index_t, {length}>{{}}" for length in (2, 4, 5)}
    arguments = ["nullptr", "nullptr", "{}", "nullptr", "{}", *[arrays[5]] * 4, "{}", "{}", *[arrays[5]] * 2, *[arrays[4]] * 2,
                 *[arrays[2]] * 4, *["EW::PassThrough{}"] * 3, f"{one}{{}}", f"{one}{{}}"]
    return operation, [f"std::declval<{operation}&>().MakeArgument({', '.join(arguments)})"]


def as_clients_do(operation, arguments):
    """The calls of a client of an operation by position. arguments: calls of MakeArgument."""
    return [operation, f"{operation}{{}}.GetTypeString()", f"({arguments[0]}.Print(), 0)",
            f"{operation}{{}}.MakeInvoker().Run({arguments[0]}, StreamConfig{{nullptr, true}})",
            *(f"{operation}{{}}.IsSupportedArgument({argument})" for argument in arguments)]


def positional():
    """Operations by position of 2025 and 2026, those in two stages, with D tensors or with reductions, and one that
    Composable Kernel had without a base: header, operation and calls."""
    halves, v3 = ", ".join(["ck::half_t"] * 3), "ck::BlockGemmPipelineScheduler::Intrawave, ck::BlockGemmPipelineVersion::v1"
    plain = ", ".join(["EW::PassThrough"] * 3)
    seven = "ck::Sequence<4, 16, 1>, ck::Sequence<2, 0, 1>, ck::Sequence<1, 0, 2>, 1, 2, 4, false"
    along_k = "ck::Sequence<4, 16, 1>, ck::Sequence<1, 0, 2>, ck::Sequence<1, 0, 2>, 2, 8, 8, 1"
    along_n = "ck::Sequence<4, 16, 1>, ck::Sequence<0, 2, 1>, ck::Sequence<0, 2, 1>, 1, 4, 8, 1"
    shuffle = "1, 1, ck::Sequence<1, 16, 1, 4>, 2"
    xdl, wmma = "32, 32, 1, 1", "16, 16, 1, 1"
    weight = f"2, CT::NHWGC, CT::GKYXC, CT::NHWGK, {halves}, float, {plain}, DEV::ConvolutionBackwardWeightSpecialization::Default"
    of_d = (f"2, CT::NHWGC, CT::GKYXC, CT::NHWGK, ck::Tuple<>, {halves}, float, ck::Tuple<>, {plain}, "
            "DEV::ConvolutionBackwardWeightSpecialization::Default")
    explicit = f"2, CT::NHWGC, CT::GKYXC, CT::NHWGK, {halves}, {plain}, int"
    two = "ck::half_t, ck::half_t, float, ck::half_t, ck::Tuple<>, ck::half_t"
    forward = (f"2, CT::NHWGC, CT::GKYXC, ck::Tuple<>, CT::NHWGK, {two}, {plain}, "
               "DEV::ConvolutionForwardSpecialization::Default, DEV::GemmSpecialization::MNKPadding")
    data = (f"2, CT::NHWGK, CT::GKYXC, ck::Tuple<>, CT::NHWGC, {two}, {plain}, "
            "DEV::ConvolutionBackwardDataSpecialization::Default, true, true")
    ends = f"{seven}, {seven}, {shuffle}"
    slices = "ck::Sequence<1, 4, 16, 1>, ck::Sequence<0, 3, 1, 2>, ck::Sequence<0, 2, 1, 3>, 2, 4, 4, true"
    k_ends, kn_ends = f"{along_k}, {along_k}, {shuffle}", f"{along_k}, {along_n}, {shuffle}"
    rows = {
        "grouped_conv_bwd_weight_xdl_cshuffle_v3":
            f"GroupedConvBwdWeight_Xdl_CShuffleV3<{weight}, 64, 32, 32, 32, 8, {xdl}, {ends}, {v3}>",
        "grouped_conv_bwd_weight_xdl_waveletmodel_cshuffle_v3":
            f"GroupedConvBwdWeight_Xdl_WaveletModel_CShuffleV3<{weight}, 2, 64, 64, 32, 32, 32, 8, {xdl}, {ends}, "
            "ck::half_t, ck::half_t, 2>",
        "grouped_conv_bwd_weight_wmma_cshuffle_v3":
            f"GroupedConvBwdWeight_Wmma_CShuffleV3<{weight}, 32, 16, 16, 32, 8, {wmma}, {ends}, {v3}>",
        "grouped_conv_bwd_weight_two_stage_wmma_cshuffle_v3":
            f"GroupedConvBwdWeightTwoStage_Wmma_CShuffleV3<{weight}, 32, 16, 16, 32, 8, {wmma}, {ends}, {v3}, 4>",
        "grouped_conv_bwd_weight_two_stage_xdl_cshuffle":
            f"GroupedConvBwdWeightTwoStage_Xdl_CShuffle<{weight}, 64, 32, 32, 32, 8, {xdl}, {ends}, {v3}, 4>",
        "grouped_conv_bwd_weight_multiple_d_xdl_cshuffle":
            f"GroupedConvBwdWeightMultipleD_Xdl_CShuffle<{of_d}, 64, 32, 32, 4, 8, {xdl}, {slices}, {slices}, {shuffle}>",
        "grouped_conv_bwd_weight_multiple_d_wmma_cshuffle_v3":
            f"GroupedConvBwdWeightMultipleD_Wmma_CShuffleV3<{of_d}, 32, 16, 16, 32, 8, {wmma}, {ends}, {v3}>",
        "grouped_conv_bwd_weight_explicit": f"GroupedConvBwdWeight_Explicit<{explicit}>",
        "grouped_conv_bwd_weight_explicit_xdl": f"GroupedConvBwdWeight_Explicit_Xdl<{explicit}>",
        "grouped_conv_fwd_multiple_abd_wmma_cshuffle_v3":
            f"GroupedConvFwdMultipleABD_Wmma_CShuffle_V3<{forward}, 32, 16, 16, 32, 8, 8, {wmma}, {k_ends}, {v3}>",
        "grouped_conv_fwd_multiple_abd_xdl_waveletmodel_cshuffle_v3":
            f"GroupedConvFwdMultipleABD_Xdl_WaveletModel_CShuffleV3<{forward}, 1, 64, 64, 32, 32, 32, 8, 8, {xdl}, {k_ends}, "
            "ck::half_t, ck::half_t, 8>",
        "grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v3":
            f"GroupedConvBwdDataMultipleD_Xdl_CShuffleV3<{data}, 64, 32, 32, 32, 8, 8, {xdl}, {kn_ends}, {v3}>",
        "grouped_conv_bwd_data_multiple_d_wmma_cshuffle_v3":
            f"GroupedConvBwdDataMultipleD_Wmma_CShuffle_V3<{data}, 32, 16, 16, 32, 8, 8, {wmma}, {kn_ends}, {v3}>",
        "conv2d_backward_weight_xdl_c_shuffle_nhwc_kyxc_nhwk":
            "Conv2dBwdWeightXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<"
            f"{halves}, float, {plain}, 64, 32, 32, 4, 8, {xdl}, {ends}>",
    }
    operations = {header: (f"DEV::Device{operation}", called(f"DEV::Device{operation}", *TAKES[max(
        (kind for kind in TAKES if kind in header), key=len, default="bwd_weight")], make="MakeArgument"))
                  for header, operation in rows.items()}
    operations["grouped_conv_fwd_multiple_d_multiple_r_xdl_cshuffle"] = with_reductions()
    return {f"{IMPL}device_{header}.hpp": as_clients_do(*calls) for header, calls in operations.items()}


def fused(operation, d_count):
    """Forward with an operation on the result and D tensors like it."""
    layouts, types = (", ".join([name] * d_count) for name in ("CT::NHWGK", "float"))
    return (f"DEV::DeviceGroupedConvFwdMultipleABD<2, CT::NHWGC, CT::GKYXC, ck::Tuple<{layouts}>, CT::NHWGK, float, float, "
            f"ck::Tuple<{types}>, float, EW::PassThrough, EW::PassThrough, EW::{operation}, float, float>")


FACTORIES = {
    **{fused(operation, d_count): ["grouped_convolution_forward_" + suffix] for operation, d_count, suffix in (
        ("Clamp", 0, "clamp"), ("AddClamp", 1, "bias_clamp"), ("BiasNormalizeInInferClamp", 5, "bias_bnorm_clamp"),
        ("DynamicUnaryOp", 0, "dynamic_op"))},
    FORWARD: ["grouped_convolution_forward" + suffix for suffix in (
        "", "_bilinear", "_scale", "_scaleadd_ab", "_scaleadd_scaleadd_relu", "_convscale", "_convscale_relu",
        "_convscale_add", "_convinvscale")],
    DATA: ["grouped_convolution_backward_data" + suffix for suffix in ("", "_bilinear", "_scale")],
    WEIGHT: ["grouped_convolution_backward_weight"],
    WEIGHT_D: ["grouped_convolution_backward_weight" + suffix for suffix in ("_bilinear", "_scale")],
    key("DeviceConvFwd", "CT::NHWC", "CT::KYXC", "CT::NHWK", *FLOATS): ["convolution_forward"],
    key("DeviceConvBwdData", "CT::NHWC", "CT::KYXC", "CT::NHWK", *FLOATS): ["convolution_backward_data"],
}
# Names of DEV::instance: any factory's.
SHORT = """F64 F32 F16 BF16 I8 I32 Empty_Tuple F16_Tuple F16_F16_Tuple BF16_Tuple BF16_BF16_Tuple F32_Tuple F32_F32_Tuple
    F64_Tuple I32_Tuple I32_F32_Tuple I8_Tuple GK_Tuple GK_GK_Tuple Row Col Row_Tuple Row_Row_Tuple NWC NHWC NDHWC KXC
    KYXC KZYXC NWK NHWK NDHWK GNWC GNHWC GNDHWC GKXC GKYXC GKZYXC GNWK GNHWK GNDHWK NGKW NGKHW NGKDHW NWGC NHWGC NDHWGC
    KXGC KYXGC KZYXGC NWGK NHWGK NDHWGK NGCW NGCHW NGCDHW GKCX GKCYX GKCZYX GNCW GNCHW GNCDHW GNKW GNKHW GNKDHW G_K
    PassThrough AddAddFastGelu AddFastGelu MultiplyAddFastGelu AddRelu AddSilu AddReluAdd FastGelu MultiplyFastGelu
    AddMultiply MultiplyAdd MultiplyMultiply ScaleAdd Gelu Swish Add Multiply Relu TanH""".split()

# Types and expressions, by header.
EXPECTED = {
    "ck/ck.hpp": RUNTIME + CORE + STANDARD + WORDS + [
        "ck::InMemoryDataOperationEnum::Set",
        "ck::InMemoryDataOperationEnumSequence<ck::InMemoryDataOperationEnum::AtomicAdd>", "std::multiplies<int>{}", "std::numeric_limits<int>::max()", "std::tuple<int>{}",
        "std::accumulate(static_cast<int*>(nullptr), static_cast<int*>(nullptr), 0)", "std::setw(3)"],
    DEVICE + "tensor_layout.hpp": LAYOUTS + ["ck::tensor_layout::BaseTensorLayout", "ck::tensor_layout::BypassLayoutVerification",
        "CT::BaseConvolutionLayout", "ck::tensor_layout::gemm::BaseGemmLayout", "ck::tensor_layout::gemm::RowMajor"],
    ELEMENT + "element_wise_operation.hpp": ELEMENT_OPS + NEWER_OPS + CORE + SEQUENCES + WORDS + [
        "ck::type_convert<float>(ck::half_t{})", "ck::math::max(1, 2)", "EW::UnaryConvert", "EW::UnaryAbs"],
    "ck/utility/data_type.hpp": CORE + SEQUENCES + WORDS + TYPES + ["ck::NumericLimits<float>::Max()"],
    "ck/utility/tuple.hpp": ["ck::Tuple<int>", "ck::make_tuple(1)", "ck::tuple_element_t<0, ck::Tuple<int>>"],
    "ck/utility/type.hpp": TYPES + ["ck::bit_cast<int>(1.f)"],
    "ck/utility/type_convert.hpp": ["ck::type_convert<float>(ck::half_t{})", "ck::f8_convert_rne<ck::f8_t>(1.f)",
                                    "ck::f8_convert_sr<ck::bf8_t>(1.f)"],
    "ck/utility/common_header.hpp": CORE + SEQUENCES + TYPES + ["ck::Tuple<int>", "ck::math::max(1, 2)"],
    "ck/utility/magic_division.hpp": ["ck::MagicDivision::CalculateMagicNumbers(3)",
                                      "ck::MagicDivision::DoMagicDivision(1u, 2u, 3u)"],
    "ck/utility/math_v2.hpp": ["ck::math::abs(-1.f)", "ck::math::isnan(1.f)", "ck::math::max(1, 2)", "ck::math::sqrt(1.f)"],
    "ck/host_utility/device_prop.hpp": FAMILY + ["ck::get_device_name()", "ck::is_lds_direct_load_supported()"],
    "ck/host_utility/hip_check_error.hpp": ["(hip_check_error(hipSuccess), 0)"],
    DEVICE + "device_base.hpp": BASE + ["std::unique_ptr<int>{}", "std::string{}"] + WORDS,
    **{DEVICE + f"device_grouped_conv_{name}.hpp": BASE + [bare(call) for call in calls] for name, calls in CALLED.items()},
    DEVICE + "device_grouped_conv_fwd_multiple_d.hpp": BASE + [bare(key("DeviceGroupedConvFwdMultipleD", *FORWARD_KEY))],
    DEVICE + "convolution_forward_specialization.hpp": [
        "DEV::ConvolutionForwardSpecialization::Default", "std::string{}",
        "DEV::getConvForwardSpecializationString(DEV::ConvolutionForwardSpecialization::Filter3x3)"],
    DEVICE + "convolution_backward_data_specialization.hpp": [
        "DEV::ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0", "std::string{}"],
    DEVICE + "convolution_backward_weight_specialization.hpp": [
        "DEV::ConvolutionBackwardWeightSpecialization::OddC", "std::string{}",
        "DEV::getConvBackwardWeightSpecializationString(DEV::ConvolutionBackwardWeightSpecialization::Filter3x3)"],
    DEVICE + "gemm_specialization.hpp": ["DEV::GemmSpecialization::MNKPadding"],
    DEVICE + "device_conv_fwd_bias_activation.hpp": BASE + CORE + STANDARD + WORDS + [
        "EW::PassThrough", "EW::AddRelu",
        "DEV::DeviceConvFwdBiasActivationPtr<EW::PassThrough, EW::PassThrough, EW::AddRelu>"],
    DEVICE + "device_conv_fwd_bias_activation_add.hpp": BASE + CORE + [
        "DEV::DeviceConvFwdBiasActivationAddPtr<EW::PassThrough, EW::PassThrough, EW::AddReluAdd>"],
    LIBRARY + "algorithm.hpp": RANGES + ["(ck::ranges::fill<float>(*static_cast<std::array<float, 1>*>(nullptr), 1.f), 0)"],
    LIBRARY + "host_tensor.hpp": HOST_TENSOR + RANGES + [
        "joinable_thread", "LogRangeAsType<float>(std::cout, std::vector<float>{}, \",\")", "ck::type_convert<float>(1)"],
    LIBRARY + "host_tensor_generator.hpp": ["GeneratorTensor_1<float>", "GeneratorTensor_2<ck::half_t>",
                                            "GeneratorTensor_3<float>", "GeneratorTensor_Sequential<0>"],
    LIBRARY + "check_err.hpp": CHECK + ["ck::remove_cvref_t<const int&>", "std::setw(3)", "std::numeric_limits<int>::max()",
                                        "std::cout << std::vector<int>{}"],
    LIBRARY + "convolution_parameter.hpp": PARAMETER,
    LIBRARY + "convolution_host_tensor_descriptor_helper.hpp": PARAMETER + PACKED + HOST_TENSOR + LAYOUTS,
    LIBRARY + "device_memory.hpp": RUNTIME + ["DeviceMem"],
    LIBRARY + "fill.hpp": ["ck::utils::FillConstant<float>", "ck::utils::FillMonotonicSeq<float>",
                           "ck::utils::FillUniformDistribution<float>"],
    **{REFERENCE + f"reference_conv_{name}.hpp": PARAMETER + PACKED + HOST_TENSOR + RANGES + CHECK + BASE + [
        f"ck::tensor_operation::host::ReferenceConv{cls}<2, float, float, float, int, int, int>",
        *(WORDS + COMPUTED if cls == "Fwd" else [])]
       for name, cls in (("fwd", "Fwd"), ("bwd_data", "BwdData"), ("bwd_weight", "BwdWeight"))},
    LIBRARY + "conv_common.hpp": PARAMETER + PACKED + HOST_TENSOR,
    LIBRARY + "host_common_util.hpp": [
        '(ck::host_common::dumpBufferToFile("file", static_cast<float*>(nullptr), 0), 0)'],
    "ck/library/reference_tensor_operation/gpu/naive_conv_fwd.hpp": [
        f"static_cast<void (*)(const float*, const float*, float*, {', '.join(['int'] * 21)})>("
        "ck::ref::naive_conv_fwd_ndhwc_kzyxc_ndhwk<float, float, float, float, int, int, int>)"],
    UTILITY + "flush_cache.hpp": [
        f"launch_and_time_kernel(StreamConfig{{}}, {KERNEL}, 1, 64, 0, 3)",
        f"launch_and_time_kernel_with_preprocess(StreamConfig{{}}, [] {{}}, {KERNEL}, 1, 64, 0, 3)"],
    UTILITY + "stream_utility.hpp": ["getAvailableComputeUnitCount(StreamConfig{})"],
    IMPL + "device_grouped_conv_utils.hpp": SETS,
    REFERENCE + "reference_grouped_conv_bwd_weight.hpp": [
        "ck::tensor_operation::host::ReferenceConvBwdWeight<2, float, float, float, int, int, int>"],
    # Paths as documents list them, from the root of the tree.
    "include/ck/tensor_operation/gpu/grid/gridwise_gemm_implicit_gemm_v1r2_xdlops_nchw_kcyx_nkhw.hpp": [
        "ck::grid::GridwiseConv<int, int, ck::GemmTuning{}>*"],
    "library/reference_tensor_operation/cpu/reference_grouped_conv_bwd_weight.hpp": [
        "ck::tensor_operation::host::ReferenceConvBwdWeight<2, float, float, float, int, int, int>"],
    **{DEVICE + f"impl/device_grouped_conv_{name}_cshuffle{version}.hpp": ELEMENT_OPS + ["EW::MultiplyMultiply"]
       for name, version in (("fwd_multiple_abd_xdl", ""), ("fwd_multiple_abd_xdl", "_v3"), ("bwd_data_multiple_d_xdl", "_v1"),
                             ("bwd_weight_xdl", ""))},
    **{DEVICE + f"impl/device_grouped_conv_{name}_wmma_cshuffle.hpp": FAMILY + WORDS
       for name in ("bwd_weight", "bwd_data_multiple_d", "fwd_multiple_d")},
    **positional(),
    **{FACTORY + name + ".hpp": BASE + STANDARD + ELEMENT_OPS + LAYOUTS + CORE + WORDS + [
        operation, f"DEV::instance::DeviceOperationInstanceFactory<{operation}>::GetInstances()",
        *(f"DEV::instance::{short}" for short in SHORT if operation == FORWARD)]
       for operation, names in FACTORIES.items() for name in names},
}
NAMESPACES = {"EW": "ck::tensor_operation::element_wise", "DEV": "ck::tensor_operation::device",
              "CT": "ck::tensor_layout::convolution"}
FUNCTOR = ("struct ClientOp { __host__ __device__ constexpr int operator()(int x) const { return x; } "
           "template <class Y, class X> __host__ __device__ constexpr void operator()(Y& y, const X& x) const { y = x; } };")


def client(header, names):
    """What a client of the header expects, a line each, and what is wrong if it does not compile."""
    said = [re.sub(r"\b(EW|DEV|CT)::", lambda short: NAMESPACES[short[1]] + "::", name) for name in names]
    return [((FUNCTOR if name == WORDS[0] else "") + f"static_assert(sizeof({full}) > 0);", f"{header}: {name} is missing")
            for name, full in zip(names, said)]


def not_told_of_the_language(command, header):
    """C++17 with any header: what is the first thing to be said?"""
    old = ["-std=c++17" if word == "-std=c++20" else word for word in command]
    run = subprocess.run([*old, "-Wfatal-errors", "-fsyntax-only", "-"], input=f'#include "{header}"\n',
                         capture_output=True, text=True)
    said = headers.first_error(run.stderr)
    return [f"{header}: as C++17 its first error is: {said}"] if run.returncode and "C++20" not in said else []


def check(root):
    there = headers.headers(root)
    expected = EXPECTED if (root / "include/ck/ck.hpp").exists() else \
        {name: ["int", "Told"] for name in there}
    found = headers.check(root, lambda header: client(header, expected.get(header, [])), [h for h in expected if h not in there])
    command = [*headers.compiler(root), f"-I{root}"]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CK_JOBS", os.cpu_count()))) as pool:
        for findings in pool.map(lambda header: not_told_of_the_language(command, header), expected):
            found += findings
    return found


TOLD = "#pragma once\n#if __cplusplus < 202002L\n#error \"C++20, please\"\n#endif\n"
GOOD = {"include/ck/a.hpp": TOLD + "struct Told {};\n", "include/ck/b.hpp": TOLD + '#include "ck/a.hpp"\n'}
BAD = {
    "error": ({"include/ck/b.hpp": TOLD + "error\n"}, "ck/b.hpp"),
    "name": ({"include/ck/c.hpp": TOLD}, "ck/c.hpp: Told is missing"),
    "name of the first": ({"include/ck/a.hpp": TOLD, "include/ck/b.hpp": TOLD + '#include "ck/a.hpp"\nstruct Told {};\n'},
                          "ck/a.hpp: Told is missing"),
    "C++17 ends elsewhere": ({"include/ck/b.hpp": "#pragma once\nconsteval int b() { return 0; }\n"}, "ck/b.hpp: as C++17"),
}

if __name__ == "__main__":
    habit.main(check, GOOD, BAD)
