#pragma once
// A kernel of the library on a problem, whatever its family: tensors of small integers with element
// types and operations known by their names, and what the result must be.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ck::test {

using namespace tensor_operation::device::instance;
namespace element_wise = tensor_operation::element_wise;

/// An element type by its name.
struct Element
{
    std::size_t size; // bytes
    double (*load)(const void*);
    void (*store)(void*, double);
    double (*saturated)(double); ///< an integer beyond the ends of the type is the nearest end
};

template <class T>
std::pair<std::string, Element> named_element()
{
    return {
        type_name<T>,
        {sizeof(T),
         [](const void* p) { return type_convert<double>(*static_cast<const T*>(p)); },
         [](void* p, double x) { *static_cast<T*>(p) = type_convert<T>(x); },
         [](double x) { return std::is_same_v<T, std::int8_t> ? std::clamp(x, -128., 127.) : x; }}};
}

inline const Element& element(const std::string& name)
{
    static const std::map<std::string, Element> all{named_element<double>(),
                                                    named_element<float>(),
                                                    named_element<half_t>(),
                                                    named_element<bhalf_t>(),
                                                    named_element<f8_t>(),
                                                    named_element<bf8_t>(),
                                                    named_element<f8_ocp_t>(),
                                                    named_element<bf8_ocp_t>(),
                                                    named_element<std::int8_t>(),
                                                    named_element<std::int32_t>()};
    return all.at(name);
}

/// An element-wise operation by its name: the object that kernels take, and its value for a sum and
/// what D tensors hold. Integers from integers.
struct Operation
{
    const void* object;
    std::function<double(double, const std::vector<double>&)> value;
};

template <index_t d_count, class Op>
Operation operation_of(const Op& op)
{
    static const Op object = op;
    return {&object, [&](double sum, [[maybe_unused]] const std::vector<double>& d) {
                if constexpr(d_count == 0)
                    return element_wise::detail::applied(object, sum);
                else if constexpr(d_count == 1)
                    return object.value(sum, d.at(0));
                else if constexpr(d_count == 2)
                    return object.value(sum, d.at(0), d.at(1));
                else
                    return object.value(sum, d.at(0), d.at(1), d.at(2), d.at(3), d.at(4));
            }};
}

/// Takes a sum alone, or with a D tensor's element: halves, so that ties are common.
inline Operation requantize()
{
    static const element_wise::Requantize object{.scale = .5f, .least = -20, .most = 30};
    return {&object, [](double sum, const std::vector<double>& d) {
                return std::nearbyint(d.empty() ? object.value(sum) : object.value(sum, d[0]));
            }};
}

inline const Operation& operation(const std::string& name)
{
    using namespace element_wise;
    static const std::map<std::string, Operation> all{
        {"PassThrough", operation_of<0>(PassThrough{})},
        {"Scale", operation_of<0>(Scale{2.f})},
        {"Clamp", operation_of<0>(Clamp{-20.f, 30.f})},
        {"AddClamp", operation_of<1>(AddClamp{-20.f, 30.f})},
        // An epsilon that no float's variance changes: quotients by 2^15, exact.
        {"BiasNormalizeInInferClamp",
         operation_of<5>(BiasNormalizeInInferClamp{-20.f, 30.f, 0x1p30f})},
        {"DynamicUnaryOp", operation_of<0>(DynamicUnaryOp{LeakyRelu{-2.f}})},
        {"Bilinear", operation_of<1>(Bilinear{2.f, 3.f})},
        {"Requantize", requantize()},
        {"ScaleAdd", operation_of<1>(ScaleAdd{2.f})},
        {"ScaleAddScaleAddRelu", operation_of<2>(ScaleAddScaleAddRelu{2.f, 3.f})},
        {"ConvScale", operation_of<0>(ConvScale{.5f, 2.f, 2.f})},
        {"ConvScaleRelu", operation_of<0>(ConvScaleRelu{.5f, 2.f, 2.f})},
        {"ConvScaleAdd", operation_of<1>(ConvScaleAdd{.5f, 2.f, 2.f})},
        {"ConvInvscale", operation_of<0>(ConvInvscale{2.f, .5f, .5f})},
        {"ScaleScalePass", operation_of<0>(ScaleScalePass{Scale{2.f}, Scale{.5f}, PassThrough{}})},
        {"ScaleScaleRelu", operation_of<0>(ScaleScaleRelu{Scale{2.f}, Scale{.5f}, Relu{}})},
        {"AddRelu", operation_of<1>(AddRelu{})},
        {"ConvEpilogue", operation_of<2>([] {
             ConvEpilogue e;
             e.scale      = 2;
             e.least      = -20;
             e.most       = 30;
             e.activation = ConvEpilogue::Activation::clamp;
             e.place1     = ConvEpilogue::Place::before;
             e.place2     = ConvEpilogue::Place::after;
             return e;
         }())},
        {"AddReluAdd", operation_of<2>(AddReluAdd{})},
        {"Activation_Mul_Clamp<PassThrough>",
         operation_of<0>(Activation_Mul_Clamp<PassThrough>{2.f})},
        {"Activation_Mul_Clamp<Relu>", operation_of<0>(Activation_Mul_Clamp<Relu>{2.f})},
        {"Activation_Mul2_Clamp<PassThrough>",
         operation_of<1>(Activation_Mul2_Clamp<PassThrough>{})},
        {"Activation_Mul2_Clamp<Relu>", operation_of<1>(Activation_Mul2_Clamp<Relu>{})},
        {"Add_Activation_Mul_Clamp<PassThrough>",
         operation_of<1>(Add_Activation_Mul_Clamp<PassThrough>{3.f})},
        {"Add_Activation_Mul_Clamp<Relu>", operation_of<1>(Add_Activation_Mul_Clamp<Relu>{3.f})},
        {"Add_Activation_Mul2_Clamp<PassThrough>",
         operation_of<2>(Add_Activation_Mul2_Clamp<PassThrough>{})},
        {"Add_Activation_Mul2_Clamp<Relu>", operation_of<2>(Add_Activation_Mul2_Clamp<Relu>{})},
        // No product of these is near a whole number, whatever the rounding of tanh.
        {"Add_Mul_Activation_Mul_Clamp<TanH>",
         operation_of<1>(Add_Mul_Activation_Mul_Clamp<TanH>{1.f, 100.25f})},
        {"Add_Mul2_Activation_Mul_Clamp<TanH>",
         operation_of<2>(Add_Mul2_Activation_Mul_Clamp<TanH>{100.25f})}};
    return all.at(name);
}

