// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/machine/machine_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>

#include "harness/base/core_kind_name.h"
#include "harness/base/nearest.h"
#include "harness/base/toml.h"

namespace lockbench::machine {
namespace {

template <class Table>
struct Cost {
  std::string_view name;
  Picoseconds Table::*cost;
  double least_ns = 0;
  bool required = true;  // else it is 0 if not given
};

// A thread that polls must get on in time, or the simulation would never end.
constexpr double kShortestStepNs = 0.01;
constexpr double kShortestSliceNs = 1000;

constexpr std::array kAccessCosts = {
    Cost<AccessCosts>{"hit", &AccessCosts::hit, kShortestStepNs},
    Cost<AccessCosts>{"store", &AccessCosts::store},
    Cost<AccessCosts>{"rmw", &AccessCosts::rmw},
    Cost<AccessCosts>{"memory", &AccessCosts::memory},
    Cost<AccessCosts>{"pause", &AccessCosts::pause, kShortestStepNs},
    Cost<AccessCosts>{"clock", &AccessCosts::clock},
    Cost<AccessCosts>{"operation", &AccessCosts::operation},
    Cost<AccessCosts>{.name = "lookahead", .cost = &AccessCosts::lookahead, .required = false},
};

constexpr std::array kSchedulerCosts = {
    Cost<SchedulerCosts>{"slice", &SchedulerCosts::slice, kShortestSliceNs},
    Cost<SchedulerCosts>{"granularity", &SchedulerCosts::granularity, kShortestSliceNs},
    Cost<SchedulerCosts>{"context_switch", &SchedulerCosts::context_switch},
    Cost<SchedulerCosts>{"yield", &SchedulerCosts::yield},
    Cost<SchedulerCosts>{"futex_call", &SchedulerCosts::futex_call},
    Cost<SchedulerCosts>{"futex_wait", &SchedulerCosts::futex_wait},
    Cost<SchedulerCosts>{"futex_wake", &SchedulerCosts::futex_wake},
    Cost<SchedulerCosts>{"wakeup", &SchedulerCosts::wakeup},
    Cost<SchedulerCosts>{"membarrier", &SchedulerCosts::membarrier},
    Cost<SchedulerCosts>{"interrupt", &SchedulerCosts::interrupt},
};

struct Count {
  std::string_view name;
  std::uint32_t MachineModel::*count;
};

constexpr std::array kCounts = {
    Count{"sockets", &MachineModel::sockets},
    Count{"clusters_per_socket", &MachineModel::clusters_per_socket},
    Count{"cores_per_cluster", &MachineModel::cores_per_cluster},
    Count{"threads_per_core", &MachineModel::threads_per_core},
};

std::string decimal(double value) {
  return absl::StrFormat("%.15g", value);
}

std::string ns_text(Picoseconds cost) {
  return decimal(static_cast<double>(cost) / kPerNanosecond);
}

// The latencies between cores that differ by their position.
struct Levels {
  std::optional<Picoseconds> cluster;
  std::optional<Picoseconds> socket;
  std::optional<Picoseconds> machine;
};

// Reads one file; every error begins with `name`.
class Reader {
 public:
  explicit Reader(std::string_view file_name) : name_(file_name) {}

  absl::StatusOr<MachineModel> model(const toml::table& root) {
    model_.name = stem();
    known(root, {"title", "source", "topology", "latency_ns", "smt_slowdown", "quiet", "reads_take",
                 "access_ns", "scheduler_ns", "kind"});
    model_.title = text(root, "title");
    if (root.contains("smt_slowdown")) {
      model_.smt_slowdown = number(*root.get("smt_slowdown"), "smt_slowdown", 1, 100);
    }
    if (root.contains("quiet")) {
      model_.quiet = number(*root.get("quiet"), "quiet", MachineModel::kLeastQuiet, 1);
    }
    if (root.contains("reads_take"))
      model_.reads_take = flag(*root.get("reads_take"), "reads_take");
    sources(root);
    topology(part(root, "topology"));
    if (status_.ok() && root.contains("kind")) kinds(*root.get("kind"), part(root, "topology"));
    if (status_.ok()) latencies(part(root, "latency_ns"));
    costs(part(root, "access_ns"), kAccessCosts, model_.access);
    costs(part(root, "scheduler_ns"), kSchedulerCosts, model_.scheduler);
    if (!status_.ok()) return status_;
    return model_;
  }

