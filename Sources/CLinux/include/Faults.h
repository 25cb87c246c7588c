#ifndef C_LINUX_FAULTS_H
#define C_LINUX_FAULTS_H

// Reports which address a process accessed when it died of a memory fault. The report is written into words
// that another process can read.

#include "SharedWords.h"

#pragma clang assume_nonnull begin

/// The fields of a report about a memory fault. Each field takes one word. The value of each constant is the
/// offset of its field from the first word of the report.
enum fault_word {
  /// The kind of access: 0 if there is no report, 1 for a read, 2 for a write, and 3 if the processor does
  /// not say which.
  FAULT_ACCESS,
  /// 1 for an address that cannot exist or is not aligned as the instruction requires, and 0 otherwise.
  FAULT_STRANGE,
  /// The accessed address.
  FAULT_ADDRESS,
  /// The index, from 0, of the row that is nearest to the accessed address. FAULT_ROW, FAULT_BYTES and
  /// FAULT_ROWS describe the nearest row of group 0 (see fault_group). For each further group, these three
  /// fields are stored again FAULT_STEP words later.
  FAULT_ROW,
  /// The distance in bytes from the nearest row to the accessed address: 1 for the first byte after the row's
  /// end, -1 for the last byte before its start, and 0 if no registered row is near.
  FAULT_BYTES,
  /// The number of rows by which the accessed address lies outside the image. The value is 1 directly after
  /// the last row, -1 directly before the first row, and 0 inside a row or between two rows.
  FAULT_ROWS,
};

#define FAULT_STEP 3

/// The groups in which the rows of images are registered. The argument `number` of faults_name selects the
/// group.
enum fault_group { FAULT_SOURCE, FAULT_DESTINATION, FAULT_MASK };

/// The number of constants in the enum fault_group.
#define FAULT_NUMBERS 3

/// Installs handlers for SIGSEGV and SIGBUS. Before such a signal ends the process, the handler writes a
/// report to `words`, beginning at word number `first`.
void faults_report(shared_words *words, int first);

/// Registers the rows of an image. If a memory fault occurs near these rows, the report contains the index of
/// the row that is nearest to the accessed address. There are `rows` rows of `bytes` bytes each. The first
/// row begins at `start`, and each further row begins `pitch` bytes after the previous row. `number` is the
/// group to which the rows belong (see fault_group). Returns a handle for faults_forget, or -1 if too many
/// images are registered.
int faults_name(const void *start, int64_t pitch, int64_t bytes, int64_t rows, int number);

/// Removes the rows of an image from the registered rows, so that later reports about memory faults do not
/// mention the image. `rows` is the handle that faults_name returned. If `rows` is -1, nothing happens.
void faults_forget(int rows);

#pragma clang assume_nonnull end

#endif
