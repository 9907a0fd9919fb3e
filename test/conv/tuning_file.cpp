// The database: other processes, files that cannot be written, and files that nobody should trust.
#include "conv/tuning_file.hpp"

#include "conv/tuning_folder.hpp"
#include <cerrno>
#include <sys/stat.h>

namespace ck::conv_test {

class TuningFile : public TuningFolder
{};

TEST_F(TuningFile, DISABLED_Process)
{
    const std::string argument = process_argument();
    ASSERT_NE(argument, "") << "this case is another process of other cases";
    setenv("CK_TUNING_DB", argument.substr(1).c_str(), 1);
    begin_anew();
    const long_index_t first = argument[0] - '0';
    for(const TuneResult& r : tune(specs_of_images(first, 6), quiet()))
        EXPECT_TRUE(r.stored) << r.why;
}

TEST_F(TuningFile, ProcessesAtOnceAllKeepTheirRows)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const std::string good = content();
    for(const bool damaged : {false, true})
    {
        fs::remove(path_);
        if(damaged)
            write(good.substr(0, 4096)); // the first page, of two
        std::vector<pid_t> processes;
        for(const char first : {'1', '3', '5', '7'}) // specs in common, too
            processes.push_back(start_process("Process", first + path_));
        for(const pid_t process : processes)
            EXPECT_EQ(status_of(process), 0);
        begin_anew();
        for(const TuneResult& r : tune(specs_of_images(1, 12), quiet(0)))
            EXPECT_TRUE(r.was_known) << to_string(r.spec) << ": " << r.why;
        EXPECT_EQ(files(),
                  damaged ? (std::vector<std::string>{"tuning.sqlite3", "tuning.sqlite3.damaged-1"})
                          : std::vector<std::string>{"tuning.sqlite3"});
    }
}

TEST_F(TuningFile, IsMadeWithItsFolders)
{
    CK_SKIP_WITHOUT_TUNING();
    path_ = (folder_ / "a" / "b" / "tuning.sqlite3").string();
    setenv("CK_TUNING_DB", path_.c_str(), 1);
    make();
    EXPECT_TRUE(is_known());
}

TEST_F(TuningFile, DamagedOnesAreSetAside)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const std::string good = content();
    ASSERT_GT(good.size(), 4096u);
    const auto with = [&](std::size_t at, const std::string& bytes) {
        std::string text = good;
        return text.replace(at, bytes.size(), bytes);
    };
    const std::size_t table = good.rfind("CREATE TABLE");
    ASSERT_NE(table, good.npos);
    int number = 0;
    for(const auto& [what, bytes] :
        {std::pair{std::string("cut off"), good.substr(0, good.size() - 4096)},
         {"the size of a page", with(16, std::string("\0\3", 2))},
         {"a page of zeros", with(4096, std::string(4096, '\0'))},
         {"a later version", with(60, std::string("\0\0\0\3", 4))},
         {"another table", with(table + 24, "X")}})
    {
        write(bytes);
        begin_anew();
        std::string explanation;
        const std::string said = errors_of([&] { explanation = plan(spec_).explain(); });
        EXPECT_EQ(explanation.find("measured"), std::string::npos) << what;
        const std::string aside = path_ + ".damaged-" + std::to_string(++number);
        EXPECT_NE(said.find("ck: the tuning database " + path_ + ": "), said.npos) << what;
        EXPECT_NE(said.find("; it is now " + aside), said.npos) << what << ": " << said;
        EXPECT_FALSE(fs::exists(path_)) << what;
        ASSERT_TRUE(fs::exists(aside)) << what;
        EXPECT_EQ(fs::file_size(aside), bytes.size());
        EXPECT_EQ(errors_of([&] { static_cast<void>(plan(spec_of_rank(2))); }), ""); // said once
    }
    // Found when it is to be written.
    begin_anew();
    static_cast<void>(plan(spec_));
    write(good.substr(0, good.size() - 4096));
    const std::string said = errors_of([&] { make(); });
    EXPECT_NE(said.find(".damaged-" + std::to_string(number + 1)), said.npos) << said;
    EXPECT_TRUE(is_known());
}

TEST_F(TuningFile, DamagedOnesTakeAlongWhatIsBesideThem)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    std::string bytes = content();
    write(bytes.replace(16, 2, std::string("\0\3", 2)));
    // SQLite ignores journals that begin with 0, and the other files next to a file that is no
    // database.
    const std::string beside(64, '\0');
    for(const char* const name : {"-journal", "-wal", "-shm"})
        std::ofstream(path_ + name, std::ios::binary) << beside;
    EXPECT_NE(errors_of([&] { EXPECT_FALSE(is_known()); }).find("it is now"), std::string::npos);
    EXPECT_EQ(
        files(),
        (std::vector<std::string>{"tuning.sqlite3.damaged-1", "tuning.sqlite3.damaged-1-journal"}));
    make();
    EXPECT_TRUE(is_known());
}

