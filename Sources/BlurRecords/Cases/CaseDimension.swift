import Blur
import BlurText
import Foundation

/// A property in which cases can differ, such as the pixel format. A case is a kernel with an instruction set
/// and a workload.
///
/// Suite files, the command line, case names and filters all use the properties defined here. The value of a
/// property is passed as a string, which is called a word here. A word is written exactly as the property
/// prints its values: a sigma, for example, is `2` and not `2.0`.
public struct CaseDimension: Hashable, CaseIterable, Sendable {
  /// The name of the property in case names. Its command-line option has the same name.
  public let key: String
  /// The key under which a suite file lists the values of this property, such as `sigmas`.
  public let suiteKey: String
  /// The sentence in the command line's help that describes the values of the option.
  public let help: String
  /// The placeholder for a value in the command line's help, or nil if the option's name is clear enough.
  public let valueName: String?
  /// The kind of cases that have the property.
  let scope: Scope
  /// The default value in suites that list no values for the property, or nil if every suite must list some.
  let usual: String?
  /// Whether case names omit this property if it has its usual value. Such properties were added when case
  /// names were already in use, and names without them must stay valid.
  let isLater: Bool
  /// A closure that returns every value of the property, which is what the word `all` stands for. The closure
  /// is nil for sizes and sigmas, because they have infinitely many values. It is also nil for instruction
  /// sets and threads, because their possible values depend on the kernel or the machine.
  private let all: (@Sendable (Vocabulary) -> [String])?
  /// Words other than `all` that users can write instead of a value.
  private let furtherWords: [String]
  /// Parses a word and stores its value. The vocabulary lists the known names. If it is nil, any name is
  /// accepted.
  let set: @Sendable (String, Vocabulary?, inout CaseValues) throws(ParseError) -> Void
  /// Returns the value as a word, or nil if the case has no such value. A single blur, for example, has no
  /// scene.
  let word: @Sendable (CaseValues) -> String?

  /// The kind of cases that have a property. A scene defines the image and the blur, so the properties of
  /// blurs cannot be set for a scene.
  enum Scope { case all, blurs, scenes }

  private init<Value>(
    _ key: String, suiteKey: String? = nil, _ scope: Scope, usual: String? = nil, isLater: Bool = false,
    help: String, valueName: String? = nil, all: (@Sendable (Vocabulary) -> [String])? = nil,
    furtherWords: [String] = [], _ path: WritableKeyPath<CaseValues, Value> & Sendable,
    print: @escaping @Sendable (Value) -> String?,
    parse: @escaping @Sendable (String, Vocabulary?) throws(ParseError) -> Value
  ) {
    (self.key, self.suiteKey, self.scope) = (key, suiteKey ?? key + "s", scope)
    (self.usual, self.isLater, self.help, self.valueName) = (usual, isLater, help, valueName)
    (self.all, self.furtherWords) = (all, furtherWords)
    word = { print($0[keyPath: path]) }
    set = { (word, vocabulary, values) throws(ParseError) in
      values[keyPath: path] = try parse(word, vocabulary)
    }
  }

  /// Returns whether two properties have the same key.
  public static func == (a: Self, b: Self) -> Bool { a.key == b.key }

  /// Hashes the key of the property.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  // MARK: The properties

  /// All properties, in the order in which case names and the command line's help list them.
  public static let allCases = [
    kernel, isa, threads, format, alpha, size, sigma, edge, pace, mask, scene, device,
  ]

  /// The name of the kernel, or `plugins` for all kernels from plug-ins.
  public static let kernel = CaseDimension(
    "kernel", .all, help: "Kernels by name, all, or plugins (all kernels of plug-ins).",
    all: { $0.kernels }, furtherWords: [Suite.plugins],
    \.kernel, print: { $0 },
    parse: { (word, vocabulary) throws(ParseError) in
      if word == Suite.plugins { return word }
      return try known(word, "kernel", among: vocabulary?.kernels, [Suite.plugins, "all"])
    })