  absl::Status error(toml::source_position at, std::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:%d:%d: %s", name_, at.line, at.column, message));
  }

 private:
  using Names = std::vector<std::string>;

  std::string stem() const {
    const std::size_t slash = name_.rfind('/');
    std::string base = slash == std::string::npos ? name_ : name_.substr(slash + 1);
    if (base.ends_with(".toml")) base.resize(base.size() - std::string_view(".toml").size());
    return base;
  }

  // The first error counts.
  void fail(const toml::node& node, std::string_view message) {
    fail_at(node.source().begin, message);
  }
  void fail_at(toml::source_position at, std::string_view message) {
    if (status_.ok()) status_ = error(at, message);
  }

  void known(const toml::table& table, const Names& names) {
    for (const auto& [key, node] : table) {
      if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
      fail_at(key.source().begin, std::string(unknown_name("key", key.str(), names).message()));
    }
  }

  const toml::table& part(const toml::table& root, std::string_view key) {
    static const toml::table none;
    const toml::node* const node = root.get(key);
    if (node == nullptr) {
      fail(root, absl::StrFormat("[%s] is missing", key));
    } else if (node->is_table()) {
      return *node->as_table();
    } else {
      fail(*node, absl::StrFormat("%s wants a table, as [%s]", key, key));
    }
    return none;
  }

  std::string text(const toml::table& table, std::string_view key) {
    const toml::node* const node = table.get(key);
    const auto found = node == nullptr ? std::nullopt : node->value_exact<std::string>();
    if (found && !found->empty()) return *found;
    fail(node == nullptr ? static_cast<const toml::node&>(table) : *node,
         absl::StrFormat("%s wants text in quotes", key));
    return {};
  }

  double number(const toml::node& node, std::string_view key, double least, double most) {
    const auto whole = node.value_exact<std::int64_t>();
    const auto found = whole ? std::optional<double>(*whole) : node.value_exact<double>();
    if (found && *found >= least && *found <= most) return *found;
    fail(node,
         absl::StrFormat("%s wants a number from %s to %s%s", key, decimal(least), decimal(most),
                         found ? absl::StrCat(", and this is ", decimal(*found)) : ""));
    return least;
  }

  bool flag(const toml::node& node, std::string_view key) {
    const auto found = node.value_exact<bool>();
    if (!found) fail(node, absl::StrFormat("%s wants true or false", key));
    return found.value_or(false);
  }

  Picoseconds nanoseconds(const toml::node& node, std::string_view key, double least_ns = 0) {
    return std::llround(number(node, key, least_ns, MachineModel::kMostNs) * kPerNanosecond);
  }

  void sources(const toml::table& root) {
    const toml::node* const node = root.get("source");
    const toml::array* const all = node == nullptr ? nullptr : node->as_array();
    if (all == nullptr || all->empty()) {
      return fail(node == nullptr ? static_cast<const toml::node&>(root) : *node,
                  "no source; say where the figures come from, in [[source]]");
    }
    for (const toml::node& one : *all) {
      const toml::table* const table = one.as_table();
      if (table == nullptr) return fail(one, "source wants tables, each as [[source]]");
      known(*table, {"author", "title", "year", "figures"});
      const toml::node* const year = table->get("year");
      if (year == nullptr) return fail(*table, "year is missing");
      model_.sources.push_back(
          {.author = text(*table, "author"),
           .title = text(*table, "title"),
           .year = static_cast<std::int64_t>(number(*year, "year", 1950, 2100)),
           .figures = text(*table, "figures")});
    }
  }

  void topology(const toml::table& table) {
    Names names;
    for (const Count& count : kCounts) names.emplace_back(count.name);
    known(table, names);
    for (const Count& count : kCounts) {
      const toml::node* const node = table.get(count.name);
      if (node == nullptr) continue;
      model_.*count.count = this->count(*node, count.name);
    }
    if (!table.contains("cores_per_cluster")) return fail(table, "cores_per_cluster is missing");
    // In 64 bits: each factor is small, and their product may not be.
    const std::uint64_t processors = std::uint64_t{model_.sockets} * model_.clusters_per_socket *
                                     model_.cores_per_cluster * model_.threads_per_core;
    if (processors <= MachineModel::kMostProcessors) return;
    fail(table, absl::StrFormat("%d processors; a model has at most %d", processors,
                                MachineModel::kMostProcessors));
  }

