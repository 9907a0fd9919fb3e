// What the library's kernels can do: every family, with every engine, in all layouts and ranks, on
// a small grouped problem of integers that has one right result. What ran is docs/coverage.md, so
// that nothing vanishes unseen.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"

#include "library/tensor_operation_instance/kernel_setup.hpp"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

namespace ck::test {
namespace {

/// Two groups, unequal filters, strides, dilations and pads.
ConvProblem problem_of_rank(index_t rank)
{
    ConvProblem p;
    p.rank         = rank;
    p.groups       = 2;
    p.batch        = 2;
    p.out_channels = 32;
    p.in_channels  = 16;
    const auto of  = [&](Spatial values, long_index_t neutral) { // the last `rank` of D H W
        for(std::size_t i = 0; i + static_cast<std::size_t>(rank) < 3; ++i)
            values[i] = neutral;
        return values;
    };
    p.filter   = of({1, 2, 3}, 1);
    p.input    = of({2, 3, 5}, 1);
    p.stride   = of({1, 1, 2}, 1);
    p.dilation = of({1, 2, 1}, 1);
    p.pad_low  = of({0, 1, 1}, 0);
    p.pad_high = of({1, 0, 2}, 0);
    return p;
}

enum class Kind
{
    grouped,
    dense, ///< one group of many channels
    dense_unit_stride,
    dense_one_tap,
    dense_stride_2, ///< in all dimensions
    depthwise
};

ConvProblem problem_of(Kind kind, index_t rank)
{
    ConvProblem p = problem_of_rank(rank);
    if(kind == Kind::depthwise)
    {
        p.groups       = 8;
        p.out_channels = p.in_channels = 1;
    }
    else if(kind != Kind::grouped)
    {
        p.groups       = 1;
        p.out_channels = p.in_channels = 64;
    }
    if(kind == Kind::dense_unit_stride || kind == Kind::dense_one_tap)
        p.stride = {1, 1, 1};
    if(kind == Kind::dense_one_tap)
        p.filter = {1, 1, 1};
    if(kind == Kind::dense_stride_2)
        for(std::size_t i = 3 - static_cast<std::size_t>(rank); i < 3; ++i)
            p.stride[i] = p.filter[i] = 2, p.dilation[i] = 1;
    return p;
}

/// The sums of a direction, for one rank: x, w and y hold integers, but for the result.
struct Reference
{
    ConvProblem problem;
    Values x, w, y;
    Values sums;

    Reference(Direction direction, index_t rank, Kind kind)
        : problem(problem_of(kind, rank)),
          x(Values::integers(problem.input_lengths(), 1)),
          w(Values::integers(problem.filter_lengths(), 2)),
          y(Values::integers(problem.output_lengths(), 3)),
          sums(direction == Direction::forward         ? y
               : direction == Direction::backward_data ? x
                                                       : w)
    {
        const Layout plain{"", as_listed, as_listed};
        set_layout(problem, plain);
        const Element& f64 = named_element<double>().second;
        const OnDevice x_device(x, problem.input_strides, f64),
            w_device(w, problem.filter_strides, f64), y_device(y, problem.output_strides, f64);
        const auto pointer = [](const OnDevice& t) { return static_cast<double*>(t.pointer()); };
        if(direction == Direction::forward)
            ref::naive_conv_fwd(problem, pointer(x_device), pointer(w_device), pointer(y_device));
        else if(direction == Direction::backward_data)
            ref::naive_conv_bwd_data(
                problem, pointer(x_device), pointer(w_device), pointer(y_device));
        else
            ref::naive_conv_bwd_weight(
                problem, pointer(x_device), pointer(w_device), pointer(y_device));
        const OnDevice& result = direction == Direction::forward         ? y_device
                                 : direction == Direction::backward_data ? x_device
                                                                         : w_device;
        result.memory.FromDevice(sums.values.data());
    }

