#pragma once
// A database of the test's own, and this test's program as another process.
#include "ck/tune.hpp"

#include "conv/convolution.hpp"
#include "conv/tuning.hpp"
#include "conv/tuning_file.hpp"
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(CK_SQLITE)
#include <sqlite3.h>
#endif

extern char** environ;

namespace ck::conv_test {

namespace fs = std::filesystem;

/// A folder in which CK_TUNING_DB is; nothing is known while one begins or ends.
class TuningFolder : public testing::Test
{
protected:
    TuningFolder()
    {
        std::string name = (fs::temp_directory_path() / "ck_tuning_XXXXXX").string();
        folder_          = mkdtemp(name.data());
        path_            = (folder_ / "tuning.sqlite3").string();
        setenv("CK_TUNING_DB", path_.c_str(), 1);
        begin_anew();
    }
    ~TuningFolder() override
    {
        setenv("CK_TUNING_DB", "", 1);
        begin_anew();
        std::error_code none;
        fs::remove_all(folder_, none);
    }

    /// As another process would.
    static void begin_anew()
    {
        conv::forget_tuned();
        clear_plan_cache();
    }
    /// Names of the files in the folder.
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        for(const auto& entry : fs::directory_iterator(folder_))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }
    std::string content() const
    {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
    /// Makes a sound file with the winner of the spec that is not the predicted one.
    void make();
    bool is_known()
    {
        begin_anew();
        return plan(spec_).explain().find("measured") != std::string::npos;
    }

    fs::path folder_;
    std::string path_;
    ConvSpec spec_ = spec_of_rank(1);
};

/// Lists no specs on stderr.
inline TuneOptions quiet(double seconds = 60)
{
    TuneOptions o;
    o.seconds  = seconds;
    o.progress = [](const TuneProgress&) {};
    return o;
}

/// The same convolution of others numbers of images.
inline std::vector<ConvSpec> specs_of_images(long_index_t first, long_index_t count)
{
    std::vector<ConvSpec> all;
    for(long_index_t i = 0; i < count; ++i)
    {
        all.push_back(spec_of_rank(1));
        all.back().n = first + i;
    }
    return all;
}

/// A regular expression that matches only this name.
inline std::string exactly(const std::string& name)
{
    std::string text = "^";
    for(const char c : name)
        text += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c)
                                                            : std::string("[") + c + ']';
    return text + '$';
}

/// A kernel that computes the spec and is not the predicted choice; "" if there is none.
inline std::string another_kernel(const ConvSpec& spec)
{
    try
    {
        return plan(spec, {.forbid = exactly(plan(spec).kernel())}).kernel();
    }
    catch(const Refused&)
    {
        return "";
    }
}

inline void TuningFolder::make()
{
    EXPECT_TRUE(conv::keep_tuned(spec_, {}, {another_kernel(spec_), 1, 2, 0}));
    begin_anew();
}

/// What f writes to stderr.
template <class F>
std::string errors_of(const F& f)
{
    testing::internal::CaptureStderr();
    f();
    return testing::internal::GetCapturedStderr();
}

#if defined(CK_SQLITE)
/// Another program's hold of a database.
class Database
{
public:
    explicit Database(const std::string& path)
    {
        EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
    }
    ~Database() { sqlite3_close(db_); }
    Database(const Database&)            = delete;
    Database& operator=(const Database&) = delete;

    void execute(const std::string& sql) const
    {
        EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sql << ": " << sqlite3_errmsg(db_);
    }

private:
    sqlite3* db_ = nullptr;
};
#endif

/// Starts one disabled case of this program.
inline pid_t start_process(const std::string& test_case, const std::string& argument)
{
    setenv("CK_TEST_ARGUMENT", argument.c_str(), 1);
    const std::string filter = "--gtest_filter=*.DISABLED_" + test_case;
    std::string program      = fs::read_symlink("/proc/self/exe").string();
    std::string disabled     = "--gtest_also_run_disabled_tests";
    std::string only         = filter;
    char* argv[]             = {program.data(), disabled.data(), only.data(), nullptr};
    pid_t process            = 0;
    EXPECT_EQ(posix_spawn(&process, program.c_str(), nullptr, nullptr, argv, environ), 0);
    unsetenv("CK_TEST_ARGUMENT");
    return process;
}
inline std::string process_argument()
{
    const char* const text = std::getenv("CK_TEST_ARGUMENT");
    return text == nullptr ? "" : text;
}
inline int status_of(pid_t process)
{
    int status = -1;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CK_SKIP_WITHOUT_TUNING()                                                                   \
    if(!conv::has_tuning_files())                                                                  \
        GTEST_SKIP() << "the library was built without SQLite";                                    \
    if(!has_kernels(spec_of_rank(1)))                                                              \
    GTEST_SKIP() << no_kernels

} // namespace ck::conv_test
