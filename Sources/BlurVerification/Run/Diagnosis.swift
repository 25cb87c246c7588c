import Blur
import Foundation

/// The likely cause of a failed check, found by further blurs under the same conditions.
public struct Diagnosis: Sendable {
  /// The title of the cause in a few words, or nil if the title of the failed check fits.
  var cause: String?
  /// A sentence that explains the cause, or says what usually causes such a failure.
  var advice: String
}

extension Check {
  /// Looks for the cause of a failure: a result that depends on uninitialised memory, or edges that are
  /// computed wrongly. Returns nil if neither is the cause.
  ///
  /// - Parameter begins: A closure that is called before each attempt.
  public func diagnosis(begins: () -> Void = {}) -> Diagnosis? {
    guard case .failed = outcome, kernel.variableMethod == nil, !kernel.isDefinition else { return nil }
    let test = KernelUnderTest(kernel: kernel, subject: subject)
    let end = ContinuousClock.now + .seconds(3)
    let memory = FilledMemory.allCases.first { memory in
      guard ContinuousClock.now < end else { return false }
      begins()
      return (try? test.depends(on: memory)) ?? false
    }
    if let memory {
      return Diagnosis(
        cause: "depends on uninitialised memory (\(memory.rawValue))",
        advice: "the result depends on the earlier contents of \(memory.rawValue)")
    }
    guard ContinuousClock.now < end else { return nil }
    begins()
    guard (try? test.failsOnlyAtEdges()) == true else { return nil }
    return Diagnosis(advice: subject.edge.adviceOnWrongEdges)
  }
}

/// The kinds of memory whose contents before a blur must not change the result.
private enum FilledMemory: String, CaseIterable {
  case destination = "the destination"
  case destinationPadding = "the padding of the destination"
  case sourcePadding = "the padding of the source"
  case scratch = "the scratch memory"
  case allocated = "memory that the kernel allocated"
}

extension KernelUnderTest {
  /// The size of the image that is blurred if the subject names none, or only a small one. Buffers for such
  /// an image are large enough for the C library to fill them, see ``FilledMemory/allocated``.
  private static let leastWidth = 130, leastHeight = 40
  /// The byte that fills all memory whose influence is not being examined.
  private static let usualFill: UInt8 = 0x33

  /// Returns whether the result of a blur changes with the bytes in `memory`. If the kernel gives different
  /// results for the same bytes, the difference has another cause, and this method returns false.
  fileprivate func depends(on memory: FilledMemory) throws -> Bool {
    let kind = subject.image?.kind ?? .noise
    let (width, height) = (subject.image?.width ?? 0, subject.image?.height ?? 0)
    let sizes = [(width, height), (max(width, Self.leastWidth), max(height, Self.leastHeight))]
    return try sizes.filter { $0.0 > 0 && $0.1 > 0 }.contains { width, height in
      let image = try image(kind, width, height, seed: SampleImage.seed)
      let first = try blurred(image, filling: memory, with: 0)
      guard try blurred(image, filling: memory, with: 0).hasSamePixels(as: first) else { return false }
      return try [0x7F, 0xFF].contains {
        try !blurred(image, filling: memory, with: $0).hasSamePixels(as: first)
      }
    }
  }

  /// Blurs an image with a new plan, after filling one kind of memory with copies of a byte. The other kinds
  /// are filled with another byte, which is always the same.
  private func blurred(_ image: Image, filling memory: FilledMemory, with byte: UInt8) throws -> Image {
    func filling(_ other: FilledMemory) -> UInt8 { other == memory ? byte : Self.usualFill }
    HeapFill.begin(filling(.allocated))
    defer { HeapFill.end() }
    let layout = try ImageLayout(
      format, width: image.layout.width, height: image.layout.height, stride: image.layout.rowBytes + 64)
    let source = FilledImage(layout, pixels: 0, padding: filling(.sourcePadding))
    let target = FilledImage(
      layout, pixels: filling(.destination), padding: filling(.destinationPadding))
    image.withView { source.view.copyPixels(of: $0) }
    let (plan, _) = try hostilePlan(image.layout, threads: subject.threads, garbage: filling(.scratch))
    return try withExtendedLifetime((source, target)) {
      try plan.blur(source.view.readOnly, into: target.view)
      return try target.view.readOnly.image()
    }
  }

