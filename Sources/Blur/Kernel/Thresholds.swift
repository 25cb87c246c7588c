/// The thresholds at which a blur switches to a different method. The thresholds affect how long a blur
/// takes, but they must not visibly change its result. `blurbench verify` therefore also blurs with extreme
/// thresholds.
///
/// In Embedded Swift, the thresholds are constants, so that they add nothing to the size of the program.
package struct Thresholds: Hashable, Sendable {
  private static let usual = (
    streamedBytes: 6 << 20, rollingBytes: 6 << 20, cosineBlock: 2048, copiedColumns: 64
  )

  #if hasFeature(Embedded)
    var streamedBytes: Int { Self.usual.streamedBytes }
    var rollingBytes: Int { Self.usual.rollingBytes }
    var cosineBlock: Int { Self.usual.cosineBlock }
    var copiedColumns: Int { Self.usual.copiedColumns }
    var sharing: Double { 1 }
    var waking: Double { 1 }
    var usesCosines: Bool? { nil }
    var foldsWindows: Bool? { nil }
    var levels: Int? { nil }
  #else
    /// The largest size, in bytes, of a result that is written with ordinary stores. Larger results are
    /// written with non-temporal stores, which bypass the caches. The usual limit is 6 MiB. A result of this
    /// size and its source together do not fit in the caches of most machines.
    package var streamedBytes = usual.streamedBytes
    /// A size limit, in bytes, for the smallest image of a pyramid. If this image is below the limit, it is
    /// stored as a whole. If it is larger, its rows may be computed only when they are needed.
    package var rollingBytes = usual.rollingBytes
    /// The largest number of samples in a block. The kernel `dct` computes its sums of cosines afresh at the
    /// start of each block, so that rounding errors cannot pile up. The number must be a multiple of 32. Each
    /// time the window slides by one sample, rounding to single precision adds an error of at most 2⁻²⁴ of
    /// full scale to the sum of the samples in the window. After the usual 2048 samples, these errors add up
    /// to at most 1.2 · 10⁻⁴ of full scale. With much longer blocks, `dct` would break its promise.
    package var cosineBlock = usual.cosineBlock
    /// The number of columns that the kernels of the folder LineFilters copy at a time. These kernels copy
    /// one channel of eight rows between the image and their own memory, one block of columns after another.
    /// A block is small enough that its values stay in the first-level cache.
    package var copiedColumns = usual.copiedColumns
    /// The factor that scales how long a blur must take to be shared among threads. With 0, every blur is
    /// shared.
    package var sharing = 1.0
    /// The factor that scales how long a blur must take to wake sleeping threads. A blur that begins soon
    /// after another one may wake them even if it takes less time. With 0, every blur that is shared wakes
    /// threads.
    package var waking = 1.0
    /// Whether the kernel `pyramid` uses sums of cosines instead of a window of weights when it filters the
    /// image at full size. If the value is nil, the kernel chooses the cheaper method.
    package var usesCosines: Bool?
    /// Whether the kernel `pyramid` avoids computing pixels outside the image. To do so, it gives each image
    /// pixel the sum of the weights of all positions at which the edge mode repeats this pixel. If the value
    /// is nil, the kernel chooses the cheaper method.
    package var foldsWindows: Bool?
    /// The number of times that the kernel `pyramid` halves the image, or nil for the cheapest number. If
    /// halving the image this often would break the kernel's promise, the kernel filters the image at full
    /// size.
    package var levels: Int?
  #endif

  package init() {}

  /// The largest allowed aliasing error for each number of levels of a pyramid. Every number except
  /// ``levels`` gets a limit of 0, so only a pyramid with ``levels`` levels is allowed. The dictionary is
  /// empty if ``levels`` is nil. See ``PyramidDesign``.
  var aliasingLimits: [Int: Double] {
    guard let levels else { return [:] }
    return Dictionary(uniqueKeysWithValues: (1...16).filter { $0 != levels }.map { ($0, 0) })
  }
}
