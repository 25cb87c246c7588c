import Blur
import BlurVerification
import Foundation
import TestSupport
import Testing

/// Tests of the library as the scripts install it. Programs use it from empty folders, with the commands that
/// docs/LIBRARY.md gives.
@Suite("The installed library", .tags(.packages), .slow, .serialized)
struct InstallTests {
  private static let examples = Program.package.appending(path: "docs/Examples")

  @Test(
    "Programs built with the documented commands and with CMake give the Swift library's exact results",
    .enabled(
      if: ["cc", "c++", "pkg-config", "cmake", "python3"].allSatisfy(Program.exists),
      "cc, c++, pkg-config, cmake or python3 is not installed"),
    .timeLimit(.minutes(20)))
  func programs() throws {
    try Scratch.folder { folder in
      try Self.run([Program.package.appending(path: "Bench/install-library").path, "prefix"], in: folder)
      let source = folder.appending(path: "source")
      try FileManager.default.copyItem(at: Self.examples.appending(path: "C"), to: source)
      let prefix = folder.appending(path: "prefix").path
      let mine = folder.appending(path: "mine")
      try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: source.appending(path: "blur.c"), to: mine.appending(path: "blur.c"))
      let commands = try Self.commands().replacing("~/.local", with: prefix)
      try CLibraryTests.block("cpp").write(
        to: mine.appending(path: "soften.cpp"), atomically: true, encoding: .utf8)
      try Self.run(["sh", "-ec", commands], in: mine)
      let softened = try Program([mine.appending(path: "soften").path])
      #expect(softened.printed == (try CLibraryTests.softened()), "\(softened.code)")
      let options = ["-DCMAKE_PREFIX_PATH=\(prefix)", "-DCMAKE_BUILD_TYPE=Release"]
      try Self.run(Self.cmake + ["-S", "source", "-B", "cmake"] + options, in: folder)
      try Self.run(Self.cmake + ["--build", "cmake"], in: folder)

      let image = try TestImage.noise.image(ImageLayout(.gray8, width: 61, height: 47), seed: 5)
      try image.netpbm.write(to: folder.appending(path: "in"))
      for program in ["mine/blur", "cmake/blur"] {
        try Self.run([folder.appending(path: program).path, "in", "out", "3"], in: folder)
        #expect(try Data(contentsOf: folder.appending(path: "out")) == image.blurred(sigma: 3).netpbm)
      }
    }
  }

  /// Returns the build commands of docs/LIBRARY.md: the code block with the commands for C, then the code
  /// block with the command for C++.
  private static func commands() throws -> String {
    let page = try String(
      contentsOf: Program.package.appending(path: "docs/LIBRARY.md"), encoding: .utf8)
    let c = try #require(page.firstMatch(of: /\n```\n([^`]*cc blur\.c[^`]*)\n```/))
    let cxx = try #require(page.firstMatch(of: /\n```\n(c\+\+ [^`]*soften\.cpp[^`]*)\n```/))
    return "\(c.1)\n\(cxx.1)\n"
  }

  /// The words that start CMake with no signal blocked. Threads of Swift tests block all signals, and a child
  /// process inherits the blocked signals, but CMake waits for signals from its own child processes.
  private static let cmake = [
    "python3", "-c",
    """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp('cmake', ['cmake'] + sys.argv[1:])
    """,
  ]

  /// Debian's Python. Its packages can build wheels without network access.
  private static let python = "/usr/bin/python3"
  private static let canBuildWheels =
    (try? Program([python, "-c", "import ensurepip, setuptools, wheel, numpy"]).code) == 0

  @Test(
    "pip installs the package together with the library",
    .enabled(
      if: canBuildWheels,
      "a package is missing: python3-venv, python3-setuptools, python3-wheel or python3-numpy"),
    .timeLimit(.minutes(20)))
  func wheel() throws {
    try Scratch.folder { folder in
      try Self.installPackage(in: folder)
      // The code block comes from docs/LIBRARY.md. It runs in a folder without the package's sources.
      let page = try CLibraryTests.block("python")
      let check = "assert soft.shape == out.shape == frame.shape and (soft == out).all()\n"
      try Self.run(["venv/bin/python", "-I", "-c", page + check], in: folder)
      let script = Self.examples.appending(path: "Python/soften.py").path
      // The option -I ignores the environment and the script's own folder, so Python cannot find the package
      // in this repository.
      let python = [folder.appending(path: "venv/bin/python").path, "-I"]
      try PythonTests.blursTheEdge(python + [script], in: folder)
      // In a quick build, float results may differ in their last bits.
      let formats = PixelFormat.allCases.filter { Tiers.isAll || $0.component != .float32 }
      try PythonTests.givesTheBytes(python, formats: formats)
    }
  }

  private static let hasMypy = (try? Program([python, "-c", "import mypy"]).code) == 0

  @Test(
    "mypy --strict accepts the installed package and reports options that do not exist",
    .enabled(
      if: canBuildWheels && hasMypy,
      "mypy is not installed (package mypy), or what builds wheels is not"),
    .timeLimit(.minutes(20)))
  func types() throws {
    try Scratch.folder { folder in
      try Self.installPackage(in: folder)
      try """
      import numpy
      from blur import Blur, VariableBlur, blurred
      image = numpy.zeros((8, 8), numpy.uint8)
      blurred(image, (3, 4), edge="mirror", constant=[0], threads=2, max_error=1, kernel="simd").sum()
      blurred(image, 3, edgee="clamp")
      blurred(image, 3, edge="clam")
      Blur(image.shape, image.dtype, 3, threads="2")
      VariableBlur(image.shape, image.dtype, 3, image, method="level")
      blurred(image, 3, edge=4, out=image).sum()
      Blur.like(image, 3, edge="grid-mirror")(image, out=image).sum()
      """.write(to: folder.appending(path: "use.py"), atomically: true, encoding: .utf8)
      let mypy = [Self.python, "-m", "mypy", "--strict", "--python-executable", "venv/bin/python"]
      try Self.run(mypy + ["-p", "blur"], in: folder)
      // Without the file py.typed, mypy would accept all of these calls.
      let found = try Program(mypy + ["use.py"], in: folder).printed
      let lines = found.matches(of: /use\.py:(\d+): error: [^\n]*\[(.*?)\]\n/).map { "\($0.1) \($0.2)" }
      #expect(lines == ["5 call-arg", "6 arg-type", "7 arg-type", "8 arg-type"], "\(found)")
    }
  }

  /// Installs the Python package into a separate environment, `venv`, as docs/LIBRARY.md describes.
  private static func installPackage(in folder: URL) throws {
    try run([python, "-m", "venv", "--system-site-packages", "venv"], in: folder)
    let package = Program.package.appending(path: "Sources/BlurPython").path
    try run(["venv/bin/pip", "install", "--quiet", "--no-build-isolation", "--no-deps", package], in: folder)
  }

  /// The arguments of the command `env` with which the library is built. The library has the loops of the
  /// same instruction sets as this process, because the choice of a kernel depends on them, and the tests
  /// expect the same choice.
  private static let build =
    Tiers.hasAllLoops ? Tiers.buildWithAllLoops : ["BLURBENCH_BUILD=baseline"]

  private static func run(
    _ words: [String], in folder: URL, environment: [String: String] = [:]
  ) throws {
    let run = try Program(build + words, in: folder, environment: environment)
    try #require(run.code == 0, "\(words): \(run.printed)")
  }
}
