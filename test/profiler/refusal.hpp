#pragma once
// What a call refuses, as text.
#include "request.hpp"
#include <string>

namespace ck::test {

/// The sentence of the WrongArgument that f throws; else that there was none.
template <class F>
std::string refusal_of(const F& f)
{
    try
    {
        f();
    }
    catch(const profiler::WrongArgument& e)
    {
        return e.what();
    }
    return "nothing was refused";
}

} // namespace ck::test
