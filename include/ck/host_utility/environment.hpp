#pragma once
// Switches in the environment. With CK_LOGGING=1, launches describe themselves on standard output.
//
//   CK_DECLARE_ENV_VAR_BOOL(MY_SWITCH)               // in any file, at namespace scope
//   if(ck::EnvIsEnabled(CK_ENV(MY_SWITCH))) ...

#include <cctype>
#include <cstdlib>
#include <string>

namespace ck {

/// Whether the variable is 1, on, yes, true, enable or enabled, in upper or lower case.
inline bool environment_enables(const char* variable)
{
    const char* const text = std::getenv(variable);
    if(text == nullptr)
        return false;
    std::string value;
    for(const char* c = text; *c != '\0'; ++c)
        value += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    for(const char* yes : {"1", "on", "yes", "true", "enable", "enabled"})
        if(value == yes)
            return true;
    return false;
}

template <class Variable>
bool EnvIsEnabled(Variable)
{
    return environment_enables(Variable::name());
}

} // namespace ck

#define CK_DECLARE_ENV_VAR_BOOL(variable)                                                          \
    namespace ck::environment {                                                                    \
    struct variable                                                                                \
    {                                                                                              \
        static const char* name() { return #variable; }                                            \
    };                                                                                             \
    }
#define CK_ENV(variable)                                                                           \
    ck::environment::variable {}
