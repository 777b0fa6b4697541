// SPDX-License-Identifier: Apache-2.0

// Threads of OpenMP that sleep: `openmp loop` at the end of a loop, `openmp critical` for a lock.
#include <stdio.h>
#include <string.h>

static void work(long steps) {
  for (volatile long i = 0; i < steps; ++i) {
  }
}

// One part of each loop is longer than the others.
static void loops(void) {
  for (int i = 0; i < 150; ++i) {
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < 4; ++part) work(part == 0 ? 3000000 : 100000);
  }
}

static void critical_sections(void) {
#pragma omp parallel
  for (int i = 0; i < 500; ++i) {
#pragma omp critical
    work(300000);
  }
}

int main(int count, char** words) {
  if (count != 2) return 2;
  if (strcmp(words[1], "loop") == 0) {
    loops();
  } else {
    critical_sections();
  }
  puts(words[1]);
  return 0;
}