    static const Reference& of(Direction direction, index_t rank, Kind kind = Kind::grouped)
    {
        static std::map<std::tuple<Direction, index_t, Kind>, Reference> all;
        const std::tuple key{direction, rank, kind};
        const auto at = all.find(key);
        return at != all.end() ? at->second
                               : all.emplace(key, Reference(direction, rank, kind)).first->second;
    }
};

/// The family's part of a row of the table.
std::string text(const Family& f)
{
    const auto tensors = [](std::string types) { // "f16 f16": two tensors make an operand
        std::replace(types.begin(), types.end(), ' ', '+');
        return types;
    };
    const std::string a = tensors(f.a), b = tensors(f.b);
    std::string types = f.direction == Direction::forward           ? a + ' ' + b + ' ' + f.c
                        : f.direction == Direction::backward_weight ? b + ' ' + f.c + ' ' + a
                                                                    : f.c + ' ' + b + ' ' + a;
    std::string operation;
    for(const auto* o : {&f.operation_a, &f.operation_b})
        if(*o != "PassThrough")
            operation += (operation.empty() ? "X by " : "W by ") + *o + ", ";
    operation += f.operation_c;
    if(!f.d.empty())
        operation += " (D: " + f.d + ')';
    const std::string compute =
        f.compute_a == f.compute_b ? f.compute_a : f.compute_a + ' ' + f.compute_b;
    return "| " + types + " | " + operation + " | " + compute + " | ";
}

/// Kernels that take problems of a kind, and of a rank, alone: those that have not run yet.
void run_others(const Family& family,
                Kind kind,
                index_t rank,
                std::set<const ConvKernel*>& ran,
                std::string& refusals)
{
    if(ran.size() == kernels_of(family).size())
        return;
    const Reference& reference = Reference::of(family.direction, rank, kind);
    ConvProblem problem        = reference.problem;
    set_layout(problem, layouts[kind == Kind::depthwise ? 1 : 0]); // groups that are neighbours
    KernelSetup setup(family, problem, {reference.x, reference.w, reference.y, reference.sums}, 2);
    for(const ConvKernel& kernel : kernels_of(family))
        if(ran.count(&kernel) == 0)
        {
            if(const Support s = setup.supports(kernel); !s)
            {
                refusals += kernel.name + ", another problem: " + s.reason + '\n';
                continue;
            }
            ran.insert(&kernel);
            EXPECT_EQ(setup.mistakes(kernel), 0u)
                << kernel.name << ", problem " << static_cast<int>(kind);
        }
}

/// The rows of the family: one an engine. A cell lists the ranks of which a kernel gave the right
/// result. Every kernel runs in one layout at least.
std::string rows_of(const Family& family)
{
    SCOPED_TRACE(std::string(name(family.direction)) + ' ' + text(family));
    std::map<std::string, std::map<std::string, std::string>> ranks; // of engine and layout
    std::vector<std::string> engines;                                // in the registry's order
    std::set<const ConvKernel*> ran;
    std::string refusals;
    for(const Layout& layout : layouts)
        for(index_t rank = 1; rank <= 3; ++rank)
        {
            const Reference& reference = Reference::of(family.direction, rank);
            ConvProblem problem        = reference.problem;
            set_layout(problem, layout);
            KernelSetup setup(
                family, problem, {reference.x, reference.w, reference.y, reference.sums}, 2);
            std::set<std::string> done;
            for(const ConvKernel& kernel : kernels_of(family))
            {
                const std::string engine = engine_of(kernel);
                if(ranks.emplace(engine, std::map<std::string, std::string>{}).second)
                    engines.push_back(engine);
                if(const Support s = setup.supports(kernel); !s)
                {
                    refusals += kernel.name + ", " + layout.name + ": " + s.reason + '\n';
                    continue;
                }
                // The first of an engine in each place, and each kernel in one.
                const bool first = done.insert(engine).second;
                if(!ran.insert(&kernel).second && !first)
                    continue;
                const std::size_t wrong = setup.mistakes(kernel);
                EXPECT_EQ(wrong, 0u) << kernel.name << ", " << layout.name << ", rank " << rank;
                if(first && wrong == 0)
                    ranks[engine][layout.name] += std::to_string(rank) + "D ";
            }
        }
    for(const auto& [kind, rank] : {std::pair{Kind::dense, 2},
                                    {Kind::dense_unit_stride, 2},
                                    {Kind::dense_one_tap, 2},
                                    {Kind::dense_stride_2, 2},
                                    {Kind::dense_stride_2, 3},
                                    {Kind::depthwise, 2}})
        run_others(family, kind, rank, ran, refusals);
    EXPECT_EQ(ran.size(), kernels_of(family).size()) << "some kernels never ran:\n" << refusals;
    std::string rows;
    for(const std::string& engine : engines)
    {
        rows += text(family) + engine + " |";
        for(const Layout& layout : layouts)
        {
            const std::string& cell = ranks[engine][layout.name];
            rows += ' ' + (cell.empty() ? "- " : cell) + '|';
        }
        rows += '\n';
    }
    return rows;
}

std::string table()
{
    std::string all =
        "# What the library's kernels compute\n\n"
        "Written by `test/library/tensor_operation_instance/coverage.cpp`, which runs the library\n"
        "of a host build and compares each result exactly with the definition: do not edit it, "
        "run\n"
        "the test with `CK_WRITE_COVERAGE=1`. One row for each family of kernels and engine; X, W\n"
        "and Y stand for their gradients, too. A cell lists the spatial dimensions of the "
        "problems\n"
        "that ran in that layout (named as in 2D); a dash: no kernel of the host's library takes "
        "it.\n\n"
        "Not in these tables:\n\n"
        "- More kernels. The libraries of GPUs have more of each family, of other tiles and "
        "vectors,\n"
        "  and of an engine's other instructions (MFMA of gfx908, WMMA of gfx12); see\n"
        "  `library/src/tables/instances.cmake`. Each instruction's lane maps are proven by "
        "`test/arch`\n"
        "  and, as machine code, `test/isa`; convolutions with them over sizes, strides, pads and "
        "groups\n"
        "  are in `test/convolution`.\n"
        "- Operations by other engines than Xdl, which the libraries of GPUs have, too. An "
        "operation acts\n"
        "  on single elements, whatever the engine; by other engines, single ones are in\n"
        "  `test/convolution`: `forward/grouped.cpp`, `forward/several_tensors.cpp`,\n"
        "  `backward_data/element_wise.cpp` and `backward_weight/multiple_d.cpp`.\n"
        "- Wgmma, of f16, bf16, tf32, i8 and, forward, eight-bit floats of OCP (f8_ocp, "
        "bf8_ocp),\n"
        "  which the library for sm_90a has, too: this test runs it there.\n"
        "  On the host single kernels are in `test/convolution`: `forward/grouped.cpp`,\n"
        "  `backward_data/grouped.cpp`, `backward_weight/engines.cpp` and `tensor_maps`.\n"
        "- Eight-bit floats of OCP with operations, or by other engines than Mma, which multiplies "
        "them as\n"
        "  bf16: the libraries of GPUs have the operations of f8, too.\n"
        "- Floats multiplied as such by Wmma and Mma: those engines have no instruction for them.\n"
        "  Multiplied as tf32 they are families of their own, for clients who ask for that.\n";
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        all += "\n## " + std::string(name(direction)) +
               "\n\n| X W Y | operation | multiplied in | engine |";
        for(const Layout& layout : layouts)
            all += ' ' + std::string(layout.name) + " |";
        all += "\n|---|---|---|---|---|---|---|---|\n";
        for(const Family& family : families())
            if(family.direction == direction)
                all += rows_of(family);
    }
    return all;
}

TEST(Coverage, IsWhatTheDocumentSays)
{
    const std::string ran = table();
    if(!arch::emulated)
        return; // everything was right; the document is of the host's library
    const auto path = std::filesystem::path(__FILE__).parent_path() / "../../../docs/coverage.md";
    if(std::getenv("CK_WRITE_COVERAGE") != nullptr)
        std::ofstream(path) << ran;
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    const auto lines = [](std::istream& in) {
        std::vector<std::string> all;
        for(std::string line; std::getline(in, line);)
            all.push_back(line);
        return all;
    };
    std::istringstream now(ran);
    const auto found = lines(now), documented = lines(file);
    for(const std::string& line : documented)
        EXPECT_NE(std::find(found.begin(), found.end(), line), found.end())
            << "documented, but it did not run: " << line;
    for(const std::string& line : found)
        EXPECT_NE(std::find(documented.begin(), documented.end(), line), documented.end())
            << "ran, but is not documented (CK_WRITE_COVERAGE=1 documents it): " << line;
    EXPECT_EQ(found.size(), documented.size());
}

} // namespace
} // namespace ck::test
