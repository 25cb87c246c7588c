import Blur
import Foundation

/// The likely cause of a failed check. It is found by making more blurs under the same conditions.
public struct Diagnosis: Sendable {
  /// The cause in a few words, for the title of the failure. It is nil if the failure should keep the title
  /// that the check has given it.
  var cause: String?
  /// A sentence that explains the cause, or says what usually causes such a failure.
  var advice: String
}

extension Check {
  /// Looks for the cause of a failure. The possible causes are results that differ from blur to blur, a
  /// result that depends on uninitialised memory, and wrong pixels only at the ends of blocks or at the
  /// edges. Returns nil if none of these is the cause.
  ///
  /// - Parameters:
  ///   - seconds: The time after which no further cause is examined.
  ///   - begins: A closure that is called before each attempt.
  public func diagnosis(seconds: Double = 3, begins: () -> Void = {}) -> Diagnosis? {
    guard case .failed = outcome, kernel.variableMethod == nil, !kernel.isDefinition else { return nil }
    let test = KernelUnderTest(kernel: kernel, subject: subject)
    let end = ContinuousClock.now + .seconds(seconds)
    let attempts: [() throws -> Diagnosis?] =
      [{ try test.differsByChance(choosesThreads: property.choosesThreads) }]
      + FilledMemory.allCases.map { memory in { try test.depends(on: memory) } }
      + [test.differsBySize, test.failsOnlyAtEdges]
    for attempt in attempts where ContinuousClock.now < end {
      begins()
      if let diagnosis = try? attempt() { return diagnosis }
    }
    return nil
  }
}

/// The kinds of memory whose contents before a blur must not influence its result.
private enum FilledMemory: String, CaseIterable {
  case destination = "the destination"
  case destinationPadding = "the padding of the destination"
  case sourcePadding = "the padding of the source"
  case scratch = "the scratch memory"
  case allocated = "memory that the kernel allocated"
}

extension KernelUnderTest {
  /// The minimum width and height, in pixels, of the larger image in ``imagesToRepeat``. An image of this
  /// size makes a kernel allocate buffers of more than about a kilobyte. Smaller blocks of newly allocated
  /// memory are not filled by the C library (see ``HeapFill``).
  private static let leastWidth = 130, leastHeight = 40
  /// The byte with which memory is filled if its influence is not being examined.
  private static let usualFill: UInt8 = 0x33

  /// The images that are blurred to find the cause of a failure: the image of the failed check, and a larger
  /// image. If the failed check does not name an image, only the larger image is used.
  private var imagesToRepeat: [Image] {
    get throws {
      let kind = subject.image?.kind ?? .noise
      let (width, height) = (subject.image?.width ?? 0, subject.image?.height ?? 0)
      let sizes = [(width, height), (max(width, Self.leastWidth), max(height, Self.leastHeight))]
      return try sizes.filter { $0.0 > 0 && $0.1 > 0 }
        .map { try image(kind, $0.0, $0.1, seed: SampleImage.seed) }
    }
  }

  /// Blurs the same image again and again, and returns a diagnosis if the results differ.
  ///
  /// - Parameter choosesThreads: Whether the failed check tries several numbers of threads, instead of the
  ///   number in its subject.
  fileprivate func differsByChance(choosesThreads: Bool) throws -> Diagnosis? {
    // Some properties blur with three threads, whatever number their subject has.
    let counts = choosesThreads ? try threadCounts() : subject.threads > 1 ? [subject.threads] : [3]
    for image in try choosesThreads ? [imagesForRaces()[0]] : imagesToRepeat {
      guard try isSameEachTime(image, threads: 1) else {
        return Diagnosis(
          cause: "differs from blur to blur",
          advice:
            "results differ from blur to blur, even on one thread. The usual causes are memory that the "
            + "kernel reads before it writes it, and values that are left over from an earlier blur")
      }
      for threads in counts where (try? isSameEachTime(image, threads: threads)) == false {
        return Diagnosis(
          cause: VerificationSummary.race,
          advice: "results differ from blur to blur with \(threads) threads, but not on one thread: a race")
      }
    }
    return nil
  }

