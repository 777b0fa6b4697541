// SPDX-License-Identifier: Apache-2.0

// <lockbench/plugin.h>: what a plug-in includes. See harness/plugin/plugin.h.
#pragma once

#include "harness/plugin/plugin.h"
