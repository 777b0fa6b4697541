// SPDX-License-Identifier: Apache-2.0

// Inherited: settings that a process inherits and must change before it works.
#pragma once

namespace lockbench {

// Opens /dev/null for each standard stream that is closed: otherwise the next file that is opened,
// for example trials.csv, would become standard error and receive its messages. Standard output can
// then not be written, so that a result which reaches nobody is an error, as on a full disk.
// Restores SIGCHLD, which may be ignored, so that children can be waited for. Call it first in
// main().
void restore_inherited_settings();

}  // namespace lockbench
