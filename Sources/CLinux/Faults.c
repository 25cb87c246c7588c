#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "Faults.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__linux__)
#include <ucontext.h>
#endif

// The registered rows of an image, in a form that the signal handler can read. The handler may only call
// async-signal-safe functions. `is_used` is 0 for a free entry, 1 while an entry is being written, and 2 when
// it is complete.
struct rows {
  atomic_int is_used;
  const char *start;
  int64_t pitch, bytes, count;
  int number;
};

static struct rows named[16];
static shared_words *report;
static int first_word;

// A memory fault is attributed to registered rows only if it is closer to them than this distance in bytes. A
// fault that is farther away probably has nothing to do with these rows.
static const int64_t near = 1 << 20;

int faults_name(const void *start, int64_t pitch, int64_t bytes, int64_t count, int number) {
  for (int i = 0; i < (int)(sizeof named / sizeof *named); i++) {
    int free_slot = 0;
    if (!atomic_compare_exchange_strong(&named[i].is_used, &free_slot, 1)) continue;
    named[i].start = start;
    named[i].pitch = pitch;
    named[i].bytes = bytes;
    named[i].count = count;
    named[i].number = number;
    atomic_store(&named[i].is_used, 2);
    return i;
  }
  return -1;
}

void faults_forget(int rows) {
  if (rows >= 0) atomic_store(&named[rows].is_used, 0);
}

// Finds the row that is nearest to an address, and stores the index of this row in `row`.
//
// `further` receives the number of rows by which the address lies outside the image: a negative number above
// the first row, a positive number below the last row, and otherwise 0. Returns the number of bytes between
// the address and the nearest row: a negative number before the start of the row, a positive number after its
// end, and 0 inside the row.
static int64_t distance(const struct rows *rows, const char *address, int64_t *row, int64_t *further) {
  const int64_t place = (int64_t)((intptr_t)address - (intptr_t)rows->start);
  const int64_t there = place < 0 ? -1 - (-1 - place) / rows->pitch : place / rows->pitch;
  *row = there < 0 ? 0 : there < rows->count ? there : rows->count - 1;
  *further = there - *row;
  const int64_t in_row = place - *row * rows->pitch, beyond = in_row - rows->bytes + 1;
  if (in_row < 0) return in_row;
  if (beyond <= 0) return 0;
  if (*row + 1 == rows->count || beyond <= rows->pitch - in_row) return beyond;
  *row += 1;
  return in_row - rows->pitch;
}

static void note(int word, int64_t value) { shared_words_store(report, first_word + word, value); }

static int access_of(const void *context) {
#if defined(__linux__) && defined(__x86_64__)
  return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? 2 : 1;
#else
  (void)context;
  return 3;
#endif
}

static void handle(int signal_number, siginfo_t *info, void *context) {
  // For two kinds of faults, the address does not show what went wrong, so the nearest row is not determined.
  // After a general protection fault (si_code 0x80, SI_KERNEL), the system does not report the address. A
  // misaligned access (BUS_ADRALN) fails even if its address is inside a row.
  const int is_strange = info->si_code == 0x80 || (signal_number == SIGBUS && info->si_code == BUS_ADRALN);
  int64_t least[FAULT_NUMBERS] = {near, near, near};
  for (int i = 0; !is_strange && i < (int)(sizeof named / sizeof *named); i++) {
    int64_t row, further;
    if (atomic_load(&named[i].is_used) != 2) continue;
    const int number = named[i].number;
    const int64_t bytes = distance(&named[i], info->si_addr, &row, &further);
    if (bytes == 0 || llabs(bytes) >= least[number]) continue;
    least[number] = llabs(bytes);
    note(FAULT_ROW + FAULT_STEP * number, row);
    note(FAULT_BYTES + FAULT_STEP * number, bytes);
    note(FAULT_ROWS + FAULT_STEP * number, further);
  }
  note(FAULT_ADDRESS, (int64_t)(intptr_t)info->si_addr);
  note(FAULT_STRANGE, is_strange);
  // A positive si_code means that the operating system raised the signal because of a memory access. For a
  // signal that a process has sent, no access is reported.
  if (info->si_code > 0) note(FAULT_ACCESS, is_strange ? 3 : access_of(context));
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void faults_report(shared_words *words, int first) {
  report = words;
  first_word = first;
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}
