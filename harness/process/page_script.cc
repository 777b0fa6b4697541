// SPDX-License-Identifier: Apache-2.0

#include "harness/process/page_script.h"

#include <chrono>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include "harness/base/files.h"
#include "harness/process/child_process.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

constexpr std::chrono::minutes kMostTime{2};

}  // namespace

absl::Status write_page(const std::string& script, const std::string& json,
                        const std::filesystem::path& file) {
  if (file.extension() == ".json") return replace_file(file, json);
  const absl::StatusOr<std::filesystem::path> found = find_resource(script);
  if (!found.ok()) return found.status();
  const absl::StatusOr<std::filesystem::path> python = find_python({"jinja2"});
  if (!python.ok()) return python.status();
  const absl::StatusOr<ChildResult> result =
      run_child({.program = *python,
                 .words = {python->string(), found->string(), file.string()},
                 .input = json,
                 .deadline = std::chrono::steady_clock::now() + kMostTime});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kEnded && result->status == 0) return absl::OkStatus();
  absl::string_view said = absl::StripSuffix(result->err, "\n");
  const std::string name = absl::StrCat(found->stem().string(), ": ");
  if (result->ending == ChildEnding::kEnded && absl::ConsumePrefix(&said, name)) {
    return absl::UnavailableError(said);
  }
  return absl::UnavailableError(end_text(script, *result));
}

}  // namespace lockbench
