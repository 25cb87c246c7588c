/// Constants that were measured on one machine and are used to estimate the time of a blur: the time of each
/// kind of operation, the time to wake threads, and the time to hand work to them.
package struct MachineConstants: Sendable {
  /// The constants of each instruction set, or nil if the machine does not have the instruction set.
  package var baseline: CostConstants, avx2: CostConstants?, avx512: CostConstants?
  /// The time that it takes to wake the other threads, in nanoseconds.
  package var waking: Double
  /// The time that it takes to hand work to threads that are already awake, in nanoseconds. Threads stay
  /// awake between blurs that follow each other without a pause.
  package var handing: Double
}

extension MachineConstants {
  /// The machines that were measured. Estimates use the means over these machines. `lab constants` prints the
  /// entry for the machine that it runs on, so that a developer can add the entry to this list.
  package static let measured = [
    // An AMD EPYC (Zen 4), measured on 2026-11-30. With these constants, the estimated time of a blur has a
    // median error of 22 % for baseline, 11 % for avx2 and 9 % for avx512.
    MachineConstants(
      baseline: CostConstants(vector: 0.115, partial: 0, scalar: 0.851, row: 13.8, start: 367),
      avx2: CostConstants(vector: 0.113, partial: 1.94, scalar: 0.32, row: 17.6, start: 211),
      avx512: CostConstants(vector: 0.17, partial: 1.34, scalar: 0.317, row: 16.7, start: 150),
      waking: 49800, handing: 2800),
    // An AMD EPYC (Zen 5), measured on 2026-11-26. With these constants, the estimated time of a blur has a
    // median error of 16 % for baseline, 10 % for avx2 and 7 % for avx512.
    MachineConstants(
      baseline: CostConstants(vector: 0.085, partial: 0.628, scalar: 0.752, row: 7.16, start: 248),
      avx2: CostConstants(vector: 0.0803, partial: 0.778, scalar: 0.775, row: 9.3, start: 158),
      avx512: CostConstants(vector: 0.0859, partial: 0.494, scalar: 0.704, row: 11.2, start: 152),
      waking: 23800, handing: 500),
  ]
}
