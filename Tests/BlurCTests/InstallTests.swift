import Blur
import BlurVerification
import Foundation
import Testing
import Tiers

/// The library as scripts install it, used from empty folders.
@Suite("The installed library", .tags(.packages), .onlyInAll, .serialized)
struct InstallTests {
  private static let examples = Program.package.appending(path: "docs/Examples")

  @Test(
    "A program builds by pkg-config and by CMake, and is bit-identical to the Swift library",
    .enabled(
      if: ["gcc", "pkg-config", "cmake", "python3"].allSatisfy(Program.exists),
      "gcc, pkg-config, cmake or python3 is not installed"),
    .timeLimit(.minutes(20)))
  func programs() throws {
    try Program.folder { folder in
      try Self.run([Program.package.appending(path: "Bench/install-library").path, "prefix"], in: folder)
      let source = folder.appending(path: "source")
      try FileManager.default.copyItem(at: Self.examples.appending(path: "C"), to: source)
      let prefix = folder.appending(path: "prefix").path
      try Self.run(
        ["sh", "-c", "gcc source/blur.c $(pkg-config --cflags --libs blur) -o by-pkg-config"], in: folder,
        environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
      let options = ["-DCMAKE_PREFIX_PATH=\(prefix)", "-DCMAKE_BUILD_TYPE=Release"]
      try Self.run(Self.cmake + ["-S", "source", "-B", "cmake"] + options, in: folder)
      try Self.run(Self.cmake + ["--build", "cmake"], in: folder)

      let image = try TestImage.noise.image(ImageLayout(.gray8, width: 61, height: 47), seed: 5)
      try image.netpbm.write(to: folder.appending(path: "in"))
      for program in ["by-pkg-config", "cmake/blur"] {
        try Self.run([folder.appending(path: program).path, "in", "out", "3"], in: folder)
        #expect(try Data(contentsOf: folder.appending(path: "out")) == image.blurred(sigma: 3).netpbm)
      }
    }
  }

  /// A thread of tests blocks all signals, and so would CMake, which waits for those of its children.
  private static let cmake = [
    "python3", "-c",
    """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp('cmake', ['cmake'] + sys.argv[1:])
    """,
  ]

  /// Debian's Python: its packages build wheels without a network.
  private static let python = "/usr/bin/python3"
  private static let canBuildWheels =
    (try? Program([python, "-c", "import ensurepip, setuptools, wheel, numpy"]).code) == 0

  @Test(
    "pip installs the package with the library inside",
    .enabled(
      if: canBuildWheels,
      "a package is missing: python3-venv, python3-setuptools, python3-wheel or python3-numpy"),
    .timeLimit(.minutes(20)))
  func wheel() throws {
    try Program.folder { folder in
      try Self.run([Self.python, "-m", "venv", "--system-site-packages", "venv"], in: folder)
      let package = Program.package.appending(path: "Sources/BlurPython").path
      try Self.run(
        ["venv/bin/pip", "install", "--quiet", "--no-build-isolation", "--no-deps", package], in: folder)
      let script = Self.examples.appending(path: "Python/soften.py").path
      // Without this repository in sight: -I ignores the environment and the scripts' folders.
      let python = [folder.appending(path: "venv/bin/python").path, "-I"]
      try PythonTests.blursTheEdge(python + [script], in: folder)
      try PythonTests.givesTheBytes(python)
    }
  }

  private static func run(
    _ words: [String], in folder: URL, environment: [String: String] = [:]
  ) throws {
    let run = try Program(words, in: folder, environment: environment)
    try #require(run.code == 0, "\(words): \(run.output)")
  }
}
