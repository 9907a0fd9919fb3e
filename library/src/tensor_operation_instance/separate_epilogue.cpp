// Kernels whose epilogue is a launch of its own: the kernel stores plain sums, and an element-wise
// launch applies scale, bias, residual and activation. It moves the result twice more, but families
// without an operation have all rows of the tables, and kernels that those with one lack.
//
// In place where every D tensor repeats along some dimension, as a bias does. One with the result's
// strides may be the result's own elements (beta, a residual in place): then sums go to the
// workspace, which moves as many bytes.
//
// Sums are rounded to the result's type before the operation. Of f32 and f64 that changes nothing:
// they are added up in that type. Of f16 and bf16 the result is off by u |scale sum| L more than
// the half unit in the last place that rounding once is, where u is 2^-11 or 2^-8, and L the
// largest slope of the activation: 1, of silu 1.1, of gelu 1.13. Without a D tensor, scale, silu
// and gelu nothing changes either: rounding keeps order. A scale of f16 is refused: sums may be
// infinite that are not when scaled. For the same reason a sum beyond 65504 stays infinite whatever
// is added, as where a framework adds it. Eight-bit types have no such kernels: sums would be
// saturated before.
#include "tensor_operation_instance/separate_epilogue.hpp"

#include "tensor_operation_instance/families.hpp"
#include "tensor_operation_instance/kernel_behind.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"
#include "tensor_operation_instance/separate_epilogue_launches.hpp"
#include <algorithm>
#include <limits>
#include <optional>

namespace ck::tensor_operation::device::instance {

namespace {

/// The most bytes of sums in the workspace.
constexpr std::size_t most_bytes = std::size_t{4} << 30;

const PassThrough pass_through{};

/// An operation as a formula, and how many D tensors it has.
struct AsFormula
{
    ConvEpilogue operation{};
    std::array<float, 2> factor{1, 1};
    std::size_t d = 0;
};

/// Nothing for those that are none.
std::optional<AsFormula> formula_of(const std::string& name, const void* operation)
{
    using enum ConvEpilogue::Place;
    AsFormula f;
    const auto relu = [&] {
        f.operation.activation = ConvEpilogue::Activation::clamp;
        f.operation.most       = std::numeric_limits<float>::infinity();
    };
    const auto add = [&](ConvEpilogue::Place place1,
                         ConvEpilogue::Place place2 = ConvEpilogue::Place::nowhere) {
        f.operation.place1 = place1;
        f.operation.place2 = place2;
        f.d                = place2 == nowhere ? 1 : 2;
    };
    if(name == "ConvEpilogue")
    {
        f.operation = *static_cast<const ConvEpilogue*>(operation);
        f.d         = 2;
    }
    else if(name == "Scale")
        f.operation.scale = static_cast<const Scale*>(operation)->scale_;
    else if(name == "Bilinear")
    {
        const auto& of    = *static_cast<const Bilinear*>(operation);
        f.operation.scale = of.alpha_;
        f.factor[0]       = of.beta_;
        add(before);
    }
    else if(name == "ScaleAddScaleAddRelu")
    {
        const auto& of    = *static_cast<const ScaleAddScaleAddRelu*>(operation);
        f.operation.scale = of.alpha1_;
        f.factor[0]       = of.alpha2_;
        relu();
        add(before, before);
    }
    else if(name == "AddRelu" || name == "AddReluAdd")
    {
        relu();
        add(before, name == "AddRelu" ? nowhere : behind);
    }
    else
        return std::nullopt;
    return f;
}

/// The same operands without an operation.
Family plain(Family family)
{
    family.d           = "";
    family.operation_c = "PassThrough";
    return family;
}

/// Whether there may be such kernels, by the family alone.
bool is_for(const Family& family)
{
    if(family.operation_a != "PassThrough" || family.operation_b != "PassThrough" ||
       family.operation_c == "PassThrough" || epilogue_element_bytes(family.c) == 0)
        return false;
    bool is_like_c = false;
    for(const std::string& all : {std::string{}, family.c, family.c + ' ' + family.c})
        is_like_c = is_like_c || family.d == all;
    return is_like_c && !kernels_of(family).empty() && !kernels_of(plain(family)).empty();
}

Role result_role(Direction direction)
{
    return direction == Direction::forward         ? Role::output
           : direction == Direction::backward_data ? Role::input
                                                   : Role::filter;
}

index_t operand_bytes(const std::string& type)
{
    const index_t bytes = epilogue_element_bytes(type);
    return bytes > 0 ? bytes : 1; // the other types have eight bits
}

/// The sums of an argument, and what is done to them.
struct SeparateEpilogue
{
    static constexpr const char* wants_workspace =
        "sums are stored in it, since what is added to them may be the result itself";

    Support valid;
    EpilogueLaunch launch{};
    void* c          = nullptr; ///< the result
    std::size_t sums = 0;       ///< bytes of the sums in the workspace; 0: they are in the result
    ConvArgument inner{};

    std::size_t bytes() const { return sums; }
    void require_tensors() const
    {
        if(element_count(launch.lengths) == 0)
            return;
        require_tensors_at({c});
        for(std::size_t i = 0; i < launch.d.size(); ++i)
            if(is_added(i) && launch.d[i].pointer == nullptr)
                throw std::runtime_error("the address of D" + std::to_string(i) + " is null");
    }
    static float before(const StreamConfig&) { return 0; }
    float behind(const StreamConfig& config) const
    {
        return apply_epilogue(launch, inner.c, c, config);
    }
    double predicted() const { return predicted_epilogue(launch, inner.c, c); }
    bool changes_in_place() const { return sums == 0; }

