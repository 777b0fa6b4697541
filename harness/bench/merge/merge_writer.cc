// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/merge_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <list>
#include <map>
#include <set>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>

#include "harness/base/files.h"
#include "harness/bench/merge/csv_lines.h"
#include "harness/bench/record/csv.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// The number of files that are open at once, far below the limit of a process.
constexpr std::size_t kMostOpen = 64;

// Reads parts of many files. The files that were used last stay open.
class FilePool {
 public:
  FilePool() = default;
  FilePool(const FilePool&) = delete;
  FilePool& operator=(const FilePool&) = delete;
  ~FilePool() {
    for (const auto& [path, fd] : open_) ::close(fd);
  }

  absl::Status read(const fs::path& path, const FileSpan& span, std::string& text) {
    const absl::StatusOr<int> fd = descriptor(path);
    if (!fd.ok()) return fd.status();
    text.resize(span.size);
    std::size_t have = 0;
    while (have < text.size()) {
      const ssize_t n = ::pread(*fd, text.data() + have, text.size() - have,
                                static_cast<off_t>(span.offset + have));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return file_error(path.string(), errno);
      if (n == 0) {
        return absl::UnavailableError(
            absl::StrFormat("%s: became shorter while it was read; merge again", path.string()));
      }
      have += static_cast<std::size_t>(n);
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<int> descriptor(const fs::path& path) {
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const auto& one) { return one.first == path; });
    if (found != open_.end()) {
      open_.splice(open_.begin(), open_, found);
      return found->second;
    }
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return file_error(path.string(), errno);
    open_.emplace_front(path, fd);
    if (open_.size() > kMostOpen) {
      ::close(open_.back().second);
      open_.pop_back();
    }
    return fd;
  }

  std::list<std::pair<fs::path, int>> open_;  // the most recently used first
};

// Appends to a file in large pieces.
class Output {
 public:
  static absl::StatusOr<Output> create(const fs::path& path) {
    absl::StatusOr<AppendFile> file = AppendFile::create(path);
    if (!file.ok()) return file.status();
    return Output(*std::move(file));
  }

  absl::Status add(std::string_view text) {
    waiting_ += text;
    return waiting_.size() < kPieceBytes ? absl::OkStatus() : flush();
  }

  absl::Status finish() {
    absl::Status status = flush();
    status.Update(file_.sync());
    return status;
  }

 private:
  explicit Output(AppendFile file) : file_(std::move(file)) {}

  absl::Status flush() {
    const absl::Status status = file_.append(waiting_);
    waiting_.clear();
    return status;
  }

  AppendFile file_;
  std::string waiting_;
};

