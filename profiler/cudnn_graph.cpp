// Builds graphs of one convolution, or of one and a conversion; engines, knobs, plans.
#include "cudnn_graph.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace ck::profiler {

namespace {

constexpr std::int64_t id_of_x = 1, id_of_w = 2, id_of_y = 3, id_of_sum = 4;
constexpr std::int64_t alignment = 16; ///< in bytes; device memory is aligned to 256

/// Plans tried in each heuristic mode: some are compiled when they are made, which takes seconds.
constexpr std::int64_t most_plans = 8;

/// How the sums are converted to the result.
struct Variant
{
    const char* suffix;
    cudnnDataType_t compute;
    /// If set, the convolution's result has this type and is not stored, and a second operation
    /// converts it.
    std::optional<cudnnDataType_t> sum{};
};

std::vector<Variant> variants(const CudnnProblem& p)
{
    const cudnnDataType_t result = p.direction == Direction::forward         ? p.y.type
                                   : p.direction == Direction::backward_data ? p.x.type
                                                                             : p.w.type;
    switch(result)
    {
    case CUDNN_DATA_INT8:
        return {{"", CUDNN_DATA_INT32},
                {", int32 sums converted", CUDNN_DATA_INT32, CUDNN_DATA_INT32},
                {", float sums converted", CUDNN_DATA_INT32, CUDNN_DATA_FLOAT}};
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
        return {{"", CUDNN_DATA_FLOAT},
                {", float sums converted", CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT},
                {", fast sums", CUDNN_DATA_FAST_FLOAT_FOR_FP8},
                {", fast sums converted", CUDNN_DATA_FAST_FLOAT_FOR_FP8, CUDNN_DATA_FLOAT}};
    default:
        return {{"", p.compute}};
    }
}

/// The names of a direction's attributes.
struct OperationNames
{
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t convolution, x, w, y, alpha, beta;
};

const OperationNames& names_of(Direction direction)
{
    static constexpr OperationNames forward{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    static constexpr OperationNames backward_data{
        CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    static constexpr OperationNames backward_weight{
        CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
    return direction == Direction::forward         ? forward
           : direction == Direction::backward_data ? backward_data
                                                   : backward_weight;
}

CudnnDescriptor tensor(const CudnnTensor& t, cudnnDataType_t type, std::int64_t id, bool in_memory)
{
    CudnnDescriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
    d.set(CUDNN_ATTR_TENSOR_DIMENSIONS, t.lengths);
    d.set(CUDNN_ATTR_TENSOR_STRIDES, t.strides);
    d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment);
    d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, !in_memory);
    d.finalize();
    return d;
}

CudnnDescriptor convolution(const CudnnProblem& p, cudnnDataType_t compute)
{
    CudnnDescriptor d(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, compute);
    d.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
    d.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<std::int64_t>(p.rank()));
    d.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, p.dilation);
    d.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, p.stride);
    d.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, p.pad_low);
    d.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, p.pad_high);
    d.finalize();
    return d;
}

/// The graph's descriptor is the last one; before it are those that it refers to.
std::vector<CudnnDescriptor>
make_graph(const CudnnHandle& handle, const CudnnProblem& p, const Variant& variant)
{
    const OperationNames& n                   = names_of(p.direction);
    const CudnnTensor* const tensors[]        = {&p.x, &p.w, &p.y};
    const std::size_t result                  = p.direction == Direction::forward         ? 2
                                                : p.direction == Direction::backward_data ? 0
                                                                                          : 1;
    const cudnnBackendAttributeName_t names[] = {n.x, n.w, n.y};
    const std::int64_t ids[]                  = {id_of_x, id_of_w, id_of_y};
    std::vector<CudnnDescriptor> parts, operations;
    parts.push_back(convolution(p, variant.compute));
    CudnnDescriptor operation(n.type);
    operation.set(n.convolution, parts.back());
    for(std::size_t i = 0; i < 3; ++i)
    {
        const bool converted = i == result && variant.sum;
        parts.push_back(tensor(*tensors[i],
                               converted ? *variant.sum : tensors[i]->type,
                               converted ? id_of_sum : ids[i],
                               !converted));
        operation.set(names[i], parts.back());
    }
    if(p.compute == CUDNN_DATA_DOUBLE)
    {
        operation.set(n.alpha, 1.);
        operation.set(n.beta, 0.);
    }
    else
    {
        operation.set(n.alpha, 1.f);
        operation.set(n.beta, 0.f);
    }
    operation.finalize();
    operations.push_back(std::move(operation));
    if(variant.sum)
    {
        const std::size_t sum = 1 + result; // index in the parts
        CudnnDescriptor identity(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
        identity.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_IDENTITY);
        identity.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
        identity.finalize();
        parts.push_back(std::move(identity));
        parts.push_back(tensor(*tensors[result], tensors[result]->type, ids[result], true));
        CudnnDescriptor convert(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
        convert.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, parts[parts.size() - 2]);
        convert.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, parts[sum]);
        convert.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, parts.back());
        convert.finalize();
        operations.push_back(std::move(convert));
    }
    CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle.get());
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
    graph.finalize();
    for(CudnnDescriptor& o : operations)
        parts.push_back(std::move(o));
    parts.push_back(std::move(graph));
    return parts;
}

