// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/program_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "primitives/platform/scratch_folder.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// The program that runs a script with this first line.
std::string interpreter_of(const std::string& first_line) {
  const platform::ScratchFolder folder;
  const fs::path script = fs::path(folder.path()) / "script";
  std::ofstream(script) << first_line << "\n";
  fs::permissions(script, fs::perms::owner_all);
  const absl::StatusOr<ProgramFile> found = find_preloadable(script.string());
  return found.ok() ? fs::path(found->interpreter).filename().string()
                    : std::string(found.status().message());
}

TEST(FindPreloadable, AScriptHasItsInterpreter) {
  EXPECT_EQ(interpreter_of("#!/bin/sh"), "sh");
  EXPECT_EQ(interpreter_of("#!/bin/sh -e"), "sh");
  EXPECT_EQ(interpreter_of("#!/usr/bin/env sh"), "sh");
}

TEST(FindPreloadable, EnvHasOptionsAndVariablesBeforeTheInterpreter) {
  for (const char* line :
       {"#!/usr/bin/env -S sh -u", "#!/usr/bin/env -Ssh -u", "#!/usr/bin/env -S A=1 B= sh",
        "#!/usr/bin/env --split-string=sh -u", "#!/usr/bin/env --split-string sh",
        "#!/usr/bin/env -S -u HOME -C / sh", "#!/usr/bin/env -vS sh", "#!/usr/bin/env -i sh"}) {
    EXPECT_EQ(interpreter_of(line), "sh") << line;
  }
}

TEST(FindPreloadable, AScriptWithoutInterpreterIsRefused) {
  EXPECT_TRUE(interpreter_of("#!").ends_with("names no interpreter after #!"));
  EXPECT_TRUE(interpreter_of("#!/usr/bin/env -S").ends_with("names no interpreter after #!"));
  EXPECT_TRUE(interpreter_of("#!/usr/bin/env -u").ends_with("names no interpreter after #!"));
  EXPECT_TRUE(interpreter_of("#!/usr/bin/env -S no-such-one -u")
                  .ends_with("its interpreter no-such-one does not exist"));
}

}  // namespace
}  // namespace lockbench
