// SPDX-License-Identifier: Apache-2.0

// Needs a function that nobody has.
void nowhere();

extern "C" __attribute__((visibility("default"))) void touch() {
  nowhere();
}
