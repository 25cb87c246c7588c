import Foundation
import TestSupport
import Testing

@Suite("Plug-ins", .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc or clang)"))
struct PluginTests {
  /// Compiles a plug-in and returns the path of the library. The source is a path in the repository, or an
  /// absolute path.
  static func compile(
    _ source: String, into folder: URL, as name: String = "plugin", _ flags: [String] = [],
    with compiler: String = "cc"
  ) throws -> String {
    let library = folder.appending(path: "\(name).so").path
    let words = [compiler, "-O2", "-shared", "-fPIC", "-I", "Sources/CBlur/include", source]
    let build = try Program(words + ["-o", library] + flags + ["-lm"])
    try #require(build.code == 0, "\(build.errors)")
    return library
  }

  static let misbehaving = "Tests/BlurbenchTests/Fixtures/misbehaving.c"
  static let small = ["--format", "gray8", "--edge", "clamp", "--threads", "1"]
  /// Options for runs that are only asked for their rows. They measure very briefly, and make no
  /// certificates, because these need larger images.
  static let brief = small + ["--certify-seconds", "0", "--min-time", "0.001"]

  /// Returns the rows of a CSV table as dictionaries. In these runs, only messages contain quoted commas.
  static func rows(_ csv: String) throws -> [[String: String]] {
    let lines = csv.split(separator: "\n").map { line in
      var fields = [""]
      var isQuoted = false
      for character in line {
        if character == "\"" {
          isQuoted.toggle()
        } else if character == "," && !isQuoted {
          fields.append("")
        } else {
          fields[fields.count - 1].append(character)
        }
      }
      return fields
    }
    let header = try #require(lines.first)
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
  }

  /// The text that each kernel's error row must contain.
  static let misdeeds: [(kernel: String, reason: String)] = [
    ("crashes", "signal 11"), ("aborts", "signal 6"), ("exits", "exit code 0"), ("hangs", "hangs"),
    ("closes-files", "exit code 1"), ("hangs-in-plan", "hangs"), ("fails", "out of luck"),
    ("fails-silently", "blur returned BLUR_FAILED without a message"), ("fills-message", "xxxxxxxx"),
    ("fails-to-plan", "no plan today"), ("writes-after", "101 bytes after its end"),
    ("writes-before", "writes outside its output image, 7 bytes before its start"),
    ("writes-padding", "padding after row 0"), ("writes-far", "signal 11"),
    ("writes-source", "overwrites its input image"), ("wrong-picture", "promised: at most 1 level"),
    ("changes", "the output changed while the case was timed"),
    ("rounds-up", "blur has changed the rounding mode"),
    ("rounds-in-plan", "plan has changed the rounding mode"),
  ]

