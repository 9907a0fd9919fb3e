// What docs/how_a_kernel_is_built.md shows of one kernel: the descriptors, the tuning, the lane
// maps and the schedules themselves are compared with docs/pictures/kernel.json, which script/plot
// draws. Where they are meant to change, CK_WRITE_PICTURES=1 rewrites the file.
#include "ck/tensor_operation/gpu/block/pipeline/double_buffer.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer_in_runs.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/kernel.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"

#include <gtest/gtest.h>

#include "tables/xdl.hpp"
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace ck::test {
namespace {

using Json = nlohmann::ordered_json;
using grid::TileMap;

// The convolution of README's example.
constexpr ConvProblem problem =
    make_packed_problem<2>(1, 2, 128, 64, {3, 3}, {14, 14}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
constexpr GemmTuning tuning = tables::xdl_128x128(
    tables::xdl_f16, tables::wide_vectors(Direction::forward, tables::xdl_f16.widest));
using Gemm = block::BlockGemm<tuning.instruction, grid::block_shape<Forward>(tuning)>;
using Wave = Gemm::Wave;

constexpr index_t lines = 16; // lines of a slice that are shown

/// What a schedule does, in order: [step, slice or buffer].
struct Recorder
{
    Json steps         = Json::array();
    index_t first_left = 2; // slices of a run: 64 channels of a tap
    index_t fetched = 0, staged = 0, read = 0, multiplied = 0;

    void add(const char* step, index_t slice) { steps.push_back({step, slice}); }
    void barrier() { steps.push_back({"barrier", -1}); }

    void fetch() { add("load", fetched++); }
    index_t begin_run() const { return first_left; }
    void fetch_of_run() { fetch(); }
    void stage(index_t) { add("write", staged++); }
    void wait() { barrier(); }
    void wait_read() { barrier(); }
    void multiply(index_t)
    {
        add("read", read++);
        add("multiply", multiplied++);
    }
    void read_first(index_t) { add("read", read++); }
    void multiply_but_last(index_t) { add("multiply", multiplied); }
    void multiply_half() { add("multiply the rest", multiplied); }
    void multiply_other_half(index_t)
    {
        ++multiplied;
        add("read", read++);
    }
    void multiply_last() { add("multiply the rest", multiplied++); }

    void copy(index_t) { add("copy", fetched++); }
    void end_group() {}
    template <class Groups>
    void arrived(Groups)
    {
        barrier();
    }
};
template <class Schedule>
Json steps_of(index_t slices)
{
    Recorder r;
    Schedule::run(r, slices);
    EXPECT_EQ(r.fetched, slices);
    EXPECT_EQ(r.multiplied, slices);
    return {{"buffers", Schedule::buffers}, {"slices", slices}, {"steps", r.steps}};
}

Json numbers_of_tuning()
{
    return {{"instruction", Wave::instruction.name},
            {"block", {tuning.block_tile.m, tuning.block_tile.n, tuning.block_tile.k}},
            {"wave", {tuning.wave_m, tuning.wave_n}},
            {"tile", {Wave::tile_m, Wave::tile_n, Wave::instruction.k}},
            {"threads", Gemm::size},
            {"lanes", Gemm::lanes},
            {"vectors", {tuning.a_vector, tuning.b_vector, tuning.c_vector}}};
}

/// Which tile of rows each pixel of Y belongs to, [n][ho][wo].
Json tiles_of_pixels(const Forward::Phase& views)
{
    Json of(std::vector(
        problem.batch,
        std::vector(problem.output()[1], std::vector<index_t>(problem.output()[2], -1))));
    for(index_t row = 0; row < views.c.extent<0>(); ++row)
    {
        const auto at           = views.c.indices<0>(row);
        of[at[0]][at[2]][at[3]] = row / tuning.block_tile.m;
    }
    return of;
}

/// The tiles of each block, [row tile, column tile].
Json tiles_of_blocks(const Forward::Phase& views)
{
    const auto tiles = [](index_t extent, index_t length) {
        return make_divisor(math::integer_divide_ceil(extent, length));
    };
    const TileMap map{tiles(views.c.extent<1>(), tuning.block_tile.n),
                      make_divisor(1),
                      tiles(views.c.extent<0>(), tuning.block_tile.m),
                      make_divisor(1),
                      make_divisor(1),
                      1};
    Json of = Json::array();
    for(index_t block = 0; block < map.size(); ++block)
        of.push_back({map(block).row_tile, map(block).column_tile});
    return of;
}

/// Which pixel of X each row of the first tile meets at a tap, [n, hi, wi], and whether it is one.
Json pixels_at(const Forward::Phase& views, index_t tap)
{
    Json inside = Json::array(), outside = Json::array();
    for(index_t row = 0; row < tuning.block_tile.m; ++row)
    {
        const auto at =
            combine(combine(views.a.part<0>(row), views.a.part<1>(tap)), views.a.part<2>(0));
        const auto image = views.a.indices<0>(row)[0];
        (views.a.inside(at) ? inside : outside).push_back({image, at.index[1], at.index[2]});
    }
    return {{"tap", tap}, {"inside", inside}, {"outside", outside}};
}

/// Which thread copies each pack of the first lines of A's slice, and where it lies in LDS.
Json copies()
{
    constexpr auto& s = Gemm::a_shape;
    Json of           = Json::array();
    for(index_t piece = 0; piece < s.pieces(); ++piece)
        for(index_t thread = 0; thread < Gemm::size; ++thread)
            if(const index_t row = s.first_row(thread, piece), k = s.first_k(thread, piece);
               row < lines)
                of.push_back({{"row", row},
                              {"k", k},
                              {"thread", thread},
                              {"byte", Gemm::a_layout.element(row, k) * s.element_bytes}});
    return {{"lines", lines},
            {"pack", s.pack()},
            {"bytes", s.element_bytes},
            {"slice bytes", sizeof(Gemm::Slice)},
            {"packs", of}};
}

/// The elements of each lane's registers: [lane, value, row, column].
Json held(const arch::LaneMap& map)
{
    Json of = Json::array();
    for(index_t lane = 0; lane < map.lanes(); ++lane)
        for(index_t value = 0; value < map.values(); ++value)
        {
            const auto at = map(lane, value);
            of.push_back({lane, value, at.row, at.column});
        }
    return of;
}
Json held_sums()
{
    Json of = Json::array();
    for(index_t lane = 0; lane < Gemm::lanes; ++lane)
        for(index_t value = 0; value < Wave::instruction.c_values; ++value)
        {
            const auto at = Wave::coordinate(lane, value);
            of.push_back({lane, value, at.m, at.n});
        }
    return of;
}

/// Writes a line of text for each line of a picture's data, which shows what changed.
std::string in_lines(const Json& data)
{
    std::string text = "{\n";
    for(const auto& [key, value] : data.items())
        text += (text.size() > 2 ? ",\n" : "") + Json(key).dump() + ": " + value.dump();
    return text + "\n}\n";
}

TEST(KernelPictures, AreOfThisKernel)
{
    static_assert(grid::why_no_gemm<Forward>(tuning) == nullptr);
    const Forward::Phase views = Forward::make(problem, problem.batch).make_phase(0, problem.batch);
    const Json data{{"tuning", numbers_of_tuning()},
                    {"rows", views.c.extent<0>()},
                    {"columns", views.c.extent<1>()},
                    {"taps", views.tap_count},
                    {"channels", views.a.extent<2>()},
                    {"tiles of pixels", tiles_of_pixels(views)},
                    {"blocks", tiles_of_blocks(views)},
                    {"input", {problem.input[1], problem.input[2]}},
                    {"meets", {pixels_at(views, 0), pixels_at(views, 4), pixels_at(views, 8)}},
                    {"copies", copies()},
                    {"A", held(Wave::m_map)},
                    {"B", held(Wave::n_map)},
                    {"C", held_sums()},
                    {"schedules",
                     {{"SingleBufferInRuns", steps_of<block::SingleBufferInRuns>(4)},
                      {"DoubleBuffer", steps_of<block::DoubleBuffer>(4)},
                      {"MultiStage<3>", steps_of<block::MultiStage<3>>(4)}}}};
    const std::string now = in_lines(data), file = CK_PICTURES "/kernel.json";
    if(std::getenv("CK_WRITE_PICTURES") != nullptr)
        std::ofstream(file) << now;
    std::ostringstream there;
    there << std::ifstream(file).rdbuf();
    EXPECT_TRUE(there.str() == now)
        << file << " shows another kernel. If that is meant, CK_WRITE_PICTURES=1 writes it anew; "
        << "then run script/plot kernel (docs/how_a_kernel_is_built.md)";
}

} // namespace
} // namespace ck::test