  /// The instruction set that the kernel uses.
  public static let isa = CaseDimension(
    "isa", suiteKey: "isa", .all, usual: "best",
    help: "Instruction sets: best, all, or the widest one to use (baseline, avx2, avx512).",
    furtherWords: InstructionSetChoice.names, \.isa, print: \.text,
    parse: { (word, _) throws(ParseError) in
      if let choice = InstructionSetChoice(word) { return choice }
      throw ParseError(unknown: "instruction set", word, among: InstructionSetChoice.names)
    })

  /// The number of threads that work on one image.
  public static let threads = CaseDimension(
    "threads", suiteKey: "threads", .all, usual: "1",
    help: "Numbers of threads; all means one thread per core.", furtherWords: ["1", "2", "4", "all"],
    \.threads, print: \.text,
    parse: { (word, _) throws(ParseError) in
      if let choice = ThreadChoice(word) { return choice }
      throw ParseError("threads '\(word)': must be a number from 1 to 1024, or all")
    })

  /// The pixel format.
  public static let format = CaseDimension(
    "format", .blurs, help: "Pixel formats, or all.", all: { _ in PixelFormat.allCases.map(\.rawValue) },
    \.format, print: \.rawValue,
    parse: { (word, _) throws(ParseError) in
      if let format = PixelFormat(rawValue: word) { return format }
      throw ParseError(unknown: "format", word, among: PixelFormat.allCases.map(\.rawValue))
    })

  /// The meaning of the fourth channel, such as `straight`.
  ///
  /// The order of the channels is not a property of cases, because kernels blur all channels alike.
  public static let alpha = CaseDimension(
    "alpha", suiteKey: "alpha", .blurs, usual: ImageLayout.Alpha.premultiplied.rawValue, isLater: true,
    help:
      "The meaning of the fourth channel: \(ImageLayout.Alpha.allCases.map(\.rawValue).listed), or all. With "
      + "straight, each blur also multiplies the colours by alpha and at the end divides them by alpha.",
    all: { _ in ImageLayout.Alpha.allCases.map(\.rawValue) }, \.alpha, print: \.rawValue,
    parse: { (word, _) throws(ParseError) in
      if let alpha = ImageLayout.Alpha(rawValue: word) { return alpha }
      throw ParseError(unknown: "alpha", word, among: ImageLayout.Alpha.allCases.map(\.rawValue))
    })

  /// The size of the image, and the padding of its rows.
  public static let size = CaseDimension(
    "size", .blurs, help: "Image sizes in pixels; +P adds P bytes of padding to each row.",
    valueName: "WxH[+P]", \.size, print: \.text,
    parse: { (word, _) throws(ParseError) in
      guard let size = Size(word) else {
        throw ParseError(
          "size '\(word)': must be a width and a height of at least 1 pixel, such as 640x480, or 640x480+16 "
            + "with 16 bytes of padding after each row")
      }
      do { _ = try size.layout(.rgbaf32) } catch { throw ParseError("\(error)") }
      return size
    })

  /// The standard deviation of the Gaussian, in pixels.
  public static let sigma = CaseDimension(
    "sigma", .blurs, help: "Standard deviations of the Gaussian, in pixels.", \.sigma, print: \.short,
    parse: { (word, _) throws(ParseError) in
      guard let sigma = Double.decimal(word) else {
        throw ParseError("sigma '\(word)': must be a number of pixels")
      }
      do { _ = try Sigma(sigma) } catch { throw ParseError("\(error)") }
      return sigma
    })

  /// The edge mode, which defines the pixels that a blur reads outside the image.
  public static let edge = CaseDimension(
    "edge", .blurs, usual: "clamp",
    help: "Edge modes (how an image continues beyond its edges), or all.",
    all: { _ in EdgeMode.allCases.map(\.name) }, \.edge, print: \.name,
    parse: { (word, _) throws(ParseError) in
      if let edge = EdgeMode(name: word) { return edge }
      throw ParseError(
        unknown: "edge mode", word, among: EdgeMode.allCases.map(\.name),
        meant: EdgeMode.named(elsewhere: word)?.name)
    })

