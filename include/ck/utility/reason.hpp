#pragma once
// A static_assert with a computed message; C++20 only allows a literal.
#include "ck/utility/host_device.hpp"

namespace ck {

#if defined(__clang__) && !defined(CK_LANGUAGE_CUDA)
/// Ends clang's constant evaluation, because it is not constexpr.
inline void end_constant_expression() {}
#else
constexpr void end_constant_expression() {}
#endif

/// The result of a why_not() as a template argument. g++ 12 prints it as a string, nvcc character
/// by character. Clang would print the numbers of ten characters; there, the text is not a
/// constant, and the note that says so quotes the whole call with its argument.
struct Reason
{
    char text[256] = {}; ///< null-terminated; only the start of a long text

    constexpr Reason(const char* sentence)
    {
        if(sentence == nullptr)
            return;
        for(int i = 0; i < 255 && sentence[i] != '\0'; ++i)
            text[i] = sentence[i];
        end_constant_expression();
    }
};

/// static_assert(Accepted<why_not(...)>::value) holds if the reason is empty.
template <Reason reason>
struct Accepted
{
    static constexpr bool value = reason.text[0] == '\0';
    static_assert(value, "the sentence in ck::Reason says what is wrong");
};

} // namespace ck
