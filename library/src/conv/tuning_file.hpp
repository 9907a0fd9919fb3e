#pragma once
// The file of measured winners: one SQLite database that any number of processes read and write.
// Nothing in it is used before the whole file has been checked.
#include <string>
#include <vector>

namespace ck::conv {

/// A winner. Device, library, spec and options together are unique.
struct TuningRow
{
    std::string device;  ///< name, architecture, compute units
    std::string library; ///< version and a hash of all kernels' names
    std::string spec;
    std::string options;
    std::string kernel;
    double microseconds = 0;
    long long measured  = 0; ///< number of kernels
    long long missed    = 0; ///< number of kernels for which there was no time
    std::string wrong{};     ///< names of kernels with different results, one a line
};

/// Whether this library was built with SQLite.
bool has_tuning_files();

/// Whether the path names a file: not ":memory:" or others with a special meaning to SQLite.
bool names_tuning_file(const std::string& path);

/// The rows of one library; empty if there is no file. Rows with a value of another type, or out of
/// range, are left out. If a file of this library is damaged, or of another version, it is renamed
/// to "<path>.damaged-<number>"; no other file is touched. Waits at most 50 ms for other processes.
/// message: a message for the user, or empty.
std::vector<TuningRow>
read_tuning_file(const std::string& path, const std::string& library, std::string& message);

/// Adds the row, or replaces the one with the same keys. Creates the file and its folder if they
/// are missing, and renames damaged files as above. Waits at most ten seconds for other processes.
/// Returns why it was not written, or an empty text.
std::string write_tuning_row(const std::string& path, const TuningRow& row, std::string& message);

} // namespace ck::conv
