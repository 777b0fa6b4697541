// SPDX-License-Identifier: Apache-2.0

// Starts memcached with four threads and loads it with four connections, each of which sends 100
// gets at once for popular keys of 10,000, and now and then a set. Prints the gets per second.
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kClients = 4, kKeys = 10000, kBatch = 100, kBatches = 1000, kPort = 21211 };

static int connected(void) {
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(kPort), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const int one = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(one, (const struct sockaddr*)&address, sizeof address) == 0) return one;
  close(one);
  return -1;
}

static void send_all(int connection, const char* text, size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = write(connection, text, bytes);
    if (sent <= 0) exit(1);
    text += sent;
    bytes -= (size_t)sent;
  }
}

// Reads until `lines` lines that end an answer have come.
static void read_ends(int connection, int lines) {
  char text[65536];
  char last[6] = "";
  while (lines > 0) {
    const ssize_t bytes = read(connection, text, sizeof text);
    if (bytes <= 0) exit(1);
    for (ssize_t i = 0; i < bytes; ++i) {
      memmove(last, last + 1, 4);
      last[4] = text[i];
      if (memcmp(last, "END\r\n", 5) == 0 || memcmp(last, "RED\r\n", 5) == 0) --lines;
    }
  }
}

static void* load(void* number) {
  unsigned seed = (unsigned)(long)number + 1;
  const int connection = connected();
  char request[kBatch * 64];
  for (int i = 0; i < kBatches; ++i) {
    size_t bytes = 0;
    for (int k = 0; k < kBatch; ++k) {
      // The square prefers small keys.
      const double part = rand_r(&seed) / (RAND_MAX + 1.0);
      const int key = (int)(part * part * part * kKeys);
      bytes += (size_t)sprintf(request + bytes,
                               k % 20 == 0 ? "set k%d 0 0 8\r\n12345678\r\n" : "get k%d\r\n", key);
    }
    send_all(connection, request, bytes);
    read_ends(connection, kBatch);
  }
  close(connection);
  return NULL;
}

int main(void) {
  const pid_t server = fork();
  if (server == 0) {
    execlp("memcached", "memcached", "-t", "4", "-l", "127.0.0.1", "-p", "21211", "-U", "0", "-u",
           "root", (char*)NULL);
    perror("memcached");
    _exit(127);
  }
  for (int i = 0, one = -1; i < 100 && (one = connected()) < 0; ++i) {
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
  }
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  pthread_t clients[kClients];
  for (long i = 0; i < kClients; ++i) pthread_create(&clients[i], NULL, load, (void*)i);
  for (int i = 0; i < kClients; ++i) pthread_join(clients[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double seconds =
      (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  printf("requests per second: %.0f\n", kClients * (double)kBatches * kBatch / seconds);
  kill(server, SIGTERM);
  waitpid(server, NULL, 0);
  return 0;
}
