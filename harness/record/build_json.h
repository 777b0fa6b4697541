// SPDX-License-Identifier: Apache-2.0

// BuildJson: the members of `build` and of `plugins` in meta.json.
#pragma once

#include "harness/plan/json_fields.h"
#include "harness/record/build.h"

namespace lockbench {

template <EitherConst<Build> T, class Visit>
void json_fields(T& build, Visit&& visit) {
  visit("version", build.version);
  visit("compiler", build.compiler);
  visit("build_type", build.build_type);
  visit("flags", build.flags);
  visit("libraries", build.libraries);
  visit("commit", build.commit);
  visit("modified", build.modified);
}

template <EitherConst<PluginRecord> T, class Visit>
void json_fields(T& plugin, Visit&& visit) {
  visit("file", plugin.file);
  visit("file_hash", plugin.file_hash);
  visit("optimisation", plugin.optimisation);
  visit("assertions", plugin.assertions);
  visit("sanitizers", plugin.sanitizers);
  visit("lto", plugin.lto);
  visit("compiler", plugin.compiler);
  visit("flags", plugin.flags);
  visit("differs", plugin.differs);
}

}  // namespace lockbench
