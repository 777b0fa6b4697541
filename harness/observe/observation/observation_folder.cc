// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observation_folder.h"

#include <system_error>

#include "harness/base/files.h"
#include "harness/bench/record/stamp.h"

namespace lockbench {

namespace fs = std::filesystem;

absl::StatusOr<fs::path> new_program_folder(std::string_view kind,
                                            const std::optional<fs::path>& out,
                                            const std::string& program) {
  const fs::path folder =
      out.value_or(fs::path("results") / kind / new_run_id(fs::path(program).filename().string()));
  std::error_code none;
  if (fs::exists(folder, none)) {
    return absl::AlreadyExistsError(folder.string() +
                                    ": exists already; name another folder with --out");
  }
  if (const absl::Status made = make_folders(folder); !made.ok()) return made;
  return folder;
}

}  // namespace lockbench
