/// The discrete Fourier transform of lines whose length is a power of two, in double precision. Four complex
/// signals are transformed at the same time. Each element of a line is a vector of eight numbers: first the
/// real parts of the four signals, and then their imaginary parts.
///
/// The transform does not sort its results by frequency, because sorting would take time. The results stay in
/// bit-reversed order, with the frequencies 0, ½, ¼, ¾, ⅛, … turns per sample. The array ``frequencies``
/// lists the frequency of each element.
///
/// Source: J. W. Cooley and J. W. Tukey, "An algorithm for the machine calculation of complex Fourier
/// series", Mathematics of Computation 19 (1965).
package struct FourierTransform: Sendable {
  /// The frequency of each element of a transform, in turns per sample: 0, ½, ¼, ¾, ⅛, … The binary digits of
  /// the frequency are the digits of the element's index in reverse order. For example, index 6 is 110 in
  /// binary, so the frequency is 0.011 in binary, which is ⅜.
  package let frequencies: [Double]
  /// The complex factors of the transform, each as a cosine and a sine. The angle of the factor at index i is
  /// π times `frequencies[i]`.
  private let factors: [SIMD2<Double>]

  /// Prepares tables for transforms of up to `largest` elements. `largest` must be a power of two.
  package init(largest: Int) {
    var frequencies = [0.0]
    for place in 1..<max(2, largest) { frequencies.append((frequencies[place >> 1] + Double(place & 1)) / 2) }
    self.frequencies = frequencies
    factors = frequencies.prefix(max(1, largest / 2)).map { SIMD2<Double>(.cos(.pi * $0), .sin(.pi * $0)) }
  }

  /// Returns the length of the shortest transform that can hold `count` elements. Lengths are powers of two.
  package static func length(for count: Int) -> Int {
    count <= 1 ? 1 : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  /// Replaces a line of `length` samples by its discrete Fourier transform. The element at index k becomes
  /// the sum over all j of sample j times exp(2πi · j · f), where f is `frequencies[k]`.
  package func forward(_ line: UnsafeMutablePointer<Lanes>, _ length: Int) {
    // SAFETY: the caller's line holds `length` vectors. Each vector consists of four real and four imaginary
    // parts, so `parts` has 2 · `length` elements. Every index below is smaller than 2 · `length`.
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

  /// Reverses ``forward(_:_:)``: computes the samples of a line from their transform. The results are not
  /// divided by `length`, so each sample is `length` times as large as it was before the transform.
  package func backward(_ line: UnsafeMutablePointer<Lanes>, _ length: Int) {
    // SAFETY: the caller's line holds `length` vectors. Each vector consists of four real and four imaginary
    // parts, so `parts` has 2 · `length` elements. Every index below is smaller than 2 · `length`.
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
