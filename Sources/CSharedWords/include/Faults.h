#ifndef C_SHARED_WORDS_FAULTS_H
#define C_SHARED_WORDS_FAULTS_H

// What a process touched that dies of a fault of memory: noted in words that another process reads.

#include "SharedWords.h"

#pragma clang assume_nonnull begin

/// What the words of a report mean, by their places after the first.
enum fault_word {
  /// 0 where nothing is reported; else 1 for a read, 2 for a write, 3 where the processor does not tell.
  FAULT_ACCESS,
  /// 0 for an address beside no known rows; 1 for one that no memory can have, or not aligned as its
  /// instruction needs; else 2 and the number that the rows were given.
  FAULT_PLACE,
  /// The row, from 0.
  FAULT_ROW,
  /// Bytes beyond the row's end, from 1, or before its start, from -1.
  FAULT_BYTES,
  FAULT_ADDRESS,
};

/// Lets SIGSEGV and SIGBUS write a report from word `first` on before they end the process.
void faults_report(shared_words *words, int first);

/// Names rows of bytes in reports by a number from 0. Returns what to forget, or -1 where there are too many.
int faults_name(const void *start, int64_t pitch, int64_t bytes, int64_t rows, int number);

/// Names the rows no more.
void faults_forget(int rows);

#pragma clang assume_nonnull end

#endif
