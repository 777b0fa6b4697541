// SPDX-License-Identifier: Apache-2.0

// CalibratedModel: the model of a machine from what the loops have measured on it. Pure.
//
// A figure that could not be measured is assumed, and the file of the model says which ones are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/predict/calibrate/measure_figures.h"
#include "harness/predict/calibrate/shape.h"
#include "harness/predict/machine/machine_file.h"
#include "harness/predict/machine/machine_model.h"

namespace lockbench::calibration {

// Facts about the machine beside the loops' figures.
struct HostFacts {
  std::string name;        // of the machine, as in the rows of its predictions
  std::string cpu_model;   // empty if the machine does not say
  std::string hypervisor;  // empty if there is none
  std::string version;     // of this program
  std::int64_t year = 0;
  std::optional<double> operation_ns;  // see locked_operation_ns()
  std::vector<double> speeds;          // of the kinds of cores; empty if they are not known
  // Absent if the kernel does not tell.
  std::optional<double> slice_ns;
  std::optional<double> granularity_ns;
};

struct CalibratedModel {
  machine::MachineModel model;
  machine::Remarks remarks;  // beside the keys of its file
};

// The title of its model, by which a file can be recognized as one of this machine.
std::string title_of(const Shape& shape, const HostFacts& facts);

CalibratedModel calibrated_model(const MeasuredFigures& figures, const Shape& shape,
                                 const HostFacts& facts);

}  // namespace lockbench::calibration
