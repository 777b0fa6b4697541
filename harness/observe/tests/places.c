// SPDX-License-Identifier: Apache-2.0

// A program with 2,600 places that acquire a lock of their own 10 times each, and then one that
// does so 1,000 times.
#include <pthread.h>
#include <stdio.h>

static volatile long count;

#define FUNCTION(n)                                           \
  __attribute__((noinline)) static void place_##n(void) {     \
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; \
    pthread_mutex_lock(&mutex);                               \
    ++count;                                                  \
    pthread_mutex_unlock(&mutex);                             \
  }
#define CALL(n) place_##n();
#define TEN(what, n)                                                                      \
  what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) \
      what(n##8) what(n##9)
#define HUNDRED(what, n)                                                                          \
  TEN(what, n##0)                                                                                 \
  TEN(what, n##1)                                                                                 \
  TEN(what, n##2) TEN(what, n##3) TEN(what, n##4) TEN(what, n##5) TEN(what, n##6) TEN(what, n##7) \
      TEN(what, n##8) TEN(what, n##9)
#define ALL(what)                                                                             \
  HUNDRED(what, 1)                                                                            \
  HUNDRED(what, 2)                                                                            \
  HUNDRED(what, 3) HUNDRED(what, 4) HUNDRED(what, 5) HUNDRED(what, 6) HUNDRED(what, 7)        \
      HUNDRED(what, 8) HUNDRED(what, 9) HUNDRED(what, 10) HUNDRED(what, 11) HUNDRED(what, 12) \
          HUNDRED(what, 13) HUNDRED(what, 14) HUNDRED(what, 15) HUNDRED(what, 16)             \
              HUNDRED(what, 17) HUNDRED(what, 18) HUNDRED(what, 19) HUNDRED(what, 20)         \
                  HUNDRED(what, 21) HUNDRED(what, 22) HUNDRED(what, 23) HUNDRED(what, 24)     \
                      HUNDRED(what, 25) HUNDRED(what, 26)

ALL(FUNCTION)
FUNCTION(hot)

int main(void) {
  for (int i = 0; i < 10; ++i) {
    ALL(CALL)
  }
  for (int i = 0; i < 1000; ++i) place_hot();
  printf("%ld\n", count);
  return 0;
}
