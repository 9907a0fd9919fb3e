// Databases as other programs may leave them: rows with other values, tables that should not be
// there, locks that are held.
#include "conv/tuning_folder.hpp"
#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <thread>

#if defined(CK_SQLITE)

namespace ck::conv_test {

class TuningRows : public TuningFolder
{
protected:
    /// What a plan says of the file on stderr, after such a change of its row.
    std::string said_after(const std::string& sql)
    {
        fs::remove(path_);
        begin_anew();
        make();
        Database(path_).execute(sql);
        begin_anew();
        std::string explanation;
        const std::string said = errors_of([&] { explanation = plan(spec_).explain(); });
        EXPECT_EQ(explanation.find("measured"), explanation.npos) << sql << ": " << explanation;
        EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"}) << "it stays where it is";
        return said;
    }
};

TEST_F(TuningRows, EveryColumnsTypeIsChecked)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const auto why = [&](const std::string& change, const std::string& rule) {
        const std::string said = said_after("UPDATE tuning SET " + change);
        EXPECT_EQ(said.find("ck: the tuning database " + path_ + ": a row is left out, that of "),
                  0u)
            << change << ": " << said;
        EXPECT_NE(said.find(": " + rule + '\n'), said.npos) << change << ": " << said;
    };
    for(const char* const text : {"device", "spec", "options", "kernel", "wrong"})
    {
        why(std::string(text) + " = x'4142'", std::string(text) + " is bytes, but must be a text");
        if(std::string(text) == "kernel") // the others are of the key
            why("kernel = NULL", "kernel is NULL, but must be a text");
        if(std::string(text) == "wrong")
            why("wrong = NULL", "wrong is NULL, but must be a text");
        else if(std::string(text) != "options")
            why(std::string(text) + " = ''", std::string(text) + " is empty");
        why(std::string(text) + " = CAST(x'410042' AS TEXT)",
            std::string(text) + " is \"A?B\", but must have no byte of 0");
    }
    why("microseconds = NULL", "microseconds is NULL, but must be a number");
    why("microseconds = 'fast'", "microseconds is a text, \"fast\", but must be a number");
    why("microseconds = x'00'", "microseconds is bytes, but must be a number");
    for(const char* const count : {"measured", "missed"})
    {
        const std::string must = ", but must be a whole number";
        why(std::string(count) + " = NULL", std::string(count) + " is NULL" + must);
        why(std::string(count) + " = 'two'", std::string(count) + " is a text, \"two\"" + must);
        why(std::string(count) + " = 1.5", std::string(count) + " is a number" + must);
        why(std::string(count) + " = x'02'", std::string(count) + " is bytes" + must);
    }
}

TEST_F(TuningRows, EveryColumnsRangeIsChecked)
{
    CK_SKIP_WITHOUT_TUNING();
    const auto why = [&](const std::string& change, const std::string& rule) {
        const std::string said = said_after("UPDATE tuning SET " + change);
        EXPECT_NE(said.find("a row is left out, that of \"direction=forward "), said.npos) << said;
        EXPECT_NE(said.find("\": " + rule + '\n'), said.npos) << change << ": " << said;
    };
    const std::string time = ", but must be above 0 and at most 1e12";
    why("microseconds = 0", "microseconds is 0.000000" + time);
    why("microseconds = -1", "microseconds is -1.000000" + time);
    why("microseconds = 1e13", "microseconds is 10000000000000.000000" + time);
    why("microseconds = 9e999", "microseconds is inf" + time);
    for(const std::string count : {"measured", "missed"})
    {
        why(count + " = -1", count + " is -1, but must be from 0 to 1000000000");
        why(count + " = 1000000001", count + " is 1000000001, but must be from 0 to 1000000000");
    }
    EXPECT_FALSE(conv::keep_tuned(spec_, {}, {another_kernel(spec_), 0, 2, 0}))
        << "none is written that is not read";
}

TEST_F(TuningRows, SoundOnesAreReadBesideOthers)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    Database(path_).execute("INSERT INTO tuning SELECT device, library, spec || n, options, "
                            "kernel, NULL, 1, 0, '' FROM "
                            "tuning, (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3)");
    const std::string said = errors_of([&] { EXPECT_TRUE(is_known()); });
    EXPECT_NE(said.find(": 3 rows are left out, the first that of \"direction=forward "), said.npos)
        << said;
}

