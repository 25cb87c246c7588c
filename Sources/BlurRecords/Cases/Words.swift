import Blur
import BlurText
import Foundation

/// A word of a suite file or of the command line that cannot be read, and what is allowed.
package struct Unreadable: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  /// A name that is not among those known.
  package init(unknown kind: String, _ name: String, among names: [String]) {
    let nearest = NameDistance.nearest(to: name, in: names).map { ", did you mean '\($0)'?" } ?? ""
    reason = "no \(kind) is called '\(name)'\(nearest) (known: \(names.listed))"
  }
}

/// Reads the words of suites and command lines, one function for each list.
struct Words {
  /// The names of the kernels that exist.
  let kernels: [String]
  var catalog = SceneCatalog.none

  func scene(_ text: String) throws(Unreadable) -> String {
    if catalog.scenes.contains(text) { return text }
    throw Unreadable(unknown: "scene", text, among: catalog.scenes)
  }

  func device(_ text: String) throws(Unreadable) -> String {
    if catalog.devices.contains(text) { return text }
    throw Unreadable(unknown: "device", text, among: catalog.devices)
  }

  func kernel(_ text: String) throws(Unreadable) -> String {
    guard kernels.contains(text) || text == Suite.plugins else {
      throw Unreadable(unknown: "kernel", text, among: kernels)
    }
    return text
  }

  func format(_ text: String) throws(Unreadable) -> PixelFormat {
    if let format = PixelFormat(rawValue: text) { return format }
    throw Unreadable(unknown: "format", text, among: PixelFormat.allCases.map(\.rawValue))
  }

  func edge(_ text: String) throws(Unreadable) -> EdgeMode {
    if let edge = EdgeMode(name: text) { return edge }
    throw Unreadable(unknown: "edge mode", text, among: EdgeMode.all.map(\.name))
  }

  func isa(_ text: String) throws(Unreadable) -> InstructionSetChoice {
    if let choice = InstructionSetChoice(text) { return choice }
    throw Unreadable(unknown: "instruction set", text, among: InstructionSetChoice.names)
  }

  func threads(_ text: String) throws(Unreadable) -> ThreadChoice {
    if let choice = ThreadChoice(text) { return choice }
    throw Unreadable("threads '\(text)': must be a number from 1 to 1024, or all")
  }

  func sigma(_ text: String) throws(Unreadable) -> Double {
    guard let sigma = Double(text) else { throw Unreadable("sigma '\(text)': must be a number") }
    do { _ = try Sigma(sigma) } catch { throw Unreadable("\(error)") }
    return sigma
  }

  func size(_ text: String) throws(Unreadable) -> Size {
    guard let size = Size(text) else {
      throw Unreadable(
        "size '\(text)': must be WxH in pixels, or WxH+P with P bytes of padding after each row")
    }
    do { _ = try size.layout(.rgbaf32) } catch { throw Unreadable("\(error)") }
    return size
  }
}

/// Lists of the command line that take the place of those in a suite; nil leaves the suite's.
public struct Overrides: Equatable, Sendable {
  public var kernels: [String]?
  public var isas: [InstructionSetChoice]?
  public var threads: [ThreadChoice]?
  public var formats: [PixelFormat]?
  public var sizes: [Size]?
  public var sigmas: [Double]?
  public var edges: [EdgeMode]?
  public var scenes: [String]?
  public var devices: [String]?

  /// Reads comma-separated lists, by the name of the option: `["sigma": "1,2.5"]`.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` that names the option and the word.
  public init(
    _ lists: [String: String], kernels known: [String], catalog: SceneCatalog = .none
  ) throws(MeasurementError) {
    let words = Words(kernels: known, catalog: catalog)
    if let list = ["scene", "device"].first(where: { lists[$0] != nil }), catalog.scenes.isEmpty {
      throw .usage("--\(list): no scenes are measured here")
    }
    let list = { (option: String) in lists[option].map { OptionList(option: option, text: $0) } }
    kernels = try list("kernel")?.read(all: known, words.kernel)
    isas = try list("isa")?.read(words.isa)
    threads = try list("threads")?.read(words.threads)
    formats = try list("format")?.read(all: PixelFormat.allCases, words.format)
    sizes = try list("size")?.read(words.size)
    sigmas = try list("sigma")?.read(words.sigma)
    edges = try list("edge")?.read(all: EdgeMode.all, words.edge)
    scenes = try list("scene")?.read(all: catalog.scenes, words.scene)
    devices = try list("device")?.read(all: catalog.devices, words.device)
  }
}

/// One comma-separated list of the command line.
private struct OptionList {
  let option: String
  let text: String

  /// Reads each word; `all` stands for every value where there are so many.
  func read<Value>(
    all: [Value]? = nil, _ word: (String) throws(Unreadable) -> Value
  ) throws(MeasurementError) -> [Value] {
    if let all, text == "all" { return all }
    let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !words.isEmpty else { throw .usage("--\(option): the list is empty") }
    return try words.map { (text) throws(MeasurementError) in
      do throws(Unreadable) { return try word(text) } catch { throw .usage("--\(option): \(error.reason)") }
    }
  }
}

extension Suite {
  /// The suite with the given lists instead of its own, in each of its products.
  public func overridden(by lists: Overrides) -> Suite {
    var suite = self
    suite.entries = entries.map { entry in
      var new = Entry(
        kernels: lists.kernels ?? entry.kernels, formats: lists.formats ?? entry.formats,
        sizes: lists.sizes ?? entry.sizes, sigmas: lists.sigmas ?? entry.sigmas,
        edges: lists.edges ?? entry.edges, threads: lists.threads ?? entry.threads,
        isas: lists.isas ?? entry.isas)
      if !entry.scenes.isEmpty {
        new.scenes = lists.scenes ?? entry.scenes
        new.devices = lists.devices ?? entry.devices
      }
      return new
    }
    return suite
  }
}