    static SeparateEpilogue of(const Family& family, const ConvArgument& argument)
    {
        SeparateEpilogue r;
        r.valid = check_argument(argument);
        if(!r.valid)
            return r;
        const auto formula = formula_of(family.operation_c, argument.operation_c);
        if(!formula)
        {
            r.valid = refused("a separate epilogue does not compute " + family.operation_c);
            return r;
        }
        if(argument.d.size() != formula->d)
        {
            r.valid = refused("the argument has " + std::to_string(argument.d.size()) +
                              " D tensors, but " + family.operation_c + " reads " +
                              std::to_string(formula->d));
            return r;
        }
        if(family.c == type_name<half_t> && formula->operation.scale != 1)
        {
            r.valid = refused("the scale is " + std::to_string(formula->operation.scale) +
                              ", but sums of f16 that are stored before they are scaled may be "
                              "infinite or 0: a separate epilogue of f16 has a scale of 1");
            return r;
        }
        const Role role      = result_role(family.direction);
        const ConvProblem& p = argument.problem;
        r.launch             = {family.c,
                                lengths_of(p, role),
                                strides_of(p, role),
                                strides_of(p, role),
                                formula->operation,
                                formula->factor,
                                {}};
        for(std::size_t i = 0; i < argument.d.size(); ++i)
            r.launch.d[i] = argument.d[i];
        r.c     = argument.c;
        r.valid = r.check_tensors(family, argument);
        if(!r.valid)
            return r;
        r.inner             = argument;
        r.inner.operation_c = &pass_through;
        r.inner.d.clear();
        if(r.may_read_result())
            r.store_in_workspace(argument, role);
        return r;
    }

private:
    bool is_added(std::size_t i) const
    {
        const auto& operation = launch.operation;
        return (i == 0 ? operation.place1 : operation.place2) != ConvEpilogue::Place::nowhere;
    }

    /// Whether a D tensor may be the result's own elements.
    bool may_read_result() const
    {
        for(std::size_t i = 0; i < launch.d.size(); ++i)
            if(is_added(i) && is_like_result(launch, launch.d[i]))
                return true;
        return false;
    }

    /// Whether the launch may read and write them; the kernel sees the others, and not D.
    Support check_tensors(const Family& family, ConvArgument argument) const
    {
        const index_t bytes   = epilogue_element_bytes(family.c);
        const auto misaligned = [&](const void* address) {
            return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) !=
                   0;
        };
        argument.d.clear();
        if(const Support s =
               check_operands(family.direction,
                              argument,
                              std::max(operand_bytes(family.a), operand_bytes(family.b)),
                              bytes);
           !s)
            return s;
        if(misaligned(c))
            return misaligned_element("C", static_cast<std::size_t>(bytes));
        const TensorMemory written{"C", c, launch.lengths, launch.result, bytes};
        for(std::size_t i = 0; i < launch.d.size(); ++i)
        {
            if(!is_added(i))
                continue;
            const std::string name      = "D" + std::to_string(i);
            const DArgument& d          = launch.d[i];
            const TensorLengths lengths = lengths_of_d(launch.lengths, d);
            if(const Support s =
                   ck::detail::addressable(name.c_str(), "GNCDHW", lengths, d.strides);
               !s)
                return s;
            if(misaligned(d.pointer))
                return misaligned_element(name.c_str(), static_cast<std::size_t>(bytes));
            const TensorMemory read{name.c_str(), d.pointer, lengths, d.strides, bytes};
            if(in_place(written, read))
                continue;
            if(const Support s = check_apart(written, read); !s)
                return s;
        }
        return {};
    }

    void store_in_workspace(const ConvArgument& argument, Role role)
    {
        launch.sum       = packed_in_order(launch.lengths, launch.result);
        const auto count = static_cast<std::size_t>(element_count(launch.lengths));
        const auto bytes = static_cast<std::size_t>(epilogue_element_bytes(launch.type));
        if(count > most_bytes / bytes)
        {
            valid =
                refused("there are " + std::to_string(count) + " sums of " + std::to_string(bytes) +
                        " bytes, but 4 GiB of workspace at most are taken for them");
            return;
        }
        sums                                       = (count * bytes + 127) / 128 * 128;
        ConvProblem& p                             = inner.problem;
        (role == Role::output  ? p.output_strides
         : role == Role::input ? p.input_strides
                               : p.filter_strides) = launch.sum;
        inner.c                                    = in_workspace(argument, 0);
        inner.workspace                            = in_workspace(argument, sums);
    }
};

} // namespace

std::vector<std::span<const ConvKernel>> separate_epilogue(const Family& family,
                                                           const ConvArgument& argument)
{
    if(!is_for(family))
        return {};
    const SeparateEpilogue made = SeparateEpilogue::of(family, argument);
    if(!made.valid)
        return {};
    const KernelSpans inner = kernel_spans_for(plain(family), made.inner);
    std::vector<std::span<const ConvKernel>> r;
    for(const auto& spans : {inner.own, inner.on_copies})
        for(const std::span<const ConvKernel> kernels : spans)
            r.push_back(kernels_behind<SeparateEpilogue>(
                family, kernels, "SeparateEpilogue<", [](const ConvKernel&) { return true; }));
    return r;
}

} // namespace ck::tensor_operation::device::instance
