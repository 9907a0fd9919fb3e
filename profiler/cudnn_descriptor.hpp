#pragma once
// A descriptor of cuDNN's graph API: an object with attributes, finalised after they are set.
#include "cudnn_status.hpp"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace ck::profiler {

/// cuDNN's name for an attribute of C++ type T; nullptr, which does not compile, for other
/// types.
template <class T>
inline constexpr auto attribute_type = nullptr;
template <>
inline constexpr auto attribute_type<void*> = CUDNN_TYPE_VOID_PTR;
template <>
inline constexpr auto attribute_type<bool> = CUDNN_TYPE_BOOLEAN;
template <>
inline constexpr auto attribute_type<std::int64_t> = CUDNN_TYPE_INT64;
template <>
inline constexpr auto attribute_type<float> = CUDNN_TYPE_FLOAT;
template <>
inline constexpr auto attribute_type<double> = CUDNN_TYPE_DOUBLE;
template <>
inline constexpr auto attribute_type<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr auto attribute_type<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr auto attribute_type<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <>
inline constexpr auto attribute_type<cudnnPointwiseMode_t> = CUDNN_TYPE_POINTWISE_MODE;
template <>
inline constexpr auto attribute_type<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr auto attribute_type<cudnnBackendKnobType_t> = CUDNN_TYPE_KNOB_TYPE;
template <>
inline constexpr auto attribute_type<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
template <>
inline constexpr auto attribute_type<cudnnBackendBehaviorNote_t> = CUDNN_TYPE_BEHAVIOR_NOTE;

/// Owns a descriptor. Every call throws std::runtime_error with cuDNN's reason if it fails.
class CudnnDescriptor
{
public:
    explicit CudnnDescriptor(cudnnBackendDescriptorType_t type)
    {
        cudnnBackendDescriptor_t made = nullptr;
        CK_CUDNN(cudnnBackendCreateDescriptor(type, &made));
        owned_.reset(made);
    }
    cudnnBackendDescriptor_t get() const { return owned_.get(); }

    template <class T>
    void set(cudnnBackendAttributeName_t name, const std::vector<T>& values)
    {
        CK_CUDNN(cudnnBackendSetAttribute(get(),
                                          name,
                                          attribute_type<T>,
                                          static_cast<std::int64_t>(values.size()),
                                          values.data()));
    }
    template <class T>
    void set(cudnnBackendAttributeName_t name, const T& value)
    {
        CK_CUDNN(cudnnBackendSetAttribute(get(), name, attribute_type<T>, 1, &value));
    }
    void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value)
    {
        const cudnnBackendDescriptor_t one = value.get();
        CK_CUDNN(cudnnBackendSetAttribute(get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &one));
    }
    void set(cudnnBackendAttributeName_t name, const std::vector<CudnnDescriptor>& values)
    {
        std::vector<cudnnBackendDescriptor_t> all;
        for(const CudnnDescriptor& value : values)
            all.push_back(value.get());
        CK_CUDNN(cudnnBackendSetAttribute(get(),
                                          name,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                          static_cast<std::int64_t>(all.size()),
                                          all.data()));
    }
    void finalize() { CK_CUDNN(cudnnBackendFinalize(get())); }

    /// Reads an attribute of at most `most` values.
    template <class T>
    std::vector<T> get(cudnnBackendAttributeName_t name, std::int64_t most) const
    {
        std::vector<T> values(static_cast<std::size_t>(most));
        std::int64_t count = 0;
        CK_CUDNN(
            cudnnBackendGetAttribute(get(), name, attribute_type<T>, most, &count, values.data()));
        values.resize(static_cast<std::size_t>(std::min(count, most)));
        return values;
    }
    template <class T>
    T get(cudnnBackendAttributeName_t name) const
    {
        const std::vector<T> values = get<T>(name, 1);
        if(values.empty())
            throw std::runtime_error("cuDNN has no value of attribute " + std::to_string(name));
        return values[0];
    }
    /// The number of descriptors in the attribute.
    std::int64_t count(cudnnBackendAttributeName_t name) const
    {
        std::int64_t count = 0;
        CK_CUDNN(cudnnBackendGetAttribute(
            get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
        return count;
    }
    /// Reads an attribute of at most `most` descriptors of the given type.
    std::vector<CudnnDescriptor> get(cudnnBackendAttributeName_t name,
                                     cudnnBackendDescriptorType_t type,
                                     std::int64_t most) const
    {
        std::vector<CudnnDescriptor> all;
        std::vector<cudnnBackendDescriptor_t> pointers;
        for(std::int64_t i = 0; i < most; ++i)
            pointers.push_back(all.emplace_back(type).get());
        std::int64_t count = 0;
        CK_CUDNN(cudnnBackendGetAttribute(
            get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, pointers.data()));
        while(static_cast<std::int64_t>(all.size()) > count)
            all.pop_back();
        return all;
    }

private:
    struct Destroy
    {
        void operator()(void* d) const { static_cast<void>(cudnnBackendDestroyDescriptor(d)); }
    };
    std::unique_ptr<void, Destroy> owned_;
};

} // namespace ck::profiler