  /// Returns whether the kernel breaks its promise for an image, but keeps it if the image has been extended
  /// beyond its edges by hand.
  fileprivate func failsOnlyAtEdges() throws -> Bool {
    // A failure may have been reduced to an image so small that all its pixels are near an edge.
    let kinds = (subject.image.map { [$0.kind] } ?? []) + [.extremes, .step, .noise]
    let (width, height) = (max(subject.image?.width ?? 0, 67), max(subject.image?.height ?? 0, 45))
    let margin = Int((4 * max(sigma.x, sigma.y)).rounded(.up)) + 8
    guard (width + 2 * margin) * (height + 2 * margin) < 1_000_000 else { return false }
    for kind in kinds {
      let image = try image(kind, width, height, seed: SampleImage.seed)
      do { _ = try judgeQuickly(blurred(image), of: image) } catch is Violation {
        let inner = Region(x: margin, y: margin, width: width, height: height)
        let extended = try blurred(image.continued(by: (margin, margin), subject.edge)).cropped(to: inner)
        return (try? judgeQuickly(extended, of: image)) != nil
      }
    }
    return false
  }
}

/// An image whose pixels and padding are filled with chosen bytes. It lies between spare bytes, which a wrong
/// kernel may overwrite without damage.
private final class FilledImage {
  let view: MutableImageView
  private let memory: UnsafeMutableRawBufferPointer
  private static let spareBytes = 4096

  init(_ layout: ImageLayout, pixels: UInt8, padding: UInt8) {
    memory = .allocate(byteCount: layout.stride * layout.height + 2 * Self.spareBytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: padding)
    view = MutableImageView(memory.start + Self.spareBytes, layout)
    // SAFETY: the memory holds `height` rows of `stride` bytes between the spare bytes, and `rowBytes` is at
    // most `stride`.
    for y in 0..<layout.height { memset(view.row(y), Int32(pixels), layout.rowBytes) }
  }

  deinit { memory.deallocate() }
}

/// Lets the C library fill memory that `malloc` returns, if it can.
private enum HeapFill {
  /// From now on, new blocks of more than about a kilobyte are filled with `byte`.
  static func begin(_ byte: UInt8) {
    // glibc fills new blocks with the complement of the number's lowest byte, unless the number is 0.
    setPattern(Int32(byte ^ 0xFF) | 0x100)
  }

  /// From now on, new blocks are not filled.
  static func end() { setPattern(0) }

  private static func setPattern(_ number: Int32) {
    #if canImport(Glibc)
      typealias Option = @convention(c) (Int32, Int32) -> Int32
      let perturb: Int32 = -6  // M_PERTURB in malloc.h, a header that Swift does not import
      // SAFETY: glibc declares mallopt with exactly this type.
      guard let symbol = dlsym(nil, "mallopt") else { return }
      _ = unsafeBitCast(symbol, to: Option.self)(perturb, number)
    #endif
  }
}

extension EdgeMode {
  /// The advice for the author of a kernel that blurs everything correctly except the edges.
  fileprivate var adviceOnWrongEdges: String {
    let start = "only the edges are wrong: the kernel keeps its promise if the image is extended by hand"
    // In the other edge modes, extending the image again gives the same pixels.
    guard self == .clamp || name == "constant" else { return start }
    return start + ". The usual cause is that each pass extends the image beyond its edges again. Extend it "
      + "only once, before the first pass, by the sum of the radii of all passes"
  }
}
