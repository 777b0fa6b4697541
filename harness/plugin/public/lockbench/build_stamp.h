/* SPDX-License-Identifier: Apache-2.0 */

/* How a plug-in was compiled: `lockbench run` records it in meta.json, and says if it differs from
 * how lockbench itself was compiled. Included by c_lock.h and plugin.h; C and C++. */
#ifndef LOCKBENCH_BUILD_STAMP_H
#define LOCKBENCH_BUILD_STAMP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lockbench_build {
  size_t size;          /* of this struct, as the plug-in's header knew it */
  int optimised;        /* 0: no; 1: for speed; 2: for size */
  int assertions;       /* 1: without NDEBUG */
  int sanitizers;       /* the sum of 1: address; 2: thread */
  const char* compiler; /* name and version */
  const char* flags;    /* as lockbench_add_plugin() knows them; empty: unknown */
} lockbench_build;

#if defined(__OPTIMIZE_SIZE__)
#define LOCKBENCH_BUILT_OPTIMISED 2
#elif defined(__OPTIMIZE__)
#define LOCKBENCH_BUILT_OPTIMISED 1
#else
#define LOCKBENCH_BUILT_OPTIMISED 0
#endif

#if defined(NDEBUG)
#define LOCKBENCH_BUILT_ASSERTIONS 0
#else
#define LOCKBENCH_BUILT_ASSERTIONS 1
#endif

#if defined(__has_feature)
#define LOCKBENCH_BUILT_WITH(feature) __has_feature(feature)
#else
#define LOCKBENCH_BUILT_WITH(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || LOCKBENCH_BUILT_WITH(address_sanitizer)
#define LOCKBENCH_BUILT_SANITIZERS 1
#elif defined(__SANITIZE_THREAD__) || LOCKBENCH_BUILT_WITH(thread_sanitizer)
#define LOCKBENCH_BUILT_SANITIZERS 2
#else
#define LOCKBENCH_BUILT_SANITIZERS 0
#endif

#if defined(__clang__)
#define LOCKBENCH_BUILT_BY "Clang " __clang_version__
#elif defined(__GNUC__)
#define LOCKBENCH_BUILT_BY "GNU " __VERSION__
#else
#define LOCKBENCH_BUILT_BY "unknown"
#endif

#if !defined(LOCKBENCH_PLUGIN_FLAGS)
#define LOCKBENCH_PLUGIN_FLAGS ""
#endif

#define LOCKBENCH_BUILD_STAMP                                                       \
  {                                                                                 \
    sizeof(lockbench_build), LOCKBENCH_BUILT_OPTIMISED, LOCKBENCH_BUILT_ASSERTIONS, \
        LOCKBENCH_BUILT_SANITIZERS, LOCKBENCH_BUILT_BY, LOCKBENCH_PLUGIN_FLAGS      \
  }

/* Weak: each source of a plug-in may have it. */
#if defined(__GNUC__)
extern const lockbench_build lockbench_plugin_build __attribute__((weak, visibility("default")));
/* NOLINTNEXTLINE(misc-definitions-in-headers) */
const lockbench_build lockbench_plugin_build = LOCKBENCH_BUILD_STAMP;
#endif

#ifdef __cplusplus
}
#endif

#endif
