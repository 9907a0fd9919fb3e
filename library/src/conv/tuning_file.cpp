// The database in SQLite.
#include "conv/tuning_file.hpp"

#if defined(CK_SQLITE)
#include <cmath>
#include <filesystem>
#include <sqlite3.h>
#include <sys/stat.h>
#include <utility>

namespace ck::conv {

namespace {

constexpr long long application = 0x434b434e; // "CKCN"
constexpr long long version     = 1;
constexpr int most_wait_ms      = 10000;
constexpr const char* schema =
    "CREATE TABLE tuning (device TEXT, library TEXT, spec TEXT, options TEXT, kernel TEXT, "
    "microseconds REAL, measured INTEGER, missed INTEGER, "
    "PRIMARY KEY (device, library, spec, options)) WITHOUT ROWID";

/// What SQLite says.
struct Failure
{
    int code;
    std::string reason;

    /// It is the file's content. SQLITE_ERROR: of a format that this SQLite does not know.
    bool is_damage(bool was_sound) const
    {
        const int primary = code & 0xff;
        return primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT ||
               (primary == SQLITE_ERROR && !was_sound);
    }
};

/// The file is not what it must be.
struct Damage
{
    std::string reason;
};

class Connection
{
public:
    Connection(const std::string& path, int flags)
    {
        const int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr);
        if(code != SQLITE_OK)
        {
            const Failure failure{code, db_ == nullptr ? "no memory" : sqlite3_errmsg(db_)};
            sqlite3_close(db_);
            throw failure;
        }
        sqlite3_busy_timeout(db_, most_wait_ms);
    }
    ~Connection() { sqlite3_close(db_); }
    Connection(const Connection&)            = delete;
    Connection& operator=(const Connection&) = delete;

    void execute(const std::string& sql)
    {
        require(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr));
    }
    bool is_read_only() const { return sqlite3_db_readonly(db_, "main") == 1; }

    [[noreturn]] void fail() const { throw Failure{sqlite3_errcode(db_), sqlite3_errmsg(db_)}; }
    void require(int code) const
    {
        if(code != SQLITE_OK)
            fail();
    }
    sqlite3* get() const { return db_; }

private:
    sqlite3* db_ = nullptr;
};

class Statement
{
public:
    Statement(const Connection& connection, const std::string& sql) : connection_(connection)
    {
        connection_.require(
            sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &statement_, nullptr));
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&)            = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(const std::string& text)
    {
        connection_.require(sqlite3_bind_text(
            statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
        return *this;
    }
    Statement& bind(long long value)
    {
        connection_.require(sqlite3_bind_int64(statement_, ++bound_, value));
        return *this;
    }
    Statement& bind(double value)
    {
        connection_.require(sqlite3_bind_double(statement_, ++bound_, value));
        return *this;
    }
    /// Whether there is another row.
    bool next()
    {
        const int code = sqlite3_step(statement_);
        if(code != SQLITE_ROW && code != SQLITE_DONE)
            connection_.fail();
        return code == SQLITE_ROW;
    }
    /// Empty for what is no text.
    std::string text(int column) const
    {
        if(sqlite3_column_type(statement_, column) != SQLITE_TEXT)
            return "";
        const auto* const begin =
            reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
        return begin == nullptr
                   ? ""
                   : std::string(
                         begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    }
    double number(int column) const { return sqlite3_column_double(statement_, column); }
    long long integer(int column) const { return sqlite3_column_int64(statement_, column); }

private:
    const Connection& connection_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_               = 0;
};

long long pragma(const Connection& connection, const char* name)
{
    Statement statement(connection, std::string("PRAGMA ") + name);
    return statement.next() ? statement.integer(0) : 0;
}

enum class Content
{
    none, ///< a file of no bytes
    rows,
    foreign ///< another program's database
};

/// Throws Damage where the file is not a whole one of ours.
Content look_at(Connection& connection)
{
    connection.execute("PRAGMA trusted_schema = OFF");
    if(pragma(connection, "page_count") == 0)
        return Content::none;
    if(pragma(connection, "application_id") != application)
        return Content::foreign;
    if(const long long found = pragma(connection, "user_version"); found != version)
        throw Damage{"it is of version " + std::to_string(found) + ", but this library's is " +
                     std::to_string(version)};
    Statement check(connection, "PRAGMA quick_check(1)");
    if(!check.next() || check.text(0) != "ok")
        throw Damage{"it fails SQLite's integrity check: " + check.text(0)};
    Statement tables(connection, "SELECT sql FROM sqlite_schema");
    if(!tables.next() || tables.text(0) != schema || tables.next())
        throw Damage{"its tables are not those of this library"};
    return Content::rows;
}

/// Which file is at a path: equal until another one takes its place.
std::pair<dev_t, ino_t> identity(const std::string& path)
{
    struct stat s = {};
    return stat(path.c_str(), &s) == 0 ? std::pair{s.st_dev, s.st_ino}
                                       : std::pair{dev_t{}, ino_t{}};
}

/// Renames the file, with what SQLite keeps beside it. Returns what was done.
std::string set_aside(const std::string& path, const std::string& why)
{
    namespace fs = std::filesystem;
    std::error_code error;
    std::string to;
    for(int number = 1; to.empty() || fs::exists(fs::symlink_status(to, error)); ++number)
        to = path + ".damaged-" + std::to_string(number);
    fs::rename(path, to, error);
    if(error)
        return why + "; it is not used, and stays as it is: " + error.message();
    for(const char* const beside : {"-journal", "-wal", "-shm"})
    {
        std::error_code none;
        fs::rename(path + beside, to + beside, none);
    }
    return why + "; it is now " + to;
}

std::string no_file(const std::string& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)
               ? "it is no file"
               : "";
}

/// Calls f(connection, content) with a file that has been checked; again, with a new one, if it was
/// damaged and `again`. Returns why f was not called or failed; else empty.
template <class F>
std::string
with_file(const std::string& path, int flags, bool again, std::string& message, const F& f)
{
    if(const std::string why = no_file(path); !why.empty())
        return why;
    for(int attempt = 0; attempt < 3; ++attempt)
    {
        const auto before = identity(path);
        std::string damage;
        bool was_sound = false;
        try
        {
            Connection connection(path, flags);
            const Content content = look_at(connection);
            was_sound             = true;
            if(content == Content::foreign)
                return "it is another program's database";
            return f(connection, content);
        }
        catch(const Damage& found)
        {
            damage = found.reason;
        }
        catch(const Failure& failure)
        {
            if(!failure.is_damage(was_sound))
                return failure.reason;
            damage = failure.reason;
        }
        if(identity(path) != before) // another process has set it aside already
            continue;
        message = set_aside(path, damage);
        if(!again)
            return "";
        if(identity(path) == before)
            return "it is damaged";
    }
    return "other processes change it all the time";
}

} // namespace

