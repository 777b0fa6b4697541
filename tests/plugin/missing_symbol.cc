// Needs a function that nobody has.
void nowhere();

extern "C" __attribute__((visibility("default"))) void touch() {
  nowhere();
}
