#ifndef C_SHARED_WORDS_FAULTS_H
#define C_SHARED_WORDS_FAULTS_H

// What a process touched that dies of a fault of memory: noted in words that another process reads.

#include "SharedWords.h"

#pragma clang assume_nonnull begin

/// What the words of a report mean, by their places after the first.
enum fault_word {
  /// 0 where nothing is reported; else 1 for a read, 2 for a write, 3 where the processor does not tell.
  FAULT_ACCESS,
  /// 1 for an address that no memory can have, or not aligned as its instruction needs.
  FAULT_STRANGE,
  FAULT_ADDRESS,
  /// Of the nearest rows with the number 0, the row, from 0; those of other numbers follow, in steps of
  /// FAULT_STEP.
  FAULT_ROW,
  /// Bytes beyond the row's end, from 1, or before its start, from -1; 0 where no such rows are near.
  FAULT_BYTES,
  /// How many rows further the address is: 1 where the row after the last would be, -1 before the first; 0
  /// where it is at that row, or between two.
  FAULT_ROWS,
};

#define FAULT_STEP 3

/// How many numbers rows may have.
#define FAULT_NUMBERS 2

/// Lets SIGSEGV and SIGBUS write a report from word `first` on before they end the process.
void faults_report(shared_words *words, int first);

/// Names rows of bytes in reports by a number below FAULT_NUMBERS. Returns what to forget, or -1 where there
/// are too many.
int faults_name(const void *start, int64_t pitch, int64_t bytes, int64_t rows, int number);

/// Names the rows no more.
void faults_forget(int rows);

#pragma clang assume_nonnull end

#endif
