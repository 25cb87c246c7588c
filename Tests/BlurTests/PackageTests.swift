import Blur
import BlurWisdom
import Foundation
import TestSupport
import Testing

@Suite("The library as a dependency of another package", .tags(.packages), .slow)
struct PackageTests {
  /// Builds and runs the programs that README and the documentation show. They belong to a package in another
  /// folder that depends on a version of this package, and not on its path.
  @Test(
    "Programs that depend on a version run as the pages show, and fetch nothing else",
    .timeLimit(.minutes(30)))
  func version() throws {
    // The folder of these programs is outside the repository. It is kept from one test run to the next,
    // because in a new folder the library would have to be compiled again.
    let folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-dependent")
    try? FileManager.default.removeItem(at: folder.appending(path: "Sources"))
    let library = folder.appending(path: "BlurBench")
    // SwiftPM remembers the versions of packages in these files and folders. It reports an error if a tag has
    // moved since then, so they are removed.
    for path in [
      "Package.resolved", ".build/checkouts", ".build/repositories", ".build/workspace-state.json",
    ] {
      try? FileManager.default.removeItem(at: folder.appending(path: path))
    }
    let pages = ["README.md", "Sources/Blur/Blur.docc/Blur.md", "Sources/Blur/Blur.docc/ChoosingABlur.md"]
    var shown = try pages.map { try Self.program(of: $0) }
    let dependency = try Self.dependency(of: shown[0])
    #expect(try Self.dependency(of: shown[1]) == dependency)
    shown[2] = Self.prelude + shown[2] + Self.tileCheck
    try Self.tag(library, Self.version)
    try Self.manifest(library, dependency, pages: shown.count).write(
      to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    let programs = ["soften", "core"].map { ($0, Self.program) }
    for (name, program) in programs + shown.enumerated().map({ ("page\($0)", $1) }) {
      let sources = folder.appending(path: "Sources/\(name)")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      try program.write(to: sources.appending(path: "main.swift"), atomically: true, encoding: .utf8)
    }
    // The programs are built as a reader of the pages would build them, except that the inner loops may be
    // rolled. So the variable that changes how the library is compiled for tests is removed.
    _ = try Program.output(
      ["env", "-u", "BLURBENCH_TESTS"] + Tiers.buildWithAllLoops
        + ["swift", "build", "--quiet", "--disable-dependency-cache"],
      in: folder)
    func run(_ name: String, wisdom: String = "none") throws -> String {
      try Program.output(["env", "BLUR_WISDOM=\(wisdom)", ".build/debug/\(name)"], in: folder)
    }
    let lines = try run("soften").split(separator: "\n")
    #expect(lines.dropLast().last == "0 255 \(Self.widest) \(Self.widest)", "\(lines)")
    #expect(lines.last?.hasSuffix("estimate") == true, "\(lines)")
    // The program of README prints the choice of the kernel.
    let choice = try run("page0")
    #expect(choice.contains("(\(Self.widest))") && choice.contains(" ms"), "\(choice)")
    _ = try run("page1")
    let last = try run("page2").split(separator: "\n")
    #expect(last.last == "tiles as the whole: true" && last.contains("1.0"), "\(last)")
    _ = try run("core")
    // The programs `soften` and `core` have the same source, and import only Blur. A wisdom file stores
    // measured times of kernels. `soften` uses this file, but `core` cannot, because it is linked without the
    // module that reads wisdom.
    let file = folder.appending(path: "wisdom.json").path
    try WisdomFile.write(try Self.wisdom(of: "separable"), to: file)
    for (name, basis) in [("soften", "separable measured time"), ("core", " estimate")] {
      let advised = try run(name, wisdom: file)
      #expect(advised.split(separator: "\n").last?.hasSuffix(basis) == true, "\(advised)")
    }
    let fetched = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.build/checkouts")
    #expect(fetched == ["BlurBench"])
  }

  /// Returns a program of all Swift blocks in a page. Each block sees the declarations of the blocks before
  /// it, and may redeclare them.
  private static func program(of page: String) throws -> String {
    let text = try String(contentsOf: Program.package.appending(path: page), encoding: .utf8)
    let blocks = text.matches(of: /```swift\n(.*?)```/.dotMatchesNewlines()).map { $0.1 }
    try #require(!blocks.isEmpty, "\(page)")
    let program = blocks.joined(separator: "do {\n") + String(repeating: "}\n", count: blocks.count - 1)
    // Imports must be at the top of the file.
    let lines = program.split(separator: "\n")
    let imports = lines.filter { $0.hasPrefix("import ") }
    return (imports + lines.filter { !$0.hasPrefix("import ") }).map { $0 + "\n" }.joined()
  }

  /// The parts of a page's example manifest that add this package to a program: the options of the package
  /// dependency, and the product that the program uses.
  private struct Dependency: Equatable {
    let options: String, product: String
  }

  private static func dependency(of program: String) throws -> Dependency {
    let package = try #require(
      program.firstMatch(of: /\.package\(name: "BlurBench", path: "[^"]*"(.*?)\)/), "\(program)")
    let product = try #require(program.firstMatch(of: /\.product\(.*?\)/), "\(program)")
    return Dependency(options: String(package.1), product: String(product.0))
  }

  private static let version = "0.1.0"

  /// Returns wisdom that claims a time of 1 ns for this kernel and the image of the program. In reality, the
  /// kernel is never the fastest.
  static func wisdom(of kernel: String) throws -> Wisdom {
    let problem = MeasuredProblem(
      try ImageLayout(.gray8, width: 64, height: 4), sigma: try Sigma(3), edge: .mirror, threads: 1)
    return Wisdom(
      .current, date: "2026-01-02T03:04:05Z",
      problems: [Wisdom.Problem(problem, times: [Wisdom.Time(kernel: kernel, isa: "baseline", ns: 1)])])
  }

  /// The widest instruction set that the built programs have on this CPU, by the system's own list.
  static var widest: String {
    let list = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let flags = list.split(separator: "\n").first { $0.hasPrefix("flags") }
    guard let flags = flags.map({ Set($0.split(separator: " ")) }) else { return InstructionSet.best.name }
    if flags.isSuperset(of: ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]) { return "avx512" }
    return flags.isSuperset(of: ["avx2", "fma"]) ? "avx2" : "baseline"
  }

  /// Makes a repository of all files that git tracks here, with their current contents, and adds a tag to it.
  private static func tag(_ repository: URL, _ version: String) throws {
    try? FileManager.default.removeItem(at: repository)
    try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
    let copy = """
      set -eu
      git -C "$0" ls-files -z | tar -C "$0" --null --files-from - --create | tar --extract
      git init --quiet
      git add --all
      git -c user.name=test -c user.email= -c commit.gpgSign=false commit --quiet --message copy
      git tag \(version)
      """
    _ = try Program.output(["bash", "-c", copy, Program.package.path], in: repository)
  }

  private static func manifest(_ repository: URL, _ dependency: Dependency, pages: Int) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "soften",
      dependencies: [
        .package(url: "file://\(repository.path)", from: "\(version)"\(dependency.options))
      ],
      targets: (["soften"] + (0..<\(pages)).map { "page\\($0)" }).map {
        .executableTarget(name: $0, dependencies: [\(dependency.product)])
      } + [
        .executableTarget(name: "core", dependencies: [.product(name: "BlurCore", package: "BlurBench")])
      ])
    """
  }

  /// Declarations that the page about tiles takes for granted and does not show.
  private static let prelude = """
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4732 * 2556, alignment: 1)
    let out = UnsafeMutableRawBufferPointer.allocate(byteCount: 4716 * 162, alignment: 1)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let screen = UnsafeRawBufferPointer(memory)
    let path = "wisdom-of-page.json"

    """

  /// Code that is appended to the program of the page about tiles. It compares the tiles with the whole
  /// image.
  private static let tileCheck = """
    var all = try Image(layout)
    try plan.blur(image, into: &all)
    print("tiles as the whole:", all.bytes == tiled.bytes)

    """

  /// A program that blurs a step from black to white. The ends far from the step must stay black and white.
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
      print(view.unsafeBase.load(as: UInt8.self), view.unsafeBase.load(fromByteOffset: 63, as: UInt8.self),
        InstructionSet.best.name, kernel.instructionSet(upTo: .avx512).name)
    }
    let chosen = try BlurPlan(for: layout, sigma: 3, edge: .mirror)
    if let choice = chosen.choice { print(choice.kernel.name, choice.basis.rawValue) }
    """
}
