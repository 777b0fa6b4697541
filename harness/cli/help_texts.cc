// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/help_texts.h"

#include "harness/petri/model.h"
#include "harness/record/build.h"

namespace lockbench {

const char kExamples[] =
    "First steps\n"
    "  lockbench doctor                  what here would spoil a measurement\n"
    "  lockbench list presets            what can be measured\n"
    "  lockbench run quick               measures all five primitives, half a minute\n"
    "  lockbench report RUN              one page of what was measured: what to use, and why\n"
    "  lockbench advise --threads 8 --keys 1000 --hold 200ns    which for this case, and why\n"
    "  lockbench plot RUN                its pictures one by one\n"
    "  lockbench compare RUN             a table of it\n"
    "  lockbench model keyed             whether its design can deadlock, and why not\n"
    "  lockbench COMMAND --help          more of each, with examples\n";

const char kRunExamples[] =
    "Name a preset, or cells by flags, or both: flags replace what the preset says. What flags\n"
    "alone leave open is as usual: the primitives that fit the workload counter, 1 to 8 threads,\n"
    "64 keys, 200 ns of hold, five blocks. Nothing named is an error: this command takes time.\n"
    "\n"
    "For the workload file_counter, threads are processes: so many add to a number in a file.\n"
    "\n"
    "Examples\n"
    "  lockbench run quick\n"
    "  lockbench run threads --primitive keyed --primitive keyed_table64 --threads 1,2,4..16\n"
    "  lockbench run --primitive striped:stripes=64 --workload accounts --key-type string \\\n"
    "                --keys 10000 --key-distribution zipf:0.99 --hold 2us\n"
    "  lockbench run --primitive lease:leases=4 --workload checkout --mode fixed \\\n"
    "                --operations 1000 --threads 16\n"
    "  lockbench run my-plan.toml --dry-run\n"
    "  lockbench run --resume results/runs/20250131-120000-quick-1a2b\n"
    "\n"
    "At its end a run says who was fastest, relative to a baseline, and how surely; --format "
    "json,\n"
    "csv or markdown says it for programs and pull requests, on standard output alone.\n"
    "\n"
    "Ctrl-C keeps every finished trial and says how to resume. Exit code: 0 every trial has its\n"
    "row, 1 rows could not be written, 2 bad input, 129, 130 or 143 interrupted.\n";

const char kAdviseExamples[] =
    "Tell your case: threads, keys, how they are chosen, how long the lock is held. The "
    "primitives\n"
    "that make sense for it are measured beside each other, block by block, within the budget, "
    "and\n"
    "ranked; each has its reason, and what cannot be told apart is said to be so. An operation is\n"
    "one acquisition of one key, under which a counter is added to and checked afterwards.\n"
    "\n"
    "With --run nothing is measured: the run's cells that are nearest to the case answer, and how\n"
    "far they are from it is told. --memory and --fair rule out by what was measured: the bytes "
    "of\n"
    "the locks when all have left, threads that starve. Interrupted, it says how to go on; what "
    "was\n"
    "measured then answers with --run.\n"
    "\n"
    "Examples\n"
    "  lockbench advise --threads 32 --keys 10000 --distribution zipf:0.99 --hold 2us\n"
    "  lockbench advise --threads 8 --keys 100 --hold 200ns --memory 64KiB --fair\n"
    "  lockbench advise --threads 4 --keys 1000000 --key-type string --budget 2min\n"
    "  lockbench advise --threads 8 --keys 64 --run results/runs/20250131-120000-quick-1a2b\n"
    "\n"
    "Exit code: 0 advised, 1 it could not be measured, 2 bad input, 4 nothing that was measured\n"
    "will do, 129, 130 or 143 interrupted.\n";

const char kStressExamples[] =
    "Three engines look for a way to break a lock. `sim` runs the very source of the lock on "
    "simulated\n"
    "threads: every interleaving of small clients up to a bound, then larger ones at random, "
    "store\n"
    "buffers and timeouts included; what it finds happens again exactly. `real` runs threads, "
    "`proc`\n"
    "processes, and disturbs them. A clean verdict says what was done; docs/stress.md how to read "
    "it.\n"
    "\n"
    "Examples\n"
    "  lockbench stress keyed\n"
    "  lockbench stress keyed --engine sim --budget 10s\n"
    "  lockbench stress --self-test\n"
    "\n"
    "Exit code: 0 clean, 1 bad input, 2 convicted, 3 an engine failed, 4 inconclusive, 5 unfair,\n"
    "129, 130 or 143 interrupted.\n";

const char kListExamples[] =
    "Examples\n"
    "  lockbench list\n"
    "  lockbench list primitives\n";

const char kDoctorExamples[] =
    "Looks at clocks, company, limits and tools; changes nothing. Takes about a second.\n"
    "Exit code: 0 nothing spoils measurements, 1 something does, 2 bad input.\n"
    "\n"
    "Examples\n"
    "  lockbench doctor\n"
    "  lockbench doctor --format json\n";

const char kTrialExamples[] =
    "The trials of a run stand in its meta.json, one a line. Example, the first of them again:\n"
    "  grep -om1 '{\"number\":.*}}' RUN/meta.json | lockbench trial\n";

std::string model_help() {
  std::string text = "Models\n";
  for (const ModelEntry& entry : model_entries()) {
    text += "  " + entry.name +
            (entry.name.size() < 18 ? std::string(18 - entry.name.size(), ' ')
                                    : "\n" + std::string(20, ' ')) +
            entry.summary + "\n";
  }
  return text +
         "\n"
         "Every marking that can be reached is looked at, threads in like states as one; sums "
         "that\n"
         "never change are proved from the net alone.\n"
         "\n"
         "Examples\n"
         "  lockbench model keyed\n"
         "  lockbench model keyed --nested --order opposite --film deadlock.html\n"
         "  lockbench model lease --threads 3 --leases 3 --nested\n"
         "  lockbench model striped --nested --order twice --stripes 1\n"
         "  lockbench model keyed --threads 8 --keys 4 --budget 5min\n"
         "  lockbench model keyed --conform\n"
         "  lockbench model file --conform\n"
         "  lockbench model keyed --trace log.txt\n"
         "  lockbench model --file mine.pnml --draw mine.svg\n"
         "\n"
         "Exit code: 0 nothing wrong can be reached, 1 a file could not be written, 2 something "
         "wrong\n"
         "can be reached (or the trace was refused, or bad input), 4 the budget came first.\n";
}

std::string version_text() {
  const Build build = this_build();
  std::string text = "lockbench " + build.version;
  if (build.commit) {
    text += " (" + *build.commit + (build.modified.value_or(false) ? "+" : "") + ")";
  }
  text += "\n" + build.compiler + ", " + build.build_type + ", " + build.flags;
  for (const auto& [library, version] : build.libraries) text += "\n" + library + " " + version;
  return text;
}

}  // namespace lockbench
