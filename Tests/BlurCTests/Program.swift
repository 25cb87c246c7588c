import Foundation
import TestSupport
import Testing

extension Program {
  static let fixtures = package.appending(path: "Tests/BlurCTests/Fixtures")
  /// The path of the shared library that was built together with these tests.
  #if os(macOS)
    static let library = buildFolder.appending(path: "libBlurC.dylib").path
  #else
    static let library = buildFolder.appending(path: "libBlurC.so").path
  #endif

  /// Builds a program that links the library, and returns the program's path. A compiler warning is an error.
  static func build(_ sources: [URL], _ compiler: [String], into folder: URL) throws -> String {
    let program = folder.appending(path: "program").path
    let includes = ["Sources/CBlur/include", "Sources/BlurCxx", "\(counter)/include"]
      .flatMap { ["-I", package.appending(path: $0).path] }
    let build = try Program(
      compiler + ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"] + includes + sources.map(\.path)
        + ["-o", program, "-L", buildFolder.path, "-lBlurC", "-lpthread", "-lm"]
        + ["-Wl,-rpath,\(buildFolder.path)"])
    try #require(build.code == 0, "\(build.printed)")
    return program
  }

  /// The folder of AllocationCount, the example that counts allocations.
  private static let counter = "docs/Examples/Swift/Sources/AllocationCount"

  /// Builds a program of the fixtures together with the counter of allocations, and runs it.
  static func counting(_ fixture: String, in folder: URL) throws -> Program {
    let counter = package.appending(path: "\(counter)/AllocationCount.c")
    return try Program([
      build([fixtures.appending(path: fixture), counter], ["gcc", "-std=c11"], into: folder)
    ])
  }

  static let hasNumpy = (try? Program(["python3", "-c", "import numpy"]).code) == 0
}
