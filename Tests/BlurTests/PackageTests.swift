import Blur
import BlurWisdom
import Foundation
import Testing
import Tiers

@Suite("The library from another package", .tags(.packages), .onlyInAll)
struct PackageTests {
  /// What README shows: a package elsewhere names a version of this one, imports Blur, and runs.
  @Test(
    "A program that depends on a version has all instruction sets, blurs, and fetches nothing else",
    .timeLimit(.minutes(30)))
  func version() throws {
    // Kept from one run of the tests to the next, for the library is compiled anew in it.
    let folder = Self.package.appending(path: ".build/dependent")
    let library = folder.appending(path: "BlurBench")
    try Self.tag(library)
    let sources = folder.appending(path: "Sources/soften")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    // A tag that moved is refused where it is remembered.
    for path in [
      "Package.resolved", ".build/checkouts", ".build/repositories", ".build/workspace-state.json",
    ] {
      try? FileManager.default.removeItem(at: folder.appending(path: path))
    }
    try Self.manifest(library).write(
      to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    try Self.program.write(to: sources.appending(path: "main.swift"), atomically: true, encoding: .utf8)
    // As its reader builds it: the variable changes how the library is compiled for tests.
    let output = try Tool.run(
      "env",
      [
        "-u", "BLURBENCH_TESTS", "BLUR_WISDOM=none", "swift", "run", "--quiet", "--disable-dependency-cache",
        "soften",
      ],
      in: folder)
    let lines = output.split(separator: "\n")
    #expect(lines.dropLast().last == "0 255 \(Self.widest) \(Self.widest)", "\(output)")
    #expect(lines.last?.hasSuffix("estimate") == true, "\(output)")
    // The same program follows wisdom, although it imports nothing but Blur.
    let file = folder.appending(path: "wisdom.json").path
    try WisdomFile.write(try Self.wisdom(of: "separable"), to: file)
    let program = folder.appending(path: ".build/debug/soften").path
    let advised = try Tool.run("env", ["BLUR_WISDOM=\(file)", program], in: folder)
    #expect(advised.split(separator: "\n").last == "separable measured time", "\(advised)")
    let fetched = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.build/checkouts")
    #expect(fetched == ["BlurBench"])
  }

  /// Says that a kernel which is never the fastest blurs the program's image in no time.
  static func wisdom(of kernel: String) throws -> Wisdom {
    let problem = MeasuredProblem(
      try ImageLayout(.gray8, width: 64, height: 4), sigma: try Sigma(3), edge: .mirror, threads: 1)
    return Wisdom(
      .current, date: "2026-01-02T03:04:05Z",
      problems: [Wisdom.Problem(problem, times: [Wisdom.Time(kernel: kernel, isa: "baseline", ns: 1)])])
  }

  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The widest instruction set of this CPU, by the system's own list.
  static var widest: String {
    let list = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let flags = list.split(separator: "\n").first { $0.hasPrefix("flags") }
    guard let flags = flags.map({ Set($0.split(separator: " ")) }) else { return InstructionSet.best.name }
    if flags.isSuperset(of: ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]) { return "avx512" }
    return flags.isSuperset(of: ["avx2", "fma"]) ? "avx2" : "baseline"
  }

  /// A repository of the files that git tracks here, as they are now, with a tag.
  static func tag(_ repository: URL) throws {
    try? FileManager.default.removeItem(at: repository)
    try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
    let copy = """
      set -eu
      git -C "$0" ls-files -z | tar -C "$0" --null --files-from - --create | tar --extract
      git init --quiet
      git add --all
      git -c user.name=test -c user.email= -c commit.gpgSign=false commit --quiet --message copy
      git tag 1.0.0
      """
    _ = try Tool.run("bash", ["-c", copy, package.path], in: repository)
  }

  static func manifest(_ repository: URL) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "soften",
      dependencies: [.package(url: "file://\(repository.path)", from: "1.0.0", traits: [])],
      targets: [
        .executableTarget(name: "soften", dependencies: [.product(name: "Blur", package: "BlurBench")])
      ])
    """
  }

  /// Blurs a step from black to white; its far ends must stay black and white.
  static let program = """
    import Blur
    let layout = try ImageLayout(.gray8, width: 64, height: 4)
    let step = (0..<4).flatMap { _ in (0..<64).map { UInt8($0 < 32 ? 0 : 255) } }
    let image = try Image(layout, copying: step.span.bytes)
    let kernel = try Registry.kernel(named: "simd")
    let plan = try BlurPlan(kernel, for: layout, BlurParameters(sigma: Sigma(3), edge: .mirror))
    var result = try Image(layout)
    try plan.blur(image, into: &result)
    result.withView { view in
      print(view.base.load(as: UInt8.self), view.base.load(fromByteOffset: 63, as: UInt8.self),
        InstructionSet.best.name, kernel.instructionSet(upTo: .avx512).name)
    }
    let chosen = try BlurPlan(for: layout, sigma: 3, edge: .mirror)
    if let choice = chosen.choice { print(choice.kernel.name, choice.basis.rawValue) }
    """
}
