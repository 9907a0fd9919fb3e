#pragma once
// Learned parameters: floats, with a copy in the type that convolutions read, and stochastic
// gradient descent with momentum.
#include "ck/library/utility/device_memory.hpp"

#include "kernels.hpp"
#include "random.hpp"
#include <string>
#include <vector>

namespace train {

template <class T>
T* at(const DeviceMem& memory)
{
    return static_cast<T*>(memory.GetDeviceBuffer());
}

/// One thread for each number of a parameter.
template <class T>
struct Descend
{
    float rate, momentum, decay;
    float share; ///< factor of the gradients: their sum over ranks becomes a mean
    float* values;
    float* velocities;
    const float* gradients;
    T* copies;

    CK_DEVICE void operator()(index_t i) const
    {
        velocities[i] = momentum * velocities[i] + share * gradients[i] + decay * values[i];
        values[i] -= rate * velocities[i];
        write(copies, i, values[i]);
    }
};

template <class T>
class Parameter
{
public:
    Parameter(std::string name, std::vector<float> values)
        : name(std::move(name)),
          count(static_cast<index_t>(values.size())),
          values(sizeof(float) * values.size()),
          copy(sizeof(T) * values.size()),
          velocity_(sizeof(float) * values.size())
    {
        velocity_.SetZero();
        set(values);
    }

    void set(const std::vector<float>& numbers)
    {
        std::vector<T> rounded;
        for(const float number : numbers)
            rounded.push_back(ck::type_convert<T>(number));
        values.ToDevice(numbers.data());
        copy.ToDevice(rounded.data());
    }

    void descend(float rate, float share)
    {
        constexpr float momentum = 0.9f, decay = 1e-4f;
        for_each(count,
                 Descend<T>{rate,
                            momentum,
                            decay,
                            share,
                            at<float>(values),
                            at<float>(velocity_),
                            gradient,
                            at<T>(copy)});
    }

    std::string name;
    index_t count;
    DeviceMem values;          ///< float
    float* gradient = nullptr; ///< [count]; of Gradients
    DeviceMem copy;            ///< T: what convolutions read

private:
    DeviceMem velocity_;
};

} // namespace train