  @Test("A run that is killed ends its server as well", .timeLimit(.minutes(30)))
  func lifeline() throws {
    try Scratch.folder { folder in
      let library = try Self.compile(Self.misbehaving, into: folder)
      let process = Process()
      process.executableURL = URL(filePath: Command.program)
      process.arguments =
        ["run", "--plugin", library, "--kernel", "hangs", "--size", "8x8", "--sigma", "1"] + Self.brief
      process.environment = ProcessInfo.processInfo.environment.merging(["TELL_WHEN_HANGING": "1"]) { $1 }
      process.currentDirectoryURL = Command.package
      process.standardOutput = FileHandle.nullDevice
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      var text = ""
      while !text.contains("hanging") {
        let more = errors.fileHandleForReading.availableData
        try #require(!more.isEmpty, "ended before the kernel ran: \(text)")
        text += String(decoding: more, as: UTF8.self)
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      // The worker also holds the other end of this pipe, so reading ends when the worker is gone.
      _ = try errors.fileHandleForReading.readToEnd()
    }
  }

  @Test("Each misbehaving kernel gives an error row with its reason, and everything else is measured")
  func isolation() throws {
    try Scratch.folder { folder in
      let library = try Self.compile(Self.misbehaving, into: folder)
      let csv = folder.appending(path: "records.csv").path
      // The command measures two workloads. Kernels that ended their process in the first workload are tried
      // again in the second.
      let command = try Command(
        ["run", "--plugin", library, "--kernel", "all", "--size", "40x30+3", "--sigma", "1,2"] + Self.brief
          + ["--kernel-timeout", "3", "--repetitions", "2", "--output", csv])
      #expect(command.code == 3, "\(command.errors)")
      let origin = try String(
        contentsOfFile: folder.appending(path: "records.txt").path, encoding: .utf8)
      #expect(origin.contains(/\nfile plugin\.so: [0-9a-f]{16}\n/), "\(origin)")
      let text = try String(contentsOfFile: csv, encoding: .utf8)
      #expect(!text.contains("\u{1B}"), "the escape character in a message would change the terminal")
      let rows = try Self.rows(text)
      for sigma in ["1", "2"] {
        let rows = rows.filter { $0["name"]!.contains("/sigma=\(sigma)/") }
        for (kernel, reason) in Self.misdeeds {
          let own = rows.filter { $0["name"]!.contains("kernel=\(kernel)/") }
          #expect(own.count == 1 && own[0]["error_occurred"] == "true", "\(kernel)")
          #expect(own.first?["error_message"]?.contains(reason) == true, "\(kernel): \(own)")
          #expect(own.first?["real_time"] == "", "\(kernel) has a time")
        }
        for kernel in ["naive", "separable", "box-triple", "simd", "copies", "memcpy"] {
          let own = rows.filter { $0["name"]!.contains("kernel=\(kernel)/") }
          #expect(own.count == 2 && own.allSatisfy { Double($0["real_time"]!)! > 0 }, "\(kernel): \(own)")
        }
        let refused = rows.filter { $0["name"]!.contains("kernel=refuses/") }
        #expect(refused.count == 1 && refused[0]["label"] == "skipped" && refused[0]["error_occurred"] == "")
      }
    }
  }

  @Test(
    "The templates work like our own kernels in list, verify and run, and keep their promise",
    .tags(.long), .slow,
    arguments: [("template.c", "cc"), ("template.cpp", "c++")])
  func template(file: String, compiler: String) throws {
    try Scratch.folder { folder in
      let flags = compiler == "cc" ? [] : ["-std=c++20"]
      let library = try Self.compile("Bench/Peers/Template/\(file)", into: folder, flags, with: compiler)
      #expect(try Command(["list", "--plugin", library]).output.contains("template-gaussian"))
      // The first template is checked for all properties. The second one, which differs by its compiler, is
      // only checked to be the same blur.
      let isWhole = compiler == "cc"
      let properties =
        isWhole ? ["--seconds", Tiers.isAll ? "3" : "0.3"] : ["--property", "truth,guards,certificate"]
      let verify = try Command(["verify", "--plugin", library, "--csv"] + properties)
      #expect(verify.code == 0, "\(verify.output) \(verify.errors)")
      #expect(Set(try Self.rows(verify.output).map { $0["kernel"] }) == ["template-gaussian"])
      let text = try Command(
        ["verify", "--plugin", library, "--property", "certificate", "--sigma", "2.8"] + Self.small)
      let shape = #/template-gaussian +gray8 +2\.8 +2\.8 +baseline +separable /#
      #expect(text.output.contains(shape), "\(text.output)")
      let run = try Command(
        ["run", "--plugin", library, "--kernel", "template-gaussian,simd", "--size", "64x48", "--sigma", "2"]
          + Self.brief + ["--csv"])
      #expect(run.code == 0, "\(run.errors)")
      let own = try Self.rows(run.output).filter { $0["name"]!.contains("kernel=template-gaussian/") }
      #expect(
        !own.isEmpty && own.allSatisfy { Double($0["max_error_levels"]!)! <= 1 && $0["memcpy_ratio"] != "" })
      #expect(!run.errors.contains("not measured"))
      let shown = try Command(
        ["run", "--plugin", library, "--kernel", "template-gaussian,simd", "--size", "64x48", "--sigma", "2"]
          + Self.brief)
      #expect(
        shown.output.contains("template-gaussian (within 1 level) is fastest or tied in"), "\(shown.output)")
      let without = try Command(
        ["run", "--plugin", library, "--kernel", "simd", "--size", "64x48", "--sigma", "2"] + Self.brief)
      let warning =
        "warning: these plug-in kernels are not measured, because other kernels were chosen: "
        + "template-gaussian;"
      #expect(without.errors.contains(warning), "\(without.errors)")
      #expect(!without.output.contains("template-gaussian"), "\(without.output)")
    }
  }

  /// The quick checks for a template. The first template is checked for all properties.
  static let templateChecks = ["--property", "truth,guards,state", "--sigma", "2"] + small

  @Test("The Swift template passes verify", .tags(.long))
  func swiftTemplate() throws {
    try Self.expectVerified(
      "template.swift",
      [
        "swiftc", "-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
        "-emit-library", "-import-objc-header", "Sources/CBlur/include/blur_plugin.h",
      ])
  }

  @Test(
    "The Rust template passes verify", .tags(.long),
    .enabled(if: Program.exists("rustc"), "rustc is not installed"))
  func rustTemplate() throws {
    try Self.expectVerified(
      "template.rs", ["rustc", "--edition", "2021", "-O", "--crate-type", "cdylib"])
  }

  /// Builds a template with `compiler`, a command without the names of the files, and verifies it.
  private static func expectVerified(_ template: String, _ compiler: [String]) throws {
    try Scratch.folder { folder in
      let library = folder.appending(path: "template.so").path
      let build = try Program(compiler + ["Bench/Peers/Template/\(template)", "-o", library])
      try #require(build.code == 0, "\(build.errors)")
      let verify = try Command(["verify", "--plugin", library] + templateChecks)
      #expect(verify.code == 0, "\(verify.output) \(verify.errors)")
    }
  }

  @Test("certify runs plug-ins in their own process, names stateful ones, and survives crashes")
  func certifyApart() throws {
    try Scratch.folder { folder in
      let library = try Self.compile(Self.misbehaving, into: folder)
      let command = try Command(
        [
          "certify", "--plugin", library, "--kernel", "changes,wrong-picture,crashes", "--sigma", "2",
          "--format",
          "gray8", "--csv",
        ])
      #expect(command.code == 3, "\(command.errors)")
      let rows = try Self.rows(command.output)
      let row = { (name: String) in rows.first { $0["kernel"] == name } ?? [:] }
      #expect(row("changes")["kind"] == "stateful" && row("changes")["certified_levels"] == "")
      // The kernel `wrong-picture` copies the image, so its result lacks the whole Gaussian except for the
      // centre.
      let centre = 1 / (2 * 2 * 2 * Double.pi)
      let levels = try #require(Double(row("wrong-picture")["certified_levels"] ?? ""))
      #expect(abs(levels - 255 * (1 - centre)) < 0.2)
      #expect(row("wrong-picture")["violation"]?.contains("promised: at most 1 level") == true)
      #expect(row("crashes")["violation"]?.contains("signal 11") == true)
    }
  }

  @Test(
    "verify survives crashing kernels, reports each failure by name, and says how to repeat it",
    .tags(.long), .slow)
  func verifyApart() throws {
    try Scratch.folder { folder in
      let library = try Self.compile(Self.misbehaving, into: folder)
      let kernels = Self.misdeeds.map(\.kernel)
      let command = try Command(
        [
          "verify", "--plugin", library, "--kernel", (kernels + ["copies"]).joined(separator: ","),
          "--property", "shapes,repeat", "--format", "gray8", "--sigma", "2", "--edge", "clamp",
          "--size", "40x30", "--kernel-timeout", "2", "--pictures", folder.path, "--csv",
        ])
      #expect(command.code == 3)
      let rows = try Self.rows(command.output)
      for kernel in kernels {
        let failed = rows.filter { $0["kernel"] == kernel && $0["status"] == "FAILED" }
        #expect(!failed.isEmpty, "\(kernel) passes")
        #expect(failed.allSatisfy { $0["command"]?.contains("--plugin \(library)") == true }, "\(failed)")
      }
      #expect(!rows.contains { $0["kernel"] == "copies" && $0["status"] == "FAILED" }, "\(command.output)")
      // A crash is shown on the smallest image that causes it.
      for (property, column) in [("shapes", "command"), ("repeat", "smallest")] {
        let crash = try #require(rows.first { $0["kernel"] == "crashes" && $0["property"] == property })
        #expect(crash["message"]?.contains("signal 11") == true)
        #expect(crash[column]?.contains("--property shapes") == true, "\(crash)")
        #expect(crash[column]?.contains("--size 1x1") == true, "\(crash)")
        #expect(FileManager.default.fileExists(atPath: crash["picture"] ?? ""), "\(crash)")
      }
    }
  }

  @Test("A library that cannot be used gives one clear line")
  func unusable() throws {
    try Scratch.folder { folder in
      let text = folder.appending(path: "text.so").path
      try Data("not a library".utf8).write(to: URL(filePath: text))
      let bytes = folder.appending(path: "bytes.so").path
      try Data([0xFF, 0x00, 0x80, 0x7F]).write(to: URL(filePath: bytes))
      let old = folder.appending(path: "old")
      let crashing = folder.appending(path: "crashing")
      for name in [old, crashing] {
        try FileManager.default.createDirectory(at: name, withIntermediateDirectories: true)
      }
      let wrong = try Self.compile(Self.misbehaving, into: old, ["-DWRONG_VERSION"])
      let dying = try Self.compile(Self.misbehaving, into: crashing, ["-DCRASH_ON_LOAD"])
      for (path, reason) in [
        ("nowhere.so", "does not exist"), (text, "is not a shared library but text"),
        (bytes, "cannot be loaded"), (wrong, "version 99"),
        (dying, "signal 6"),
      ] {
        let command = try Command(["list", "--plugin", path])
        #expect(command.code == 1)
        #expect(command.errors.contains(reason) && command.errors.contains(path), "\(command.errors)")
        #expect(command.errors.count { $0 == "\n" } == 1 && command.output.isEmpty, "\(command.errors)")
      }
      let fine = try Self.compile(Self.misbehaving, into: folder)
      let both = try Command(["list", "--plugin", fine, "--plugin", dying])
      #expect(both.errors.contains(dying) && !both.errors.contains(fine), "\(both.errors)")
    }
  }

  @Test(
    "A promise or an offer that makes no sense is reported when the plug-in is loaded",
    arguments: [
      (["-DLEVELS=__builtin_nan(\"\")"], "kernel wrong-picture: promise_levels is nan; it must be a number"),
      (["-DLEVELS=-1"], "kernel wrong-picture: promise_levels is -1.0; it must be a number of at least 0"),
      (["-DFORMATS=0x10", "-DSHARE=0"], "offers grayf32, but promise_share is 0"),
      (["-DFORMATS=0"], "kernel crashes: formats has none of the bits of blur_format set"),
      (["-DFORMATS=0x100001"], "kernel crashes: formats has bit 20 set, which is not a value of blur_format"),
      (["-DTAKEN_NAME=\"crashes\""], "has two kernels called 'crashes'"),
    ])
  func impossibleTable(flags: [String], reason: String) throws {
    try Scratch.folder { folder in
      let library = try Self.compile(Self.misbehaving, into: folder, flags)
      let command = try Command(["list", "--plugin", library])
      #expect(command.code == 1 && command.output.isEmpty, "\(command.output)")
      #expect(command.errors.contains(library) && command.errors.contains(reason), "\(command.errors)")
      #expect(!command.errors.contains("--help") && command.errors.count { $0 == "\n" } == 1)
    }
  }

  @Test(
    "No command accepts a plug-in's kernel with the name of one of our kernels or of a list",
    arguments: ["simd", "levels", "memcpy", "plugins"])
  func takenName(_ name: String) throws {
    try Scratch.folder { folder in
      let library = try Self.compile(Self.misbehaving, into: folder, ["-DTAKEN_NAME=\"\(name)\""])
      for words in [
        ["list"], ["verify", "--property", "identity"], ["certify"], ["run", "--kernel", "simd,plugins"],
        ["compare", "--kernel", "simd", "--kernel", "copies"],
      ] {
        let command = try Command(words + ["--plugin", library])
        #expect(command.code == 1 && command.output.isEmpty, "\(words): \(command.output)")
        #expect(command.errors.contains("cannot be called '\(name)'"), "\(command.errors)")
        #expect(!command.errors.contains("--help"), "\(command.errors)")
      }
    }
  }

  @Test(
    "The kernels of a Python file work, and their exceptions give error rows",
    .enabled(
      if: Program.exists("c++") && Self.pythonFlags != nil,
      "no C++ compiler, or no python3-embed for pkg-config (package python3-dev)"))
  func python() throws {
    try Scratch.folder { folder in
      // The adapter for Python is where Bench/Peers/setup would put it, but in a folder of this test.
      let libraries = folder.appending(path: ".build/peers/lib")
      try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
      let flags = try #require(Self.pythonFlags)
      let built = try Self.compile("Bench/Peers/Python/python.cpp", into: libraries, flags, with: "c++")
      try FileManager.default.moveItem(atPath: built, toPath: libraries.appending(path: "python.so").path)
      let file = Command.package.appending(path: "Tests/BlurbenchTests/Fixtures/python_kernels.py").path
      let suite = Command.package.appending(path: "Bench/Suites/quick.yml").path
      let run = try Command(
        [
          "run", "--suite", suite, "--python", file, "--kernel", "plugins", "--size", "24x16", "--sigma",
          "1.5",
        ]
          + Self.brief + ["--csv"], in: folder)
      #expect(run.code == 3, "\(run.errors)")
      let rows = try Self.rows(run.output)
      func own(_ kernel: String) -> [[String: String]] {
        rows.filter { $0["name"]!.contains("kernel=\(kernel)/") }
      }
      #expect(!own("python-gaussian").isEmpty)
      #expect(
        own("python-gaussian").allSatisfy { Double($0["max_error_levels"]!)! <= 1 && $0["real_time"] != "" })
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      let line = 1 + (try #require(lines.firstIndex { $0.contains("raise ValueError") }))
      #expect(
        own("python-raises").map { $0["error_message"] } == [
          "ValueError: not today (python_kernels.py, line \(line))"
        ])
      #expect(
        own("python-refuses").allSatisfy {
          $0["label"] == "skipped" && $0["error_message"]!.contains("pictures")
        })
      try Self.verifyPython(file, in: folder)
      // The environment names the adapter's folder, or the Python files for an adapter that is named itself.
      let peers = ["BLUR_PEERS": folder.appending(path: ".build/peers").path]
      let bridge = libraries.appending(path: "python.so").path
      for (words, environment) in [
        (["--python", file], peers), (["--plugin", bridge], ["BLUR_PYTHON_FILES": file]),
      ] {
        let list = try Command(["list"] + words, environment: environment)
        #expect(list.code == 0 && list.output.contains("python-gaussian"), "\(list.errors)")
      }
      let template = Command.package.appending(path: "Bench/Peers/Template/template.py").path
      let verify = try Command(["verify", "--python", template] + Self.templateChecks, in: folder)
      let lacksNumpy = verify.output.contains("No module named 'numpy'")
      #expect(verify.code == 0 || lacksNumpy, "\(verify.output) \(verify.errors)")
    }
  }

  /// Checks that each kernel of a Python file is also verified in its own processes.
  private static func verifyPython(_ file: String, in folder: URL) throws {
    let verify = try Command(
      [
        "verify", "--python", file, "--property", "truth,shapes", "--format", "gray8", "--sigma",
        "1.5", "--edge", "clamp", "--size", "9x7", "--pictures", folder.path, "--json",
      ], in: folder)
    #expect(verify.code == 3, "\(verify.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(verify.output.utf8))
    let rows = try #require(json as? [[String: Any]])
    func status(_ kernel: String) -> [String] {
      rows.filter { $0["kernel"] as? String == kernel }.compactMap { $0["status"] as? String }
    }
    #expect(status("python-gaussian") == ["PASSED", "PASSED"], "\(verify.output)")
    #expect(status("python-raises").contains("FAILED") && !status("python-raises").contains("PASSED"))
    #expect(status("python-refuses") == ["SKIPPED", "SKIPPED"])
    let failed = rows.first { $0["kernel"] as? String == "python-raises" }
    #expect((failed?["command"] as? String)?.contains("--python \(file)") == true)
  }

  /// The compiler options for embedding Python, from pkg-config, or nil if Python cannot be embedded.
  static let pythonFlags: [String]? = {
    let words = ["pkg-config", "--cflags", "--libs", "python3-embed"]
    guard let found = try? Program(words), found.code == 0 else { return nil }
    return found.output.split(whereSeparator: \.isWhitespace).map(String.init) + ["-ldl", "-std=c++17"]
  }()
}
