// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/help_texts.h"

#include <absl/strings/str_cat.h>

#include "harness/petri/model.h"
#include "harness/record/build.h"

namespace lockbench {

const char kExitCodes[] =
    "Exit codes, the same in every command\n"
    "  0              done, and nothing is wrong\n"
    "  1              could not finish: a file, a child process or a server failed\n"
    "  2              bad input; nothing was measured\n"
    "  3              the check found what it looks for: a broken lock, a deadlock, a regression,\n"
    "                 a disturbed machine\n"
    "  4              inconclusive: the check ended without an answer\n"
    "  129, 130, 143  interrupted by SIGHUP, SIGINT (Ctrl-C), SIGTERM; finished rows are kept\n";

const char kExamples[] =
    "First steps\n"
    "  lockbench doctor                  what disturbs measurements on this machine\n"
    "  lockbench list presets            the plans that come with lockbench\n"
    "  lockbench run quick               measures all five primitives in a minute\n"
    "  lockbench report RUN              one page: which primitive to use, and the evidence\n"
    "  lockbench advise --threads 8 --keys 1000 --hold 200ns    the primitive for this case\n"
    "  lockbench predict quick --machine i7-1165g7    its figures on another machine, predicted\n"
    "  lockbench plot RUN                the pictures of a run\n"
    "  lockbench compare RUN             the table of a run\n"
    "  lockbench gate RUN --against NAME    whether the run is slower than a baseline, for CI\n"
    "  lockbench ab OLD.so NEW.so        which of two versions of a lock is faster\n"
    "  lockbench merge OUT SHARDS        one run from the shards of several machines\n"
    "  lockbench model keyed             whether the design of a lock can deadlock\n"
    "  lockbench help COMMAND            the flags of a command, with examples\n";

const char kRunExamples[] =
    "Name a preset, or describe cells with flags, or both: a flag replaces a value of the preset.\n"
    "Without a preset, the defaults are: the primitives that fit the workload counter and the\n"
    "standard library's locks for the same job (std::mutex is the baseline), 1 to 8 threads,\n"
    "64 keys, 200 ns of hold, and blocks until the comparisons are decided. A run takes time, so\n"
    "a command without a preset and without flags is an error.\n"
    "\n"
    "The workloads file_counter and service_counter use processes instead of threads. With\n"
    "--processes, counter and accounts also use processes, for locks between processes or of a\n"
    "service.\n"
    "\n"
    "Examples\n"
    "  lockbench run quick\n"
    "  lockbench run threads --primitive keyed --primitive keyed_table64 --threads 1,2,4..16\n"
    "  lockbench run --primitive striped:stripes=64 --workload accounts --key-type string \\\n"
    "                --keys 10000 --key-distribution zipf:0.99 --hold 2us\n"
    "  lockbench run --primitive lease:leases=4 --workload checkout --mode fixed \\\n"
    "                --operations 1000 --threads 16\n"
    "  lockbench run my-plan.toml --dry-run -v\n"
    "  lockbench run threads --blocks 8 --shard 3/8 --out shards/3\n"
    "  lockbench run --resume results/runs/20250131-120000-quick-1a2b\n"
    "\n"
    "A shard (--shard) is one of n parts of a plan, each for a machine of its own. It measures\n"
    "all blocks of the preset or of --blocks, because no shard knows the decisions of the others.\n"
    "If a shard was interrupted, the same command continues it.\n"
    "\n"
    "A run ends with a comparison of the primitives with a baseline. --format json, csv or\n"
    "markdown prints only this comparison on standard output.\n"
    "\n"
    "Ctrl-C keeps every finished trial and prints the command that resumes the run. If nothing is\n"
    "left to measure, that command prints the end of the run again.\n"
    "Exit codes: 0 every trial has its row, 1 rows could not be written, 2 bad input, 4 no row is\n"
    "valid, 129, 130 or 143 interrupted.\n";

const char kPredictExamples[] =
    "Predicts the figures of a preset's cells on a machine that you do not have. The locks run\n"
    "unchanged on simulated threads. The model of the machine gives the time of each access,\n"
    "which depends on the state of the cache line, and of time slices and wake-ups. A model is a\n"
    "file: the cores, the latencies between them, the costs of an access and of the scheduler,\n"
    "and the sources of these figures. The rows have the columns of a measurement; `predicted` is\n"
    "true, and `machine` is the name of the model. Figures that are not predicted are empty.\n"
    "\n"
    "The workloads counter, accounts, checkout and nested can be predicted, with keys of type\n"
    "u64, for lockbench's own locks and for global and striped over the C library's mutex. Other\n"
    "cells are omitted. A window ends after a million accesses at the latest.\n"
    "docs/prediction.md lists what a model does not contain.\n"
    "\n"
    "Examples\n"
    "  lockbench predict quick --machine i7-1165g7\n"
    "  lockbench predict threads --machine i7-1165g7 --machine epyc-7773x --threads 1,8,64\n"
    "  lockbench predict --machine ./my-server.toml --primitive keyed --primitive striped \\\n"
    "                    --threads 1,2,4..32 --keys 64 --hold 200ns\n"
    "  lockbench predict quick --machine here --machine epyc-7773x\n"
    "  lockbench predict --resume results/runs/20250131-120000-quick-1a2b\n"
    "\n"
    "`here` measures this machine first, as lockbench calibrate-machine does.\n"
    "plot, compare and report treat each model as a machine of its own. They never compare a\n"
    "prediction with a measurement in one ratio. Ctrl-C keeps every finished prediction and\n"
    "prints the command that resumes. Exit codes: 0 every prediction has its row, 1 rows could\n"
    "not be written, 2 bad input, 4 no row is valid, 129, 130 or 143 interrupted.\n";

const char kCalibrateExamples[] =
    "Measures the costs of accesses, of transfers of cache lines between each two cores, and of\n"
    "kernel calls on this machine, and writes a file for predict --machine. Each figure is the\n"
    "median of several repetitions. If this machine does not allow a measurement, the figure is\n"
    "assumed, and a comment says so. The measurement takes some seconds with few cores, and about\n"
    "a minute with 128. Other load changes the figures: lockbench doctor shows it. taskset\n"
    "selects the processors. An existing file is not replaced: if it has the model of this\n"
    "machine, nothing is measured. docs/prediction.md describes the keys.\n"
    "\n"
    "Examples\n"
    "  lockbench calibrate-machine\n"
    "  lockbench calibrate-machine --out my-server.toml\n"
    "  taskset -c 0-7 lockbench calibrate-machine --name socket0\n"
    "  lockbench predict quick --machine ./here.toml\n"
    "  lockbench predict quick --machine here\n"
    "\n"
    "Exit codes: 0 written, or there already; 1 the machine could not be measured or the file not\n"
    "written; 2 bad input, or there is another file of this name.\n";

const char kAdviseExamples[] =
    "On a terminal and without flags, advise asks for your case. You can also describe it with\n"
    "flags: threads, keys, how keys are chosen, how long the lock is held, how often it is taken.\n"
    "lockbench measures the suitable primitives in the same blocks, within the budget. In an\n"
    "operation, a thread acquires one key and adds to a counter, which is checked afterwards. The\n"
    "answer comes first, with C++ lines to paste; then the evidence. The answer is the simplest\n"
    "choice unless another one is significantly faster and saves 5 % of an operation, which lasts\n"
    "from one request of a thread to its next. With its price: speed, bytes, threads that starve.\n"
    "\n"
    "--rate and --every give the load, and with it the time that threads sleep between operations\n"
    "(or compute, if it is too short to sleep). Without them, --load and --think, advise measures\n"
    "10 %, 50 % and 90 % of the highest load that the threads reach and the saturated loop, or as\n"
    "many of these as the budget allows, and says whether the answer depends on the load. It then\n"
    "predicts (--machine) 10 %, 50 % and saturated, and only the saturated loop with --when and\n"
    "--across-machines. docs/method.md explains loads.\n"
    "\n"
    "With --run, lockbench measures nothing. The answer comes from the cells of that run that are\n"
    "nearest to the case, with their distance from it, or says that they are too far from it.\n"
    "--memory and --fair exclude primitives by measured figures: the bytes of the idle locks, and\n"
    "threads that starve. With --machine, lockbench predicts the cells for the model of a "
    "machine.\n"
    "Then a difference counts only if it exceeds the known error of predictions. An interrupted\n"
    "advise prints how to continue; --run can answer from the rows that are already measured.\n"
    "\n"
    "Examples\n"
    "  lockbench advise --threads 32 --keys 10000 --distribution zipf:0.99 --hold 2us\n"
    "  lockbench advise --threads 32 --rate 64000 --hold 3us --keys 5000 \\\n"
    "    --distribution hot:0.01,0.9                       a server\n"
    "  lockbench advise --threads 16 --every 1ms --hold 20us --keys 100\n"
    "  lockbench advise --threads 8 --keys 100 --hold 200ns --memory 64KiB --fair\n"
    "  lockbench advise --threads 4 --keys 1000000 --key-type string --budget 2min\n"
    "  lockbench advise --threads 8 --keys 64 --run results/runs/20250131-120000-quick-1a2b\n"
    "  lockbench advise --machine epyc-7773x --threads 64 --keys 64 --hold 200ns\n"
    "  lockbench advise --machine epyc-7773x --threads 64 --keys 64 --hold 200ns --when keyed \\\n"
    "    --beats striped:stripes=64                        from which number of threads on?\n"
    "  lockbench advise --across-machines --threads 8 --keys 100 --plugin redis.so \\\n"
    "    --plugin postgresql.so                            a lock of which service?\n"
    "\n"
    "Exit codes: 0 there is an answer, 1 the measurement failed, 2 bad input, 4 the measured rows\n"
    "do not answer the question, 129, 130 or 143 interrupted.\n";

const char kObserveExamples[] =
    "Runs a program unchanged and records what it does with the locks of the pthread library:\n"
    "mutexes, locks for readers and writers, spin locks, semaphores, waits for conditions. Locks\n"
    "are grouped by place, the call that first acquired them. The answer goes to standard error:\n"
    "whether locks are the program's problem, and the places by the time lost in waits. The "
    "folder\n"
    "gets observed.json, and observed.toml, a preset that reproduces the first place.\n"
    "docs/observe.md says how to read them and what cannot be seen.\n"
    "\n"
    "Ctrl-C and other signals reach the program as they would alone. --duration ends the\n"
    "recording and not the program; `timeout 10s lockbench observe ...` ends both.\n"
    "\n"
    "Examples\n"
    "  lockbench observe -- pigz -k -p 4 big.tar\n"
    "  lockbench observe --out seen --delay 5s --duration 30s -- memcached -t 4\n"
    "  lockbench observe --place 'item_lock|assoc' -- memcached -t 4\n"
    "  lockbench observe --pid 4711 --duration 10s     a process that runs already, from outside\n"
    "  lockbench observe --check seen          whether the preset has the program's contention\n"
    "  lockbench advise --observed seen        which lock is best for this load\n"
    "\n"
    "Exit codes: the program's own, or 128 and the number of the signal that ended it; 1 the\n"
    "result could not be written, 2 bad input or a program that cannot be observed. With --check:\n"
    "0 its contention is the program's, 4 it is not.\n";

const char kSubstituteExamples[] =
    "Runs a program with its pthread mutexes replaced by a base lock. Condition variables, timed,\n"
    "recursive and error-checking mutexes work; mutexes that are robust or shared between\n"
    "processes stay the C library's. The lock `std` is the unchanged program. --place replaces\n"
    "those mutexes only that are first acquired there. docs/observe.md lists the limits.\n"
    "\n"
    "Examples\n"
    "  lockbench substitute --lock adaptive -- pigz -k -p 4 big.tar\n"
    "  lockbench substitute --lock tbb_spin -- ./server\n"
    "  lockbench substitute --lock adaptive --observed seen --place 'Cache::get' -- ./server\n"
    "\n"
    "Exit codes: the program's own; 2 bad input or a program that loads no library.\n";

const char kCompareProgramExamples[] =
    "Runs a program with each lock in turn, in blocks, and compares the others with the first:\n"
    "the verdicts are those of `compare`. The metric is the time that passes (wall), the "
    "processor\n"
    "time (cpu), or a number that the program prints: the first group of an expression, or all\n"
    "that it matches. More of such a number is faster, unless --lower-is-better says otherwise.\n"
    "The program's input is empty, and its output is not shown.\n"
    "\n"
    "Examples\n"
    "  lockbench compare-program --lock std --lock adaptive -- pigz -k -f -p 4 big.tar\n"
    "  lockbench compare-program --lock std --lock futex --metric 'TPS: ([0-9.]+)' \\\n"
    "                            --blocks 20 -- ./benchmark --seconds 5\n"
    "\n"
    "Exit codes: 0 compared, 1 a run of the program failed, 2 bad input or nothing matches the\n"
    "metric, 129, 130 or 143 interrupted.\n";

const char kStressExamples[] =
    "Four engines try to break a lock. `sim` runs the source of the lock on simulated threads: "
    "every\n"
    "interleaving of small litmus programs up to a bound, then larger programs at random, with "
    "store\n"
    "buffers and timeouts; each of its failures can be replayed exactly. `real` runs threads and "
    "`proc`\n"
    "runs processes, and both inject faults. `services` runs clients of a lock at Redis,\n"
    "PostgreSQL, etcd or ZooKeeper, and stops, kills and cuts off clients and servers. A clean\n"
    "result says what was checked; docs/stress.md says how to read it.\n"
    "\n"
    "Examples\n"
    "  lockbench stress keyed\n"
    "  lockbench stress keyed --engine sim --budget 10s\n"
    "  lockbench stress keyed --engine sim --memory c11\n"
    "  lockbench stress --exhaustive --preemptions 2 --memory c11 --budget 2min\n"
    "  lockbench stress keyed --weaken --budget 2min\n"
    "  lockbench stress redlock --plugin redis.so --engine services --faults stop_holder\n"
    "  lockbench stress etcd:members=3 --plugin etcd.so --engine services --faults kill_leader\n"
    "  lockbench stress --self-test\n"
    "\n"
    "Exit codes: 0 clean, 1 an engine failed, 2 bad input, 3 a lock is broken, 4 inconclusive,\n"
    "129, 130 or 143 interrupted.\n";

const char kMergeExamples[] =
    "Makes one run from shards of one plan, measured with one build. If a trial occurs twice,\n"
    "because a shard was run again, it counts once: the valid rows, else the later ones. merge\n"
    "reports which rows count. The order of the folders does not matter, and merging a merged run\n"
    "again changes nothing. The result replaces an earlier one in one step.\n"
    "\n"
    "Examples\n"
    "  lockbench merge merged shards/1 shards/2 shards/3\n"
    "  lockbench merge merged shards --partial\n"
    "\n"
    "Exit codes: 0 merged, 1 the result could not be written, 2 the folders cannot be merged, or\n"
    "something is missing and --partial was not given.\n";

const char kSubmitExamples[] =
    "Writes job scripts and starts them with Slurm, or with GNU parallel over ssh. Each shard is\n"
    "one task with a node for itself; a merge follows. A task that is requeued, killed or\n"
    "submitted again continues its shard. docs/cluster.md is a guide from one machine to a\n"
    "cluster.\n"
    "\n"
    "Examples\n"
    "  lockbench submit slurm threads --shards 5 --dry-run\n"
    "  lockbench submit slurm threads --shards 10 --partition bench -- --blocks 10 --seed 7\n"
    "  lockbench submit parallel threads --hosts hosts.txt\n"
    "  lockbench submit progress results/runs/20250131-120000-threads-shards-1a2b\n"
    "\n"
    "Exit codes: 0 submitted (parallel: done), 1 a file could not be written, 2 bad input or\n"
    "the engine is not installed here.\n";

const char kListExamples[] =
    "Examples\n"
    "  lockbench list\n"
    "  lockbench list primitives\n"
    "  lockbench list presets --show quick\n"
    "  lockbench list primitives --format json\n";

const char kPresetExamples[] =
    "init writes a preset with every key, its meaning, its default and an example. You can run it\n"
    "without changes; docs/presets.md describes the keys. An existing file is not replaced.\n"
    "\n"
    "Examples\n"
    "  lockbench preset init mine.toml\n"
    "  lockbench run ./mine.toml --dry-run --verbose\n"
    "  lockbench preset init | less\n"
    "\n"
    "Exit codes: 0 written, 1 the file could not be written, 2 bad input or the file exists.\n";

const char kDoctorExamples[] =
    "Checks clocks, other load, limits and tools; changes nothing. Takes about a second.\n"
    "\n"
    "With --nodes it checks each machine of a cluster, through Slurm (salloc and srun) or GNU\n"
    "parallel over ssh. It prints one table: which machines are of one kind, what to fix on\n"
    "which, and which do not answer and why. The last line says what to do before a run.\n"
    "\n"
    "Exit codes: 0 nothing disturbs measurements, 1 a node did not answer, 2 bad input or the\n"
    "engine is not installed here, 3 something disturbs measurements.\n"
    "\n"
    "Examples\n"
    "  lockbench doctor\n"
    "  lockbench doctor --format json\n"
    "  lockbench doctor --nodes slurm --partition bench --constraint zen4\n"
    "  lockbench doctor --nodes parallel --hosts hosts.txt\n";

const char kSchemaExamples[] =
    "Each run contains this text as schema.json. The tables in results/README.md are this text\n"
    "with --format markdown.\n"
    "\n"
    "Examples\n"
    "  lockbench schema\n"
    "  lockbench schema --format markdown\n";

const char kTrialExamples[] =
    "meta.json of a run contains its trials, one on each line.\n"
    "\n"
    "Examples\n"
    "To measure the first one again:\n"
    "  grep -om1 '{\"number\":.*}}' RUN/meta.json | lockbench trial\n"
    "To draw where its time goes:\n"
    "  lockbench flamegraph RUN --primitive keyed\n";

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
         "The search explores every state that the threads can reach. Invariants follow from the "
         "net\n"
         "alone, so they hold even if a limit ends the search.\n"
         "\n"
         "Examples\n"
         "  lockbench model keyed\n"
         "  lockbench model keyed --nested --order opposite --animation deadlock.html\n"
         "  lockbench model lease --threads 3 --leases 3 --nested\n"
         "  lockbench model striped --nested --order twice --stripes 1\n"
         "  lockbench model keyed --threads 8 --keys 4 --budget 5min\n"
         "  lockbench model keyed --conform\n"
         "  lockbench model file --conform\n"
         "  lockbench model keyed --trace log.txt\n"
         "  lockbench model --file mine.pnml --dot mine.dot\n"
         "\n"
         "Exit codes: 0 no fault, 1 a file could not be written or the engine failed, 2 bad "
         "input,\n"
         "3 a fault, or the net cannot do what the trace or the lock does, 4 a limit was "
         "reached.\n";
}

std::string version_text() {
  const Build build = this_build();
  std::string text = "lockbench " + build.version;
  if (build.commit) {
    text += " (" + *build.commit + (build.modified.value_or(false) ? "+" : "") + ")";
  }
  text += "\n" + build.compiler + ", " + build.build_type + ", " + build.flags;
  for (const auto& [library, version] : build.libraries) {
    absl::StrAppend(&text, "\n", library, " ", version);
  }
  return text;
}

}  // namespace lockbench
