// A grouped transposed convolution in one to three dimensions: y = conv_transpose(x, w) and both
// gradients, as the three directions of the convolution from y to x.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_transpose.hpp"

#include "command_line.hpp"
#include "common/conv_example.hpp"

using namespace example;
using ck::TransposedPass;

/// A pass in the form of an example. Names are those of the convolution: `in` is y, `out` is x, and
/// `wei` is w.
template <template <class> class Direction_>
struct Pass : ConvExample<EXAMPLE_TYPE>
{
    using Direction = Direction_<Pass>;
    template <index_t rank>
    using Operations = GroupedOperations<Pass, rank, Engine::EXAMPLE_ENGINE>;
};

ConvParam convolution_of(const ConvTranspose& problem)
{
    const ck::ConvProblem c = problem.convolution();
    const auto dims         = [&](const ck::Spatial& s) {
        return std::vector<ck::long_index_t>(s.end() - c.rank, s.end());
    };
    return ConvParam(ck::long_index_t{c.rank},
                     c.groups,
                     c.batch,
                     c.out_channels,
                     c.in_channels,
                     dims(c.filter),
                     dims(c.input),
                     dims(c.stride),
                     dims(c.dilation),
                     dims(c.pad_low),
                     dims(c.pad_high)); // negative, a crop, where output padding exceeds the pad
}

/// Whether the pass ran and its result is right.
template <index_t rank, template <class> class Direction>
bool run_pass(TransposedPass pass, CommandLine line, ConvTranspose p)
{
    using E      = Pass<Direction>;
    line.problem = convolution_of(p);
    Tensors<E, rank> t(line.problem);
    std::cout << name(pass) << ": x " << t.out.host.mDesc << ", w " << t.wei.host.mDesc << ", y "
              << t.in.host.mDesc << std::endl;
    for(auto* tensor : {&t.in, &t.wei, &t.out})
        tensor->fill({}, line.initialisation);
    const bool ran =
        std::apply([&](const auto&... op) { return (run_operation<E, rank>(op, line, t) || ...); },
                   typename E::template Operations<rank>{});
    if(!ran)
    {
        std::cout << "no operation of this example supports the problem on this device\n";
        return false;
    }
    auto& result = E::Direction::result(t);
    result.device.FromDevice(result.host.data());
    if(!line.verify)
        return true;

    p.input_strides  = ck::to_tensor_strides(t.out.host.GetStrides());
    p.filter_strides = ck::to_tensor_strides(t.wei.host.GetStrides());
    p.output_strides = ck::to_tensor_strides(t.in.host.GetStrides());
    Tensor<double> expected(result.host.mDesc);
    namespace host = ck::tensor_operation::host;
    const auto *x = t.out.host.data(), *w = t.wei.host.data(), *y = t.in.host.data();
    if(pass == TransposedPass::forward)
        host::reference_conv_transpose(p, x, w, expected.data());
    else if(pass == TransposedPass::input_gradient)
        host::reference_conv_transpose_input_gradient(p, expected.data(), w, y);
    else
        host::reference_conv_transpose_filter_gradient(p, x, expected.data(), y);
    return verify<EXAMPLE_TYPE>(result.host,
                                expected,
                                {E::Direction::longest_sum(line.problem),
                                 largest_magnitude(E::Direction::first_operand(t).host) *
                                     largest_magnitude(E::Direction::second_operand(t).host),
                                 line.initialisation != 2,
                                 true,
                                 1});
}

template <index_t rank>
int run(const CommandLine& line, const ConvTranspose& p)
{
    const bool forward = run_pass<rank, BackwardData>(TransposedPass::forward, line, p);
    const bool input   = run_pass<rank, Forward>(TransposedPass::input_gradient, line, p);
    const bool filter  = run_pass<rank, BackwardWeight>(TransposedPass::filter_gradient, line, p);
    return forward && input && filter ? 0 : 1;
}

int parse_and_run(int argc, char* argv[])
{
    if(asks_for_help(argc, argv))
    {
        print_transposed_help(argv[0]);
        return 0;
    }
    if(argc > 1 && argc < 4)
        throw std::invalid_argument("there are " + std::to_string(argc - 1) +
                                    " arguments, but must be none, three, or three and a problem; "
                                    "see --help");
    CommandLine line{};
    if(argc > 1)
        parse_actions(argv, line);
    if(argc < 5 && ck::arch::emulated)
        std::cout << "no GPU in this build: the CPU stands in for one, and the problem is "
                  << arguments(default_problem(true)) << " instead of "
                  << arguments(default_problem(false)) << '\n';
    const ConvTranspose p =
        argc < 5 ? default_problem(ck::arch::emulated) : parse_transposed(argc, argv);
    return p.rank == 1 ? run<1>(line, p) : p.rank == 2 ? run<2>(line, p) : run<3>(line, p);
}

int main(int argc, char* argv[])
{
    return exit_status([&] { return parse_and_run(argc, argv); });
}
