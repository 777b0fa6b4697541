// SPDX-License-Identifier: Apache-2.0
#include <stdatomic.h>

int take_plainly(_Atomic int* word);
void give_plainly(_Atomic int* word);

int take_plainly(_Atomic int* word) {
  return atomic_exchange_explicit(word, 1, memory_order_acquire);
}

void give_plainly(_Atomic int* word) {
  atomic_store_explicit(word, 0, memory_order_release);
}