/// What the heuristics of one mode propose, best first.
std::vector<CudnnDescriptor> configurations(const CudnnDescriptor& graph,
                                            cudnnBackendHeurMode_t mode)
{
    CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    heuristics.finalize();
    return heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                          CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                          std::min(most_plans, heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS)));
}

template <class Note>
bool has(const std::vector<Note>& notes, Note note)
{
    return std::find(notes.begin(), notes.end(), note) != notes.end();
}

/// Why an engine is not used; empty if it computes the problem.
std::string unwanted(const CudnnDescriptor& engine, const CudnnProblem& p)
{
    const auto behavior = engine.get<cudnnBackendBehaviorNote_t>(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                                                                 CUDNN_BEHAVIOR_NOTE_TYPE_COUNT);
    if(has(behavior, CUDNN_BEHAVIOR_NOTE_REQUIRES_FILTER_INT8x32_REORDER) ||
       has(behavior, CUDNN_BEHAVIOR_NOTE_REQUIRES_BIAS_INT8x32_REORDER))
        return "wants the filter in another order";
    if(p.x.type == CUDNN_DATA_FLOAT && !p.tf32)
    {
        const auto numerical = engine.get<cudnnBackendNumericalNote_t>(
            CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
        if(has(numerical, CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
           has(numerical, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))
            return "multiplies floats as tf32";
    }
    return "";
}

const char* name(cudnnBackendKnobType_t knob)
{
    static const struct
    {
        cudnnBackendKnobType_t knob;
        const char* name;
    } names[] = {{CUDNN_KNOB_TYPE_SPLIT_K, "split_k"},
                 {CUDNN_KNOB_TYPE_SWIZZLE, "swizzle"},
                 {CUDNN_KNOB_TYPE_TILE_SIZE, "tile_size"},
                 {CUDNN_KNOB_TYPE_EDGE, "edge"},
                 {CUDNN_KNOB_TYPE_MULTIPLY, "multiply"},
                 {CUDNN_KNOB_TYPE_SPLIT_K_BUF, "split_k_buf"},
                 {CUDNN_KNOB_TYPE_TILEK, "tile_k"},
                 {CUDNN_KNOB_TYPE_STAGES, "stages"},
                 {CUDNN_KNOB_TYPE_REDUCTION_MODE, "reduction_mode"},
                 {CUDNN_KNOB_TYPE_SPLIT_K_SLC, "split_k_slices"},
                 {CUDNN_KNOB_TYPE_IDX_MODE, "index_mode"},
                 {CUDNN_KNOB_TYPE_SPECFILT, "special_filter"},
                 {CUDNN_KNOB_TYPE_KERNEL_CFG, "kernel"},
                 {CUDNN_KNOB_TYPE_WORKSPACE, "workspace"},
                 {CUDNN_KNOB_TYPE_TILE_CGA_M, "cluster_m"},
                 {CUDNN_KNOB_TYPE_TILE_CGA_N, "cluster_n"},
                 {CUDNN_KNOB_TYPE_BLOCK_SIZE, "block_size"},
                 {CUDNN_KNOB_TYPE_OCCUPANCY, "occupancy"},
                 {CUDNN_KNOB_TYPE_SPLIT_COLS, "split_columns"},
                 {CUDNN_KNOB_TYPE_TILE_ROWS, "tile_rows"},
                 {CUDNN_KNOB_TYPE_TILE_COLS, "tile_columns"},
                 {CUDNN_KNOB_TYPE_LOAD_SIZE, "load_size"},
                 {CUDNN_KNOB_TYPE_STREAM_K, "stream_k"}};
    for(const auto& n : names)
        if(n.knob == knob)
            return n.name;
    return nullptr;
}

std::string name(const CudnnDescriptor& configuration, const CudnnDescriptor& engine)
{
    std::string text =
        "graph: engine " + std::to_string(engine.get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
    for(const CudnnDescriptor& choice : configuration.get(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                          CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                                                          CUDNN_KNOB_TYPE_COUNTS))
    {
        const auto knob = choice.get<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE);
        text += std::string(", ") +
                (name(knob) != nullptr ? name(knob) : "knob_" + std::to_string(knob)) + " " +
                std::to_string(choice.get<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
    }
    return text;
}

} // namespace

CudnnGraph::CudnnGraph(const CudnnHandle& handle, const CudnnProblem& p, std::size_t most_workspace)
{
    std::set<std::string> names;    // several modes propose the same one
    std::set<std::string> refusals; // why there is no plan
    const auto or_note = [&](const auto& f) {
        try
        {
            f();
        }
        catch(const std::runtime_error& e)
        {
            refusals.insert(e.what());
        }
    };
    const auto add = [&](CudnnDescriptor& configuration, const Variant& variant) {
        std::vector<CudnnDescriptor> engine =
            configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
        if(engine.empty())
            throw std::runtime_error("a configuration has no engine");
        const std::string plan_name = name(configuration, engine[0]) + variant.suffix;
        if(!names.insert(plan_name).second)
            return;
        if(const std::string why = unwanted(engine[0], p); !why.empty())
            throw std::runtime_error(plan_name + " " + why);
        CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle.get());
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
        plan.finalize();
        const auto workspace = static_cast<std::size_t>(
            plan.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
        if(workspace > most_workspace)
            throw std::runtime_error(plan_name + " asks for a workspace of " +
                                     std::to_string(workspace) + " bytes");
        plans_.push_back({plan_name, workspace, std::move(configuration), std::move(plan)});
    };
    const auto add_all =
        [&](const CudnnDescriptor& graph, const Variant& variant, cudnnBackendHeurMode_t mode) {
            std::vector<CudnnDescriptor> all;
            or_note([&] { all = configurations(graph, mode); });
            for(CudnnDescriptor& configuration : all)
                or_note([&] { add(configuration, variant); });
        };
    for(const Variant& variant : variants(p))
        or_note([&] {
            graphs_.push_back(make_graph(handle, p, variant));
            const CudnnDescriptor& graph = graphs_.back().back();
            const std::size_t before     = plans_.size();
            add_all(graph, variant, CUDNN_HEUR_MODE_A);
            add_all(graph, variant, CUDNN_HEUR_MODE_B);
            for(const cudnnBackendHeurMode_t mode :
                {CUDNN_HEUR_MODE_INSTANT, CUDNN_HEUR_MODE_FALLBACK})
                if(plans_.size() == before)
                    add_all(graph, variant, mode);
        });
    if(!plans_.empty())
        return;
    std::string why       = "no plan of the graph API";
    const char* separator = ": ";
    for(const std::string& refusal : refusals)
    {
        why += separator + refusal;
        separator = "; ";
    }
    throw std::runtime_error(why);
}

void CudnnGraph::launch(const CudnnHandle& handle,
                        const Plan& plan,
                        const ConvTensors& tensors,
                        void* workspace) const
{
    CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
             std::vector<std::int64_t>{id_of_x, id_of_w, id_of_y});
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
             std::vector<void*>{tensors.x, tensors.w, tensors.y});
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
    pack.finalize();
    CK_CUDNN(cudnnBackendExecute(handle.get(), plan.plan.get(), pack.get()));
}

} // namespace ck::profiler
