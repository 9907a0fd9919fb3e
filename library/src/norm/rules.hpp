#pragma once
// Rules of all norms: each refusal names the value and the rule.
#include "ck/conv.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

namespace ck::norm {

/// A number, or an address, as text.
template <class T>
std::string text(T x)
{
    std::ostringstream s;
    s << x;
    return s.str();
}

inline std::size_t bytes_of_element(DataType type)
{
    return type == DataType::f64 ? 8 : type == DataType::f32 ? 4 : 2;
}

/// Checks the fields that the specs of all norms have. name: of the spec's type.
class SpecRules
{
public:
    explicit SpecRules(const char* name) : name_(name) {}

    [[noreturn]] void refuse(const std::string& reason) const
    {
        throw Refused("ck::" + std::string(name_) + ": " + reason);
    }
    void type(DataType type) const
    {
        if(type != DataType::f64 && type != DataType::f32 && type != DataType::f16 &&
           type != DataType::bf16)
            refuse("type is " + std::to_string(static_cast<int>(type)) +
                   ", but must be f64, f32, f16 or bf16 (0 to 3)");
    }
    template <class Enum>
    void enumerator(const char* field, Enum given, Enum last) const
    {
        if(static_cast<int>(given) < 0 || given > last)
            refuse(std::string(field) + " is " + std::to_string(static_cast<int>(given)) +
                   ", but must be one of the enumerators, 0 to " +
                   std::to_string(static_cast<int>(last)));
    }
    void at_least_one(const char* field, long_index_t value) const
    {
        if(value < 1)
            refuse(std::string(field) + " is " + std::to_string(value) +
                   ", but must be at least 1");
    }
    void channels(long_index_t value) const
    {
        constexpr long_index_t most = std::numeric_limits<index_t>::max();
        if(value < 1 || value > most)
            refuse("channels is " + std::to_string(value) + ", but must be from 1 to " +
                   std::to_string(most));
    }
    void elements(const char* field,
                  long_index_t rows,
                  long_index_t channels,
                  const char* field_of_channels = "channels") const
    {
        constexpr long_index_t most = long_index_t{1} << 48;
        if(rows > most / channels)
            refuse(std::string(field) + " is " + std::to_string(rows) + " and " +
                   field_of_channels + " is " + std::to_string(channels) +
                   ", but together they may have 2^48 elements");
    }
    void epsilon(double value) const
    {
        if(!(value >= 0) || std::isinf(value))
            refuse("epsilon is " + text(value) + ", but must be finite and at least 0");
    }
    void alignment(std::size_t value, DataType type) const
    {
        if(value == 0 || value > 16 || (value & (value - 1)) != 0)
            refuse("alignment is " + std::to_string(value) + ", but must be 1, 2, 4, 8 or 16");
        if(const std::size_t bytes = bytes_of_element(type); value < bytes)
            refuse("alignment is " + std::to_string(value) + ", but an element has " +
                   std::to_string(bytes) + " bytes");
    }

private:
    const char* name_;
};

/// Checks the tensors of one call. name: "BatchNorm" of a BatchNormPlan.
class TensorRules
{
public:
    TensorRules(const char* name, const char* call, DataType type, std::size_t alignment)
        : name_(name),
          call_(call),
          alignment_(alignment),
          channel_bytes_(type == DataType::f64 ? 8 : 4)
    {}

    [[noreturn]] void refuse(const std::string& reason) const
    {
        throw Refused("ck::" + name_ + "Plan::" + call_ + ": " + reason);
    }
    /// Checks an address of elements, if it is given.
    void tensor(const char* name, const void* address) const
    {
        aligned(name, address, alignment_, " (" + name_ + "Spec::alignment)");
    }
    /// Checks an address of values for each channel or group, if it is given.
    void channels(const char* name, const void* address) const
    {
        aligned(name, address, channel_bytes_);
    }
    /// The same, of values of the type of elements.
    void as_elements(const char* name, const void* address, DataType type) const
    {
        aligned(name, address, bytes_of_element(type));
    }
    void needs(const char* name, const void* address, const char* why = "") const
    {
        if(address == nullptr)
            refuse(std::string(name) + " is null" + why);
    }
    /// Checks the residual of a call that adds it. is_added: whether the spec has one.
    void residual(bool is_added, const void* address) const
    {
        if(is_added)
            needs("residual", address, ", but the spec has one");
        else if(address != nullptr)
            refuse("residual is not null, but the spec has none");
        tensor("residual", address);
    }
    /// Checks what only a residual's gradient needs. activates: whether an activation follows.
    void
    gradient_of_residual(bool is_added, bool activates, const void* y, const void* gradient) const
    {
        if(is_added && activates)
        {
            needs("y", y, ", but the derivative of an activation after a residual is read from it");
            tensor("y", y);
        }
        if(!is_added && gradient != nullptr)
            refuse("d_residual is not null, but the spec has no residual");
        tensor("d_residual", gradient);
    }
    void workspace(const void* address, std::size_t bytes) const
    {
        if(address == nullptr)
            refuse("workspace is null, but has " + std::to_string(bytes) + " bytes (" + name_ +
                   "Plan::workspace_size())");
        aligned("workspace", address, 16);
    }

private:
    void aligned(const char* name,
                 const void* address,
                 std::size_t bytes,
                 const std::string& why = "") const
    {
        if(reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
            refuse(std::string(name) + " is at " + text(address) +
                   ", but must be at a multiple of " + std::to_string(bytes) + " bytes" + why);
    }

    std::string name_, call_;
    std::size_t alignment_, channel_bytes_;
};

} // namespace ck::norm