TEST_F(TuningFile, DamagedOneThatCannotBeRenamedStays)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    std::string bytes = content();
    fs::remove(path_);
    const std::string name(250, 'x'); // a file's name has 255 bytes at most
    path_ = (folder_ / name).string();
    setenv("CK_TUNING_DB", path_.c_str(), 1);
    write(bytes.replace(16, 2, std::string("\0\3", 2)));
    const std::string said = errors_of([&] { EXPECT_FALSE(is_known()); });
    EXPECT_NE(said.find("; it is not used, and stays as it is: File name too long"), said.npos)
        << said;
    EXPECT_EQ(content(), bytes);
    EXPECT_EQ(files(), std::vector<std::string>{name});
}

/// No matter what a plan or a winner finds at the path, it stays as it is unless it is ours.
TEST_F(TuningFile, WhatIsNotOursIsLeftAlone)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const std::string good = content();
    const auto with        = [&](std::size_t at, const std::string& bytes) {
        std::string text = good;
        return text.replace(at, bytes.size(), bytes);
    };
    const std::string none  = "it is not a database, and stays as it is",
                      other = "it is another program's database, and stays as it is";
    for(const auto& [bytes, why] : {std::pair{std::string("Not a database.\n"), none},
                                    {"x", none},
                                    {std::string(10000, 'x'), none},
                                    {with(0, "sql"), none},
                                    {with(15, "x"), none},
                                    {good.substr(0, 15), none},
                                    {good.substr(0, 16), other},
                                    {good.substr(0, 71), other},
                                    {with(68, "nope"), other},
                                    {with(68, std::string(4, '\0')), other},
                                    // Damaged, too.
                                    {with(68, "nope").substr(0, 4096), other}})
    {
        write(bytes);
        std::string said = errors_of([&] { EXPECT_FALSE(is_known()); });
        EXPECT_EQ(said, "ck: the tuning database " + path_ + ": cannot be read: " + why + '\n');
        said = errors_of([&] {
            EXPECT_FALSE(conv::keep_tuned(spec_, {}, {another_kernel(spec_), 1, 2, 0}));
        });
        EXPECT_NE(said.find("cannot be written: " + why), said.npos) << said;
        EXPECT_EQ(content(), bytes);
        EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"});
    }
}

TEST_F(TuningFile, NamesThatMeanNoFileAreRefused)
{
    CK_SKIP_WITHOUT_TUNING();
    const fs::path here = fs::current_path();
    fs::current_path(folder_);
    for(const std::string name : {":memory:", ":", "file:tuning?mode=memory"})
    {
        setenv("CK_TUNING_DB", name.c_str(), 1);
        const std::string why =
            "SQLite takes this name for no file, and keeps nothing: name a file, ./" + name +
            " for one of this name";
        std::string said = errors_of([&] { EXPECT_FALSE(is_known()); });
        EXPECT_EQ(said, "ck: the tuning database " + name + ": cannot be read: " + why + '\n');
        said = errors_of([&] {
            EXPECT_FALSE(conv::keep_tuned(spec_, {}, {another_kernel(spec_), 1, 2, 0}));
        });
        EXPECT_NE(said.find("cannot be written: " + why), said.npos) << said;
        EXPECT_EQ(files(), std::vector<std::string>{}) << name;
    }
    setenv("CK_TUNING_DB", "./:memory:", 1);
    begin_anew();
    make();
    EXPECT_TRUE(is_known());
    EXPECT_EQ(files(), std::vector<std::string>{":memory:"});
    fs::current_path(here);
}

TEST_F(TuningFile, AnyByteMayBeWrong)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const std::string good = content();
    int known = 0, aside = 0, others = 0;
    errors_of([&] {
        for(std::size_t i = 0; i < 400; ++i)
        {
            std::string bytes = good;
            // The header, then anywhere; all bits.
            const std::size_t at = i < 100 ? i : i * 7919 % bytes.size();
            bytes[at]            = static_cast<char>(bytes[at] ^ (1 << i % 8));
            write(bytes);
            begin_anew();
            EXPECT_NO_THROW(static_cast<void>(plan(spec_)));
            known += is_known();
            aside += !fs::exists(path_);
            others += fs::exists(path_) && !is_known();
            const bool is_mark = at < 16 || (at >= 68 && at < 72); // marks: a database's, ours
            EXPECT_FALSE(is_mark && is_known()) << at;
            EXPECT_TRUE(!is_mark || content() == bytes) << at;
        }
    });
    EXPECT_GT(known, 100); // most bytes are in no page's content
    EXPECT_GT(aside + others, 50);
    EXPECT_GE(others, 20) << "without its marks none is set aside";
}

