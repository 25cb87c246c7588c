import Blur
import BlurText
import Foundation

/// A value of one property of a case, parsed from a word in a suite file, a command line or a case name.
public enum DimensionValue: Hashable, Sendable {
  case kernel(String)
  case isa(InstructionSetChoice)
  case threads(ThreadChoice)
  case format(PixelFormat)
  case size(Size)
  case sigma(Double)
  case edge(EdgeMode)
  case pace(Pace)
  case mask(MaskShape?)
  case scene(String)
  case device(String)
}

extension CaseDimension {
  /// Parses one word as a value of this property.
  ///
  /// - Parameter vocabulary: The allowed names. If it is nil, any name is accepted.
  package func value(_ word: String, _ vocabulary: Vocabulary?) throws(ParseError) -> DimensionValue {
    switch self {
    case .kernel:
      if word == Suite.plugins { return .kernel(word) }
      return .kernel(try name(word, "kernel", among: vocabulary?.kernels, [Suite.plugins, "all"]))
    case .isa:
      if let choice = InstructionSetChoice(word) { return .isa(choice) }
      throw ParseError(unknown: "instruction set", word, among: InstructionSetChoice.names)
    case .threads:
      if let choice = ThreadChoice(word) { return .threads(choice) }
      throw ParseError("threads '\(word)': must be a number from 1 to 1024, or all")
    case .format:
      if let format = PixelFormat(rawValue: word) { return .format(format) }
      throw ParseError(unknown: "format", word, among: PixelFormat.allCases.map(\.rawValue))
    case .size: return .size(try size(word))
    case .sigma: return .sigma(try sigma(word))
    case .edge:
      if let edge = EdgeMode(name: word) { return .edge(edge) }
      throw ParseError(unknown: "edge mode", word, among: EdgeMode.all.map(\.name))
    case .pace:
      if let pace = Pace(rawValue: word) { return .pace(pace) }
      throw ParseError(unknown: "pace", word, among: Pace.allCases.map(\.rawValue))
    case .mask:
      if word == Self.noMask { return .mask(nil) }
      if let mask = MaskShape(rawValue: word) { return .mask(mask) }
      throw ParseError(unknown: "mask", word, among: [Self.noMask] + MaskShape.names)
    case .scene: return .scene(try name(word, "scene", among: vocabulary?.catalog.scenes))
    case .device: return .device(try name(word, "device", among: vocabulary?.catalog.devices))
    }
  }

  /// Parses a list of words. A list that consists only of the word `all` stands for every value of the
  /// property. This is possible for properties with a fixed set of values, such as the pixel format or the
  /// kernel.
  ///
  /// - Parameter read: Parses the word at an index, and throws an error that tells where an invalid word is.
  func values<Failure: Error>(
    _ words: [String], _ vocabulary: Vocabulary, read: (Int) throws(Failure) -> DimensionValue
  ) throws(Failure) -> [DimensionValue] {
    if words == ["all"], let all = all(vocabulary) { return all }
    var values: [DimensionValue] = []
    for index in words.indices { values.append(try read(index)) }
    return values
  }

  /// Parses a list from the command line, which consists of words separated by commas.
  package func values(list: String, _ vocabulary: Vocabulary) throws(ParseError) -> [DimensionValue] {
    let words = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !words.isEmpty else { throw ParseError("the list is empty") }
    return try values(words, vocabulary) { (index) throws(ParseError) in try value(words[index], vocabulary) }
  }

  /// Returns every value of this property, for the word `all`. Returns nil for the other properties: sizes
  /// and sigmas have no finite set of values, and the meaning of `all` for instruction sets and threads
  /// depends on the kernel or the machine.
  private func all(_ vocabulary: Vocabulary) -> [DimensionValue]? {
    switch self {
    case .kernel: vocabulary.kernels.map(DimensionValue.kernel)
    case .format: PixelFormat.allCases.map(DimensionValue.format)
    case .edge: EdgeMode.all.map(DimensionValue.edge)
    case .pace: Pace.allCases.map(DimensionValue.pace)
    case .mask: MaskShape.allCases.map(DimensionValue.mask)
    case .scene: vocabulary.catalog.scenes.map(DimensionValue.scene)
    case .device: vocabulary.catalog.devices.map(DimensionValue.device)
    case .isa, .threads, .size, .sigma: nil
    }
  }

  /// Returns the word if it is one of the known names. Otherwise, throws an error that suggests similar
  /// names.
  ///
  /// - Parameter more: Words such as `all` that stand for several names. The error may suggest these words as
  ///   well.
  private func name(
    _ word: String, _ kind: String, among names: [String]?, _ more: [String] = []
  ) throws(ParseError) -> String {
    if let names, !names.contains(word) {
      throw ParseError(unknown: kind, word, among: names + more.filter { $0 != word })
    }
    if word.isEmpty { throw ParseError("the name of a \(kind) is empty") }
    return word
  }

  private func sigma(_ word: String) throws(ParseError) -> Double {
    guard let sigma = Double(word) else { throw ParseError("sigma '\(word)': must be a number of pixels") }
    do { _ = try Sigma(sigma) } catch { throw ParseError("\(error)") }
    return sigma
  }

  private func size(_ word: String) throws(ParseError) -> Size {
    guard let size = Size(word) else {
      throw ParseError(
        "size '\(word)': must be a width and a height of at least 1 pixel, such as 640x480, or 640x480+16 "
          + "with 16 bytes of padding after each row")
    }
    do { _ = try size.layout(.rgbaf32) } catch { throw ParseError("\(error)") }
    return size
  }
}

extension Case {
  /// Returns the case's value of a property as text, such as `rgba8` for the pixel format. Returns nil if the
  /// case has no such value: a single blur, for example, has no scene.
  func word(_ dimension: CaseDimension) -> String? {
    switch dimension {
    case .kernel: kernel
    case .isa: isa.name
    case .threads: String(workload.threads)
    case .format: workload.layout.format.rawValue
    case .size: Size(workload.layout).text
    case .sigma: workload.sigma.short
    case .edge: workload.edge.name
    case .pace: workload.pace.rawValue
    case .mask: workload.mask?.rawValue ?? CaseDimension.noMask
    case .scene: workload.scene?.scene
    case .device: workload.scene?.device
    }
  }

  /// Returns whether the case has the given value, which comes from a list in a suite or on the command line.
  /// A value such as `plugins` applies to several cases: those of every kernel from a plug-in.
  ///
  /// - Parameter cores: The number of threads that the value `all` stands for.
  func has(_ value: DimensionValue, cores: Int) -> Bool {
    switch value {
    case .kernel(Suite.plugins): !Registry.all.contains { $0.name == kernel }
    case .kernel(let name): kernel == name
    case .isa(let choice): choice.allows(isa)
    case .threads(let choice): choice.count(cores: cores) == workload.threads
    case .format(let format): workload.layout.format == format
    case .size(let size): Size(workload.layout) == size
    case .sigma(let sigma): workload.sigma == sigma
    case .edge(let edge): workload.edge == edge
    case .pace(let pace): workload.pace == pace
    case .mask(let mask): workload.mask == mask
    case .scene(let name): workload.scene?.scene == name
    case .device(let name): workload.scene?.device == name
    }
  }
}
