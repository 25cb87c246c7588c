import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// `blurbench list`: what there is.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List kernels, formats, edge modes, instruction sets and suites, and what each kernel supports."
  )

  @Option(help: "Only these kernels, by name.") var kernel: String?
  @OptionGroup var foreign: ForeignOptions
  @Flag(help: "List the interface scenes and devices instead, and what each scene stands for.")
  var scenes = false
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print the kernels as CSV.") var csv = false

  func validate() throws {
    if !foreign.isGiven { _ = try kernels }
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    if scenes && (csv || kernel != nil || foreign.isGiven) {
      throw ValidationError("--scenes goes with --json alone")
    }
  }

  func run() throws {
    if scenes {
      let listing = SceneListing()
      return print(json ? try JSONDocument.text(of: listing) : listing.text + "\n", terminator: "")
    }
    let listing = Listing(kernels: try kernels.map(Listing.Entry.init))
    print(json ? try listing.json() : (csv ? listing.csv : listing.text) + "\n", terminator: "")
  }

  private var kernels: [Kernel] {
    get throws {
      let all = try Registry.kernels + foreign.described().map(\.elsewhere)
      return try Words.kernels(kernel, from: all)
    }
  }
}

/// Everything that can be named on the command line.
private struct Listing: Encodable {
  /// A kernel and what it supports.
  struct Entry: Encodable {
    let name: String
    let summary: String
    let promise: String
    let instructionSets: [String]
    let worksInPlace: Bool
    /// For each format and edge mode why it is refused, or an empty text where it is supported.
    let formats: [String: String]
    let edges: [String: String]

    init(_ kernel: Kernel) {
      name = kernel.name
      summary = kernel.summary
      promise = kernel.promise.description
      instructionSets = kernel.instructionSets.map(\.name)
      worksInPlace = kernel.worksInPlace
      let (formats, edges) = (PixelFormat.allCases, EdgeMode.all)
      self.formats = Self.refusals(formats.map { f in (f.rawValue, edges.map { (f, $0) }) }, kernel)
      self.edges = Self.refusals(edges.map { edge in (edge.name, formats.map { ($0, edge) }) }, kernel)
    }

    /// For each name why all of its combinations are refused, or an empty text where one is not.
    private static func refusals(
      _ tried: [(name: String, combinations: [(PixelFormat, EdgeMode)])], _ kernel: Kernel
    ) -> [String: String] {
      var refusals: [String: String] = [:]
      for (name, combinations) in tried {
        let reasons = combinations.map { format, edge in refusal(kernel, format, edge) }
        refusals[name] = reasons.contains("") ? "" : reasons[0]
      }
      return refusals
    }

    private static func refusal(_ kernel: Kernel, _ format: PixelFormat, _ edge: EdgeMode) -> String {
      do throws(BlurError) {
        let layout = try ImageLayout(format, width: 16, height: 16)
        let parameters = BlurParameters(sigma: try Sigma(2), edge: edge)
        return kernel.refusal(of: parameters, for: layout)?.description ?? ""
      } catch {
        return error.description
      }
    }
  }

  let kernels: [Entry]
  let instructionSets = InstructionSet.allCases.map(\.name)
  let availableInstructionSets = InstructionSet.available.map(\.name)
  let formats = PixelFormat.allCases.map(\.rawValue)
  let edges = EdgeMode.all.map(\.name)
  let suites = SuiteFiles().names

  func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  var csv: String {
    let lines = kernels.map { kernel in
      let support = formats.map { kernel.formats[$0] == "" ? "yes" : "no" }
      let continued = edges.map { kernel.edges[$0] == "" ? "yes" : "no" }
      return [kernel.name, kernel.promise, kernel.instructionSets.joined(separator: " ")] + support
        + continued
        + [kernel.summary]
    }
    return ([["kernel", "promise", "instruction_sets"] + formats + edges + ["summary"]] + lines)
      .map { $0.map(CSVField.quoted).joined(separator: ",") }.joined(separator: "\n")
  }

  var text: String {
    let about = [["kernel", "promise", "instruction sets", "what it is"]]
    let lines = kernels.map { [$0.name, $0.promise, $0.instructionSets.joined(separator: " "), $0.summary] }
    let sets = instructionSets.map {
      $0 + (availableInstructionSets.contains($0) ? "" : " (not on this CPU)")
    }
    return """
      \(TextTable.aligned(about + lines))

      \(matrix)

      instruction sets  \(sets.joined(separator: ", "))
      suites            \(suites.isEmpty ? "none found here or above" : suites.joined(separator: ", "))
      """
  }

  /// Kernels × formats and edge modes, and the reasons of what is refused.
  private var matrix: String {
    let marks = kernels.map { kernel in
      [kernel.name] + formats.map { kernel.formats[$0] == "" ? "yes" : "-" }
        + edges.map { kernel.edges[$0] == "" ? "yes" : "-" } + [kernel.worksInPlace ? "yes" : "-"]
    }
    let reasons = kernels.flatMap { kernel in
      (Array(kernel.formats.values) + kernel.edges.values).filter { !$0.isEmpty }.sorted()
    }
    let table = TextTable.aligned([["supports"] + formats + edges + ["in place"]] + marks)
    return ([table] + reasons).joined(separator: "\n")
  }
}
