#pragma once
// The file of measured winners: one SQLite database that any number of processes read and write.
// Nothing of it is believed before the whole file has been checked.
#include <string>
#include <vector>

namespace ck::conv {

/// A winner. Together unique: device, library, spec and options.
struct TuningRow
{
    std::string device;  ///< name, architecture, compute units
    std::string library; ///< version and a hash of all kernels' names
    std::string spec;
    std::string options;
    std::string kernel;
    double microseconds = 0;
    long long measured  = 0; ///< kernels
    long long missed    = 0; ///< kernels that the time did not suffice for
    std::string wrong{};     ///< names of kernels that gave other numbers, one a line
};

/// Whether this library was built with SQLite.
bool has_tuning_files();

/// Whether the path is one of a file: not ":memory:" and others that mean something else to SQLite.
bool names_tuning_file(const std::string& path);

/// The rows of one library; none where there is no file. Rows with a value of another type, or out
/// of its range, are left out. A file of this library's that is damaged, or of another version, is
/// renamed to "<path>.damaged-<number>"; no other is touched. Waits 50 ms at most for other
/// processes. message: what there is to say of it, else empty.
std::vector<TuningRow>
read_tuning_file(const std::string& path, const std::string& library, std::string& message);

/// Adds the row, or puts it in the place of the one that it is about; the file and its folder are
/// made where they are missing, and damaged files renamed as above. Waits for other processes, ten
/// seconds at most. Returns why it is not written; else empty.
std::string write_tuning_row(const std::string& path, const TuningRow& row, std::string& message);

} // namespace ck::conv
