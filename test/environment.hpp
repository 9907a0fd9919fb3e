#pragma once

// Environment variables for a scope.

#include <cstdlib>
#include <optional>
#include <string>

namespace ck::test {

/// Sets an environment variable, or unsets it (`std::nullopt`), until its scope ends. What it was
/// before comes back then.
class EnvironmentVariable
{
public:
    EnvironmentVariable(const char* name, const std::optional<std::string>& value) : name_{name}
    {
        if(const char* const before = std::getenv(name))
            before_ = before;
        set(value);
    }
    ~EnvironmentVariable() { set(before_); }
    EnvironmentVariable(const EnvironmentVariable&)            = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

private:
    void set(const std::optional<std::string>& value) const
    {
        value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
    }

    const char* name_;
    std::optional<std::string> before_;
};

} // namespace ck::test
