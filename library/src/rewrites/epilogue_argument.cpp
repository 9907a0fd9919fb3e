// Operations on the result as formulas.
#include "rewrites/epilogue_argument.hpp"

#include "rewrites/kernel_with_prologue.hpp"
#include "tensor_operation_instance/families.hpp"
#include <limits>
#include <optional>

namespace ck::tensor_operation::device::instance {

namespace {

/// An operation as a formula, and how many D tensors it has.
struct AsFormula
{
    ConvEpilogue operation{};
    std::array<float, 2> factor{1, 1};
    std::size_t d = 0;
};

/// Whether a kernel computes an epilogue with these parts.
template <bool residual, bool gelu, bool answer>
bool computes(const ConvKernel& kernel)
{
    return kernel.epilogue.have({true, residual, gelu}) == answer;
}

/// Empty if the operation is not such a formula.
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
        add(before, name == "AddRelu" ? nowhere : after);
    }
    else
        return std::nullopt;
    return f;
}

index_t operand_bytes(const std::string& type)
{
    const index_t bytes = epilogue_element_bytes(type);
    return bytes > 0 ? bytes : 1; // the other types have eight bits
}

} // namespace

Family without_operation(Family family)
{
    family.d           = "";
    family.operation_c = "PassThrough";
    return family;
}

KernelQuestion kernels_that_compute(const EpilogueParts& parts, bool do_compute)
{
    constexpr KernelQuestion answers[2][2][2]{
        // [residual][gelu][do_compute]
        {{computes<false, false, false>, computes<false, false, true>},
         {computes<false, true, false>, computes<false, true, true>}},
        {{computes<true, false, false>, computes<true, false, true>},
         {computes<true, true, false>, computes<true, true, true>}}};
    return answers[parts.residual][parts.gelu][do_compute];
}

bool has_epilogue_argument(const Family& family)
{
    if(family.operation_a != "PassThrough" || family.operation_b != "PassThrough" ||
       family.operation_c == "PassThrough" || epilogue_element_bytes(family.c) == 0)
        return false;
    bool is_like_c = false;
    for(const std::string& all : {std::string{}, family.c, family.c + ' ' + family.c})
        is_like_c = is_like_c || family.d == all;
    return is_like_c && !kernels_of(family).empty() &&
           !kernels_of(without_operation(family)).empty();
}

Role result_role(Direction direction)
{
    return direction == Direction::forward         ? Role::output
           : direction == Direction::backward_data ? Role::input
                                                   : Role::filter;
}

EpilogueArgument EpilogueArgument::of(const Family& family, const ConvArgument& argument)
{
    EpilogueArgument r;
    r.valid = check_argument(argument);
    if(!r.valid)
        return r;
    const auto formula = formula_of(family.operation_c, argument.operation_c);
    if(!formula)
    {
        r.valid = refused("no plain kernel computes " + family.operation_c);
        return r;
    }
    if(argument.d.size() != formula->d)
    {
        r.valid =
            refused("the argument has " + std::to_string(argument.d.size()) + " D tensors, but " +
                    family.operation_c + " reads " + std::to_string(formula->d));
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
    return r;
}

void EpilogueArgument::require_tensors() const
{
    if(element_count(launch.lengths) == 0)
        return;
    require_tensors_at({c});
    for(std::size_t i = 0; i < launch.d.size(); ++i)
        if(is_added(i) && launch.d[i].pointer == nullptr)
            throw std::runtime_error("the address of D" + std::to_string(i) + " is null");
}

/// Whether a launch may read and write them; the kernel does not see D.
Support EpilogueArgument::check_tensors(const Family& family, ConvArgument argument) const
{
    const index_t bytes   = epilogue_element_bytes(family.c);
    const auto misaligned = [&](const void* address) {
        return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) != 0;
    };
    argument.d.clear();
    if(const Support s = check_operands(family.direction,
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
        if(const Support s = ck::detail::addressable(name.c_str(), "GNCDHW", lengths, d.strides);
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

} // namespace ck::tensor_operation::device::instance
