import ArgumentParser
import Blur
import BlurRecords
import Foundation

/// Reads the values of options; errors name the option and what is allowed.
enum OptionValue {
  /// The items of a list separated by commas.
  static func items(_ list: String, _ option: String) throws -> [String] {
    let items = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if items.isEmpty { throw ValidationError("\(option) '\(list)': a list must name something") }
    return items
  }

  /// The candidate of that name.
  static func chosen<T>(_ name: String, _ kind: String, from candidates: [T], named: (T) -> String) throws
    -> T
  {
    if let match = candidates.first(where: { named($0) == name }) { return match }
    let names = candidates.map(named)
    let hint =
      NameDistance.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
      ?? "there are \(names.joined(separator: ", "))"
    throw ValidationError("no \(kind) is called '\(name)'; \(hint)")
  }

  /// The candidates that a list names, or nil without a list.
  static func chosen<T>(
    list: String?, _ kind: String, from candidates: [T], named: (T) -> String
  ) throws -> [T]? {
    try list.map { list in
      try items(list, kind).map { try chosen($0, kind, from: candidates, named: named) }
    }
  }

  /// The kernels that a list names, where ``BlurRecords/Suite/plugins`` stands for all of plug-ins; all without a list.
  static func kernels(_ list: String?, from kernels: [Kernel]) throws -> [Kernel] {
    guard let list else { return kernels }
    let chosen = try items(list, "kernel").flatMap { name in
      try name == Suite.plugins
        ? kernels.external : [Self.chosen(name, "kernel", from: kernels, named: \.name)]
    }
    if chosen.isEmpty {
      throw ValidationError("kernel 'plugins': name them by --plugin, --python or --peers")
    }
    return chosen
  }

  /// A sigma, or one for each axis as in `5x2`.
  static func sigma(_ text: String) throws -> Sigma {
    let numbers = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(numbers.count), let x = numbers[0], let y = numbers[numbers.count - 1] else {
      throw ValidationError("sigma '\(text)': must be a number of pixels, or two as in 5x2")
    }
    do { return try Sigma(x: x, y: y) } catch { throw ValidationError("\(error)") }
  }

  static func threads(_ text: String) throws -> Int {
    if text == "all" { return ProcessInfo.processInfo.activeProcessorCount }
    guard let count = Int(text), (1...1024).contains(count) else {
      throw ValidationError("threads '\(text)': must be a number from 1 to 1024, or all")
    }
    return count
  }

  /// A number of bytes, or of 1024, 1024² or 1024³ of them, as in `256M`.
  static func bytes(_ text: String) throws -> Int {
    let powers: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let power = text.last.flatMap { powers[$0] }
    guard let count = Int(power == nil ? text : String(text.dropLast())), count > 0,
      count <= Int.max >> (power ?? 0)
    else {
      throw ValidationError("memory '\(text)': must be a number of bytes, or one with K, M or G, as in 256M")
    }
    return count << (power ?? 0)
  }

  static func edge(_ text: String) throws -> EdgeMode {
    try chosen(text, "edge mode", from: EdgeMode.all, named: \.name)
  }

  static func instructionSet(_ text: String) throws -> InstructionSet {
    let set = try chosen(text, "instruction set", from: InstructionSet.allCases, named: \.name)
    guard set.isAvailable else { throw BlurError.unavailable(set) }
    return set
  }
}
