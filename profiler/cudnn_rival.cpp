// The find function's ways first, then the graph API's; one workspace for all.
#include "cudnn_rival.hpp"

#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "cudnn_find.hpp"
#include "cudnn_graph.hpp"
#include <algorithm>
#include <optional>
#include <vector>

namespace ck::profiler {

namespace {

/// Bytes of workspace that plans may use: at most 4 GiB, and half of the free memory.
std::size_t most_workspace()
{
    std::size_t free = 0, total = 0;
    HIP_CHECK_ERROR(hipMemGetInfo(&free, &total));
    return std::min(std::size_t{4} << 30, free / 2);
}

class CudnnRival : public Rival
{
public:
    CudnnRival(const CudnnProblem& problem, const ConvTensors& some)
    {
        const std::size_t most = most_workspace();
        std::string why;
        const auto or_why = [&](const auto& make) {
            try
            {
                make();
            }
            catch(const std::runtime_error& e)
            {
                why += (why.empty() ? "" : "; ") + std::string(e.what());
            }
        };
        or_why([&] {
            const DeviceMem workspace(most);
            find_.emplace(handle_, problem, some, workspace.GetDeviceBuffer(), most);
        });
        or_why([&] { graph_.emplace(handle_, problem, most); });
        if(find_)
            for(const CudnnFind::Algorithm& a : find_->algorithms())
                ways_.push_back({a.name, a.workspace});
        if(graph_)
            for(const CudnnGraph::Plan& plan : graph_->plans())
                ways_.push_back({plan.name, plan.workspace});
        if(ways_.empty())
            throw std::runtime_error(name() + " does not compute this: " + why);
        std::size_t bytes = 0;
        for(const RivalWay& way : ways_)
            bytes = std::max(bytes, way.workspace);
        workspace_ = DeviceMem(bytes);
    }

    std::string name() const override
    {
        const std::size_t version = cudnnGetVersion(); // 91900 means 9.19.0
        return "cuDNN " + std::to_string(version / 10000) + "." +
               std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
    }
    std::span<const RivalWay> ways() const override { return ways_; }

    void launch(std::size_t way, hipStream_t stream, const ConvTensors& tensors) override
    {
        CK_CUDNN(cudnnSetStream(handle_.get(), stream));
        const std::size_t found = find_ ? find_->algorithms().size() : 0;
        if(way < found)
            find_->launch(handle_, find_->algorithms()[way], tensors, workspace_.GetDeviceBuffer());
        else
            graph_->launch(
                handle_, graph_->plans().at(way - found), tensors, workspace_.GetDeviceBuffer());
    }

private:
    CudnnHandle handle_;
    std::optional<CudnnFind> find_;
    std::optional<CudnnGraph> graph_;
    std::vector<RivalWay> ways_; ///< those of find_, then those of graph_
    DeviceMem workspace_;        ///< for all ways
};

} // namespace

std::unique_ptr<Rival>
make_cudnn_rival(const ConvRequest& request, const ConvProblem& problem, const ConvTensors& some)
{
    return std::make_unique<CudnnRival>(cudnn_problem(request, problem), some);
}

} // namespace ck::profiler
