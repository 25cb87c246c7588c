import Blur

/// The size of an image in pixels and the padding of its rows, such as `1920x1080` or `1001x701+3`.
public struct Size: Hashable, Sendable {
  /// The width and height in pixels, at least 1 each.
  public let width: Int, height: Int
  /// The number of bytes between the end of a row and the start of the next.
  public let padding: Int

  /// Creates a size.
  public init(width: Int, height: Int, padding: Int = 0) {
    self.width = width
    self.height = height
    self.padding = padding
  }

  /// Parses `WxH` or `WxH+PADDING`. Returns nil for any other text.
  public init?(_ text: String) {
    let halves = text.split(separator: "+", omittingEmptySubsequences: false)
    let sides = halves[0].split(separator: "x", omittingEmptySubsequences: false).map { Self.number($0) }
    guard halves.count <= 2, sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    guard width > 0, height > 0 else { return nil }
    guard let padding = halves.count == 2 ? Self.number(halves[1]) : 0 else { return nil }
    self.init(width: width, height: height, padding: padding)
  }

  /// Creates the size of an image with the given layout.
  public init(_ layout: ImageLayout) {
    self.init(width: layout.width, height: layout.height, padding: layout.stride - layout.rowBytes)
  }

  /// The size written as text, in the form that the initializer parses.
  public var text: String { "\(width)x\(height)" + (padding == 0 ? "" : "+\(padding)") }

  /// Returns the layout of an image of this size in the given format. `alpha` is the meaning of the fourth
  /// channel.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)``.
  public func layout(
    _ format: PixelFormat, _ alpha: ImageLayout.Alpha = .premultiplied
  ) throws(BlurError) -> ImageLayout {
    let tight = try ImageLayout(format, width: width, height: height)
    return try ImageLayout(
      format, width: width, height: height, stride: tight.rowBytes + padding, alpha: alpha)
  }

  /// Returns the number if the text consists of one to nine decimal digits, and nil otherwise. Longer numbers
  /// are rejected so that sums of the numbers cannot overflow.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.count <= 9, text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(text)
  }
}

/// The number of threads that a suite or a command line asks for.
public enum ThreadChoice: Hashable, Sendable {
  /// A fixed number of threads.
  case count(Int)
  /// One thread for each core of the machine.
  case all

  /// Parses a number from 1 to 1024 or the word `all`. Returns nil for any other text.
  public init?(_ text: String) {
    if text == "all" {
      self = .all
    } else if let count = Int(text), (1...1024).contains(count) {
      self = .count(count)
    } else {
      return nil
    }
  }

  /// The choice as text that can be parsed again.
  var text: String { if case .count(let count) = self { String(count) } else { "all" } }

  /// Returns the number of threads to use on a machine with the given number of cores. The choice `all` means
  /// one thread for each core, but at most 1024 threads.
  public func count(cores: Int) -> Int {
    switch self {
    case .count(let count): count
    case .all: max(1, min(cores, 1024))
    }
  }
}

/// The instruction sets that a suite or a command line asks for.
public enum InstructionSetChoice: Hashable, Sendable {
  /// The widest instruction set that both the kernel and the machine support.
  case best
  /// All instruction sets that both the kernel and the machine support.
  case all
  /// The widest instruction set, up to the given one, that both the kernel and the machine support.
  case upTo(InstructionSet)

  /// The words that users can write to choose instruction sets.
  public static let names = ["best", "all"] + InstructionSet.allCases.map(\.name)

  /// Parses a choice of instruction sets: `best`, `all` or the name of an instruction set. Returns nil for
  /// any other text.
  public init?(_ text: String) {
    switch text {
    case "best": self = .best
    case "all": self = .all
    default:
      guard let set = InstructionSet(rawValue: text) else { return nil }
      self = .upTo(set)
    }
  }

  /// The choice as text that can be parsed again.
  var text: String {
    switch self {
    case .best: "best"
    case .all: "all"
    case .upTo(let set): set.name
    }
  }

  /// Returns the instruction sets that the kernel is measured with on this machine, without duplicates.
  public func sets(of kernel: Kernel) -> [InstructionSet] {
    switch self {
    case .best: [kernel.instructionSet(upTo: .best)]
    case .upTo(let set): [kernel.instructionSet(upTo: set)]
    case .all: kernel.instructionSets.filter(\.isAvailable).sorted()
    }
  }

  /// Returns whether a case may use this instruction set. The choice `upTo` excludes all instruction sets
  /// that are wider than the one it names. The other choices exclude none.
  func allows(_ isa: InstructionSet) -> Bool {
    if case .upTo(let widest) = self { isa <= widest } else { true }
  }
}
