// What a matrix instruction's mnemonic says.
#include "matrix.hpp"

#include "handlers.hpp"
#include <cctype>

namespace emu {

namespace {

bool read_number(std::string_view& text, int& number)
{
    const size_t before = text.size();
    for(number = 0; !text.empty() && isdigit(static_cast<unsigned char>(text[0]));
        text.remove_prefix(1))
        number = number * 10 + (text[0] - '0');
    return text.size() != before;
}

bool read_type(std::string_view& text, int& type)
{
    struct Name
    {
        std::string_view text;
        MatrixType type;
    };
    constexpr Name names[] = {{"f16", type_f16},
                              {"bf16", type_bf16},
                              {"f32", type_f32},
                              {"xf32", type_xf32},
                              {"fp8", type_fp8},
                              {"bf8", type_bf8},
                              {"i8", type_i8},
                              {"f64", type_f64},
                              {"iu8", type_iu8},
                              {"iu4", type_iu4},
                              {"f8f6f4", type_f8f6f4}};
    for(const Name& name : names)
        if(take(text, name.text))
        {
            type = name.type;
            return true;
        }
    return false;
}

bool read_result(std::string_view& text, int& result)
{
    struct Name
    {
        std::string_view text;
        MatrixResult result;
    };
    constexpr Name names[] = {{"f32_", result_f32},
                              {"i32_", result_i32},
                              {"f64_", result_f64},
                              {"f16_", result_f16},
                              {"bf16_", result_bf16}};
    for(const Name& name : names)
        if(take(text, name.text))
        {
            result = name.result;
            return true;
        }
    return false;
}

} // namespace

bool read_matrix_name(std::string_view name, MatrixForm& form)
{
    if(!read_result(name, form.d) || !read_number(name, form.m) || !take(name, "x") ||
       !read_number(name, form.n) || !take(name, "x") || !read_number(name, form.k))
        return false;
    take(name, "_");
    int blocks            = 0; // 32x32x4_2b_f16; the operands say it, too
    std::string_view rest = name;
    if(read_number(rest, blocks) && take(rest, "b_"))
        name = rest;
    if(!read_type(name, form.a))
        return false;
    form.b = form.a;
    if(!take(name, "_1k") && take(name, "_") && !read_type(name, form.b))
        return false;
    return name.empty();
}

} // namespace emu
