// The database in SQLite.
#include "conv/tuning_file.hpp"

#if defined(CK_SQLITE)
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace ck::conv {

namespace {

constexpr long long application = 0x434b434e; // "CKCN"
constexpr long long version     = 2;
constexpr const char* schema =
    "CREATE TABLE tuning (device TEXT, library TEXT, spec TEXT, options TEXT, kernel TEXT, "
    "microseconds REAL, measured INTEGER, missed INTEGER, wrong TEXT, "
    "PRIMARY KEY (device, library, spec, options)) WITHOUT ROWID";

/// An error of SQLite.
struct Failure
{
    int code;
    std::string reason;

    /// Whether the file's content is the cause. SQLITE_ERROR: a format unknown to this SQLite.
    bool is_damage(bool was_sound) const
    {
        const int primary = code & 0xff;
        return primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT ||
               (primary == SQLITE_ERROR && !was_sound);
    }
};

/// The file's content is wrong.
struct Damage
{
    std::string reason;
};

using std::chrono::milliseconds;
constexpr milliseconds to_read{50}; ///< the longest that plan() waits for other processes
constexpr milliseconds to_write{10'000};

class Connection
{
public:
    /// patience: total time to wait for locks of other processes.
    Connection(const std::string& path, int flags, milliseconds patience) : left_(patience)
    {
        const int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr);
        if(code != SQLITE_OK)
        {
            const Failure failure{code, db_ == nullptr ? "no memory" : sqlite3_errmsg(db_)};
            sqlite3_close(db_);
            throw failure;
        }
        sqlite3_busy_handler(db_, wait, this);
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
    /// Whether SQLite should try again.
    static int wait(void* connection, int)
    {
        auto& left = static_cast<Connection*>(connection)->left_;
        if(left <= left.zero())
            return 0;
        const auto begin = std::chrono::steady_clock::now();
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, milliseconds(2)));
        left -= std::chrono::steady_clock::now() - begin;
        return 1;
    }

    sqlite3* db_ = nullptr;
    std::chrono::nanoseconds left_;
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
    /// The type of the value (SQLITE_TEXT, SQLITE_NULL ...), not of the column.
    int type(int column) const { return sqlite3_column_type(statement_, column); }
    /// Empty if it is not text.
    std::string text(int column) const
    {
        if(type(column) != SQLITE_TEXT)
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
    none, ///< an empty file
    rows
};

/// Throws Damage if the file is not a complete file of this library.
Content look_at(Connection& connection)
{
    connection.execute("PRAGMA trusted_schema = OFF");
    if(pragma(connection, "page_count") == 0)
        return Content::none;
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

/// The kind of a file by its first bytes, read before SQLite, which may change it, opens it.
enum class Kind
{
    new_one, ///< missing, empty, or cannot be read
    ours,    ///< a database with this library's number
    others,  ///< another program's database
    no_database
};

Kind kind_of(const std::string& path)
{
    constexpr std::string_view magic{"SQLite format 3", 16}, number{"CKCN", 4}; // of `application`
    std::array<char, 72> bytes{};
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), bytes.size());
    const auto count = static_cast<std::size_t>(file.gcount());
    if(count == 0)
        return Kind::new_one;
    const std::string_view head(bytes.data(), count);
    if(head.substr(0, magic.size()) != magic)
        return Kind::no_database;
    return head.substr(std::min<std::size_t>(count, 68)) == number ? Kind::ours : Kind::others;
}

/// Identifies the file at a path: equal until another file replaces it.
std::pair<dev_t, ino_t> identity(const std::string& path)
{
    struct stat s = {};
    return stat(path.c_str(), &s) == 0 ? std::pair{s.st_dev, s.st_ino}
                                       : std::pair{dev_t{}, ino_t{}};
}

/// Renames the file, together with SQLite's auxiliary files. Returns what was done.
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

/// Why the path is not a file that can be read and written; empty if it is.
std::string no_file(const std::string& path)
{
    if(!names_tuning_file(path))
        return "SQLite takes this name for no file, and keeps nothing: name a file, ./" + path +
               " for one of this name";
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)
               ? "it is not a file"
               : "";
}