  void kinds(const toml::node& node, const toml::table& topology) {
    const toml::array* const all = node.as_array();
    if (all == nullptr || all->size() < 2) {
      return fail(node, "kind wants two tables or more, each as [[kind]], the fastest first");
    }
    if (const toml::node* const threads = topology.get("threads_per_core")) {
      return fail(*threads, "threads_per_core: each kind has its own");
    }
    for (const toml::node& one : *all) kind(one);
    if (!status_.ok()) return;
    std::uint32_t sum = 0;
    for (const KindOfCores& one : model_.kinds) sum += one.cores;
    if (sum != model_.cores()) {
      return fail(node, absl::StrFormat("the kinds have %d cores, and the topology %d", sum,
                                        model_.cores()));
    }
    model_.threads_per_core = model_.kinds.front().threads_per_core;
    for (std::size_t rank = 0; rank < model_.kinds.size(); ++rank) {
      model_.kinds[rank].name = name_of_core_kind(rank, model_.kinds.size());
    }
  }

  void kind(const toml::node& node) {
    const toml::table* const table = node.as_table();
    if (table == nullptr) return fail(node, "kind wants tables, each as [[kind]]");
    known(*table, {"cores", "threads_per_core", "speed"});
    KindOfCores read{.cores = count(*table, "cores")};
    if (table->contains("threads_per_core")) {
      read.threads_per_core = count(*table, "threads_per_core");
    }
    const toml::node* const speed = table->get("speed");
    if (speed == nullptr) return fail(*table, "speed is missing: 1 for the fastest kind");
    read.speed = number(*speed, "speed", MachineModel::kLeastSpeed, 1);
    check_order(node, read);
    model_.kinds.push_back(std::move(read));
  }

  void check_order(const toml::node& node, const KindOfCores& next) {
    if (next.threads_per_core > 2) return fail(node, "threads_per_core of a kind wants 1 or 2");
    if (model_.kinds.empty()) {
      if (next.speed != 1) fail(node, "the first kind is the fastest: its speed is 1");
      return;
    }
    const KindOfCores& before = model_.kinds.back();
    if (next.speed > before.speed) return fail(node, "the fastest kind comes first");
    if (next.threads_per_core > before.threads_per_core) {
      return fail(node, "a kind with more threads in a core comes before those with fewer");
    }
  }

  std::uint32_t count(const toml::table& table, std::string_view key) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) {
      fail(table, absl::StrFormat("%s is missing", key));
      return 1;
    }
    return count(*node, key);
  }

  std::uint32_t count(const toml::node& node, std::string_view key) {
    const double found = number(node, key, 1, MachineModel::kMostProcessors);
    if (found != std::floor(found)) fail(node, absl::StrFormat("%s wants a whole number", key));
    return static_cast<std::uint32_t>(found);
  }

  void latencies(const toml::table& table) {
    known(table, {"sibling", "cluster", "socket", "machine", "matrix", "kinds"});
    if (const toml::node* const node = table.get("sibling")) {
      model_.sibling_latency = nanoseconds(*node, "sibling");
    } else if (model_.threads_per_core > 1) {
      return fail(table, "sibling is missing: a core has several threads");
    }
    if (const toml::node* const node = table.get("matrix")) return matrix(table, *node);
    if (const toml::node* const node = table.get("kinds")) return between_kinds(table, *node);
    const Levels levels{
        .cluster = level(table, "cluster", model_.cores_per_cluster > 1),
        .socket = level(table, "socket", model_.clusters_per_socket > 1),
        .machine = level(table, "machine", model_.sockets > 1),
    };
    if (!status_.ok()) return;
    const std::uint32_t cores = model_.cores();
    model_.latency.assign(std::size_t{cores} * cores, 0);
    for (std::uint32_t a = 0; a < cores; ++a) {
      for (std::uint32_t b = 0; b < cores; ++b) {
        if (a != b) model_.latency[std::size_t{a} * cores + b] = between(levels, a, b);
      }
    }
  }

