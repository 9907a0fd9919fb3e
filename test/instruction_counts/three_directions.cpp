// Runs one f16 convolution with the library's first tuning whose tile the problem fills, for
// count.py.
//   three_directions forward|backward_data|backward_weight [images of backward_data, default 8]
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"

#include "tables/xdl.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ck;
using namespace ck::tensor_operation::device;

namespace {

using PassThrough = tensor_operation::element_wise::PassThrough;
using Types       = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough>;

/// Zeros on the device, `elements` of them.
half_t* tensor(const TensorLengths& lengths)
{
    const std::size_t bytes = static_cast<std::size_t>(element_count(lengths)) * sizeof(half_t);
    void* p                 = nullptr;
    if(hipMalloc(&p, bytes) != hipSuccess || hipMemset(p, 0, bytes) != hipSuccess)
        return nullptr;
    return static_cast<half_t*>(p);
}

template <class Argument>
Argument argument(const ConvProblem& p, half_t* a, half_t* b, half_t* c)
{
    Argument r{};
    r.problem = p;
    r.a       = a;
    r.b       = b;
    r.c       = c;
    return r;
}

int refuse(const Support& s)
{
    std::fprintf(stderr, "refused: %s\n", s.reason.c_str());
    return 1;
}

int forward(const ConvProblem& p)
{
    using Op =
        ConvOperation<ForwardDirection, Types, tables::xdl<Direction::forward, tables::xdl_f16>[0]>;
    const auto a = argument<Op::Argument>(
        p, tensor(p.input_lengths()), tensor(p.filter_lengths()), tensor(p.output_lengths()));
    if(const Support s = Op::supports(a); !s)
        return refuse(s);
    Op::run(a, {});
    return 0;
}

int backward_data(const ConvProblem& p)
{
    using Op     = ConvOperation<BackwardDataDirection,
                             Types,
                             tables::xdl<Direction::backward_data, tables::xdl_f16>[0]>;
    const auto a = argument<Op::Argument>(
        p, tensor(p.output_lengths()), tensor(p.filter_lengths()), tensor(p.input_lengths()));
    if(const Support s = Op::supports(a); !s)
        return refuse(s);
    Op::run(a, {});
    return 0;
}

int backward_weight(const ConvProblem& p)
{
    using Op =
        BackwardWeightOperation<Types, tables::xdl<Direction::backward_weight, tables::xdl_f16>[0]>;
    auto a = argument<Op::Argument>(
        p, tensor(p.output_lengths()), tensor(p.input_lengths()), tensor(p.filter_lengths()));
    Op::make_plan(a);
    if(const Support s = Op::supports(a, false); !s)
        return refuse(s);
    Op::run(a, {});
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const char* direction = argc > 1 ? argv[1] : "";
    const index_t images  = argc > 2 ? std::atoi(argv[2]) : 8; // with 128: the same tiles
    // The problems that Composable Kernel's instructions were counted on.
    if(std::strcmp(direction, "forward") == 0)
        return forward(make_packed_problem<2>(
            1, 4, 256, 128, {3, 3}, {28, 28}, {1, 1}, {1, 1}, {1, 1}, {1, 1}));
    if(std::strcmp(direction, "backward_data") == 0)
        return backward_data(make_packed_problem<2>(
            1, images, 256, 256, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1}));
    if(std::strcmp(direction, "backward_weight") == 0)
        return backward_weight(make_packed_problem<3>(
            4, 1, 128, 256, {3, 3, 3}, {14, 14, 14}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}));
    std::fprintf(stderr, "usage: three_directions forward|backward_data|backward_weight\n");
    return 2;
}
