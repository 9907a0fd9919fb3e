#pragma once
// A static_assert that says a computed sentence, which its own message, a literal, cannot.
#include "ck/utility/host_device.hpp"

namespace ck {

#if defined(__clang__) && !defined(CK_LANGUAGE_CUDA)
/// Ends clang's constant expressions, because it is not constexpr.
inline void end_constant_expression() {}
#else
constexpr void end_constant_expression() {}
#endif

/// What a why_not() returns, as a template argument. g++ 12 prints it as a string, nvcc character
/// by character. Clang would print ten characters' numbers: there a sentence is no constant, and
/// the note that says so quotes the call with its argument, all of it.
struct Reason
{
    char text[256] = {}; ///< ends with a zero; of a longer sentence, the beginning

    constexpr Reason(const char* sentence)
    {
        if(sentence == nullptr)
            return;
        for(int i = 0; i < 255 && sentence[i] != '\0'; ++i)
            text[i] = sentence[i];
        end_constant_expression();
    }
};

/// static_assert(Accepted<why_not(...)>::value) holds if there is no reason why not.
template <Reason reason>
struct Accepted
{
    static constexpr bool value = reason.text[0] == '\0';
    static_assert(value, "the sentence in ck::Reason says what is wrong");
};

} // namespace ck