  std::optional<Picoseconds> level(const toml::table& table, std::string_view key, bool required) {
    if (const toml::node* const node = table.get(key)) return nanoseconds(*node, key);
    if (required) fail(table, absl::StrFormat("%s is missing: the topology has such cores", key));
    return std::nullopt;
  }

  Picoseconds between(const Levels& levels, std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t cluster = model_.cores_per_cluster;
    if (a / cluster == b / cluster) return *levels.cluster;
    const std::uint32_t socket = cluster * model_.clusters_per_socket;
    return a / socket == b / socket ? *levels.socket : *levels.machine;
  }

  // A square of latencies: one row for each `of`, `core` or `kind`.
  std::vector<Picoseconds> square(const toml::table& table, std::string_view key,
                                  std::string_view of, std::size_t size) {
    for (const std::string_view other : {"cluster", "socket", "machine", "matrix", "kinds"}) {
      const toml::node* const both = other == key ? nullptr : table.get(other);
      if (both == nullptr) continue;
      fail(*both, absl::StrFormat("%s: has no meaning beside %s; leave out one", other, key));
      return {};
    }
    const toml::node& node = *table.get(key);
    const toml::array* const rows = node.as_array();
    if (rows == nullptr || rows->size() != size) {
      fail(node, absl::StrFormat("%s wants %d rows, one for each %s, and has %d", key, size, of,
                                 rows == nullptr ? 0 : rows->size()));
      return {};
    }
    std::vector<Picoseconds> read;
    for (const toml::node& row : *rows) add_row(row, key, size, read);
    if (status_.ok()) check_symmetric(*rows, key, of, read);
    return read;
  }

  void add_row(const toml::node& node, std::string_view key, std::size_t size,
               std::vector<Picoseconds>& read) {
    const toml::array* const row = node.as_array();
    if (row == nullptr || row->size() != size) {
      return fail(node, absl::StrFormat("a row of %s wants %d numbers, and has %d", key, size,
                                        row == nullptr ? 0 : row->size()));
    }
    for (const toml::node& one : *row) read.push_back(nanoseconds(one, key));
  }

  void check_symmetric(const toml::array& rows, std::string_view key, std::string_view of,
                       const std::vector<Picoseconds>& read) {
    const std::size_t size = rows.size();
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Picoseconds there = read[a * size + b];
        const Picoseconds back = read[b * size + a];
        if (there == back) continue;
        return fail(*rows[a].as_array()->get(b),
                    absl::StrFormat("%s: %s ns from %s %d to %s %d, and %s ns back; "
                                    "make it symmetric",
                                    key, ns_text(there), of, a, of, b, ns_text(back)));
      }
    }
  }

  void matrix(const toml::table& table, const toml::node& node) {
    const std::size_t cores = model_.cores();
    model_.latency = square(table, "matrix", "core", cores);
    for (std::size_t core = 0; status_.ok() && core < cores; ++core) {
      const Picoseconds itself = model_.latency[core * cores + core];
      if (itself == 0) continue;
      const toml::node& cell = *node.as_array()->get(core)->as_array()->get(core);
      fail(cell,
           absl::StrFormat("matrix: core %d is 0 ns from itself, not %s", core, ns_text(itself)));
    }
  }

  // The latency between two cores is that of their kinds.
  void between_kinds(const toml::table& table, const toml::node& node) {
    if (model_.kinds.empty()) return fail(node, "kinds: there is no [[kind]]");
    const std::size_t kinds = model_.kinds.size();
    const std::vector<Picoseconds> latency = square(table, "kinds", "kind", kinds);
    if (!status_.ok()) return;
    const std::uint32_t cores = model_.cores();
    model_.latency.assign(std::size_t{cores} * cores, 0);
    for (std::uint32_t a = 0; a < cores; ++a) {
      for (std::uint32_t b = 0; b < cores; ++b) {
        if (a == b) continue;
        model_.latency[std::size_t{a} * cores + b] =
            latency[model_.rank_of(a) * kinds + model_.rank_of(b)];
      }
    }
  }

  template <class Table, std::size_t kSize>
  void costs(const toml::table& table, const std::array<Cost<Table>, kSize>& list, Table& out) {
    Names names;
    for (const auto& one : list) names.emplace_back(one.name);
    known(table, names);
    for (const auto& one : list) {
      const toml::node* const node = table.get(one.name);
      if (node == nullptr && !one.required) continue;
      if (node == nullptr) return fail(table, absl::StrFormat("%s is missing", one.name));
      out.*one.cost = nanoseconds(*node, one.name, one.least_ns);
    }
  }

  const std::string name_;
  MachineModel model_;
  absl::Status status_;
};

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return out + '"';
}

