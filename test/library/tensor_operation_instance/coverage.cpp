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
    set_layout(problem, layouts[problem.groups > 1 ? 1 : 0]); // groups that are neighbours
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

/// The rows of the family: one an engine. A cell lists the ranks of which a kernel gave the
/// right result. Every kernel runs in one layout at least.
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
                                    {Kind::depthwise, 2},
                                    {Kind::dense_pointwise, 2},
                                    {Kind::thin, 2},
                                    {Kind::first_layer, 2},
                                    {Kind::first_layer_of_8, 2},
                                    {Kind::groups_of_4, 2},
                                    {Kind::groups_of_8, 2},
                                    {Kind::depthwise_3x3, 2},
                                    {Kind::depthwise_3x3, 3},
                                    {Kind::depthwise_3x3_stride_2, 2},
                                    {Kind::depthwise_3x3_stride_2, 3},
                                    {Kind::depthwise_5x5, 2},
                                    {Kind::depthwise_5x5_stride_2, 2},
                                    {Kind::depthwise_7x7, 2},
                                    {Kind::depthwise_4, 1}})
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
        "A test runs every kernel of a host build on small problems of integers and "
        "compares each result exactly with the definition. This file is what it found: do"
        " not edit it. `CK_WRITE_COVERAGE=1` has the test, "
        "`test/library/tensor_operation_instance/coverage.cpp`, write it anew.\n\n"
        "- A row is a family of kernels and an engine. X, W and Y also stand for their "
        "gradients.\n"
        "- A cell lists the spatial dimensions of the problems that ran in that layout, "
        "which is named as in 2D.\n"
        "- A dash: no kernel of the host's library takes that layout.\n\n"
        "Not in these tables:\n\n"
        "- **More kernels.** The libraries of GPUs have more of each family: other tiles "
        "and vectors, and the engine's other instructions (MFMA of gfx908, WMMA of "
        "gfx12). `library/src/tables` has them all. `test/arch` proves each instruction's"
        " lane maps, `test/isa` its machine code. `test/convolution` runs convolutions "
        "with them over sizes, strides, pads and groups.\n"
        "- **Operations by other engines than Xdl.** The libraries of GPUs have them. An "
        "operation acts on single elements, whatever the engine. `test/convolution` runs "
        "some: `forward/grouped.cpp`, `forward/several_tensors.cpp`, "
        "`backward_data/element_wise.cpp` and `backward_weight/multiple_d.cpp`.\n"
        "- **Wgmma.** The library for sm_90a has f16, bf16, tf32, i8 and, forward, "
        "eight-bit floats of OCP (f8_ocp, bf8_ocp). This test runs them there. On the "
        "host `test/convolution` runs single kernels: `wgmma` and `tensor_maps`.\n"
        "- **Eight-bit floats of OCP** with operations, or by other engines than Mma, "
        "which multiplies them as bf16. The libraries of GPUs have the operations of f8.\n"
        "- **f32 by Wmma and Mma.** These engines have no instruction for it. f32 "
        "multiplied as tf32 is a family of its own, for clients who ask for it.\n"
        "- **Transposed convolutions.** Forward is backward data here, the gradient of "
        "the input is forward, the gradient of the filter backward weight. "
        "`transposed.cpp` beside the test runs all three in 1D to 3D by every kernel of "
        "f32, f16 and bf16 with PassThrough that takes them.\n"
        "- **Blocked layouts** (NDC1HWC0, NC1HWC0, FRACTAL_Z_3D, FRACTAL_Z). Header-only "
        "operations take them. `test/convolution/blocked` runs them by Xdl, Mma and Dl, "
        "with f16, bf16, f32 and i8.\n"
        "- **Split convolutions** (`ck/distributed.hpp`, D, H or W cut over ranks). "
        "`test/distributed` compares them with the same unsplit, each number: f32, 1D to 3D, all "
        "directions, 1 to 8 ranks of one process, 2 to 4 processes of MPI, and ranks over a "
        "stand-in for NCCL; in one launch and in several. NCCL itself has run on four GPUs, by "
        "`split_scaling --check`; RCCL has not.\n"
        "- **Kernels on copies.** The same kernels, on channels-last copies of tensors in any "
        "layout, of all types but f64. `on_copies.cpp` beside the test runs them.\n";
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
