// A video of nine frames, convolved along time as it arrives: chunk by chunk, with a cache of the
// two previous frames that the filter needs. The result is the same to the bit as for the whole
// video.
#include "ck/causal_conv.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

constexpr ck::long_index_t frames = 9, pixels = 4 * 5, channels = 8;

/// 3x3x3, eight channels to eight; the video is [frames][4][5][channels].
ck::CausalConvSpec chunk_of(ck::long_index_t new_frames)
{
    return {.conv = {.type   = ck::DataType::f32,
                     .k      = channels,
                     .c      = channels,
                     .input  = {new_frames, 4, 5},
                     .filter = {3, 3, 3},
                     .pads   = {{0, 0}, {1, 1}, {1, 1}}}}; // along time, the cache is the padding
}

/// Writes y from x, `chunk` frames at a time.
void stream(ck::long_index_t chunk, const float* x, const void* w, float* y)
{
    const DeviceMem cache(chunk_of(1).conv.x_bytes() * 2);
    for(ck::long_index_t frame = 0; frame < frames; frame += chunk)
    {
        ck::CausalConvSpec spec = chunk_of(std::min(chunk, frames - frame));
        spec.first              = frame == 0; // zeros are before it, and no cache
        const ck::CausalConvPlan plan(spec);
        const DeviceMem workspace(plan.workspace_size());
        plan.run({.x          = x + frame * pixels * channels,
                  .w          = w,
                  .y          = y + frame * pixels * channels,
                  .cache      = spec.first ? nullptr : cache.GetDeviceBuffer(),
                  .next_cache = cache.GetDeviceBuffer(), // written after it was read
                  .workspace  = workspace.GetDeviceBuffer()});
    }
}

} // namespace

int main()
try
{
    constexpr auto size = static_cast<std::size_t>(frames * pixels * channels);
    std::vector<float> numbers(size), filter(channels * 27 * channels), whole(size), chunks(size);
    for(std::size_t i = 0; i < size; ++i)
        numbers[i] = 1 / static_cast<float>(i % 37 + 1);
    for(std::size_t i = 0; i < filter.size(); ++i)
        filter[i] = 1 / static_cast<float>(i % 41 + 1);
    const DeviceMem x(size * sizeof(float)), w(filter.size() * sizeof(float)),
        y(size * sizeof(float));
    x.ToDevice(numbers.data());
    w.ToDevice(filter.data());
    const auto run = [&](ck::long_index_t chunk, std::vector<float>& result) {
        stream(chunk,
               static_cast<const float*>(x.GetDeviceBuffer()),
               w.GetDeviceBuffer(),
               static_cast<float*>(y.GetDeviceBuffer()));
        y.FromDevice(result.data());
    };
    run(frames, whole);
    run(4, chunks); // 4, 4 and 1 frames
    std::printf("%s", ck::CausalConvPlan(chunk_of(8)).explain().c_str());
    std::printf("the bits are %s\n", whole == chunks ? "the same" : "others");
    return whole == chunks ? 0 : 1;
}
catch(const std::exception& error) // no GPU, for example; ck::Refused says why
{
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
