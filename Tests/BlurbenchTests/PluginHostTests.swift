import Foundation
import TestSupport
import Testing

@Suite(
  "The small host for plug-ins",
  .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc)"))
struct PluginHostTests {
  /// A tool that watches the host. Its recipe is a command in docs/KERNEL-AUTHORS.md.
  enum Tool: String {
    case address = "-fsanitize=address"
    case thread = "-fsanitize=thread"
    case valgrind

    /// Whether the tool is installed, and a program can run under it.
    private var isAvailable: Bool {
      if self == .valgrind { return Program.exists(rawValue) }
      let run = try? Scratch.path { program in
        try Program(
          ["sh", "-c", "cc \(rawValue) -x c - -o \(program.path) && \(launcher)\(program.path)"],
          input: Data("int main(void) { return 0; }\n".utf8))
      }
      return run?.code == 0
    }

    /// Words in front of the host's name. ThreadSanitizer fails now and then where addresses are very random.
    var launcher: String { self == .thread && Self.canFixAddresses ? "setarch -R " : "" }

    private static let canFixAddresses = (try? Program(["setarch", "-R", "true"]).code) == 0
    private static let available = Set([address, thread, valgrind].filter { $0.isAvailable })

    /// Leaves out a test if the tool is missing.
    var isRequired: ConditionTrait {
      .enabled(if: Self.available.contains(self), "cc or this system lacks \(rawValue)")
    }
  }

  /// Builds the host with a plug-in and runs it, as the documentation says. If `tool` is nil, the host runs
  /// by itself.
  private static func run(_ plugin: String, under tool: Tool?) throws -> Program {
    let page = try String(
      contentsOf: Program.package.appending(path: "docs/KERNEL-AUTHORS.md"), encoding: .utf8)
    let lines = page.split(separator: "\n").filter {
      $0.contains("/host.c ") || $0.hasPrefix("cc $flags -o host ")
    }
    try #require(lines.count == 4)
    let recipe = try #require(lines.first { $0.contains((tool ?? .valgrind).rawValue) })
    let flags = try #require(lines.first { $0.hasPrefix("flags=") })
    // The comment at the top of the host has the same commands.
    let host = try String(
      contentsOf: Program.package.appending(path: Self.template("host.c")), encoding: .utf8)
    #expect(lines.allSatisfy { host.contains(" *   \($0)\n") }, "\(lines)")
    return try Scratch.folder { folder in
      let command = tool == nil ? recipe.replacing("valgrind -q --error-exitcode=1 ", with: "") : recipe[...]
      let words = command.replacing("-o host", with: "-o \(folder.path)/host")
        .replacing("./host", with: "\(tool?.launcher ?? "")\(folder.path)/host")
      return try Program(
        ["sh", "-c", "\(flags.replacing(Self.template("template.c"), with: plugin))\n\(words)"])
    }
  }

  private static func template(_ name: String) -> String { "Bench/Peers/Template/\(name)" }

  /// Checks that the C template passes, and that the tool reports a change of it that is a mistake.
  ///
  /// - Parameters:
  ///   - right: A text that occurs once in the template.
  ///   - wrong: The text that replaces it.
  ///   - report: A text that the tool prints.
  private func check(_ tool: Tool?, _ right: String, _ wrong: String, _ report: String) throws {
    let source = try String(
      contentsOf: Program.package.appending(path: Self.template("template.c")), encoding: .utf8)
    try #require(source.ranges(of: right).count == 1)
    try Scratch.path(".c") { changed in
      try source.replacing(right, with: wrong).write(to: changed, atomically: true, encoding: .utf8)
      let run = try Self.run(changed.path, under: tool)
      #expect(run.code != 0 && run.errors.contains(report), "\(run.code): \(run.printed)")
      #expect(run.output.contains("template-gaussian gray8 clamp\n"))
    }
  }

  private func passes(_ tool: Tool) throws {
    let run = try Self.run(Self.template("template.c"), under: tool)
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    let last = try #require(run.output.split(separator: "\n").last)
    #expect(last.contains(/^[1-9]\d* blurs, 0 mistakes$/), "\(run.output)")
  }

  @Test(
    "AddressSanitizer reports one byte beyond the source or beyond the plan's memory, and a leak",
    Tool.address.isRequired,
    arguments: [
      ("* line[x];", "* (line[x] + line[x + 1]) / 2;", "caused by a READ memory access"),
      ("channels * sizeof(float)", "channels * sizeof(float) - 1", "heap-buffer-overflow"),
      ("  free(plan->row);\n", "", "detected memory leaks"),
    ])
  func address(right: String, wrong: String, report: String) throws {
    try check(.address, right, wrong, report)
  }

  @Test(
    "AddressSanitizer and ThreadSanitizer accept the template", Tool.address.isRequired,
    Tool.thread.isRequired)
  func accepted() throws {
    try passes(.address)
    try passes(.thread)
  }

  @Test(
    "ThreadSanitizer reports memory that two plans share, and threads of a kernel without a lock",
    Tool.thread.isRequired)
  func thread() throws {
    try check(
      .thread, "float *row = plan->row +", "static float shared[4096];\n  float *row = shared +", "data race")
    let run = try Self.run("Tests/BlurbenchTests/Fixtures/racing.c", under: .thread)
    #expect(run.code != 0 && run.errors.contains("data race"), "\(run.code): \(run.printed)")
  }

  @Test(
    "valgrind accepts the template, and reports that a kernel uses uninitialised memory",
    Tool.valgrind.isRequired)
  func valgrind() throws {
    try passes(.valgrind)
    try check(
      .valgrind, "for (int64_t x = 0; x < count; x++) row[x] = 0;", "", "depends on uninitialised value")
  }

  @Test(
    "The host alone reports a kernel that uses or overwrites the padding between rows",
    arguments: [
      ("* line[x];", "* line[x + (plan->height > 1 && y + i + 1 < plan->height)];", "same image differ"),
      ("x < count; x++) {", "x < count + (y + 1 < plan->height); x++) {", "wrote outside the rows"),
    ])
  func padding(right: String, wrong: String, report: String) throws {
    try check(nil, right, wrong, report)
  }
}