bool has_tuning_files() { return true; }

std::vector<TuningRow>
read_tuning_file(const std::string& path, const std::string& library, std::string& message)
{
    message.clear();
    std::vector<TuningRow> rows;
    const auto read = [&](Connection& connection, Content content) -> std::string {
        rows.clear();
        if(content == Content::none)
            return "";
        Statement select(connection,
                         "SELECT device, spec, options, kernel, microseconds, measured, missed "
                         "FROM tuning WHERE library = ?");
        select.bind(library);
        while(select.next())
        {
            TuningRow row{select.text(0),
                          library,
                          select.text(1),
                          select.text(2),
                          select.text(3),
                          select.number(4),
                          select.integer(5),
                          select.integer(6)};
            if(!row.kernel.empty() && std::isfinite(row.microseconds) && row.microseconds >= 0)
                rows.push_back(std::move(row));
        }
        return "";
    };
    const std::string why = with_file(path, SQLITE_OPEN_READWRITE, false, message, read);
    if(!why.empty())
    {
        rows.clear();
        message = "cannot be read: " + why;
    }
    return rows;
}

std::string write_tuning_row(const std::string& path, const TuningRow& row, std::string& message)
{
    message.clear();
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if(!folder.empty() && !std::filesystem::is_directory(folder, error) &&
       !std::filesystem::create_directories(folder, error) && error)
        return "its folder cannot be made: " + error.message();
    const auto write = [&](Connection& connection, Content) -> std::string {
        if(connection.is_read_only())
            return "it is read-only";
        connection.execute("BEGIN IMMEDIATE");
        if(Statement tables(connection, "SELECT 1 FROM sqlite_schema"); !tables.next())
            connection.execute(std::string(schema) +
                               "; PRAGMA application_id = " + std::to_string(application) +
                               "; PRAGMA user_version = " + std::to_string(version));
        Statement(connection, "INSERT OR REPLACE INTO tuning VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(row.device)
            .bind(row.library)
            .bind(row.spec)
            .bind(row.options)
            .bind(row.kernel)
            .bind(row.microseconds)
            .bind(row.measured)
            .bind(row.missed)
            .next();
        connection.execute("COMMIT");
        return "";
    };
    return with_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, true, message, write);
}

} // namespace ck::conv

#else

namespace ck::conv {

bool has_tuning_files() { return false; }

std::vector<TuningRow> read_tuning_file(const std::string&, const std::string&, std::string&)
{
    return {};
}

std::string write_tuning_row(const std::string&, const TuningRow&, std::string&)
{
    return "this library was built without SQLite";
}

} // namespace ck::conv

#endif
