// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/prepared_program.h"

#include "harness/observe/observation/observation_folder.h"
#include "harness/observe/observation/program_file.h"
#include "harness/observe/preload/preload.h"
#include "harness/process/resources.h"

namespace lockbench {

absl::StatusOr<PreparedProgram> prepare_program(std::string_view kind,
                                                const std::optional<std::filesystem::path>& out,
                                                const std::string& program) {
  const absl::StatusOr<ProgramFile> file = find_preloadable(program);
  if (!file.ok()) return file.status();
  const auto library = find_engine("liblockbench_observe.so");
  if (!library) {
    return absl::InternalError(
        "liblockbench_observe.so is missing beside lockbench; install it again");
  }
  const absl::StatusOr<std::string> preload = preload_variable(*library);
  if (!preload.ok()) return absl::InternalError(preload.status().message());
  const absl::StatusOr<std::filesystem::path> folder = new_program_folder(kind, out, program);
  if (absl::IsAlreadyExists(folder.status())) return folder.status();
  if (!folder.ok()) return absl::InternalError(folder.status().message());
  PreparedProgram prepared{
      .preload = *preload, .folder = *folder, .interpreter = file->interpreter};
  if (!file->interpreter.empty()) {
    prepared.script = file->path.string() + " is a script; the locks of its interpreter " +
                      file->interpreter + " are observed";
  }
  return prepared;
}

}  // namespace lockbench
