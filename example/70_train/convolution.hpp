#pragma once
// A convolution of the network: its filter, and the plans of its three passes.
#include "ck/conv.hpp"

#include "parameter.hpp"
#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

namespace train {

template <class T>
inline constexpr ck::DataType data_type =
    std::is_same_v<T, float> ? ck::DataType::f32 : ck::DataType::bf16;

/// What happens to dx.
enum class InputGradient
{
    none,    ///< not needed
    written, ///< overwrites
    added    ///< adds to what is there
};

template <class T>
class Convolution
{
public:
    /// spec: only its sizes matter. options: of the preferred kernels.
    Convolution(const std::string& name,
                ck::ConvSpec spec,
                const ck::PlanOptions& options,
                Random& random,
                InputGradient input_gradient)
        : filter(name, initial(spec, random)),
          forward_(plan(spec, ck::Direction::forward, options)),
          weight_(plan(spec, ck::Direction::backward_weight, options))
    {
        spec.beta = input_gradient == InputGradient::added ? 1 : 0;
        if(input_gradient != InputGradient::none)
            data_ = plan(spec, ck::Direction::backward_data, options);
    }

    const ck::ConvSpec& spec() const { return forward_.spec(); }

    /// Workspace bytes of each pass.
    std::size_t workspace_size() const
    {
        return std::max({forward_.workspace_size(),
                         weight_.workspace_size(),
                         data_ ? data_->workspace_size() : 0});
    }

    void forward(const T* x, T* y, void* workspace) const
    {
        run(forward_, x, at<T>(filter.copy), y, workspace);
    }
    /// Does nothing if dx is not needed.
    void backward_data(const T* dy, T* dx, void* workspace) const
    {
        if(data_)
            run(*data_, dx, at<T>(filter.copy), dy, workspace);
    }
    void backward_weight(const T* x, const T* dy, void* workspace) const
    {
        run(weight_, x, filter.gradient, dy, workspace);
    }

    Parameter<T> filter;

private:
    /// nvcc 13 does not accept designated initializers in a call in a template.
    static void
    run(const ck::ConvPlan& plan, const void* x, const void* w, const void* y, void* workspace)
    {
        ck::ConvTensors tensors;
        tensors.x         = x;
        tensors.w         = w;
        tensors.y         = y;
        tensors.workspace = workspace;
        plan.run(tensors);
    }

    static ck::ConvPlan
    plan(ck::ConvSpec spec, ck::Direction direction, const ck::PlanOptions& options)
    {
        spec.direction = direction;
        spec.type      = data_type<T>;
        if(direction == ck::Direction::backward_weight)
            spec.w_type = ck::DataType::f32;
        try
        {
            return ck::plan(spec, options);
        }
        catch(const ck::Refused&) // no preferred kernel computes it
        {
            return ck::plan(spec);
        }
    }

    /// Standard deviation sqrt(2 / terms of a sum), suitable before a relu.
    static std::vector<float> initial(const ck::ConvSpec& spec, Random& random)
    {
        std::size_t terms = static_cast<std::size_t>(spec.c);
        for(const auto length : spec.filter)
            terms *= static_cast<std::size_t>(length);
        return random.normals(terms * static_cast<std::size_t>(spec.k),
                              std::sqrt(2.f / static_cast<float>(terms)));
    }

    ck::ConvPlan forward_, weight_;
    std::optional<ck::ConvPlan> data_;
};

} // namespace train