TEST_F(TuningFile, IsNotTakenFromOtherPrograms)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    std::string bytes = content();
    bytes.replace(68, 4, "nope"); // the number of the application
    write(bytes);
    std::string said = errors_of([&] { EXPECT_FALSE(is_known()); });
    EXPECT_NE(said.find("another program's database"), said.npos) << said;
    said = errors_of([&] { EXPECT_FALSE(tune({spec_}, quiet())[0].stored); });
    EXPECT_NE(said.find("cannot be written: it is another program's database"), said.npos) << said;
    EXPECT_EQ(content(), bytes);
    EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"});
}

TEST_F(TuningFile, OfNoBytesIsANewOne)
{
    CK_SKIP_WITHOUT_TUNING();
    write("");
    EXPECT_EQ(errors_of([&] { EXPECT_FALSE(is_known()); }), "");
    make();
    EXPECT_TRUE(is_known());
}

TEST_F(TuningFile, ThatCannotBeIsKeptInTheProcess)
{
    CK_SKIP_WITHOUT_TUNING();
    const std::string other = another_kernel(spec_);
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    for(const std::string& path : {std::string("/proc/no/such/folder/tuning.sqlite3"),
                                   folder_.string(),
                                   (folder_ / "pipe").string(),
                                   std::string()})
    {
        setenv("CK_TUNING_DB", path.c_str(), 1);
        begin_anew();
        std::string explanation;
        const std::string said = errors_of([&] {
            EXPECT_FALSE(conv::keep_tuned(spec_, {}, {other, 1, 2, 0}));
            EXPECT_FALSE(conv::keep_tuned(spec_of_rank(2), {}, {other, 1, 2, 0}));
            explanation = plan(spec_).explain();
        });
        EXPECT_NE(explanation.find("measured 1.0 us, from this process"), said.npos) << explanation;
        const std::size_t at = said.find("cannot be written");
        EXPECT_NE(at, said.npos) << path << ": " << said;
        EXPECT_EQ(said.find("cannot be written", at + 1), said.npos) << said; // once
    }
}

// Root writes everything: another user is needed, in another process.
constexpr uid_t nobody = 65534;

/// Whether a process of root's can become another user that reaches the folder. Containers may map
/// no second user.
bool can_be_another_user(const fs::path& folder)
{
    const pid_t child = fork();
    if(child == 0)
        _exit(setuid(nobody) == 0 && access(folder.c_str(), R_OK | X_OK) == 0 ? 0 : 1);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(TuningFile, DISABLED_Reader)
{
    const std::string argument = process_argument();
    ASSERT_NE(argument, "") << "this case is another process of other cases";
    setenv("CK_TUNING_DB", argument.c_str(), 1);
    if(geteuid() == 0)
    {
        ASSERT_EQ(setuid(nobody), 0);
    }
    begin_anew();
    EXPECT_NE(plan(spec_).explain().find("measured 1.0 us, from " + argument), std::string::npos);
    const ConvSpec another = spec_of_rank(2);
    TuneResult r;
    const std::string said = errors_of([&] { r = tune({another}, quiet())[0]; });
    EXPECT_NE(said.find("cannot be written: "), said.npos) << said;
    EXPECT_FALSE(r.stored);
    EXPECT_EQ(plan(another).kernel(), r.kernel);
    EXPECT_NE(plan(another).explain().find("from this process"), std::string::npos);
}

TEST_F(TuningFile, ThatIsReadOnlyIsRead)
{
    CK_SKIP_WITHOUT_TUNING();
    make();
    const std::string before = content();
    using fs::perms;
    const perms read = perms::owner_read | perms::group_read | perms::others_read;
    const perms list = read | perms::owner_exec | perms::group_exec | perms::others_exec;
    fs::permissions(path_, read);
    fs::permissions(folder_, list);
    if(geteuid() == 0 && !can_be_another_user(folder_))
    {
        fs::permissions(folder_, perms::owner_all);
        GTEST_SKIP() << "root cannot become another user here that reaches " << folder_;
    }
    EXPECT_EQ(status_of(start_process("Reader", path_)), 0);
    fs::permissions(path_, read | perms::owner_write | perms::group_write | perms::others_write);
    EXPECT_EQ(status_of(start_process("Reader", path_)), 0); // the folder takes no journal
    fs::permissions(folder_, perms::owner_all);
    EXPECT_EQ(content(), before);
    EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"});
}

} // namespace ck::conv_test