inline std::vector<std::string> words(const std::string& text)
{
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

/// Orders of a tensor's dimensions g, n or k, channel, d, h, w in memory, slowest first.
struct Layout
{
    const char* name; // name in 2D
    std::array<std::size_t, 6> image, filter;
};
inline constexpr std::array<std::size_t, 6> group_first{0, 1, 3, 4, 5, 2},
    as_listed{0, 1, 2, 3, 4, 5};
inline constexpr Layout layouts[]{{"GNHWC GKYXC GNHWK", group_first, group_first},
                                  {"NHWGC GKYXC NHWGK", {1, 3, 4, 5, 0, 2}, group_first},
                                  {"NGCHW GKYXC NGKHW", {1, 0, 2, 3, 4, 5}, group_first},
                                  {"NGCHW GKCYX NGKHW", {1, 0, 2, 3, 4, 5}, as_listed}};

inline void set_layout(ConvProblem& p, const Layout& layout)
{
    using ck::detail::packed_strides;
    p.input_strides  = packed_strides(p.input_lengths(), layout.image);
    p.filter_strides = packed_strides(p.filter_lengths(), layout.filter);
    p.output_strides = packed_strides(p.output_lengths(), layout.image);
}
/// The logical elements of a tensor, whatever its layout: g, n or k, channel, d, h, w.
struct Values
{
    TensorLengths lengths;
    std::vector<double> values;

    /// Integers in [-2, 2].
    static Values integers(const TensorLengths& lengths, unsigned seed)
    {
        Values v{lengths, std::vector<double>(static_cast<std::size_t>(element_count(lengths)))};
        unsigned state = seed;
        for(double& x : v.values)
        {
            state = state * 1664525u + 1013904223u;
            x     = static_cast<double>((state >> 16) % 5) - 2;
        }
        return v;
    }

    template <class F>
    void for_each_offset(const TensorStrides& strides, const F& f) const
    {
        for(std::size_t i = 0; i < values.size(); ++i)
        {
            auto rest           = static_cast<long_index_t>(i);
            long_index_t offset = 0;
            for(std::size_t d = 6; d-- > 0; rest /= lengths[d])
                offset += rest % lengths[d] * strides[d];
            f(i, static_cast<std::size_t>(offset));
        }
    }
};

/// Memory of a tensor on the device.
struct OnDevice
{
    OnDevice(const Values& v, const TensorStrides& strides, const Element& e)
        : bytes(v.values.size() * e.size),
          memory(bytes.size())
    {
        v.for_each_offset(strides, [&](std::size_t i, std::size_t offset) {
            e.store(bytes.data() + offset * e.size, v.values[i]);
        });
        memory.ToDevice(bytes.data());
    }
    void* pointer() const { return memory.GetDeviceBuffer(); }

    std::vector<char> bytes;
    EndingMemory memory;
};
/// The tensors X, W and Y of a problem, and the sums of a direction in the result's place.
struct Sums
{
    const Values &x, &w, &y;
    const Values& result;
};

/// The tensors of a family for one problem, and what the result must be.
struct KernelSetup
{
    ConvArgument argument;
    std::vector<std::unique_ptr<OnDevice>> tensors;
    Values expected; // values in the result's type
    TensorStrides c_strides;
    const Element& c_element;
    OnDevice* c;

    /// The problem has the strides of the tensors. saturates: as ConvArgument::saturates.
    KernelSetup(const Family& family,
                const ConvProblem& p,
                const Sums& sums,
                index_t split_k,
                bool saturates = false)
        : expected(sums.result),
          c_element(element(family.c))
    {
        argument.problem         = p;
        argument.split_k         = split_k;
        argument.saturates       = saturates;
        const bool forward       = family.direction == Direction::forward;
        const bool backward_data = family.direction == Direction::backward_data;
        const auto add = [&](const Values& v, const TensorStrides& strides, const Element& e) {
            tensors.push_back(std::make_unique<OnDevice>(v, strides, e));
            return tensors.back().get();
        };
        const auto add_operand = [&](std::vector<const void*>& operand,
                                     const std::string& types,
                                     const Values& v,
                                     const TensorStrides& strides) {
            const auto type = words(types);
            if(type.size() == 1)
            {
                operand.push_back(add(v, strides, element(type[0]))->pointer());
                return;
            }
            // ScaleAdd{2} makes the values of two tensors.
            const Values first = Values::integers(v.lengths, 7);
            Values second      = v;
            for(std::size_t i = 0; i < second.values.size(); ++i)
                second.values[i] -= 2 * first.values[i];
            operand.push_back(add(first, strides, element(type.at(0)))->pointer());
            operand.push_back(add(second, strides, element(type.at(1)))->pointer());
        };
        add_operand(argument.a,
                    family.a,
                    forward ? sums.x : sums.y,
                    forward ? p.input_strides : p.output_strides);
        const bool b_is_filter = forward || backward_data;
        add_operand(argument.b,
                    family.b,
                    b_is_filter ? sums.w : sums.x,
                    b_is_filter ? p.filter_strides : p.input_strides);
        c_strides = forward ? p.output_strides : backward_data ? p.input_strides : p.filter_strides;
        c         = add(expected, c_strides, c_element);

        argument.c = c->pointer();
        std::vector<Values> ds;
        for(const std::string& type : words(family.d))
        {
            ds.push_back(Values::integers(expected.lengths, 4 + static_cast<unsigned>(ds.size())));
            argument.d.push_back({add(ds.back(), c_strides, element(type))->pointer(), c_strides});
        }
        argument.operation_a = operation(family.operation_a).object;
        argument.operation_b = operation(family.operation_b).object;
        argument.operation_c = operation(family.operation_c).object;
        EXPECT_EQ(family.operation_a, argument.a.size() == 1 ? "PassThrough" : "ScaleAdd");
        EXPECT_EQ(family.operation_b, argument.b.size() == 1 ? "PassThrough" : "ScaleAdd");
        for(std::size_t i = 0; i < expected.values.size(); ++i)
        {
            std::vector<double> d;
            for(const Values& v : ds)
                d.push_back(v.values[i]);
            const double value = operation(family.operation_c).value(expected.values[i], d);
            std::vector<char> rounded(c_element.size);
            c_element.store(rounded.data(), saturates ? c_element.saturated(value) : value);
            expected.values[i] = c_element.load(rounded.data());
        }
    }

    /// Whether the kernel computes it, given the workspace that it wants. It must predict the same
    /// whichever way it is asked.
    Support supports(const ConvKernel& kernel)
    {
        workspace.emplace(kernel.workspace_size(argument));
        argument.workspace                  = workspace->GetDeviceBuffer();
        const Support s                     = kernel.supports(argument);
        const std::optional<double> in_once = kernel.predict_if_supported(argument);
        EXPECT_EQ(in_once.has_value(), static_cast<bool>(s)) << kernel.name << s.reason;
        if(in_once)
        {
            EXPECT_EQ(*in_once, kernel.predict(argument)) << kernel.name;
        }
        return s;
    }

    /// Elements of the kernel's result that are wrong; for the kernel that was asked last.
    std::size_t mistakes(const ConvKernel& kernel, const StreamConfig& config = {})
    {
        std::fill(c->bytes.begin(), c->bytes.end(), '\xff'); // NaN, of all floating-point types
        c->memory.ToDevice(c->bytes.data());
        // NaN and numbers in turns: kernels that compute again what is not finite would repair what
        // they took from the workspace.
        static std::atomic<int> number = 0;
        const std::vector<unsigned char> spoilt(workspace ? workspace->GetBufferSize() : 0,
                                                number++ % 2 == 0 ? 0x4B : 0xFF);
        if(workspace)
            workspace->ToDevice(spoilt.data());
        kernel.run(argument, config);
        c->memory.FromDevice(c->bytes.data());
        std::size_t wrong = 0;
        expected.for_each_offset(c_strides, [&](std::size_t i, std::size_t offset) {
            const double got = c_element.load(c->bytes.data() + offset * c_element.size);
            wrong += !(got == expected.values[i]);
        });
        return wrong;
    }

private:
    std::optional<EndingMemory> workspace;
};

inline std::string engine_of(const ConvKernel& kernel)
{
    return kernel.name.substr(0, kernel.name.find('<'));
}

} // namespace ck::test