TEST_F(TuningRows, FilesWithOtherTablesAreSetAside)
{
    CK_SKIP_WITHOUT_TUNING();
    int number = 0;
    for(const char* const sql :
        {"CREATE TABLE another (x)",
         "CREATE INDEX another ON tuning (kernel)",
         "CREATE VIEW another AS SELECT * FROM tuning",
         "CREATE TRIGGER another AFTER INSERT ON tuning BEGIN SELECT 1; END",
         "ALTER TABLE tuning ADD COLUMN another",
         "DROP TABLE tuning"})
    {
        make();
        Database(path_).execute(sql);
        const std::string said  = errors_of([&] { EXPECT_FALSE(is_known()) << sql; });
        const std::string aside = path_ + ".damaged-" + std::to_string(++number);
        EXPECT_NE(said.find(": its tables are not those of this library; it is now " + aside),
                  said.npos)
            << sql << ": " << said;
        EXPECT_TRUE(fs::exists(aside)) << sql;
        EXPECT_FALSE(fs::exists(path_)) << sql;
    }
}

TEST_F(TuningRows, LockedFileHoldsUpNoPlan)
{
    CK_SKIP_WITHOUT_TUNING();
    using std::chrono::steady_clock;
    using namespace std::chrono_literals;
    make();
    const Database other(path_);
    other.execute("BEGIN EXCLUSIVE");
    const auto begin       = steady_clock::now();
    const std::string said = errors_of([&] { EXPECT_FALSE(is_known()); });
    EXPECT_LT(steady_clock::now() - begin, 5s) << "50 ms, and what this machine takes";
    EXPECT_EQ(said,
              "ck: the tuning database " + path_ +
                  ": cannot be read: another process has kept it locked for 50 ms\n");
    EXPECT_EQ(errors_of([&] { static_cast<void>(plan(spec_of_rank(2))); }), "") << "said once";
    other.execute("COMMIT");
    EXPECT_TRUE(is_known());
}

TEST_F(TuningRows, LockThatEndsInTimeIsWaitedFor)
{
    CK_SKIP_WITHOUT_TUNING();
    using namespace std::chrono_literals;
    make();
    const ConvSpec another   = spec_of_rank(2);
    const std::string kernel = another_kernel(another);
    std::thread holder;
    {
        auto other = std::make_shared<Database>(path_);
        other->execute("BEGIN EXCLUSIVE");
        holder = std::thread([other = std::move(other)] {
            std::this_thread::sleep_for(300ms);
            other->execute("COMMIT");
        });
    }
    begin_anew();
    std::string said = errors_of([&] {
        EXPECT_TRUE(conv::keep_tuned(another, {}, {kernel, 1, 2, 0})) << "a writer waits";
    });
    holder.join();
    begin_anew();
    said = errors_of(
        [&] { EXPECT_NE(plan(another).explain().find("measured 1.0 us"), std::string::npos); });
    EXPECT_EQ(said, "");
}

TEST_F(TuningRows, FileThatCannotBeOpenedIsExplainedBySQLite)
{
    CK_SKIP_WITHOUT_TUNING();
    fs::create_symlink(folder_ / "none" / "tuning.sqlite3", path_);
    std::string message;
    EXPECT_EQ(conv::write_tuning_row(
                  path_, {"a device", "the library", "a spec", "", "a kernel", 1, 2, 0}, message),
              "unable to open database file");
}

TEST_F(TuningRows, MessagesAreOfOneCall)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const conv::TuningRow row{"a device", "the library", "a spec", "", "a kernel", 1, 2, 0};
    std::string message = "that of another call";
    EXPECT_EQ(conv::write_tuning_row(path_, row, message), "");
    EXPECT_EQ(message, "");
    message = "that of another call";
    EXPECT_EQ(conv::read_tuning_file(path_, "the library", message).size(), 1u);
    EXPECT_EQ(message, "");
}

// The journal and the new row fit in memory and on the disk; the pages that the row is written to
// no longer do.
TEST_F(TuningRows, RowThatIsNotOnTheDiskIsNotSaidToBe)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    constexpr rlim_t most = 16 * 1024; // bytes of a file
    Database(path_).execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO "
        "tuning SELECT 'a' || i, 'a', hex(zeroblob(500)), '', 'a', 1.5, 2, 0, '' FROM n");
    ASSERT_GT(fs::file_size(path_), 10 * most);
    std::string message, why;
    {
        struct rlimit before = {};
        ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
        struct rlimit less  = before;
        less.rlim_cur       = most;
        auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
        why = conv::write_tuning_row(
            path_, {"zzz", "the library", "a spec", "", "a kernel", 1, 2, 0}, message);
        EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
    }
    EXPECT_NE(why, "") << message;
    EXPECT_TRUE(conv::read_tuning_file(path_, "the library", message).empty());
    EXPECT_EQ(message, "");
    EXPECT_TRUE(is_known()) << "the rows before are still there";
    EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"});
}

} // namespace ck::conv_test

#endif
