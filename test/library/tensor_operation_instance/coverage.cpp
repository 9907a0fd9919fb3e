// What the library's kernels can do: every family, with every engine, in all layouts and ranks, on
// a small grouped problem of integers that has one right result. What ran is docs/coverage.md, so
// that nothing vanishes unseen.
#include "library/tensor_operation_instance/reference.hpp"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

namespace ck::test {
namespace {

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
        "  Multiplied as tf32 they are families of their own, for clients who ask for that.\n"
        "- Transposed convolutions: forward is backward data here, the gradient of the input is "
        "forward, that\n"
        "  of the filter backward weight. `transposed.cpp` beside the test runs all three by every "
        "kernel of\n"
        "  f32, f16 and bf16 with PassThrough that takes them, in 1D to 3D.\n"
        "- Blocked layouts (NDC1HWC0, NC1HWC0, FRACTAL_Z_3D, FRACTAL_Z), which header-only "
        "operations\n"
        "  take: test/convolution/blocked runs them by Xdl, Mma and Dl, of f16, bf16, f32 and "
        "i8.\n";
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