  /// The rule that determines when each timed blur starts.
  public static let pace = CaseDimension(
    "pace", suiteKey: "pace", .blurs, usual: Pace.warm.rawValue, isLater: true,
    help:
      "When each blur starts: warm (right after the previous one), cold (after the images were removed from "
      + "the caches), 60hz or 120hz (once per frame), or all. With once and once-cold, each blur also makes "
      + "its plan and a new image.",
    all: { _ in Pace.allCases.map(\.rawValue) }, \.pace, print: \.rawValue,
    parse: { (word, _) throws(ParseError) in
      if let pace = Pace(rawValue: word) { return pace }
      throw ParseError(unknown: "pace", word, among: Pace.allCases.map(\.rawValue))
    })

  /// The shape of the mask that varies sigma from pixel to pixel, or `none`.
  public static let mask = CaseDimension(
    "mask", .blurs, usual: noMask, isLater: true,
    help:
      "Masks that vary sigma from pixel to pixel: \(noMask), \(MaskShape.names.listed), or all. "
      + "The kernels that support masks are \(VariableMethod.allCases.map(\.rawValue).listed).",
    all: { _ in MaskShape.names }, \.mask, print: { $0?.rawValue ?? noMask },
    parse: { (word, _) throws(ParseError) in
      if word == noMask { return nil }
      if let mask = MaskShape(rawValue: word) { return mask }
      throw ParseError(unknown: "mask", word, among: [noMask] + MaskShape.names)
    })

  /// The word for a case without a mask, in which sigma is the same for all pixels.
  static let noMask = "none"

  /// The name of an interface scene.
  public static let scene = CaseDimension(
    "scene", .scenes, help: "Interface scenes to measure instead of single blurs, or all.",
    all: { $0.catalog.scenes }, \.scene, print: { $0 },
    parse: { (word, vocabulary) throws(ParseError) in
      try known(word, "scene", among: vocabulary?.catalog.scenes)
    })

  /// The device on whose screen a scene plays.
  public static let device = CaseDimension(
    "device", .scenes, help: "Devices on whose screens the scenes play, or all.",
    all: { $0.catalog.devices }, \.device, print: { $0 },
    parse: { (word, vocabulary) throws(ParseError) in
      try known(word, "device", among: vocabulary?.catalog.devices)
    })

  /// Returns the word if it is one of the known names. Otherwise, throws an error that suggests similar
  /// names.
  ///
  /// - Parameter more: Words such as `all` that stand for several names, and that the error may suggest too.
  private static func known(
    _ word: String, _ kind: String, among names: [String]?, _ more: [String] = []
  ) throws(ParseError) -> String {
    if let names, !names.contains(word) {
      throw ParseError(unknown: kind, word, among: names + more.filter { $0 != word })
    }
    if word.isEmpty { throw ParseError("the name of a \(kind) is empty") }
    return word
  }

  /// Returns the properties whose values a suite combines into cases. In the list of cases, the first of
  /// these properties changes slowest and the last one changes fastest.
  ///
  /// - Parameter ofScenes: Whether the cases are interface scenes.
  static func product(ofScenes: Bool) -> [CaseDimension] {
    allCases.filter { $0.scope == (ofScenes ? .scenes : .blurs) } + [threads, kernel, isa]
  }

  // MARK: Words

  /// Returns the words that users can write as a value. The array is empty for sizes and sigmas, which can be
  /// any number.
  package func words(_ vocabulary: Vocabulary) -> [String] {
    (all.map { $0(vocabulary) + ["all"] } ?? []) + furtherWords
  }

  /// Checks that a word is a valid value of the property, and returns the value as the property prints it.
  package func checked(_ word: String, _ vocabulary: Vocabulary?) throws(ParseError) -> String {
    var values = CaseValues()
    try set(word, vocabulary, &values)
    return self.word(values) ?? word
  }