/// The message for a failure that is not damage.
std::string reason_of(const Failure& failure, milliseconds patience)
{
    return (failure.code & 0xff) == SQLITE_BUSY ? "another process has kept it locked for " +
                                                      std::to_string(patience.count()) + " ms"
                                                : failure.reason;
}

/// Calls f(connection, content) with a file that has been checked, and again with a new one if it
/// was damaged and `again`. Returns why f was not called or failed; otherwise empty.
template <class F>
std::string with_file(const std::string& path,
                      int flags,
                      milliseconds patience,
                      bool again,
                      std::string& message,
                      const F& f)
{
    if(const std::string why = no_file(path); !why.empty())
        return why;
    for(int attempt = 0; attempt < 3; ++attempt)
    {
        const auto before = identity(path);
        const Kind kind   = kind_of(path);
        if(kind == Kind::no_database)
            return "it is not a database, and stays as it is";
        if(kind == Kind::others)
            return "it is another program's database, and stays as it is";
        std::string damage;
        bool was_sound = false;
        try
        {
            Connection connection(path, flags, patience);
            const Content content = look_at(connection);
            was_sound             = true;
            return f(connection, content);
        }
        catch(const Damage& found)
        {
            damage = found.reason;
        }
        catch(const Failure& failure)
        {
            if(!failure.is_damage(was_sound))
                return reason_of(failure, patience);
            damage = failure.reason;
        }
        if(identity(path) != before) // another process has already set it aside
            continue;
        if(kind_of(path) != Kind::ours) // renames only what is clearly ours
            return damage + "; it is not used, and stays as it is";
        message = set_aside(path, damage);
        if(!again)
            return "";
        if(identity(path) == before)
            return "it is damaged";
    }
    return "other processes change it all the time";
}

} // namespace

namespace {

constexpr double most_microseconds = 1e12; // eleven days
constexpr long long most_kernels   = 1'000'000'000;

/// The text for a message: on one line, not too long.
std::string shown(std::string text)
{
    constexpr std::size_t most = 200;
    if(text.size() > most)
        text = text.substr(0, most) + "...";
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c >= 0 && (c < ' ' || c == 127); }, '?');
    return '"' + text + '"';
}

/// Why this library would not write such a text; empty if it would.
std::string wrong_text(const char* column, const std::string& text)
{
    if(text.empty() && std::strcmp(column, "options") != 0 && std::strcmp(column, "wrong") != 0)
        return std::string(column) + " is empty";
    return text.find('\0') == text.npos
               ? ""
               : std::string(column) + " is " + shown(text) + ", but must have no byte of 0";
}

/// Why this library would not write such a row; empty if it would.
std::string wrong_value(const TuningRow& row)
{
    for(const auto& [column, text] : {std::pair{"device", &row.device},
                                      std::pair{"spec", &row.spec},
                                      std::pair{"options", &row.options},
                                      std::pair{"kernel", &row.kernel},
                                      std::pair{"wrong", &row.wrong}})
        if(const std::string why = wrong_text(column, *text); !why.empty())
            return why;
    if(!(row.microseconds > 0 && row.microseconds <= most_microseconds))
        return "microseconds is " + std::to_string(row.microseconds) +
               ", but must be above 0 and at most 1e12";
    for(const auto& [column, count] :
        {std::pair{"measured", row.measured}, std::pair{"missed", row.missed}})
        if(count < 0 || count > most_kernels)
            return std::string(column) + " is " + std::to_string(count) +
                   ", but must be from 0 to " + std::to_string(most_kernels);
    return "";
}

