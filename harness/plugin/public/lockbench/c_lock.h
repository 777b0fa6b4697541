/* SPDX-License-Identifier: Apache-2.0 */

/* <lockbench/c_lock.h>: what a plug-in in C includes. See harness/plugin/c_lock.h. */
#ifndef LOCKBENCH_PUBLIC_C_LOCK_H
#define LOCKBENCH_PUBLIC_C_LOCK_H

#include "harness/plugin/c_lock.h"

#endif
