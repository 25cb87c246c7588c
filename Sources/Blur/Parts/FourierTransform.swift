/// The discrete Fourier transform of lines whose length is a power of two, in double precision.
///
/// Source: J. W. Cooley and J. W. Tukey, "An algorithm for the machine calculation of complex Fourier
/// series", Mathematics of Computation 19 (1965). A line has four complex numbers at each position: real
/// parts in the lower half of the lanes, imaginary parts in the upper half.
///
/// Frequencies come out in bit-reversed order: number p belongs to ``turns``[p] turns per sample. In that
/// order one table serves all lengths, each step has one factor for a whole run of samples, and nothing is
/// shuffled: who transforms forth and back need not care.
package struct FourierTransform: Sendable {
  /// The frequency at each place of a transform, in turns per sample: the binary digits of the place,
  /// mirrored at the point (0, ½, ¼, ¾, ⅛, …).
  package let turns: [Double]
  /// The cosine and the sine of half of each of them.
  private let factors: [SIMD2<Double>]

  /// Prepares for lengths up to `largest`, a power of two.
  package init(largest: Int) {
    var turns = [0.0]
    for place in 1..<max(2, largest) { turns.append((turns[place >> 1] + Double(place & 1)) / 2) }
    self.turns = turns
    factors = turns.prefix(max(1, largest / 2)).map { SIMD2<Double>(.cos(.pi * $0), .sin(.pi * $0)) }
  }

  /// The least power of two that is not below `count`.
  package static func length(for count: Int) -> Int {
    count <= 1 ? 1 : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  /// Replaces samples by the sums of sample j times exp(2πi · j · turns).
  package func forward(_ line: UnsafeMutablePointer<Lanes>, _ length: Int) {
    // SAFETY: the caller's line holds `length` lanes of two halves each, and butterflies stay inside.
    let parts = UnsafeMutableRawPointer(line).assumingMemoryBound(to: SIMD4<Double>.self)
    factors.withUnsafeBufferPointer { factors in
      var half = length / 2
      while half >= 1 {
        for block in 0..<length / (2 * half) {
          let (c, s) = (factors[block].x, factors[block].y)
          let near = parts + 4 * block * half
          let far = near + 2 * half
          var i = 0
          while i < 2 &* half {
            let (re, im) = (far[i] * c - far[i &+ 1] * s, far[i] * s + far[i &+ 1] * c)
            (far[i], far[i &+ 1]) = (near[i] - re, near[i &+ 1] - im)
            (near[i], near[i &+ 1]) = (near[i] + re, near[i &+ 1] + im)
            i &+= 2
          }
        }
        half /= 2
      }
    }
  }

  /// Undoes ``forward(_:_:)``, but for a factor of `length`.
  package func backward(_ line: UnsafeMutablePointer<Lanes>, _ length: Int) {
    // SAFETY: as above.
    let parts = UnsafeMutableRawPointer(line).assumingMemoryBound(to: SIMD4<Double>.self)
    factors.withUnsafeBufferPointer { factors in
      var half = 1
      while half < length {
        for block in 0..<length / (2 * half) {
          let (c, s) = (factors[block].x, factors[block].y)
          let near = parts + 4 * block * half
          let far = near + 2 * half
          var i = 0
          while i < 2 &* half {
            let (re, im) = (near[i] - far[i], near[i &+ 1] - far[i &+ 1])
            (near[i], near[i &+ 1]) = (near[i] + far[i], near[i &+ 1] + far[i &+ 1])
            (far[i], far[i &+ 1]) = (re * c + im * s, im * c - re * s)
            i &+= 2
          }
        }
        half *= 2
      }
    }
  }
}
