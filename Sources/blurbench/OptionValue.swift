import ArgumentParser
import Blur
import BlurRecords
import BlurText
import BlurWisdom
import Foundation

/// Throws a usage error unless `condition` is true.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  guard condition else { throw ValidationError(message()) }
}

/// Parses the values of options. Each error names the option and the allowed values.
enum OptionValue {
  /// Returns the items of a comma-separated list.
  static func items(_ list: String, _ option: String) throws -> [String] {
    let items = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if items.isEmpty { throw ValidationError("\(option) '\(list)': the list is empty") }
    return items
  }

  /// Returns the candidate with the given name.
  ///
  /// - Throws: `ValidationError` if no candidate has that name.
  static func chosen<T>(_ name: String, _ kind: String, from candidates: [T], named: (T) -> String) throws
    -> T
  {
    if let match = candidates.first(where: { named($0) == name }) { return match }
    let names = candidates.map(named)
    let meant = kind == "edge mode" ? EdgeMode.named(elsewhere: name)?.name : nil
    throw ValidationError(ParseError(unknown: kind, name, among: names, meant: meant).reason)
  }

  /// Returns the candidates whose names are in a comma-separated list, or nil if there is no list. The word
  /// `all` stands for all candidates.
  static func chosen<T>(
    list: String?, _ kind: String, from candidates: [T], named: (T) -> String
  ) throws -> [T]? {
    try list.map { list in
      list == "all"
        ? candidates : try items(list, kind).map { try chosen($0, kind, from: candidates, named: named) }
    }
  }

  // MARK: Options that select cases, with the same syntax as in suite files

  /// Returns the kernels whose names are in a comma-separated list, or all kernels if there is no list. The
  /// word ``BlurRecords/Suite/plugins`` stands for all kernels of plug-ins.
  static func kernels(_ list: String?, from kernels: [Kernel]) throws -> [Kernel] {
    guard let list else { return kernels }
    let chosen = try words(.kernel, list, kernels: kernels).flatMap { name in
      name == Suite.plugins ? kernels.external : kernels.filter { $0.name == name }
    }
    if chosen.isEmpty {
      throw ValidationError("kernel 'plugins': there are no plug-ins; add --plugin, --python or --peers")
    }
    return chosen
  }

  static func formats(_ list: String) throws -> [PixelFormat] {
    try words(.format, list).compactMap { PixelFormat(rawValue: $0) }
  }

  static func edges(_ list: String) throws -> [EdgeMode] {
    try words(.edge, list).compactMap { EdgeMode(name: $0) }
  }

  /// Returns the thread counts in a comma-separated list. The word `all` means one thread per core.
  static func threadCounts(_ list: String) throws -> [Int] {
    try words(.threads, list).compactMap {
      ThreadChoice($0)?.count(cores: ProcessInfo.processInfo.activeProcessorCount)
    }
  }

  /// Parses a comma-separated list of instruction sets. The word `all` stands for all instruction sets that
  /// this CPU supports. The result is nil if the list is just the word `best`, which means that each kernel
  /// uses its widest instruction set.
  ///
  /// - Throws: ``Blur/BlurError/unavailable(_:)`` if this CPU lacks an instruction set in the list.
  static func instructionSets(_ list: String) throws -> [InstructionSet]? {
    let choices = try words(.isa, list).compactMap { InstructionSetChoice($0) }
    if choices == [.best] { return nil }
    let named = try choices.flatMap { choice throws -> [InstructionSet] in
      switch choice {
      case .best: return [.best]
      case .all: return InstructionSet.allCases.filter(\.isAvailable)
      case .upTo(let set):
        guard set.isAvailable else { throw BlurError.unavailable(set) }
        return [set]
      }
    }
    return InstructionSet.allCases.filter(named.contains)
  }

  private static func words(
    _ dimension: CaseDimension, _ list: String, kernels: [Kernel] = Registry.kernels
  ) throws -> [String] {
    do throws(ParseError) {
      return try dimension.checked(list: list, Vocabulary(kernels: kernels.map(\.name)))
    } catch { throw ValidationError("--\(dimension.key): \(error.reason)") }
  }

  /// Parses one sigma for both axes, or two sigmas such as `5x2`, which means 5 pixels across and 2 pixels
  /// down.
  static func sigma(_ text: String) throws -> Sigma {
    let numbers = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(numbers.count), let x = numbers[0], let y = numbers[numbers.count - 1] else {
      throw ValidationError("sigma '\(text)': must be a number of pixels, or two numbers such as 5x2")
    }
    do { return try Sigma(x: x, y: y) } catch { throw ValidationError("\(error)") }
  }

  static func threads(_ text: String) throws -> Int { try only(threadCounts(text), "--threads '\(text)'") }

  static func edge(_ text: String) throws -> EdgeMode { try only(edges(text), "--edge '\(text)'") }

  /// Parses the widest instruction set that a kernel may use.
  ///
  /// - Throws: ``Blur/BlurError/unavailable(_:)`` if this CPU lacks the instruction set.
  static func instructionSet(_ text: String) throws -> InstructionSet {
    try only(instructionSets(text) ?? [.best], "--isa '\(text)'")
  }

  private static func only<Value>(_ values: [Value], _ option: String) throws -> Value {
    guard let value = values.first, values.count == 1 else {
      throw ValidationError("\(option): must be a single value")
    }
    return value
  }

  /// Parses a number of bytes, optionally with the suffix K, M or G, as in `256M`.
  static func bytes(_ text: String) throws -> Int {
    guard let count = Int(bytes: text), count > 0 else {
      throw ValidationError(
        "memory '\(text)': must be a number of bytes above 0, optionally with K, M or G, such as 256M")
    }
    return count
  }

  /// Throws an error if more than one of the inputs is the standard input, which can be read only once.
  static func checkInputs(_ inputs: [String]) throws {
    try require(
      inputs.count(where: SystemFile.isStandardInput) < 2,
      "the standard input can be read only once; name a file for one of the inputs")
  }

  // MARK: Files that a verb writes only when it has finished its work

  /// Throws an error if `file` cannot be written. A verb may work for minutes before it writes the file, so
  /// it calls this function at its start to report the error at once.
  static func checkOutput(_ file: String) throws {
    let folder = URL(filePath: file).deletingLastPathComponent().path
    try require(
      !file.isEmpty && !TextFile.isFolder(file),
      "'\(file)' cannot be written, because it is a folder or an empty name; name a file instead")
    try require(
      TextFile.isFolder(folder) && FileManager.default.isWritableFile(atPath: folder),
      "\(file): the folder \(folder) does not exist or cannot be written to")
  }

  /// Throws an error if the output `file` is also one of the inputs, because writing the output would destroy
  /// the input.
  static func checkOutput(_ file: String, isNotAmong inputs: [String]) throws {
    let real = { URL(filePath: $0).resolvingSymlinksInPath().path }
    if let input = inputs.first(where: { real($0) == real(file) }) {
      throw ValidationError("\(input) would be overwritten, but it is an input; choose another output file")
    }
  }
}
