// The manifest against the tables it names, and what builds select of it. Not every row is built:
// the manifest says why not.
#include "tables/manifest.hpp"

#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"

#include <gtest/gtest.h>

#include "tables/dl.hpp"
#include "tables/mma.hpp"
#include "tables/selection.hpp"
#include "tables/wgmma.hpp"
#include "tables/wmma.hpp"
#include "tables/xdl.hpp"
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ck::test {
namespace {

using namespace ck::manifest;
using Names = std::set<std::string>;

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

/// The rows of a table, by the table's name as C++ spells it.
using Tables = std::map<std::string, std::vector<GemmTuning>>;

std::vector<GemmTuning> rows_of(const auto& table) { return {std::begin(table), std::end(table)}; }

template <Direction d>
void add_tables(Tables& all)
{
    const std::string direction = identifier(d);
#define ADD(engine, ...)                                                                           \
    all[#engine "<Direction::" + direction + ", " #__VA_ARGS__ ">"] =                              \
        rows_of(tables::engine<d, tables::__VA_ARGS__>)
#define ADD_TABLES(engine, ...)                                                                    \
    ADD(engine, __VA_ARGS__);                                                                      \
    ADD(engine##_any, __VA_ARGS__)
#define ADD_ALL_TABLES(engine, ...)                                                                \
    ADD_TABLES(engine, __VA_ARGS__);                                                               \
    if(d != Direction::backward_weight)                                                            \
    ADD(engine##_few_channels, __VA_ARGS__)

    ADD(wgmma, wgmma_f16);
    ADD(wgmma, wgmma_bf16);
    ADD(wgmma, wgmma_tf32);
    ADD(wgmma, wgmma_i8);
    if constexpr(d == Direction::forward)
    {
        ADD(wgmma, wgmma_f8(false, false));
        ADD(wgmma, wgmma_f8(false, true));
        ADD(wgmma, wgmma_f8(true, false));
        ADD(wgmma, wgmma_f8(true, true));
        ADD(wgmma_promoted, wgmma_f8(false, false));
    }

    ADD_ALL_TABLES(mma, mma_f16);
    ADD_ALL_TABLES(mma, mma_bf16);
    ADD_ALL_TABLES(mma, mma_tf32);
    ADD_TABLES(mma, mma_f64);
    ADD_TABLES(mma, mma_f64_sm90);
    ADD_TABLES(mma, mma_i8);
    ADD_TABLES(mma_converted, mma_bf16);

    ADD_ALL_TABLES(xdl, xdl_f16_gfx950);
    ADD_ALL_TABLES(xdl, xdl_bf16_gfx950);
    ADD_TABLES(xdl, xdl_i8_gfx950);
    ADD_ALL_TABLES(xdl, xdl_f16);
    ADD_ALL_TABLES(xdl, xdl_bf16);
    ADD_ALL_TABLES(xdl, xdl_bf16_gfx908);
    ADD_ALL_TABLES(xdl, xdl_f32);
    ADD_ALL_TABLES(xdl, xdl_tf32);
    ADD_TABLES(xdl, xdl_f64);
    ADD_TABLES(xdl, xdl_i8);
    ADD_TABLES(xdl, xdl_i8_gfx908);

    ADD_ALL_TABLES(wmma, wmma_gfx11_f16);
    ADD_ALL_TABLES(wmma, wmma_gfx11_bf16);
    ADD_ALL_TABLES(wmma, wmma_gfx12_f16);
    ADD_ALL_TABLES(wmma, wmma_gfx12_bf16);
    ADD_TABLES(wmma, wmma_gfx11_i8);
    ADD_TABLES(wmma, wmma_gfx12_i8);

    ADD_ALL_TABLES(dl, dl_f16);
    ADD_ALL_TABLES(dl, dl_bf16);
    ADD_ALL_TABLES(dl, dl_f32);
    ADD(dl_groups, dl_f16);
    ADD(dl_groups, dl_bf16);
    ADD(dl_groups, dl_f32);
    ADD_TABLES(dl, dl_f64);
    ADD_TABLES(dl, dl_i8);
    ADD(dl_depthwise, dl_i8);
    ADD(dl_exact_any, dl_f64);

    if constexpr(d == Direction::forward) // eight-bit floats, and operands of two tensors
    {
        ADD(mma_converted, mma_f16);
        ADD(mma_converted_any, mma_f16);
        ADD_TABLES(xdl, xdl_f8(false, false, 8));
        ADD_TABLES(xdl, xdl_f8(false, true, 8));
        ADD_TABLES(xdl, xdl_f8(true, false, 8));
        ADD_TABLES(xdl, xdl_f8(true, true, 8));
        ADD_TABLES(xdl, xdl_f8_ocp(false, false, 8));
        ADD_TABLES(xdl, xdl_f8_ocp(false, true, 8));
        ADD_TABLES(xdl, xdl_f8_ocp(true, false, 8));
        ADD_TABLES(xdl, xdl_f8_ocp(true, true, 8));
        ADD_TABLES(wmma, wmma_f8(false, false));
        ADD_TABLES(wmma, wmma_f8(false, true));
        ADD_TABLES(wmma, wmma_f8(true, false));
        ADD_TABLES(wmma, wmma_f8(true, true));
        ADD_TABLES(xdl_small, xdl_f16);
        ADD_TABLES(xdl_small, xdl_bf16);
        ADD_TABLES(xdl_small, xdl_bf16_gfx908);
        ADD_TABLES(xdl_small, xdl_f32);
        ADD_TABLES(xdl_small, xdl_i8);
        ADD_TABLES(xdl_small, xdl_i8_gfx908);
        ADD_TABLES(xdl_small, xdl_f8(false, false, 16));
        ADD_TABLES(dl_small, dl_f16);
        ADD_TABLES(dl_small, dl_bf16);
        ADD(dl_depthwise, dl_bf16);
        ADD_TABLES(dl_small, dl_f32);
        ADD_TABLES(dl_small, dl_i8);
    }
    else
    {
        ADD_TABLES(xdl, xdl_f8(true, false, 16));
        ADD_TABLES(xdl_small, xdl_bf16);
    }
#undef ADD_ALL_TABLES
#undef ADD_TABLES
#undef ADD
}

const Tables& tables_of_the_library()
{
    static const Tables all = [] {
        Tables t;
        add_tables<Direction::forward>(t);
        add_tables<Direction::backward_data>(t);
        add_tables<Direction::backward_weight>(t);
        return t;
    }();
    return all;
}

std::vector<Kernels>
selected(Platform platform, bool representative = false, const std::string& expression = "")
{
    std::vector<Kernels> all;
    for(const Direction d : directions)
        std::ranges::move(matching(select(platform, representative, d), expression),
                          std::back_inserter(all));
    return all;
}

Names names(const std::vector<Kernels>& kernels)
{
    Names all;
    for(const Kernels& k : kernels)
        all.insert(k.name());
    return all;
}

/// What complete libraries of the GPUs have of a table.
struct Built
{
    bool all   = false; ///< rows
    bool first = false; ///< alone
    Names why_not;
};

std::map<std::string, Built> built_on_gpus()
{
    std::map<std::string, Built> built;
    for(const Platform platform : {Platform::amd, Platform::nvidia})
        for(const Direction d : directions)
            for(const Entry& entry : of(d))
                for(std::size_t i = 0; i < entry.as.by.size(); ++i)
                    for(const Table table : all_tables)
                    {
                        const Choice c = choose(platform, false, d, entry, i, table);
                        Built& b       = built[table_name(d, entry.as.by[i], table)];
                        b.all          = b.all || c.rows == Rows::all;
                        b.first        = b.first || c.rows == Rows::first;
                        b.why_not.insert(c.why_not);
                    }
    return built;
}

TEST(Manifest, NamesTablesThatThereAre)
{
    for(const Platform platform : {Platform::host, Platform::amd, Platform::nvidia})
        for(const Kernels& k : selected(platform))
            EXPECT_TRUE(tables_of_the_library().contains(k.table)) << k.name();
}

TEST(Manifest, HasEveryRowOrSaysWhyNot)
{
    const std::map<std::string, Built> built = built_on_gpus();
    int left_out                             = 0;
    for(const auto& [table, rows] : tables_of_the_library())
    {
        if(!built.contains(table))
        {
            ADD_FAILURE() << "no family is computed with " << table;
            continue;
        }
        const Built& b = built.at(table);
        EXPECT_TRUE(b.all || b.first) << "no row of " << table << " is built";
        if(b.all || rows.size() == 1)
            continue;
        Names reasons = b.why_not;
        reasons.erase("not an engine of the platform"); // the other platform's
        reasons.erase("mma.sync takes every problem, and is faster");
        for(const std::string& why : reasons)
            EXPECT_TRUE(why == "other types take the first row" ||
                        why == "operations take the first row" ||
                        why == "results of four bytes take the first row")
                << table << ": " << why;
        EXPECT_FALSE(reasons.empty()) << table;
        left_out += static_cast<int>(rows.size()) - 1;
    }
    RecordProperty("rows_left_out", left_out);
}

/// Threads multiply tiles only where mma.sync has no instruction. Where it has one, its rows take
/// every number of channels.
TEST(Manifest, OfNvidiaHasNoTilesOfThreadsThatMmaMultiplies)
{
    const Names all = names(selected(Platform::nvidia));
    const auto has  = [&](const std::string& start) {
        const auto name = all.lower_bound(start);
        return name != all.end() && name->starts_with(start);
    };
    int by_threads = 0, by_mma = 0;
    for(const Direction d : directions)
        for(const Entry& entry : of(d))
        {
            const std::string family = entry.family;
            const bool threads       = has(family + ", dl<") || has(family + ", dl_any<") ||
                                 has(family + ", dl_few_channels<") || has(family + ", dl_small");
            const bool mma = has(family + ", mma_any<") || has(family + ", mma_converted_any<");
            EXPECT_NE(threads, mma) << family;
            by_threads += threads;
            by_mma += mma;
        }
    EXPECT_GT(by_threads, 0);
    EXPECT_GT(by_mma, by_threads);
}

TEST(Manifest, HasEveryInstruction)
{
    std::set<arch::Matrix> in_tables;
    for(const auto& [table, rows] : tables_of_the_library())
        for(const GemmTuning& row : rows)
            in_tables.insert(row.instruction);
    for(index_t i = 0; i < arch::matrix_count; ++i)
    {
        const auto id = static_cast<arch::Matrix>(i);
        EXPECT_TRUE(in_tables.contains(id))
            << arch::describe(id).name << " is in no table that the manifest names";
    }
}

/// The numbers of the lines that line_of() takes for a row.
std::set<std::size_t> lines_for(const GemmTuning& row, Direction d)
{
    using namespace tensor_operation::device;
    const Computed computed = d == Direction::forward         ? Computed::y
                              : d == Direction::backward_data ? Computed::dx
                                                              : Computed::dw;
    std::set<std::size_t> numbers;
    if(row.pipeline == Pipeline::sliding_window || is_for_nvidia(row))
        for(const bool several_groups : {false, true})
        {
            const auto line =
                std::find_if(std::begin(h200::lines), std::end(h200::lines), [&](const LineOf& l) {
                    return l.is_for(row, computed, several_groups);
                });
            numbers.insert(static_cast<std::size_t>(line - std::begin(h200::lines)));
        }
    return numbers;
}

TEST(Manifest, HasARowForEachLineOfMeasuredTimes)
{
    std::set<std::size_t> used;
    for(const auto& [table, rows] : tables_of_the_library())
        for(const Direction d : directions)
            if(table.find(std::string("Direction::") + identifier(d) + ',') != table.npos)
                for(const GemmTuning& row : rows)
                    used.merge(lines_for(row, d));
    for(std::size_t i = 0; i < std::size(tensor_operation::device::h200::lines); ++i)
        EXPECT_TRUE(used.contains(i)) << "number " << i << " of h200.ini's [lines] is for no row";
}

TEST(Manifest, NamesAreUnique)
{
    for(const Platform platform : {Platform::host, Platform::amd, Platform::nvidia})
        for(const bool representative : {false, true})
        {
            const std::vector<Kernels> all = selected(platform, representative);
            EXPECT_EQ(names(all).size(), all.size());
            EXPECT_FALSE(all.empty());
        }
}

TEST(Manifest, RepresentativeIsAFamilyOfEachDirection)
{
    for(const Platform platform : {Platform::host, Platform::amd, Platform::nvidia})
    {
        Names families;
        const Names all = names(selected(platform));
        for(const Kernels& k : selected(platform, true))
        {
            families.insert(k.family);
            EXPECT_EQ(k.rows, Rows::first) << k.name();
            EXPECT_TRUE(all.contains(k.name())) << k.name();
        }
        EXPECT_EQ(families,
                  (Names{"Forward<half_t>", "BackwardData<bhalf_t>", "BackwardWeight<float>"}));
    }
}

TEST(Manifest, KernelsSelectsByName)
{
    EXPECT_EQ(names(selected(Platform::nvidia, false, "^Forward<half_t>, wgmma<")),
              (Names{"Forward<half_t>, wgmma<Direction::forward, wgmma_f16>"}));
    EXPECT_EQ(names(selected(Platform::host, false, "^(Forward|BackwardData)<bhalf_t>, (xdl|dl)<")),
              (Names{"Forward<bhalf_t>, xdl<Direction::forward, xdl_bf16>",
                     "BackwardData<bhalf_t>, xdl<Direction::backward_data, xdl_bf16>"}));
    EXPECT_EQ(names(selected(Platform::amd, true, "^[A-Za-z]*<half_t>, (xdl|dl)<")),
              (Names{"Forward<half_t>, xdl<Direction::forward, xdl_f16_gfx950>",
                     "Forward<half_t>, xdl<Direction::forward, xdl_f16>",
                     "Forward<half_t>, dl<Direction::forward, dl_f16>"}));
    EXPECT_TRUE(selected(Platform::amd, false, "wgmma").empty());
    EXPECT_THROW(selected(Platform::amd, false, "(wgmma"), std::regex_error);
}

} // namespace
} // namespace ck::test