  /// Checks a list of words. A list that consists only of the word `all` stands for every value of the
  /// property, if the property has a fixed set of values.
  ///
  /// - Parameter read: A closure that checks the word at an index and returns its value. If the word is
  ///   invalid, the closure throws an error that says where the word is.
  func checked<Failure: Error>(
    _ words: [String], _ vocabulary: Vocabulary, read: (Int) throws(Failure) -> String
  ) throws(Failure) -> [String] {
    if words == ["all"], let all { return all(vocabulary) }
    var checked: [String] = []
    for index in words.indices { checked.append(try read(index)) }
    return checked
  }

  /// Checks a comma-separated list of words from the command line.
  package func checked(list: String, _ vocabulary: Vocabulary) throws(ParseError) -> [String] {
    let words = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !words.isEmpty else { throw ParseError("the list is empty") }
    return try checked(words, vocabulary) { (index) throws(ParseError) in
      try checked(words[index], vocabulary)
    }
  }
}

/// The value of each property of a case, as ``CaseDimension`` parses and prints it. A value such as `all`
/// can also stand for several cases.
struct CaseValues {
  var kernel = "", isa = InstructionSetChoice.best, threads = ThreadChoice.count(1)
  var format = PixelFormat.rgba8, alpha = ImageLayout.Alpha.premultiplied
  var size = Size(width: 1, height: 1), sigma = 0.0, edge = EdgeMode.clamp
  var pace = Pace.warm, mask: MaskShape?
  var scene: String?, device: String?

  init() {}

  init(_ item: Case) {
    let workload = item.workload
    (kernel, isa, threads) = (item.kernel, .upTo(item.isa), .count(workload.threads))
    (format, alpha) = (workload.layout.format, workload.layout.alpha)
    size = Size(workload.layout)
    (sigma, edge, pace, mask) = (workload.sigma, workload.edge, workload.pace, workload.mask)
    (scene, device) = (workload.scene?.scene, workload.scene?.device)
  }

  /// Returns the workload with these values, for an image of the given layout.
  ///
  /// - Parameter cores: The number of threads to use if the thread count is `all`.
  func workload(_ layout: ImageLayout, scene: SceneName? = nil, cores: Int) -> Workload {
    Workload(
      threads: threads.count(cores: cores), layout: layout, sigma: sigma, edge: edge, pace: pace, mask: mask,
      scene: scene)
  }

  /// Returns the workload with these values. If the values name a scene, the workload comes from the
  /// catalogue instead, and only the number of threads is taken from the values.
  func workload(cores: Int, _ catalog: SceneCatalog) throws(BlurError) -> Workload {
    guard let scene else { return workload(try size.layout(format, alpha), cores: cores) }
    var workload = try catalog.workload(SceneName(scene, on: device ?? ""))
    workload.threads = threads.count(cores: cores)
    return workload
  }
}

/// The names of all kernels, scenes and devices. The names in suite files and on the command line are checked
/// against these lists, so that a misspelled name is reported.
public struct Vocabulary: Sendable {
  /// The names of all kernels.
  public let kernels: [String]
  /// The catalogue of all scenes and devices.
  public let catalog: SceneCatalog

  /// Creates a vocabulary from the names of kernels and a catalogue of scenes.
  public init(kernels: [String], catalog: SceneCatalog = .none) {
    self.kernels = kernels
    self.catalog = catalog
  }
}

extension Case {
  /// Returns the case's value of a property as text, such as `rgba8` for the pixel format. Returns nil if the
  /// case has no such value: a single blur, for example, has no scene.
  func word(_ dimension: CaseDimension) -> String? { dimension.word(CaseValues(self)) }

  /// Returns whether the case has the given value of a property. The value comes from a list in a suite or on
  /// the command line. It can also be a word such as `plugins`, which stands for every kernel from a plug-in.
  ///
  /// - Parameter cores: The number of threads that the word `all` stands for.
  func has(_ word: String, of dimension: CaseDimension, cores: Int) -> Bool {
    switch dimension {
    case .kernel where word == Suite.plugins: !Registry.all.contains { $0.name == kernel }
    case .isa: InstructionSetChoice(word)?.allows(isa) == true
    case .threads: ThreadChoice(word)?.count(cores: cores) == workload.threads
    default: self.word(dimension) == word
    }
  }
}
