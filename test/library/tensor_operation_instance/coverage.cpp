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

namespace ck::test::coverage {
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
    std::map<std::string, std::map<std::string, std::string>> ranks; // keys: engine, layout
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
        "Does the library compute your convolution? Find its types, operation and layout in "
        "the table of its direction: [forward](#forward), [backward data](#backward-data) or "
        "[backward weight](#backward-weight).\n\n"
        "- A row is a *family*, the kernels for these types and this operation, on one "
        "[engine](platforms.md). X, W and Y also stand for their gradients.\n"
        "- A cell lists the dimensions of the problems that ran in that layout. Layouts have "
        "their 2D names.\n"
        "- A dash means that no kernel of the host's library supports that layout.\n\n"
        "A test made these tables. It runs every kernel of a host build on small problems of "
        "integers, and compares each result exactly with the definition. Do not edit this "
        "page: with `CK_WRITE_COVERAGE=1`, the test "
        "(`test/library/tensor_operation_instance/coverage.cpp`) rewrites it.\n\n"
        "The tables leave out:\n\n"
        "- **More kernels.** The libraries for GPUs have more kernels of each family: other "
        "tiles and vectors, and the engine's other instructions (MFMA of gfx908, WMMA of "
        "gfx12). `library/src/tables` has them all. `test/arch` checks each instruction's "
        "lane maps, and `test/isa` its machine code. `test/convolution` runs convolutions "
        "with these kernels over sizes, strides, pads and groups.\n"
        "- **Operations on engines other than Xdl.** The libraries for GPUs have them. An "
        "operation acts on single elements, whatever the engine. `test/convolution` runs "
        "some: `forward/grouped.cpp`, `forward/several_tensors.cpp`, "
        "`backward_data/element_wise.cpp` and `backward_weight/multiple_d.cpp`.\n"
        "- **Wgmma.** The library for sm_90a has f16, bf16, tf32, i8 and, in the forward "
        "direction, OCP's eight-bit floats (f8_ocp, bf8_ocp). On such a GPU this test runs "
        "them. On the host, `test/convolution` runs single kernels, in `wgmma` and "
        "`tensor_maps`.\n"
        "- **OCP's eight-bit floats** with operations, or on engines other than Mma. Mma "
        "multiplies them as bf16. The libraries for GPUs have f8's operations.\n"
        "- **f32 on Wmma and Mma.** These engines have no instruction for it. f32 multiplied "
        "as tf32 is a separate family, for clients that ask for it.\n"
        "- **Transposed convolutions.** Their forward pass is backward data here, the "
        "gradient of their input is forward, and the gradient of their filter is backward "
        "weight. `transposed.cpp` next to the test runs all three in 1D to 3D with every "
        "PassThrough kernel of f32, f16 and bf16 that supports them.\n"
        "- **Blocked layouts** (NDC1HWC0, NC1HWC0, FRACTAL_Z_3D, FRACTAL_Z). Header-only "
        "operations support them. `test/convolution/blocked` runs them on Xdl, Mma and Dl, "
        "with f16, bf16, f32 and i8.\n"
        "- **Split convolutions** (`ck/distributed.hpp`; D, H or W is split over ranks). "
        "`test/distributed` compares every element with the same convolution unsplit. It "
        "covers f32, 1D to 3D, all directions, 1 to 8 ranks of one process, 2 to 4 MPI "
        "processes, and ranks over a stand-in for NCCL, in one launch and in several. NCCL "
        "itself has run on four GPUs, with `split_scaling --check`; RCCL has not run.\n"
        "- **Kernels on copies.** The same kernels also run on channels-last copies of "
        "tensors in any layout, for all types except f64. `on_copies.cpp` next to the test "
        "runs them.\n";
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
} // namespace ck::test::coverage
