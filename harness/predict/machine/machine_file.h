// SPDX-License-Identifier: Apache-2.0

// MachineFile: a machine model as TOML.
//
//   title = "…"
//   [[source]]                      # at least one: where the figures come from
//   author = "…"
//   title = "…"
//   year = 2022
//   figures = "…"
//   [topology]
//   cores_per_cluster = 4           # sockets and clusters_per_socket: 1 if not given
//   threads_per_core = 2
//   [latency_ns]                    # in which a modified line comes to another processor
//   sibling = 6                     # in the same core; required from 2 threads per core on
//   cluster = 27                    # in the same cluster
//   socket = 80                     # in another cluster of the same socket, if there are several
//   machine = 140                   # in another socket, if there are several
//   matrix = [[0, 27], [27, 0]]     # instead of the last three: a row for each core
//   quiet = 0.65                    # MachineModel::quiet, at the top; 1 if not given
//   reads_take = true               # MachineModel::reads_take, at the top; false if not given
//   [[kind]] …                      # MachineModel::kinds, if the cores are not alike
//   [access_ns] …                   # MachineModel::access
//   [scheduler_ns] …                # MachineModel::scheduler
//
// docs/prediction.md describes all keys.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/predict/machine/machine_model.h"

namespace lockbench::machine {

// The name of the machine is that of the file, without folder and `.toml`. Errors begin with
// `file_name:line:column:`.
absl::StatusOr<MachineModel> parse_machine(std::string_view toml, std::string_view file_name);

// The texts beside the keys of a file, for people; by the name of the key. "": at the beginning.
using Remarks = std::map<std::string, std::string, std::less<>>;

// The file of a model. parse_machine() returns an equal model.
std::string machine_toml(const MachineModel& model, const Remarks& remarks = {});

}  // namespace lockbench::machine
