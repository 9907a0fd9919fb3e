#pragma once
// Checked calls of cuDNN, and its handle.
#include <cuda_runtime_api.h>

#include <cudnn.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ck::profiler {

/// Throws std::runtime_error with the call, the status and cuDNN's last message.
inline void cudnn_check(cudnnStatus_t status, const char* call)
{
    if(status == CUDNN_STATUS_SUCCESS)
        return;
    char why[512] = "";
    cudnnGetLastErrorString(why, sizeof why);
    std::string text(why);
    while(!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    const std::string name = std::string(call).substr(0, std::string(call).find('('));
    throw std::runtime_error(name + ": " + cudnnGetErrorString(status) +
                             (text.empty() ? "" : " (" + text + ")"));
}
#define CK_CUDNN(call) ::ck::profiler::cudnn_check(call, #call)

/// Owns a handle or descriptor that cuDNN creates by pointer, and calls `destroy` at the end.
template <auto create, auto destroy, class Handle>
class CudnnOwner
{
public:
    CudnnOwner()
    {
        Handle made{};
        cudnn_check(create(&made), "creation of a handle or descriptor of cuDNN");
        owned_.reset(made);
    }
    Handle get() const { return owned_.get(); }

private:
    struct Destroy
    {
        using pointer = Handle;
        void operator()(Handle h) const { static_cast<void>(destroy(h)); }
    };
    std::unique_ptr<std::remove_pointer_t<Handle>, Destroy> owned_;
};
using CudnnHandle = CudnnOwner<cudnnCreate, cudnnDestroy, cudnnHandle_t>;

} // namespace ck::profiler