  /// Returns whether many blurs of an image have the same result. A slow blur is repeated at most ten times,
  /// and a fast one up to 300 times.
  private func isSameEachTime(_ image: Image, threads: Int) throws -> Bool {
    var test = self
    test.subject.threads = threads
    func result() throws -> Image {
      try test.blurred(image, filling: .destination, with: Self.usualFill)
    }
    let end = ContinuousClock.now + .milliseconds(200)
    let first = try result()
    for turn in 1..<300 where ContinuousClock.now < (turn < 10 ? end + .seconds(1) : end) {
      guard try result() == first else { return false }
    }
    return true
  }

  /// Returns a diagnosis if the result of a blur depends on the bytes that `memory` contains before the blur.
  /// If even blurs with the same bytes do not always give the same result, the function returns nil, because
  /// the difference could then be due to chance.
  fileprivate func depends(on memory: FilledMemory) throws -> Diagnosis? {
    for image in try imagesToRepeat {
      func isSame(_ byte: UInt8, as result: Image) throws -> Bool {
        try blurred(image, filling: memory, with: byte) == result
      }
      let first = try blurred(image, filling: memory, with: 0)
      for byte: UInt8 in [0x7F, 0xFF] {
        let other = try blurred(image, filling: memory, with: byte)
        if other == first { continue }
        for _ in 0..<2 {
          guard try isSame(0, as: first), try isSame(byte, as: other) else { return nil }
        }
        return Diagnosis(
          cause: "depends on uninitialised memory (\(memory.rawValue))",
          advice: "the result depends on the earlier contents of \(memory.rawValue)")
      }
    }
    return nil
  }

  /// Blurs an image with a new plan, after filling one kind of memory with copies of a byte. The other kinds
  /// of memory are always filled with ``usualFill``.
  private func blurred(_ image: Image, filling memory: FilledMemory, with byte: UInt8) throws -> Image {
    func filling(_ other: FilledMemory) -> UInt8 { other == memory ? byte : Self.usualFill }
    HeapFill.begin(filling(.allocated))
    defer { HeapFill.end() }
    let layout = try ImageLayout(
      format, width: image.layout.width, height: image.layout.height, stride: image.layout.rowBytes + 64)
    let source = FilledImage(layout, pixels: 0, padding: filling(.sourcePadding))
    let target = FilledImage(
      layout, pixels: filling(.destination), padding: filling(.destinationPadding))
    source.view.copyPixels(of: image)
    let (plan, _) = try hostilePlan(
      image.layout, threads: subject.threads, delays: subject.threads > 1 ? .long : .none,
      garbage: filling(.scratch))
    return try withExtendedLifetime((source, target)) {
      try plan.blur(source.view.readOnly, into: target.view)
      return try target.view.readOnly.image()
    }
  }
}

/// An image whose pixels and padding are filled with chosen bytes. It lies between spare bytes, so that a
/// faulty kernel can write outside the image without damaging other memory.
private final class FilledImage {
  let view: MutableImageView
  private let memory: UnsafeMutableRawBufferPointer
  private static let spareBytes = 4096

  init(_ layout: ImageLayout, pixels: UInt8, padding: UInt8) {
    memory = .allocate(byteCount: layout.stride * layout.height + 2 * Self.spareBytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: padding)
    view = MutableImageView(memory.start + Self.spareBytes, layout)
    // SAFETY: the memory holds `height` rows of `stride` bytes, with spare bytes before the first and after
    // the last row, and `rowBytes` is at most `stride`.
    for y in 0..<layout.height { memset(view.unsafeRow(y), Int32(pixels), layout.rowBytes) }
  }

  deinit { memory.deallocate() }
}

/// Makes `malloc` fill the memory that it returns, if the C library supports this.
private enum HeapFill {
  /// Makes `malloc` fill new blocks of more than about a kilobyte with `byte`, until ``end()`` is called.
  static func begin(_ byte: UInt8) {
    // glibc fills new blocks with the complement of the lowest byte of this number, unless the number is 0.
    setPattern(Int32(byte ^ 0xFF) | 0x100)
  }

  /// Makes `malloc` return new blocks without filling them.
  static func end() { setPattern(0) }

  private static func setPattern(_ number: Int32) {
    #if canImport(Glibc)
      typealias Option = @convention(c) (Int32, Int32) -> Int32
      let perturb: Int32 = -6  // M_PERTURB in malloc.h, a header that Swift does not import
      // SAFETY: `Option` is exactly the type with which glibc declares `mallopt`.
      guard let symbol = dlsym(nil, "mallopt") else { return }
      _ = unsafeBitCast(symbol, to: Option.self)(perturb, number)
    #endif
  }
}