/// The same for the types of the values: SQLite's columns accept any.
std::string wrong_type(const Statement& row)
{
    constexpr struct
    {
        const char* column;
        int type;
    } columns[]{{"device", SQLITE_TEXT},
                {"spec", SQLITE_TEXT},
                {"options", SQLITE_TEXT},
                {"kernel", SQLITE_TEXT},
                {"microseconds", SQLITE_FLOAT},
                {"measured", SQLITE_INTEGER},
                {"missed", SQLITE_INTEGER},
                {"wrong", SQLITE_TEXT}};
    const auto words = [](int type) {
        switch(type)
        {
        case SQLITE_TEXT:
            return "a text";
        case SQLITE_FLOAT:
            return "a number";
        case SQLITE_INTEGER:
            return "a whole number";
        case SQLITE_NULL:
            return "NULL";
        default:
            return "bytes";
        }
    };
    for(int i = 0; i < 8; ++i)
        if(row.type(i) != columns[i].type)
            return std::string(columns[i].column) + " is " + words(row.type(i)) +
                   (row.type(i) == SQLITE_TEXT ? ", " + shown(row.text(i)) : "") +
                   ", but must be " + words(columns[i].type);
    return "";
}

/// Rows that are left out.
class LeftOut
{
public:
    void add(const std::string& spec, const std::string& why)
    {
        if(++count_ == 1)
            first_ = "that of " + shown(spec) + ": " + why;
    }
    /// Empty if there are none.
    std::string text() const
    {
        if(count_ == 0)
            return "";
        return count_ == 1 ? "a row is left out, " + first_
                           : std::to_string(count_) + " rows are left out, the first " + first_;
    }

private:
    std::size_t count_ = 0;
    std::string first_;
};

} // namespace

bool has_tuning_files() { return true; }
bool names_tuning_file(const std::string& path)
{
    return path.rfind(':', 0) != 0 && path.rfind("file:", 0) != 0;
}

std::vector<TuningRow>
read_tuning_file(const std::string& path, const std::string& library, std::string& message)
{
    message.clear();
    std::vector<TuningRow> rows;
    LeftOut left_out;
    const auto read = [&](Connection& connection, Content content) -> std::string {
        rows.clear();
        left_out = {};
        if(content == Content::none)
            return "";
        Statement select(
            connection,
            "SELECT device, spec, options, kernel, microseconds, measured, missed, wrong "
            "FROM tuning WHERE library = ?");
        select.bind(library);
        while(select.next())
        {
            if(const std::string why = wrong_type(select); !why.empty())
            {
                left_out.add(select.text(1), why);
                continue;
            }
            TuningRow row{select.text(0),
                          library,
                          select.text(1),
                          select.text(2),
                          select.text(3),
                          select.number(4),
                          select.integer(5),
                          select.integer(6),
                          select.text(7)};
            if(const std::string why = wrong_value(row); !why.empty())
                left_out.add(row.spec, why);
            else
                rows.push_back(std::move(row));
        }
        return "";
    };
    const std::string why = with_file(path, SQLITE_OPEN_READWRITE, to_read, false, message, read);
    if(!why.empty())
    {
        rows.clear();
        message = "cannot be read: " + why;
    }
    else if(message.empty())
        message = left_out.text();
    return rows;
}

std::string write_tuning_row(const std::string& path, const TuningRow& row, std::string& message)
{
    message.clear();
    if(const std::string why = no_file(path); !why.empty())
        return why;
    if(const std::string why = wrong_value(row); !why.empty())
        return "this is not a winner: " + why;
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
        Statement(connection, "INSERT OR REPLACE INTO tuning VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(row.device)
            .bind(row.library)
            .bind(row.spec)
            .bind(row.options)
            .bind(row.kernel)
            .bind(row.microseconds)
            .bind(row.measured)
            .bind(row.missed)
            .bind(row.wrong)
            .next();
        connection.execute("COMMIT");
        return "";
    };
    return with_file(
        path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, to_write, true, message, write);
}

} // namespace ck::conv

#else

namespace ck::conv {

bool has_tuning_files() { return false; }
bool names_tuning_file(const std::string&) { return true; }

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
