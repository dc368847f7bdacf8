/* Such a table in C: `floor.c.out <keys> <warm-up chunks> <chunks> <keys | clock>` prints nanoseconds a decision. Keys
 * and their order are those of harness/keys.ts and process/jobs.ts.
 *
 * A line of 64 bytes has four slots. A slot is a 64-bit keyed hash and a float64: when the bucket is full. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 4096, BYTES_PER_KEY = 16, SLOTS = 4 };
static const uint64_t HASH_SEED[2] = {0x2d358dccaa6c78a5u, 0x8bb84b93962eacc9u};
static const double CAPACITY = 3e6, UNIT_TICKS = 6e8;

typedef struct { uint64_t hash[SLOTS]; double full_at[SLOTS]; } line;
typedef struct { char text[BYTES_PER_KEY]; uint32_t length; } key;
typedef struct { line *home; uint64_t hash; } handle;

static line *lines;
static uint64_t line_mask;
static key keys[CHUNK];

static uint32_t mix32(uint32_t value) {
  value = (value ^ value >> 16) * 0x21f0aaadu;
  value = (value ^ value >> 15) * 0x735a2d97u;
  return value ^ value >> 15;
}

static uint32_t random_below(uint32_t count) {
  static uint32_t state = 20260101;
  state += 0x9e3779b9u;
  return (uint32_t)(((uint64_t)mix32(state) * count) >> 32);
}

static void make_key(key *made, uint32_t index) {
  uint32_t b = mix32(index + 1);
  char text[BYTES_PER_KEY + 1] = {0};
  made->length = (uint32_t)snprintf(text, sizeof text, "%u.%u.%u.%u", b >> 24, b >> 16 & 255, b >> 8 & 255, b & 255);
  memcpy(made->text, text, BYTES_PER_KEY);
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)(now.tv_nsec / 1000);
}

static uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Multiplies the key's first and last eight bytes with a seed each, as wyhash does for short keys. */
static handle handle_of(const key *of) {
  uint64_t first = 0, last = 0;
  if (of->length >= 8) {
    memcpy(&first, of->text, 8);
    memcpy(&last, of->text + of->length - 8, 8);
  } else {
    memcpy(&first, of->text, of->length);
  }
  uint64_t hash = fold(HASH_SEED[0] ^ of->length, fold(first ^ HASH_SEED[0], last ^ HASH_SEED[1])) | 1;
  handle found = {&lines[(hash >> 32) & line_mask], hash};
  return found;
}

/* A full bucket's slot is free. In a line without the key, the slot nearest to full makes room. */
static int allow(line *home, uint64_t hash) {
  double now = now_us(), full_at = now;
  int slot = 0;
  while (slot < SLOTS && home->hash[slot] != hash) slot += 1;
  if (slot == SLOTS) {
    slot = 0;
    for (int i = 1; i < SLOTS; i += 1) if (home->full_at[i] < home->full_at[slot]) slot = i;
  } else if (home->full_at[slot] > now) {
    full_at = home->full_at[slot];
  }
  double taken = full_at + UNIT_TICKS;
  if (taken - CAPACITY * UNIT_TICKS > now) return 0;
  home->hash[slot] = hash;
  home->full_at[slot] = taken;
  return 1;
}

static double decide_about_keys(long *admitted) {
  double start = now_us();
  for (int i = 0; i < CHUNK; i += 1) {
    handle found = handle_of(&keys[i]);
    *admitted += allow(found.home, found.hash);
  }
  return now_us() - start;
}

static double read_clock(long *admitted) {
  double start = now_us();
  for (int i = 0; i < CHUNK; i += 1) *admitted += now_us() > 0;
  return now_us() - start;
}

int main(int count, char **words) {
  if (count != 5) return 2;
  uint32_t key_count = (uint32_t)atol(words[1]);
  long warm_up = atol(words[2]), chunks = atol(words[3]);
  int only_clock = strcmp(words[4], "clock") == 0;

  /* Keys take at most half of the slots, and at least a quarter. */
  uint64_t line_count = 1;
  while (line_count * SLOTS < 2 * (uint64_t)key_count) line_count *= 2;
  line_mask = line_count - 1;
  lines = aligned_alloc(sizeof(line), line_count * sizeof(line));
  key *pool = malloc(key_count * sizeof(key));
  if (lines == NULL || pool == NULL) return 1;
  memset(lines, 0, line_count * sizeof(line));

  long admitted = 0;
  for (uint32_t i = 0; i < key_count; i += 1) {
    make_key(&pool[i], i);
    handle found = handle_of(&pool[i]);
    admitted += allow(found.home, found.hash);
  }
  if (admitted != (long)key_count) return 1;

  double us = 0;
  admitted = 0;
  for (long done = -warm_up; done < chunks; done += 1) {
    for (int i = 0; i < CHUNK; i += 1) keys[i] = pool[random_below(key_count)];
    double took = only_clock ? read_clock(&admitted) : decide_about_keys(&admitted);
    if (done >= 0) us += took;
  }
  if (admitted != (warm_up + chunks) * CHUNK) return 1;
  printf("%.4f\n", us * 1000 / (double)(chunks * CHUNK));
  return 0;
}