// Replaces the cell at `column` in each line of `text` by `run_id`. The cells before it have no
// quotes.
std::string with_run_id(std::string_view text, std::size_t column, const std::string& run_id) {
  std::string out;
  out.reserve(text.size() + run_id.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    std::size_t from = 0;
    for (std::size_t i = 0; i < column; ++i) from = line.find(',', from) + 1;
    const std::size_t to = std::min(line.find(',', from), line.size());
    out += line.substr(0, from);
    out += run_id;
    out += line.substr(to);
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

absl::StatusOr<std::size_t> column_of_run_id(const std::string& header) {
  std::vector<std::string> unquoted;
  std::vector<std::string_view> columns;
  split_record(header, columns, unquoted);
  const auto found = std::find(columns.begin(), columns.end(), "run_id");
  if (found == columns.end() || found - columns.begin() > 1) {
    return absl::FailedPreconditionError("the column run_id is not among the first two");
  }
  return static_cast<std::size_t>(found - columns.begin());
}

// Writes one table: the selected rows of all trials, in the order of the plan.
absl::Status write_table(const fs::path& path, const char* name, const std::string& header,
                         FileSpan TrialRows::*span, const std::string& run_id,
                         const std::vector<FoundRun>& runs, const TrialIndex& index) {
  absl::StatusOr<Output> out = Output::create(path / name);
  if (!out.ok()) return out.status();
  absl::Status status = out->add(header + "\n");
  const absl::StatusOr<std::size_t> column = column_of_run_id(header);
  if (!column.ok()) return column.status();
  const std::string cell = csv_record({run_id});
  const std::string id = cell.substr(0, cell.size() - 1);
  FilePool files;
  std::string text;
  for (const TrialRows& rows : index.trials()) {
    if (rows.run == TrialRows::kNone || (rows.*span).size == 0) continue;
    if (!status.ok()) return status;
    status = files.read(runs[rows.run].folder / name, rows.*span, text);
    if (status.ok()) status = out->add(with_run_id(text, *column, id));
  }
  status.Update(out->finish());
  return status;
}

absl::Status write_all(const fs::path& folder, const Meta& meta, const std::vector<FoundRun>& runs,
                       const TrialIndex& index) {
  // The runs have the same build, so they have the same schema.
  const absl::StatusOr<std::string> schema =
      read_file(runs.front().folder / "schema.json", kMostInputBytes);
  absl::Status status =
      schema.ok() ? replace_file(folder / "schema.json", *schema) : schema.status();
  if (status.ok() && !index.latency_header().empty()) {
    status = write_table(folder, "latency.csv", index.latency_header(), &TrialRows::latency,
                         meta.run.run_id, runs, index);
  }
  if (status.ok()) {
    status = write_table(folder, "trials.csv", index.header(), &TrialRows::rows, meta.run.run_id,
                         runs, index);
  }
  if (status.ok()) status = replace_file(folder / "meta.json", meta_text(meta));
  if (status.ok()) status = sync_folder(folder);
  return status;
}

absl::Status empty_folder(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    fs::remove_all(entry.path(), error);
    if (error) break;
  }
  return error ? file_error(folder.string() + ": cannot be emptied", error.value())
               : absl::OkStatus();
}

// Moves `fresh` to `out` in one step, and removes the previous contents.
absl::Status move_to(const fs::path& fresh, const fs::path& out) {
  const fs::path parent = out.has_parent_path() ? out.parent_path() : ".";
  if (::rename(fresh.c_str(), out.c_str()) == 0) return sync_folder(parent);
  if (errno != ENOTEMPTY && errno != EEXIST) return file_error(out.string(), errno);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, out.c_str(), RENAME_EXCHANGE) != 0) {
    return file_error(out.string() + ": cannot be replaced; remove it and merge again", errno);
  }
  absl::Status status = sync_folder(parent);
  std::error_code error;
  fs::remove_all(fresh, error);
  if (error) status.Update(file_error(fresh.string() + ": cannot be removed", error.value()));
  return status;
}

fs::path merging_path(const fs::path& out) {
  return out.string() + ".merging";
}

// Removes the slash at the end, which a shell's completion adds, and follows a link.
fs::path plain(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) return fs::canonical(path, error);
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

absl::Status check_out(const fs::path& given, const Meta& meta) {
  const fs::path out = plain(given);
  std::error_code error;
  if (!fs::exists(out, error) || (fs::is_directory(out, error) && fs::is_empty(out, error))) {
    return absl::OkStatus();
  }
  const absl::StatusOr<std::string> text = read_file(out / "meta.json", kMostRunFileBytes);
  const absl::StatusOr<MetaHead> found = text.ok()
                                             ? parse_meta_head(*text, (out / "meta.json").string())
                                             : absl::StatusOr<MetaHead>(text.status());
  if (!found.ok() || !found->meta.parts) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: is there and is no merged run; name another folder for the result", out.string()));
  }
  std::set<std::string> ours;
  for (const RunPart& part : *meta.parts) ours.insert(part.run_id);
  for (const RunPart& part : *found->meta.parts) {
    if (ours.contains(part.run_id)) continue;
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: holds run %s, which is not among those that are merged; name its folder, or %s "
        "itself, too",
        out.string(), part.run_id, out.string()));
  }
  return absl::OkStatus();
}

absl::Status write_merged(const fs::path& given, const Meta& meta,
                          const std::vector<FoundRun>& runs, const TrialIndex& index) {
  const fs::path out = plain(given);
  const fs::path fresh = merging_path(out);
  if (absl::Status status = make_folders(fresh); !status.ok()) return status;
  const absl::StatusOr<FolderLock> lock = FolderLock::take(fresh);
  if (!lock.ok()) return lock.status();
  absl::Status status = empty_folder(fresh);
  if (status.ok()) status = write_all(fresh, meta, runs, index);
  if (status.ok()) return move_to(fresh, out);
  std::error_code ignored;  // the first error is the one to report
  fs::remove_all(fresh, ignored);
  return status;
}

}  // namespace lockbench
