// SPDX-License-Identifier: Apache-2.0

// Code that the programs that check POSIX functions share. It needs _GNU_SOURCE.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Ends the program with 1 and the line if the two differ.
#define EXPECT(result, expected)                                              \
  do {                                                                        \
    const long is = (result);                                                 \
    const long should = (expected);                                           \
    if (is != should) {                                                       \
      printf("line %d: %s is %ld, not %ld\n", __LINE__, #result, is, should); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

// The time so many milliseconds from now, on the clock.
static struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec time;
  clock_gettime(clock, &time);
  const long ns = time.tv_nsec + ms % 1000 * 1000000;
  time.tv_sec += ms / 1000 + ns / 1000000000;
  time.tv_nsec = ns % 1000000000;
  return time;
}
