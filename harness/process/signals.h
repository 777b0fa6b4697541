// SPDX-License-Identifier: Apache-2.0

// Signals: SIGINT, SIGTERM and SIGHUP ask a run to stop; they do not stop it in the middle of a
// row.
#pragma once

namespace lockbench {

// From this call on, SIGINT, SIGTERM and SIGHUP are only noted, except those that the process
// inherited as ignored (nohup, a shell's background jobs). SIGXFSZ and SIGPIPE are reported as
// errors of the call that caused them. The second signal of a kind ends the process at once, unless
// it comes within 0.3 s of the first.
void note_signals();

// The signal that was noted, or 0.
int noted_signal();

}  // namespace lockbench
