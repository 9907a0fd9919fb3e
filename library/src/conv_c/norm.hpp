#pragma once
// What the C interfaces of all norms, and of max pooling, share. A plan is a struct with the member
// `plan`; texts say what is wrong with a struct of another size. older: the sizes of a spec or of
// tensors in earlier versions of the header, whose fields are its first ones.
#include "conv_c/status.hpp"
#include <algorithm>
#include <initializer_list>

namespace ck::conv_c {

using Sizes = std::initializer_list<std::size_t>;

template <class Struct>
bool is_size_of(std::size_t size, Sizes older)
{
    return size == sizeof(Struct) || std::find(older.begin(), older.end(), size) != older.end();
}

/// The struct with all fields; those that an older caller's lacks are 0.
template <class Struct>
Struct whole(const Struct& given)
{
    Struct r{};
    std::memcpy(&r, &given, given.size);
    return r;
}

/// Sets the defaults that all specs have.
template <class Spec>
ck_conv_status init_spec(Spec* spec, std::size_t size, const char* wrong_size, Sizes older = {})
{
    if(spec == nullptr)
        return null_argument("the spec is null");
    if(!is_size_of<Spec>(size, older))
        return null_argument(wrong_size);
    std::memset(spec, 0, size);
    spec->size      = size;
    spec->type      = CK_CONV_F32;
    spec->alignment = 16;
    return CK_CONV_OK;
}

/// Sets the defaults that all norms have.
template <class Spec>
ck_conv_status
init_spec(Spec* spec, std::size_t size, double epsilon, const char* wrong_size, Sizes older = {})
{
    const ck_conv_status status = init_spec(spec, size, wrong_size, older);
    if(status == CK_CONV_OK)
        spec->epsilon = epsilon;
    return status;
}

/// cpp_spec(spec): in C++.
template <class Plan, class Spec, class CppSpec>
ck_conv_status create_plan(const Spec* spec,
                           Plan** plan,
                           const CppSpec& cpp_spec,
                           const char* wrong_size,
                           Sizes older = {})
{
    if(plan == nullptr)
        return null_argument("where the plan goes is null");
    *plan = nullptr;
    if(spec == nullptr)
        return null_argument("the spec is null");
    if(!is_size_of<Spec>(spec->size, older))
        return null_argument(wrong_size);
    return guarded([&] { *plan = new Plan{decltype(Plan::plan)(cpp_spec(whole(*spec)))}; });
}

template <class Plan>
ck_conv_status workspace_size(const Plan* plan, std::size_t* bytes)
{
    if(plan == nullptr || bytes == nullptr)
        return null_argument("the plan, or where its size goes, is null");
    *bytes = plan->plan.workspace_size();
    return CK_CONV_OK;
}

/// call(plan, tensors) in C++.
template <class Plan, class Tensors, class Call>
ck_conv_status run_plan(const Plan* plan,
                        const Tensors* tensors,
                        const Call& call,
                        const char* wrong_size,
                        Sizes older = {})
{
    if(plan == nullptr || tensors == nullptr)
        return null_argument("the plan or the tensors are null");
    if(!is_size_of<Tensors>(tensors->size, older))
        return null_argument(wrong_size);
    return guarded([&] { call(plan->plan, whole(*tensors)); });
}

/// The alignment of a spec, which is unsigned in C++.
template <class Spec>
std::size_t alignment_of(const Spec& spec, const char* name)
{
    if(spec.alignment < 0)
        throw Refused(std::string(name) + ": alignment is " + std::to_string(spec.alignment) +
                      ", but must be 1, 2, 4, 8 or 16");
    return static_cast<std::size_t>(spec.alignment);
}

} // namespace ck::conv_c
