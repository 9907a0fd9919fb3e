// Ranks that are processes: messages, sums, a split convolution, and what becomes of lost ranks.
//
//   mpirun -n 3 test_distributed_mpi <what>: an `else if` of test()
#include "ck/distributed.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "../split_problem.hpp"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

using namespace ck;
using namespace ck::split_test;

void require(bool condition, const std::string& what)
{
    if(!condition)
        throw std::runtime_error(what);
}

/// The sum of all ranks is the one of their order, and the root's number is everywhere.
void communicate(Communicator& c)
{
    std::vector<float> numbers(1000), expected(1000);
    for(std::size_t i = 0; i < numbers.size(); ++i)
        for(int rank = 0; rank < c.size(); ++rank)
        {
            const float number =
                1.f / static_cast<float>(i + 3 * static_cast<std::size_t>(rank) + 1);
            expected[i] = rank == 0 ? number : expected[i] + number;
            if(rank == c.rank())
                numbers[i] = number;
        }
    AllReduce sum(c, numbers.size());
    sum.begin(numbers.data(), nullptr);
    sum.finish();
    require(numbers == expected, "a sum is not that of the ranks' order");
    int root = c.rank();
    c.broadcast(&root, sizeof root, c.size() - 1, nullptr);
    require(root == c.size() - 1, "a broadcast did not arrive");
    c.barrier();
}

/// Sends sizes from rank 1 to rank 0.
void send_other_sizes(Communicator& c)
{
    char bytes[8]{};
    const Send send{0, bytes, 8};
    const Receive receive{1, bytes, 4};
    if(c.rank() == 1)
        c.begin({&send, 1}, {}, nullptr)->finish();
    if(c.rank() == 0)
        c.begin({}, {&receive, 1}, nullptr)->finish();
}

void convolve(Communicator& c)
{
    for(const Axis axis : {Axis::d, Axis::h, Axis::w})
        for(const Direction direction :
            {Direction::forward, Direction::backward_data, Direction::backward_weight})
        {
            const auto i = static_cast<std::size_t>(axis);
            ConvSpec s{.direction = direction,
                       .groups    = 2,
                       .n         = 2,
                       .k         = 3,
                       .c         = 2,
                       .input     = {4, 4, 4},
                       .filter    = {1, 1, 1},
                       .strides   = {1, 1, 1},
                       .pads      = {{0, 0}, {0, 0}, {0, 0}}};
            s.input[i]   = 17;
            s.filter[i]  = 3;
            s.strides[i] = 2;
            s.pads[i]    = {1, 2};
            const SplitProblem problem(s);
            const std::size_t wrong =
                problem.mistakes(c, {.axis = axis, .x = even_parts(17, c.size())});
            require(wrong == 0, std::to_string(wrong) + " wrong numbers");
        }
}

void test(Communicator& c, const std::string& what)
{
    require(c.transport() == "MPI", "the transport is " + c.transport() + ", not MPI");
    communicate(c);
    if(what == "convolution")
        convolve(c);
    else if(what == "mismatch")
        SplitConvPlan(c,
                      {.k = c.rank() + 1, .input = {8}, .filter = {1}},
                      {.axis = Axis::w, .x = even_parts(8, c.size())});
    else if(what == "options")
        SplitConvPlan(c,
                      {.input = {8}, .filter = {1}},
                      {.axis = Axis::w, .x = even_parts(8, c.size())},
                      {.forbid = c.rank() == 2 ? "none" : ""});
    else if(what == "throws" && c.rank() == 1)
        throw std::runtime_error("out of memory");
    else if(what == "throws_anything" && c.rank() == 1)
        throw 7;
    else if(what == "sizes")
        send_other_sizes(c);
    else if(what == "root")
    {
        int number = 0;
        c.broadcast(&number, sizeof number, 3, nullptr);
    }
    else if(what == "receiver_silent" && c.rank() == 0)
    {
        int number = 0;
        const Receive receive{1, &number, sizeof number};
        c.begin({}, {&receive, 1}, nullptr)->finish();
    }
    else if(what == "killed" && c.rank() == 1)
        std::raise(SIGKILL);
    else if(what == "silent" && c.rank() == 1)
        std::this_thread::sleep_for(std::chrono::seconds(100));
    c.barrier();
    if(c.rank() == 0)
        std::printf("all %d ranks are done\n", c.size());
}

} // namespace

int main(int argc, char** argv)
{
    if(argc != 2)
        return 2;
    return ck::distributed::run(
        1, [&](Communicator& c) { test(c, argv[1]); }, {.wait = std::chrono::seconds(2)});
}
