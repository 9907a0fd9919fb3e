// The plans of the block and the order of its passes.
#include "residual_block.hpp"

#include "ck/arch/index.hpp"
#include "ck/host_utility/kernel_launch.hpp"

#include <algorithm>

namespace split_block {

namespace {

using ck::Direction;
using ck::Residual;

constexpr long_index_t margin = 1; ///< rows of a neighbour that a filter of three taps reads

/// gradients[i] = 0 where values[i], the result of a relu, is 0.
struct ReluBackward
{
    struct Params
    {
        float* gradients;
        const float* values;
        index_t count;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size        = 256;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr auto requirement          = ck::arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const index_t i = ck::arch::block_index() * block_size + ck::arch::thread_index();
        if(i < p.count && !(p.values[i] > 0))
            p.gradients[i] = 0;
    }
};

float* at(const DeviceMem& memory) { return static_cast<float*>(memory.GetDeviceBuffer()); }

} // namespace

Values integers(const Sizes& sizes)
{
    unsigned seed      = 1;
    const auto numbers = [&](std::size_t count, unsigned values) {
        std::vector<float> all(count);
        for(float& value : all)
        {
            seed  = seed * 1664525 + 1013904223;
            value = static_cast<float>((seed >> 16) % values) - static_cast<float>(values / 2);
        }
        return all;
    };
    Values v;
    v.x  = numbers(sizes.floats(sizes.depth), 5); // -2 to 2
    v.dy = numbers(v.x.size(), 3);
    v.w1 = numbers(sizes.weights(), 3);
    v.w2 = numbers(sizes.weights(), 3);
    v.y = v.dx = std::vector<float>(v.x.size());
    v.dw1 = v.dw2 = std::vector<float>(v.w1.size());
    return v;
}

SplitConvPlan ResidualBlock::plan(Direction direction, const ck::Epilogue& epilogue) const
{
    const ck::ConvSpec spec{.direction = direction,
                            .k         = sizes_.channels,
                            .c         = sizes_.channels,
                            .input     = {sizes_.depth, sizes_.width, sizes_.width},
                            .filter    = {3, 3, 3},
                            .pads      = {{1, 1}, {1, 1}, {1, 1}},
                            .epilogue  = epilogue};
    return {communicator_,
            spec,
            {.axis = Axis::d, .x = parts_, .x_margin = margin, .y_margin = margin}};
}

ResidualBlock::ResidualBlock(Communicator& communicator, const Sizes& sizes, const Parts& parts)
    : communicator_(communicator),
      sizes_(sizes),
      parts_(parts),
      own_(parts.at(static_cast<std::size_t>(communicator.rank()))),
      first_(plan(Direction::forward, {.activation = ck::Activation::relu})),
      second_(plan(Direction::forward,
                   {.residual = Residual::before_activation, .activation = ck::Activation::relu})),
      data_(plan(Direction::backward_data, {})),
      data_added_(plan(Direction::backward_data, {.residual = Residual::after_activation})),
      weight_(plan(Direction::backward_weight, {}))
{
    for(DeviceMem* const memory : {&x_, &h_, &y_, &dz_, &dh_, &dx_})
        memory->Realloc(first_.x().bytes); // all tensors of the block have the same rows
    for(DeviceMem* const memory : {&w1_, &w2_, &dw1_, &dw2_})
        memory->Realloc(sizeof(float) * sizes.weights());
    workspace_.Realloc(std::max({first_.workspace_size(),
                                 second_.workspace_size(),
                                 data_.workspace_size(),
                                 data_added_.workspace_size(),
                                 weight_.workspace_size()}));
}

void ResidualBlock::forward()
{
    void* const ws = workspace_.GetDeviceBuffer();
    first_.run({.x = at(x_), .w = at(w1_), .y = at(h_), .workspace = ws});
    second_.run({.x = at(h_), .w = at(w2_), .y = at(y_), .residual = at(x_), .workspace = ws});
}

// forward() has already filled the margins of x and h.
void ResidualBlock::backward()
{
    void* const ws = workspace_.GetDeviceBuffer();
    mask(dz_, y_); // the gradient of what the last relu was given
    weight_.run({.x = at(h_), .w = at(dw2_), .y = at(dz_), .workspace = ws}, Margins::filled);
    data_.run({.x = at(dh_), .w = at(w2_), .y = at(dz_), .workspace = ws});
    mask(dh_, h_);
    weight_.run({.x = at(x_), .w = at(dw1_), .y = at(dh_), .workspace = ws}, Margins::filled);
    data_added_.run(
        {.x = at(dx_), .w = at(w1_), .y = at(dh_), .residual = at(dz_), .workspace = ws});
}

/// Copies only the rank's own rows; margins come from their owners.
void ResidualBlock::mask(const DeviceMem& gradient, const DeviceMem& of) const
{
    if(watcher_)
        watcher_("relu backward");
    const std::size_t first = sizes_.floats(margin);
    const auto count        = static_cast<index_t>(sizes_.floats(own_.size()));
    if(count > 0)
        ck::launch_and_time_kernel<ReluBackward>({},
                                                 (count + ReluBackward::block_size - 1) /
                                                     ReluBackward::block_size,
                                                 {at(gradient) + first, at(of) + first, count});
    if(watcher_)
        watcher_("");
}

void ResidualBlock::to_rows(const DeviceMem& memory, const std::vector<float>& whole) const
{
    HIP_CHECK_ERROR(hipMemcpy(at(memory) + sizes_.floats(margin),
                              whole.data() + sizes_.floats(own_.begin),
                              sizeof(float) * sizes_.floats(own_.size()),
                              hipMemcpyHostToDevice));
}

void ResidualBlock::from_rows(const DeviceMem& memory, std::vector<float>& whole) const
{
    HIP_CHECK_ERROR(hipMemcpy(whole.data() + sizes_.floats(own_.begin),
                              at(memory) + sizes_.floats(margin),
                              sizeof(float) * sizes_.floats(own_.size()),
                              hipMemcpyDeviceToHost));
}

void ResidualBlock::set(const Values& whole)
{
    to_rows(x_, whole.x);
    to_rows(dz_, whole.dy);
    w1_.ToDevice(whole.w1.data());
    w2_.ToDevice(whole.w2.data());
}

void ResidualBlock::get(Values& whole) const
{
    from_rows(y_, whole.y);
    from_rows(dx_, whole.dx);
    dw1_.FromDevice(whole.dw1.data());
    dw2_.FromDevice(whole.dw2.data());
}

void ResidualBlock::watch(const std::function<void(const std::string& step)>& f)
{
    watcher_ = f;
    for(const auto& [name, plan] : {std::pair{"conv 1 forward", &first_},
                                    {"conv 2 forward", &second_},
                                    {"conv 2 backward data", &data_},
                                    {"conv 1 backward data", &data_added_},
                                    {"backward weight", &weight_}})
    {
        if(!f)
            plan->watch({});
        else
            plan->watch([f, name = std::string(name)](const std::string& step) {
                f(step.empty() ? "" : name + ": " + step);
            });
    }
}

} // namespace split_block
