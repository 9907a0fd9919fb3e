// Plans in a graph: captured once, launched again, with the results of plain runs. Only on NVIDIA.
#include "ck/host_utility/hip_check_error.hpp"

#include "conv/convolution.hpp"

namespace ck::conv_test {

#if defined(CK_RUNTIME_CUDA)

TEST(Graph, HasAPlansLaunches)
{
    int ran = 0;
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        for(const bool bias : {false, true})
        {
            ConvSpec spec  = spec_of_rank(2);
            spec.type      = DataType::f16;
            spec.direction = direction;
            spec.groups    = 1;
            spec.k = spec.c    = 64;
            spec.bias_gradient = bias && direction == Direction::backward_weight;
            spec.epilogue.bias = bias && !spec.bias_gradient;
            if(!has_kernels(spec))
                continue;
            const ConvPlan p = plan(spec);
            Convolution plain(spec), captured(spec);
            EXPECT_EQ(plain.mistakes(p), 0u) << p.explain();
            captured.spoil();
            ConvTensors t = captured.tensors(p);
            cudaStream_t stream{};
            HIP_CHECK_ERROR(cudaStreamCreate(&stream));
            t.stream = stream;
            cudaGraph_t graph{};
            cudaGraphExec_t launchable{};
            HIP_CHECK_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            p.run(t);
            HIP_CHECK_ERROR(cudaStreamEndCapture(stream, &graph));
            HIP_CHECK_ERROR(cudaGraphInstantiate(&launchable, graph, 0));
            for(int launch = 0; launch < 2; ++launch)
            {
                captured.spoil();
                HIP_CHECK_ERROR(cudaGraphLaunch(launchable, stream));
                HIP_CHECK_ERROR(cudaStreamSynchronize(stream));
                captured.result().read();
                EXPECT_EQ(captured.result().bytes, plain.result().bytes) << p.explain();
                if(spec.bias_gradient)
                {
                    captured.bias.read();
                    EXPECT_EQ(captured.bias.bytes, plain.bias.bytes);
                }
            }
            HIP_CHECK_ERROR(cudaGraphExecDestroy(launchable));
            HIP_CHECK_ERROR(cudaGraphDestroy(graph));
            HIP_CHECK_ERROR(cudaStreamDestroy(stream));
            ++ran;
        }
    EXPECT_GE(ran, 1);
}

#endif

} // namespace ck::conv_test
