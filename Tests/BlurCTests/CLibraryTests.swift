import Blur
import BlurVerification
import Foundation
import TestSupport
import Testing

@Suite("The C library", .enabled(if: Program.exists("gcc"), "gcc is not installed"))
struct CLibraryTests {
  static let c99 = ["gcc", "-std=c99", "-D_DEFAULT_SOURCE"]

  @Test(
    "The C example gives bit-identical results to the Swift library", arguments: [PixelFormat.gray8, .rgb8])
  func exampleInC(format: PixelFormat) throws {
    try Scratch.folder { folder in
      let example = Program.package.appending(path: "docs/Examples/C/blur.c")
      let program = try Program.build([example], ["gcc", "-std=c99"], into: folder)
      let layout = try ImageLayout(format, width: 61, height: 47)
      let image = try TestImage.deadLeaves.image(layout, seed: 3)
      try image.netpbm.write(to: folder.appending(path: "in"))
      let run = try Program([program, "in", "out", "2.5"], in: folder)
      let kernel = try BlurPlan(for: layout, sigma: 2.5).kernel.name
      #expect(run.code == 0 && run.printed == "61x47 by \(kernel)\n", "\(run.printed)")
      let found = try Data(contentsOf: folder.appending(path: "out"))
      #expect(try found == image.blurred(sigma: 2.5).netpbm)
      #expect(found != image.netpbm)
    }
  }

  @Test(
    "The C example also links with the static library", .enabled(if: Program.exists("swiftc"), "no swiftc"))
  func archive() throws {
    try Scratch.folder { folder in
      let example = Program.package.appending(path: "docs/Examples/C/blur.c").path
      let header = Program.package.appending(path: "Sources/CBlur/include").path
      let compiled = try Program(
        ["gcc", "-std=c99", "-I", header, "-c", example, "-o", "blur.o"], in: folder)
      try #require(compiled.code == 0, "\(compiled.printed)")
      let archive = Program.buildFolder.appending(path: "libBlurCStatic.a").path
      let linked = try Program(
        [
          "swiftc", "-static-stdlib", "blur.o", archive, "-l_FoundationCollections", "-l_FoundationCShims",
          "-o", "blur",
        ], in: folder)
      try #require(linked.code == 0, "\(linked.printed)")
      let image = try TestImage.noise.image(ImageLayout(.gray8, width: 20, height: 30), seed: 1)
      try image.netpbm.write(to: folder.appending(path: "in"))
      let run = try Program([folder.appending(path: "blur").path, "in", "out", "7"], in: folder)
      #expect(run.code == 0, "\(run.printed)")
      #expect(try Data(contentsOf: folder.appending(path: "out")) == image.blurred(sigma: 7).netpbm)
    }
  }

  @Test("The C example prints what is wrong with its input")
  func exampleRefuses() throws {
    try Scratch.folder { folder in
      let example = Program.package.appending(path: "docs/Examples/C/blur.c")
      let program = try Program.build([example], ["gcc", "-std=c99"], into: folder)
      try Data("P5 4 2 255\nabcdefgh".utf8).write(to: folder.appending(path: "in"))
      try Data("P5 4 2 255\nabc".utf8).write(to: folder.appending(path: "short"))
      try Data("P5 4 2 65535\nabcdefghabcdefgh".utf8).write(to: folder.appending(path: "deep"))
      for (words, message) in [
        (["in", "out", "-1"], "blur: sigma -1.0: must be a number from 0 to 1000 pixels\n"),
        (["in", "out", "abc"], "blur: SIGMA must be a number, such as 2.5\n"),
        (["in", "out", "2x"], "blur: SIGMA must be"), (["in", "out", ""], "blur: SIGMA must be"),
        (["in", "out", "nan"], "blur: sigma nan: must be a number from 0 to 1000 pixels\n"),
        (["short", "out", "1"], "blur: IN ends too early\n"),
        (["deep", "out", "1"], "blur: IN must be a PGM or PPM picture of 8 bits, without comments\n"),
        (["in", "no/where", "1"], "OUT cannot be written\n"), ([], "usage: blur IN OUT SIGMA\n"),
      ] {
        let run = try Program([program] + words, in: folder)
        #expect(run.code == 1 && run.printed.contains(message), "\(run.printed)")
      }
    }
  }

