// The kernels of backward data that are tested.
#include <gtest/gtest.h>

#include "convolution/lattice/instance_of.hpp"
#include <map>
#include <set>

namespace ck::test {

namespace {

TEST(BackwardDataInstances, UseEveryPipelineAndVector)
{
    std::map<std::string, std::set<Pipeline>> pipelines;
    std::map<char, std::set<index_t>> vectors;
    for(const auto& instance : all_instances())
    {
        const GemmTuning& t       = instance->tuning();
        const std::string& engine = instance->engine();
        pipelines[engine.substr(0, engine.find('_'))].insert(t.pipeline);
        vectors['a'].insert(t.a_vector);
        vectors['b'].insert(t.b_vector);
        vectors['c'].insert(t.c_vector);
    }
    const std::set<Pipeline> anywhere{Pipeline::single_buffer, Pipeline::double_buffer};
    std::set<Pipeline> with_async = anywhere;
    with_async.insert(Pipeline::async_copies);
    for(const char* engine : {"wmma", "dl"})
        EXPECT_EQ(pipelines[engine], anywhere) << engine;
    EXPECT_EQ(pipelines["xdl"], with_async); // pipelines of gfx950
    EXPECT_EQ(pipelines["mma"], amd || first_tunings ? anywhere : with_async);
    for(const auto& [operand, widths] : vectors)
        EXPECT_EQ(widths, (std::set<index_t>{1, 2, 4, 8})) << operand;
}

} // namespace
} // namespace ck::test
