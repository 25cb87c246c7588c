import Blur

/// The size of an image in pixels, and padding after each row: `1920x1080`, or `1001x701+3`.
public struct Size: Hashable, Sendable {
  /// Pixels per row and number of rows, at least 1.
  public let width: Int, height: Int
  /// Bytes between the end of a row and the start of the next.
  public let padding: Int

  /// Makes a size.
  public init(width: Int, height: Int, padding: Int = 0) {
    self.width = width
    self.height = height
    self.padding = padding
  }

  /// Reads `WxH` or `WxH+PADDING`; nil for anything else.
  public init?(_ text: String) {
    let halves = text.split(separator: "+", omittingEmptySubsequences: false)
    let sides = halves[0].split(separator: "x", omittingEmptySubsequences: false).map { Self.number($0) }
    guard halves.count <= 2, sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    guard width > 0, height > 0 else { return nil }
    guard let padding = halves.count == 2 ? Self.number(halves[1]) : 0 else { return nil }
    self.init(width: width, height: height, padding: padding)
  }

  /// The size of an image.
  public init(_ layout: ImageLayout) {
    self.init(width: layout.width, height: layout.height, padding: layout.stride - layout.rowBytes)
  }

  /// The text that reads back as this size.
  public var text: String { "\(width)x\(height)" + (padding == 0 ? "" : "+\(padding)") }

  /// The layout of an image of that size.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)``.
  public func layout(_ format: PixelFormat) throws(BlurError) -> ImageLayout {
    let tight = try ImageLayout(format, width: width, height: height)
    return try ImageLayout(format, width: width, height: height, stride: tight.rowBytes + padding)
  }

  /// Digits only: no sign, nothing that overflows later sums.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.count <= 9, text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(text)
  }
}

/// How many threads a suite asks for.
public enum ThreadChoice: Hashable, Sendable {
  /// This number.
  case count(Int)
  /// One for each core.
  case all

  /// Reads `1`, `2`, … or `all`; nil for anything else.
  public init?(_ text: String) {
    if text == "all" {
      self = .all
    } else if let count = Int(text), (1...1024).contains(count) {
      self = .count(count)
    } else {
      return nil
    }
  }

  /// The number on a machine of N cores.
  public func count(cores: Int) -> Int {
    switch self {
    case .count(let count): count
    case .all: max(1, min(cores, 1024))
    }
  }
}

/// Which instruction sets a suite asks for.
public enum InstructionSetChoice: Hashable, Sendable {
  /// The widest of kernel and machine.
  case best
  /// Each that kernel and machine have.
  case all
  /// At most this one.
  case upTo(InstructionSet)

  /// The words for these choices.
  public static let names = ["best", "all"] + InstructionSet.allCases.map(\.name)

  /// Reads one of ``names``; nil for anything else.
  public init?(_ text: String) {
    switch text {
    case "best": self = .best
    case "all": self = .all
    default:
      guard let set = InstructionSet(rawValue: text) else { return nil }
      self = .upTo(set)
    }
  }

  /// What `kernel` runs as on this machine: never wider than asked, each set once.
  public func sets(of kernel: Kernel) -> [InstructionSet] {
    switch self {
    case .best: [kernel.instructionSet(upTo: .best)]
    case .upTo(let set): [kernel.instructionSet(upTo: set)]
    case .all: kernel.instructionSets.filter(\.isAvailable).sorted()
    }
  }

  /// Whether records of that instruction set are meant.
  func allows(_ isa: InstructionSet) -> Bool {
    if case .upTo(let widest) = self { isa <= widest } else { true }
  }
}
