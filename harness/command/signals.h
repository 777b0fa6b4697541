// Signals: SIGINT and SIGTERM ask a run to stop; they do not stop it in the middle of a row.
#pragma once

namespace lockbench {

// From now on SIGINT and SIGTERM are only noted, and SIGXFSZ and SIGPIPE come back as errors of the
// call that met them. A second SIGINT or SIGTERM ends the process at once.
void note_signals();

// The signal that was noted, or 0.
int noted_signal();

}  // namespace lockbench
