// SPDX-License-Identifier: Apache-2.0

#include "harness/process/resources.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

#include "harness/base/files.h"
#include "harness/base/nearest.h"
#include "harness/process/child_process.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

constexpr char kCommandFolder[] = "commands";

// How long a Python interpreter may take to report which modules it has. It usually takes some 50
// ms.
constexpr std::chrono::seconds kPythonAnswersWithin{10};

// True if `python` runs `code` and exits with 0.
bool succeeds(const fs::path& python, const std::string& code) {
  const absl::StatusOr<ChildResult> result =
      run_child({.program = python,
                 .words = {python.string(), "-c", code},
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + kPythonAnswersWithin});
  return result.ok() && result->ending == ChildEnding::kEnded && result->status == 0;
}

// Every python3 on the PATH, then those in the folders where systems install it.
std::vector<fs::path> python_candidates() {
  std::vector<fs::path> candidates;
  const char* const path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    candidates.push_back(fs::path(folder) / "python3");
  }
  candidates.push_back("/usr/bin/python3");
  candidates.push_back("/usr/local/bin/python3");
  std::erase_if(candidates, [](const fs::path& p) { return access(p.c_str(), X_OK) != 0; });
  return candidates;
}

// Finds the modules without importing them, which would take a second. The current folder is
// removed from the search path, because it may contain anything. -I would also hide a user's own
// packages.
std::string probe_for(const std::vector<std::string>& modules) {
  std::string list;
  for (const std::string& module : modules) list += "'" + module + "',";
  return "import sys; sys.path = [p for p in sys.path if p]; import importlib.util; "
         "sys.exit(not all(map(importlib.util.find_spec, [" +
         list + "])))";
}

// The files, in alphabetical order of their names.
absl::StatusOr<std::vector<fs::path>> files_of(const ResourceKind& kind) {
  // A build has folders of the same names, without these files.
  const absl::StatusOr<fs::path> presets = find_resource("workloads/presets");
  if (!presets.ok()) return presets.status();
  const fs::path workloads = presets->parent_path();
  std::vector<fs::path> parents{workloads};
  std::error_code error;
  for (const fs::directory_entry& capability :
       fs::directory_iterator(workloads.parent_path() / "harness", error)) {
    parents.push_back(capability.path());
  }
  std::vector<fs::path> files;
  for (const fs::path& parent : parents) {
    for (const fs::directory_entry& entry : fs::directory_iterator(parent / kind.folder, error)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.stem() < b.stem(); });
  return files;
}

absl::StatusOr<fs::path> resource_file(const ResourceKind& kind, const std::string& name_or_file) {
  if (fs::path(name_or_file).extension() == ".toml") return name_or_file;
  if (name_or_file.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(name_or_file + ": neither a " + kind.kind +
                                      "'s name nor a file ending in .toml; `" + kind.list +
                                      "` shows the names");
  }
  const absl::StatusOr<std::vector<fs::path>> files = files_of(kind);
  if (!files.ok()) return files.status();
  for (const fs::path& file : *files) {
    if (file.stem() == name_or_file) return file;
  }
  return unknown_name(kind.kind, name_or_file, *resource_names(kind));
}

}  // namespace

fs::path this_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

fs::path main_program() {
  fs::path self = this_program();
  if (self.parent_path().filename() != kCommandFolder) return self;
  std::error_code error;
  for (fs::path folder = self.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    for (const fs::path& main : {folder / "lockbench", folder / "bin" / "lockbench"}) {
      if (fs::is_regular_file(main, error)) return main;
    }
  }
  return self;
}

fs::path command_folder() {
  const fs::path home = main_program().parent_path();
  std::error_code error;
  if (fs::is_directory(home / kCommandFolder, error)) return home / kCommandFolder;
  return home.parent_path() / "libexec" / "lockbench" / kCommandFolder;
}

absl::StatusOr<fs::path> find_resource(const fs::path& relative) {
  std::error_code error;
  const fs::path home = main_program().parent_path();
  const fs::path installed = home.parent_path() / "share" / "lockbench" / relative;
  if (fs::exists(installed, error)) return installed;
  for (fs::path folder = home; folder != folder.root_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / relative, error)) return folder / relative;
  }
  return absl::NotFoundError(relative.string() + " is neither below " + installed.string() +
                             " nor in a checkout around " + home.string() +
                             "; run lockbench from where it was built or installed");
}

std::optional<fs::path> find_engine(const std::string& program) {
  const fs::path home = main_program().parent_path();
  for (const fs::path& folder : {home, home.parent_path() / "libexec" / "lockbench"}) {
    if (access((folder / program).c_str(), X_OK) == 0) return folder / program;
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<std::string>> resource_names(const ResourceKind& kind) {
  const absl::StatusOr<std::vector<fs::path>> files = files_of(kind);
  if (!files.ok()) return files.status();
  std::vector<std::string> names;
  for (const fs::path& file : *files) names.push_back(file.stem().string());
  return names;
}

absl::StatusOr<ResourceText> read_resource(const ResourceKind& kind,
                                           const std::string& name_or_file) {
  const absl::StatusOr<fs::path> file = resource_file(kind, name_or_file);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> text = read_file(*file, kMostInputBytes);
  if (!text.ok()) {
    return absl::Status(text.status().code(), std::string(text.status().message()) + "; name a " +
                                                  kind.kind + "'s file that can be read, or a " +
                                                  kind.kind + " (`" + kind.list + "`)");
  }
  return ResourceText{file->string(), *std::move(text)};
}

absl::StatusOr<fs::path> find_python(const std::vector<std::string>& modules) {
  note_signals();  // a signal that ends this process also ends the Python process
  const std::string probe = probe_for(modules);
  std::string list;
  std::string packages;
  for (const std::string& module : modules) {
    list += (list.empty() ? "" : ", ") + module;
    packages += " python3-" + module;
  }

  if (const char* const chosen = std::getenv("LOCKBENCH_PYTHON")) {
    if (succeeds(chosen, probe)) return fs::path(chosen);
    return absl::NotFoundError("LOCKBENCH_PYTHON is " + std::string(chosen) +
                               ", which cannot be run or lacks one of: " + list);
  }
  for (const fs::path& candidate : python_candidates()) {
    if (noted_signal() != 0) return absl::CancelledError("interrupted");
    if (succeeds(candidate, probe)) return candidate;
  }
  return absl::NotFoundError("no python3 with " + list + "; install" + packages +
                             ", or set LOCKBENCH_PYTHON to an interpreter that has them");
}

}  // namespace lockbench