// "  # measured"; empty if there is none.
std::string remark(const Remarks& remarks, std::string_view key) {
  const auto found = remarks.find(key);
  return found == remarks.end() ? "" : "  # " + found->second;
}

// Each line of the text as a comment.
std::string comment(const std::string& text) {
  return absl::StrCat("# ", absl::StrReplaceAll(text, {{"\n", "\n# "}}), "\n");
}

template <class Table, std::size_t kSize>
std::string costs_text(const std::array<Cost<Table>, kSize>& list, const Table& table,
                       const Remarks& remarks) {
  std::string out;
  for (const auto& one : list) {
    absl::StrAppendFormat(&out, "%s = %s%s\n", one.name, ns_text(table.*one.cost),
                          remark(remarks, one.name));
  }
  return out;
}

std::string matrix_text(const MachineModel& model, const Remarks& remarks) {
  std::string out = "matrix = [" + remark(remarks, "matrix") + "\n";
  for (std::uint32_t a = 0; a < model.cores(); ++a) {
    std::string row;
    for (std::uint32_t b = 0; b < model.cores(); ++b) {
      absl::StrAppend(&row, b == 0 ? "" : ", ",
                      ns_text(model.latency[std::size_t{a} * model.cores() + b]));
    }
    absl::StrAppend(&out, "  [", row, "],\n");
  }
  return out + "]\n";
}

}  // namespace

absl::StatusOr<MachineModel> parse_machine(std::string_view toml, std::string_view file_name) {
  Reader reader(file_name);
  const toml::parse_result parsed = toml::parse(toml, file_name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return reader.error(error.source().begin, "not TOML: " + std::string(error.description()));
  }
  return reader.model(parsed.table());
}

std::string machine_toml(const MachineModel& model, const Remarks& remarks) {
  const auto head = remarks.find("");
  std::string out = head == remarks.end() ? "" : comment(head->second);
  absl::StrAppendFormat(&out, "title = %s\n", toml_string(model.title));
  absl::StrAppendFormat(&out, "smt_slowdown = %s%s\n", decimal(model.smt_slowdown),
                        remark(remarks, "smt_slowdown"));
  if (model.quiet != 1 || remarks.contains("quiet")) {
    absl::StrAppendFormat(&out, "quiet = %s%s\n", decimal(model.quiet), remark(remarks, "quiet"));
  }
  if (model.reads_take || remarks.contains("reads_take")) {
    absl::StrAppendFormat(&out, "reads_take = %s%s\n", model.reads_take ? "true" : "false",
                          remark(remarks, "reads_take"));
  }
  for (const Source& source : model.sources) {
    absl::StrAppendFormat(&out, "\n[[source]]\nauthor = %s\ntitle = %s\nyear = %d\nfigures = %s\n",
                          toml_string(source.author), toml_string(source.title), source.year,
                          toml_string(source.figures));
  }
  out += "\n[topology]\n";
  for (const Count& count : kCounts) {
    if (count.count == &MachineModel::threads_per_core && !model.kinds.empty()) continue;
    absl::StrAppendFormat(&out, "%s = %d\n", count.name, model.*count.count);
  }
  for (const KindOfCores& kind : model.kinds) {
    absl::StrAppendFormat(&out, "\n[[kind]]\ncores = %d\nthreads_per_core = %d\nspeed = %s%s\n",
                          kind.cores, kind.threads_per_core, decimal(kind.speed),
                          remark(remarks, "speed"));
  }
  absl::StrAppendFormat(&out, "\n[latency_ns]\nsibling = %s%s\n%s", ns_text(model.sibling_latency),
                        remark(remarks, "sibling"), matrix_text(model, remarks));
  absl::StrAppend(&out, "\n[access_ns]\n", costs_text(kAccessCosts, model.access, remarks));
  absl::StrAppend(&out, "\n[scheduler_ns]\n",
                  costs_text(kSchedulerCosts, model.scheduler, remarks));
  return out;
}

}  // namespace lockbench::machine