  @Test("Every bad input gives an error code and a message")
  func badInput() throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "bad.c")
      let plain = try Program([try Program.build([source], Self.c99, into: folder)])
      #expect(plain.code == 0 && plain.printed == "0 mistakes\n", "\(plain.printed)")
    }
  }

  @Test(
    "Under valgrind, bad input causes no leak and no invalid memory access", .tags(.system), .slow,
    .enabled(
      if: Program.exists("valgrind") && Program.exists("strip"),
      "valgrind or strip is not installed (packages valgrind and binutils)"))
  func badInputUnderValgrind() throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "bad.c")
      let program = try Program.build([source], Self.c99, into: folder)
      // Valgrind fails on debug information that is newer than valgrind itself. So a stripped copy of the
      // library is put first in the library search path.
      let strip = try Program(["strip", "-o", folder.appending(path: "libBlurC.so").path, Program.library])
      try #require(strip.code == 0, "\(strip.printed)")
      let checked = try Program(
        [
          "valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
          "--show-leak-kinds=definite", program,
        ], environment: ["LD_LIBRARY_PATH": folder.path])
      #expect(checked.code == 0 && checked.printed == "0 mistakes\n", "\(checked.printed)")
    }
  }

  @Test("Region, sigma per axis, border colour, pixel layout and error bound do what the header documents")
  func options() throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "options.c")
      let run = try Program([try Program.build([source], Self.c99, into: folder)])
      #expect(run.code == 0 && run.printed.hasSuffix("\n0 mistakes\n"), "\(run.printed)")
      // The C program sets the option max_error to 0, 1 and 0.01 in turn. A value of 0 means that the option
      // is not set. The kernel must then be accurate to one 8-bit level, as it must be for a value of 1.
      let choices = run.printed.split(separator: "\n").dropLast().map {
        $0.split(separator: " ").map(String.init)
      }
      try #require(choices.map(\.[0]) == ["0", "1", "0.01"])
      for (choice, bound) in zip(choices, [1, 1, 0.01]) {
        let promise = try Registry.kernel(named: choice[1]).promise
        #expect(try #require(promise.bound(for: .grayf32)) <= bound, "\(choice)")
      }
    }
  }

  @Test(
    "A blur of variable sigma gives the Swift library's exact result, and rejects bad options",
    arguments: VariableMethod.allCases)
  func variable(method: VariableMethod) throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "variable.c")
      let program = try Program.build([source], Self.c99, into: folder)
      let number = try #require(VariableMethod.allCases.firstIndex(of: method))
      let layout = try ImageLayout(.gray16, width: 60, height: 40)
      let image = try TestImage.noise.image(layout, seed: 6)
      let mask = try MaskShape.radial.mask(width: 60, height: 40)
      try image.pixels.write(to: folder.appending(path: "source"))
      try mask.pixels.write(to: folder.appending(path: "mask"))
      let run = try Program([program, "\(number)"], in: folder)
      let plan = try VariableBlurPlan(for: layout, sigma: 5, mask: mask, edge: .reflect, method: method)
      #expect(
        run.code == 0 && run.printed == "\(plan.error == nil ? "none" : "stated")\n0 mistakes\n",
        "\(run.printed)")
      var expected = try Image(layout)
      try plan.blur(image, into: &expected)
      #expect(try Data(contentsOf: folder.appending(path: "result")) == expected.pixels)
      #expect(expected.pixels != image.pixels)
    }
  }

  @Test("Strides do not change the result, and two threads can use one plan")
  func strides() throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "strides.c")
      let run = try Program([try Program.build([source], Self.c99, into: folder)])
      #expect(run.code == 0 && run.printed == "0 mistakes\n", "\(run.printed)")
    }
  }

  @Test("The C functions list all formats, kernels and methods, also with the plug-in header included")
  func lists() throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "lists.c")
      let run = try Program([try Program.build([source], Self.c99, into: folder)])
      let kernels = Registry.kernels.map { $0.name + " " }.joined()
      let formats = PixelFormat.allCases.map { $0.rawValue + " " }.joined()
      let methods = VariableMethod.allCases.map { $0.rawValue + " " }.joined()
      #expect(run.printed == "1\n\(formats)\n\(kernels)\n\(methods)\n")
    }
  }

  #if os(Linux)
    @Test("Blurring on one thread allocates no memory, with any kernel and format")
    func allocations() throws {
      try Scratch.folder { folder in
        let run = try Program.counting("allocations.c", in: folder)
        #expect(run.code == 0 && run.printed == "1 0\n", "\(run.printed)")
      }
    }

    @Test("A destroyed plan is used again for the same options, until the plans are cleared")
    func recentPlans() throws {
      try Scratch.folder { folder in
        let run = try Program.counting("recent.c", in: folder)
        #expect(run.code == 0 && run.printed == "0 mistakes\n", "\(run.printed)")
      }
    }
  #endif

  @Test(
    "The C++ program in docs/LIBRARY.md gives the Swift library's exact result",
    .enabled(if: Program.exists("g++"), "g++ is not installed"))
  func documentedCxx() throws {
    try Scratch.folder { folder in
      let source = folder.appending(path: "soften.cpp")
      try Self.block("cpp").write(to: source, atomically: true, encoding: .utf8)
      let run = try Program([try Program.build([source], Self.cxx20, into: folder)])
      #expect(run.printed == (try Self.softened()), "\(run.code)")
    }
  }

  private static let cxx20 = ["g++", "-std=c++20"]

  @Test(
    "The C++ header gives the results of the C functions, and rejects all bad input",
    .enabled(if: Program.exists("g++"), "g++ is not installed"))
  func headerForCxx() throws {
    try Scratch.folder { folder in
      let source = Program.fixtures.appending(path: "header.cpp")
      let run = try Program([try Program.build([source], Self.cxx20, into: folder)])
      #expect(run.code == 0 && run.printed == "0 mistakes\n", "\(run.printed)")
    }
  }

  @Test(
    "The Rust program in docs/LIBRARY.md, built offline, gives the Swift library's exact result",
    .tags(.system), .slow, .enabled(if: Program.exists("cargo"), "cargo is not installed"))
  func documentedRust() throws {
    try Scratch.folder { folder in
      let sources = folder.appending(path: "src")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      let manifest = try Self.block("toml").replacing("../BlurBench", with: Program.package.path)
      try manifest.write(to: folder.appending(path: "Cargo.toml"), atomically: true, encoding: .utf8)
      try Self.block("rust").write(
        to: sources.appending(path: "main.rs"), atomically: true, encoding: .utf8)
      let run = try Self.cargo(["run", "--quiet"], in: folder, target: folder)
      #expect(run.output == (try Self.softened()), "\(run.printed)")
    }
  }

  @Test(
    "The Rust crate passes its own tests, built offline", .tags(.system), .slow,
    .enabled(if: Program.exists("cargo"), "cargo is not installed"))
  func crate() throws {
    try Scratch.folder { folder in
      // Cargo writes a lock file next to the manifest, so the crate is copied.
      let crate = folder.appending(path: "crate")
      try FileManager.default.copyItem(at: Program.package.appending(path: "Sources/BlurRust"), to: crate)
      let run = try Self.cargo(["test"], in: crate, target: folder)
      #expect(run.code == 0 && run.printed.contains("16 passed; 0 failed"), "\(run.printed)")
      #expect(!run.printed.contains("warning"), "\(run.printed)")
    }
  }

  /// Runs cargo without network access, and with the library that was built together with these tests.
  private static func cargo(_ words: [String], in folder: URL, target: URL) throws -> Program {
    try Program(
      ["cargo"] + words + ["--offline"], in: folder,
      environment: [
        "BLUR_LIBRARY_DIR": Program.buildFolder.path,
        "CARGO_TARGET_DIR": target.appending(path: "target").path,
        "RUSTFLAGS": "-C link-arg=-Wl,-rpath,\(Program.buildFolder.path)",
      ])
  }

  /// Returns the text that the programs of docs/LIBRARY.md must print: the components of a blurred image,
  /// one per line. Component i of the sharp image is 37·i² modulo 2¹⁶.
  static func softened() throws -> String {
    let values = (0..<64 * 48).map { (i: UInt32) in UInt16(truncatingIfNeeded: i &* i &* 37) }
    let image = try Image(ImageLayout(.gray16, width: 64, height: 48), copying: values.span.bytes)
    let blurred = try image.blurred(sigma: 3, edge: .mirror)
    return blurred.withView { view in
      // SAFETY: the view has 64 × 48 components of two bytes each and no padding between rows, so each offset
      // is inside it. The view is valid in this closure.
      (0..<64 * 48).map { "\(view.unsafeBase.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self))\n" }
        .joined()
    }
  }

  /// Returns the first code block in this language in docs/LIBRARY.md.
  static func block(_ language: String) throws -> String {
    let text = try String(
      contentsOf: Program.package.appending(path: "docs/LIBRARY.md"), encoding: .utf8)
    let start = try #require(text.range(of: "```\(language)\n"))
    let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
    return String(text[start.upperBound..<end.lowerBound])
  }
}

extension Image {
  /// The bytes of the pixels, row by row, without the padding at the ends of rows.
  var pixels: Data {
    withView { view in
      // SAFETY: each row of the view has at least `rowBytes` bytes, and the view is valid in this closure.
      (0..<layout.height).reduce(into: Data()) {
        $0.append(Data(bytes: view.unsafeRow($1), count: layout.rowBytes))
      }
    }
  }

  /// The image as a binary netpbm file: PGM if the format is gray8, and PPM if it is rgb8.
  var netpbm: Data {
    let header = "P\(layout.format == .gray8 ? 5 : 6)\n\(layout.width) \(layout.height)\n255\n"
    return Data(header.utf8) + pixels
  }
}
