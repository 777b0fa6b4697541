// SPDX-License-Identifier: Apache-2.0

// A library that is built twice, under two names.
#include <pthread.h>

void use(pthread_mutex_t* mutex, long times) {
  for (long i = 0; i < times; ++i) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
  }
}
