import Blur
import BlurText

/// A list of all names that the command line accepts, and a description of what each kernel supports.
public struct KernelListing: Encodable, Sendable {
  /// A kernel and a description of what it supports.
  private struct Support: Encodable {
    let name: String
    let summary: String
    let promise: String
    let instructionSets: [String]
    let worksInPlace: Bool
    /// For each format and each edge mode, the reason why the kernel refuses it, or an empty string if it is
    /// supported.
    let formats: [String: String]
    let edges: [String: String]

    init(_ kernel: Kernel) {
      name = kernel.name
      summary = kernel.summary
      promise = kernel.promise.description
      instructionSets = kernel.instructionSets.map(\.name)
      worksInPlace = kernel.worksInPlace
      let (formats, edges) = (PixelFormat.allCases, EdgeMode.allCases)
      self.formats = Self.reasons(formats.map { f in (f.rawValue, edges.map { (f, $0) }) }, kernel)
      self.edges = Self.reasons(edges.map { edge in (edge.name, formats.map { ($0, edge) }) }, kernel)
    }

    /// Returns, for each format or for each edge mode, the reason why the kernel refuses it. The reason is an
    /// empty string if a format works with at least one edge mode, or an edge mode with at least one format.
    private static func reasons(
      _ tried: [(name: String, combinations: [(PixelFormat, EdgeMode)])], _ kernel: Kernel
    ) -> [String: String] {
      var byName: [String: String] = [:]
      for (name, combinations) in tried {
        let reasons = combinations.map { format, edge in reason(kernel, format, edge) }
        byName[name] = reasons.contains("") ? "" : reasons[0]
      }
      return byName
    }

    private static func reason(_ kernel: Kernel, _ format: PixelFormat, _ edge: EdgeMode) -> String {
      do throws(BlurError) {
        let layout = try ImageLayout(format, width: 16, height: 16)
        let parameters = BlurParameters(sigma: try Sigma(2), edge: edge)
        return kernel.planningError(of: parameters, for: layout)?.description ?? ""
      } catch {
        return error.description
      }
    }

    /// Returns the formats or edge modes that the kernel supports, separated by commas, or nil if it supports
    /// all of them.
    ///
    /// - Parameters:
    ///   - reasons: The reason why the kernel refuses each format or edge mode, or an empty string if it is
    ///     supported.
    ///   - names: The names of all formats or edge modes.
    func exception(_ reasons: [String: String], of names: [String]) -> String? {
      let supported = names.filter { reasons[$0] == "" }
      return supported.count == names.count ? nil : supported.joined(separator: ", ")
    }
  }

  private let kernels: [Support]
  let instructionSets = InstructionSet.allCases.map(\.name)
  let availableInstructionSets = InstructionSet.available.map(\.name)
  let formats = PixelFormat.allCases.map(\.rawValue)
  let edges = EdgeMode.allCases.map(\.name)
  let suites: [String]

  /// Creates a list that describes the given kernels. It also contains the names of the given benchmark
  /// suites.
  public init(_ kernels: [Kernel], suites: [String]) {
    self.kernels = kernels.map(Support.init)
    self.suites = suites
  }

  /// Returns the list as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }

  /// A CSV table with a header line and a line for each kernel.
  public var csv: String {
    let support = formats.map { name in Column<Support>(name) { $0.formats[name] == "" ? "yes" : "no" } }
    let continued = edges.map { name in Column<Support>(name) { $0.edges[name] == "" ? "yes" : "no" } }
    let start = Self.columns("instruction_sets")
    return Table(start + support + continued + [Column<Support>("summary") { $0.summary }]).csv(kernels)
  }

  private static func columns(_ instructionSets: String) -> [Column<Support>] {
    [
      Column("kernel") { $0.name }, Column("promise") { $0.promise },
      Column(instructionSets) { $0.instructionSets.joined(separator: " ") },
    ]
  }

  /// The list as plain text, including a table of the kernels.
  public var text: String {
    let table = Table(Self.columns("instruction sets") + [Column<Support>("description") { $0.summary }])
    let sets = instructionSets.map {
      $0 + (availableInstructionSets.contains($0) ? "" : " (not on this CPU)")
    }
    return """
      \(table.text(kernels))

      formats           \(formats.joined(separator: ", "))
      edge modes        \(edges.joined(separator: ", "))
      All kernels support these formats and edge modes, \(exceptions)

      instruction sets  \(sets.joined(separator: ", "))
      suites            \(suites.joined(separator: ", "))

      """
  }

  /// A description of the formats and edge modes that not every kernel supports.
  private var exceptions: String {
    let lines = kernels.compactMap { kernel -> String? in
      let parts = [kernel.exception(kernel.formats, of: formats), kernel.exception(kernel.edges, of: edges)]
      let said = parts.compactMap(\.self).joined(separator: "; ")
      return said.isEmpty ? nil : "  \(kernel.name): supports only \(said)"
    }
    let inPlace = kernels.filter(\.worksInPlace).map(\.name)
    let place = inPlace.isEmpty ? "No kernel works in place" : "Kernels that work in place: \(inPlace.listed)"
    return (lines.isEmpty ? ["without exception"] : ["except"] + lines).joined(separator: "\n") + "\n" + place
  }
}
