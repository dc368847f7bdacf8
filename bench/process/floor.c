/* A token bucket in one 64-bit word: the nanosecond at which it is full again. Prints the nanoseconds of a decision. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define DECISIONS 20000000
#define NS_OF_UNIT 1
#define CAPACITY (UINT64_C(1) << 62)

static _Atomic uint64_t full_again;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int allow(void) {
  const uint64_t now = now_ns();
  uint64_t before = atomic_load(&full_again);
  uint64_t after;
  do {
    after = (before > now ? before : now) + NS_OF_UNIT;
    if (after - now > CAPACITY) return 0;
  } while (!atomic_compare_exchange_weak(&full_again, &before, after));
  return 1;
}

int main(void) {
  uint64_t admitted = 0;
  const uint64_t begun = now_ns();
  for (int i = 0; i < DECISIONS; i += 1) admitted += (uint64_t)allow();
  const uint64_t took = now_ns() - begun;
  if (admitted != DECISIONS) return 1;
  printf("%f\n", (double)took / DECISIONS);
  return 0;
}
