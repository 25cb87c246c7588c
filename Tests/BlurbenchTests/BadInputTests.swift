import Foundation
import TestSupport
import Testing

@Suite("Bad input on the command line")
struct BadInputTests {
  /// The arguments of `blurbench`, the exit code, and text that the one line of its message must contain.
  static let refused: [(String, Int32, String)] = [
    ("blur in.pgm out.png --sigma -1", 64, "sigma -1.0: must be a number from 0 to 1000"),
    ("blur in.pgm out.png --sigma nan", 64, "sigma nan"),
    ("blur in.pgm out.png --sigma inf", 64, "sigma inf"),
    ("blur in.pgm out.png --sigma 1e9", 64, "must be a number from 0 to 1000"),
    ("blur in.pgm out.png --sigma abc", 64, "'abc'"),
    ("blur in.pgm out.png --sigma 2 --kernel simdd", 64, "did you mean 'simd'?"),
    ("blur in.pgm out.png --sigma 2 --edge clmap", 64, "did you mean 'clamp'?"),
    ("blur in.pgm out.png --sigma 2 --edge reflect101", 64, "did you mean 'mirror'?"),
    ("blur in.pgm out.png --sigma 2 --edge BORDER_REFLECT", 64, "did you mean 'reflect'?"),
    ("run --edge replicate", 64, "did you mean 'clamp'?"),
    ("certify --edge symmetric", 64, "did you mean 'reflect'?"),
    ("verify --edge zero", 64, "did you mean 'constant'?"),
    ("rank records.csv --filter edge=nearest", 64, "did you mean 'clamp'?"),
    ("run --suite edges.yml", 1, "edges.yml:8:13: no edge mode is called 'edge', did you mean 'clamp'?"),
    ("run --suite radius.yml", 1, "radius.yml:7:5: there is no radii; if it is the standard deviation"),
    ("blur in.pgm out.png --radius 5", 64, "use --sigma 5; if a window reaches that far, as in OpenCV with"),
    ("blur in.pgm out.png --ksize=11x5", 64, "OpenCV blurs with --sigma 2x1.1 if its window has that size"),
    ("run --ksize 11", 64, "--sigma 2"),
    ("blur in.pgm out.png --ksize (5,5)", 64, "OpenCV blurs with --sigma 1.1 if its window has that size"),
    ("blur in.pgm out.png --sigma 2 --border-mode reflect", 64, "did you mean '--edge'?"),
    ("blur in.pgm out.png --stddev 2", 64, "did you mean '--sigma'?"),
    ("blur - out.png --sigma 2 --mask /dev/stdin", 64, "the standard input can be read only once"),
    ("compare - -", 64, "the standard input can be read only once"),
    ("blur in.pgm folder.png --sigma 2", 1, "folder.png: cannot be written: it is a folder"),
    ("rank utf16.csv", 1, "utf16.csv: cannot be read as UTF-8 text: it is text in another encoding; save"),
    ("select --from again.csv", 1, "again.csv: line 3 is the header again"),
    ("rank foreign.csv", 1, "foreign.csv: line 2: 'BM_Foo/1' is not a valid value of name"),
    ("export --for gha foreign.csv", 1, "foreign.csv: line 2: 'BM_Foo/1' is not a valid value of name"),
    ("rank doubled.csv", 1, "doubled.csv: line 3: repetition 0 of BM_Blur/"),
    ("export --for gha doubled.csv", 1, "doubled.csv: line 3: repetition 0 of BM_Blur/"),
    ("report nan.json --output out.html", 1, "nan.json: is damaged JSON (line 2: 'NaN' is not a number)"),
    ("blur in.pgm out.png --sigma 2 --threads 0", 64, "from 1 to 1024"),
    ("blur in.pgm out.png --sigma 2 --kernel box-triple --max-error 1", 64, "W3C triple box"),
    ("blur in.pgm out.png --sigma 2 --max-error -3", 64, "at least 0 levels"),
    ("blur in.pgm out.gif --sigma 2", 64, ".png"),
    ("blur missing.png out.png --sigma 2", 1, "missing.png: no such file"),
    ("blur . out.png --sigma 2", 1, "is a folder"),
    ("blur empty.png out.png --sigma 2", 1, "is empty"),
    ("blur text.png out.png --sigma 2", 1, "is not an image"),
    ("blur cut.pgm out.png --sigma 2", 1, "is cut short"),
    ("blur huge.pgm out.png --sigma 2", 1, "100000x100000"),
    ("blur in.pgm nowhere/out.png --sigma 2", 1, "nowhere/out.png: cannot be written"),
    ("blur in.pgm out.png", 64, "--sigma"),
    ("blur in.pgm out.png --sigma 2 --memory 12Q", 64, "such as 256M"),
    ("blur in.pgm out.png --sigma 2 --memory 99999999999G", 64, "such as 256M"),
    ("blur in.pgm out.png --sigma 2 --tiled --edge wrap", 64, "edge wrap"),
    ("blur in.pgm out.png --sigma 2 --tiled --memory 1", 1, "memory 1K: blurring a single row of the result"),
    ("blur in.pgm out.png --sigma 2 --tiled --kernel fft", 1, "fft does not support bands"),
    ("blur cut.pgm out.png --sigma 2 --tiled", 1, "is cut short"),
    ("blur in.pgm nowhere/out.png --sigma 2 --tiled", 1, "nowhere/out.png: cannot be written"),
    ("blur escape.pgm out.png --sigma 2", 1, "the width is '\u{FFFD}[2J'"),
    ("rank escape.csv", 1, "escape.csv: is not a records file"),
    ("rank /dev/zero", 1, "/dev/zero: cannot be read: it is not a regular file"),
    ("run --suite bomb.yml", 1, "bomb.yml:1:1: more than 16 YAML aliases"),
    ("run --kernel smd", 64, "did you mean 'simd'?"),
    ("run --format rgba9", 64, "did you mean 'rgba8'?"),
    ("run --format bgra8", 64, "did you mean 'rgba8'?"),
    ("run --suite quik", 64, "did you mean 'quick'?"),
    ("run --sigma 1,abc", 64, "'abc'"),
    ("run --sigma -1", 64, "sigma -1"),
    ("run --size 0x4", 64, "0x4"),
    ("run --threads none", 64, "none"),
    ("run --threads 0", 64, "threads '0': must be a number from 1 to 1024, or all"),
    ("verify --threads -1", 64, "threads '-1': must be a number from 1 to 1024, or all"),
    ("select --threads -1", 64, "threads '-1': must be a number from 1 to 1024, or all"),
    ("blur in.pgm out.png --sigma 1 --threads -1", 64, "must be a number from 1 to 1024, or all"),
    ("run --filter kernel=nobody", 64, "matches none"),
    ("run --filter *[", 64, "*["),
    ("run --suite nowhere.yml", 1, "nowhere.yml"),
    ("run --suite bad.yml", 1, "bad.yml:4"),
    ("run --output nowhere/x.csv", 1, "nowhere"),
    ("certify --format grey8", 64, "--format: no format is called 'grey8', did you mean 'gray8'?"),
    ("certify --edge mirror,all", 64, "--edge: no edge mode is called 'all'"),
    ("blur in.pgm out.png --sigma 2 --edge all", 64, "--edge 'all': must be a single value"),
    ("verify --kernel nave", 64, "did you mean 'naive'?"),
    ("verify --property tuth", 64, "did you mean 'truth'?"),
    ("verify --kernel simd --junit nowhere/x.xml", 64, "nowhere does not exist or cannot be written to"),
    ("verify --kernel simd --junit .", 64, "'.' cannot be written, because it is a folder"),
    ("verify --sigma 5000", 64, "from 0 to 1000"),
    ("list --kernel zzzzzzz", 64, "(known: naive, "),
    ("report missing.csv --output out.html", 1, "missing.csv: no such file"),
    ("report bad.yml --output out.html", 1, "bad.yml: is a suite; a report shows records"),
    ("report missing.csv --output out.png", 64, "must end with .html"),
    ("report --output out.html", 64, "<file>"),
    ("frobnicate", 64, "blurbench has no command 'frobnicate' (see 'blurbench --help')"),
    ("runn", 64, "did you mean 'run'?"),
    ("help rnu", 64, "did you mean 'run'?"),
    ("run --out x.csv", 64, "did you mean '--output'? (see 'blurbench run --help')"),
    ("run --kernl simd", 64, "did you mean '--kernel'?"),
    ("run --suite limits.yml", 1, "limits.yml:8:12: '5 parsec': a limit is a time such as 2 ms"),
    ("run --save ../x", 64, "--save '../x': a name may have up to 64 letters"),
    ("compare a.so b.so --json cmp.json", 64, "'cmp.json' is a third argument, but only two versions can be"),
    ("compare nowhere", 64, "there is no baseline 'nowhere'"),
    ("rank text.png", 1, "text.png: is not a records file but text"),
    ("rank certificates.csv", 1, "but a table of certificates from `blurbench certify --csv`"),
    ("export --for gha comparison.json", 1, "but a comparison from `blurbench compare --json`"),
    ("select --from limits.yml", 1, "but a suite"),
    ("compare comparison.json in.pgm", 64, "it is a comparison from `blurbench compare --json`; BASE"),
    ("compare real.png real.png", 64, "'real.png' cannot be executed: it is an image file"),
    ("report real.png --output out.html", 1, "real.png: cannot be read as UTF-8 text: it is an image file"),
    ("tune --output certificates.csv", 1, "certificates.csv: is not a wisdom file but a CSV table"),
    ("merge comparison.json", 1, "comparison.json: is a comparison from `blurbench compare --json`"),
    ("run --suite ./certificates.csv", 1, "is not a suite but a table of certificates"),
    ("run --suite ./latin.yml", 1, "latin.yml:1:1: not valid YAML"),
    ("scene reveal --output y", 64, "scene has no option --output; did you mean '--folder'?"),
    ("merge x.csv --output y", 64, "--output 'y': must end with .csv"),
    ("run --save x --target true", 64, "--save and --target cannot be combined"),
    ("run --frobnicate", 64, "frobnicate"),
    ("run --scene reveal --sigma 2", 64, "--sigma cannot be used here: suite 'scenes' has only interface"),
    ("run --suite quick --scene reveal", 64, "suite 'quick' has no interface scenes; use --suite scenes"),
    ("blur in.pgm out.png --sigma 2 --memory 1M", 64, "--memory can only be used together with --tiled"),
    ("rank records.csv --filter sigma=3", 64, "--filter 'sigma=3' matches none of the cases; one of them is"),
    ("export --for gha records.csv --filter nobody", 64, "matches none of the cases; one of them is"),
    ("compare records.csv records.csv --filter nobody", 64, "matches none of the cases"),
    ("compare --history 2026-11-21-records.csv --filter nobody", 64, "matches none of the cases"),
    ("compare records.csv", 64, "'records.csv' is a file; name a second file to compare it with"),
    ("select --from records.csv --edge mirror", 64, "asks for; the records have clamp"),
    ("rank .", 1, ".: is a folder, but a file is needed"),
    ("verify --plugin text.png", 1, "text.png: is not a shared library but text"),
    ("verify --plugin real.png", 1, "real.png: is not a shared library but an image file"),
    ("verify --plugin .", 1, ".: is a folder; --plugin needs a shared library"),
    ("rank records.csv --markdown ./records.csv", 64, "records.csv would be overwritten, but it is an input"),
    ("compare records.csv in.pgm --junit records.csv", 64, "records.csv would be overwritten"),
    ("picture real.png --input real.png", 64, "real.png would be overwritten"),
    ("verify --seconds -3", 64, "--seconds -3.0: must be above 0"),
    ("verify --goldens in.pgm", 64, "--goldens in.pgm: must be a folder, but is a file"),
    ("verify --regenerate --kernel simd", 64, "--regenerate writes all golden results"),
    ("certify --limit -1", 64, "--limit -1.0: must be above 0 seconds"),
    ("certify --alpha straight", 64, "alpha straight: format gray8 has no fourth channel; use rgba8"),
    ("certify --format rgba8 --alpha strait", 64, "did you mean 'straight'?"),
    ("certify --mask linear --alpha opaque", 64, "--mask cannot be combined with --alpha"),
    ("certify --mask linear --format grayf32 --sigma 1x2", 64, "with --mask, sigma must be the same"),
    ("list --python nofile.py", 1, "nofile.py: no such file"),
    ("list --python text.png", 1, "text.png: is not a Python file"),
    ("compare records.csv records.csv --sigma 3", 64, "--sigma cannot be used with records"),
    ("select --from records.csv --scene glass", 64, "asks for; the records have none"),
    ("rank records.csv --markdown .", 64, "'.' cannot be written, because it is a folder"),
    ("site missing --folder pages", 1, "missing: is not a folder, or cannot be read"),
    ("rank impossible.csv", 1, "impossible.csv: line 2: '-500.0' is not a valid value of real_time; it must"),
    ("export --for gha impossible.csv", 1, "impossible.csv: line 2: '-500.0' is not a valid value"),
    ("select --from impossible.csv", 1, "impossible.csv: line 2: '-500.0' is not a valid value"),
    ("compare records.csv impossible.csv", 1, "impossible.csv: line 2: '-500.0' is not a valid value"),
    ("report impossible.csv --output out.html", 1, "impossible.csv: line 2: '-500.0' is not a valid value"),
  ]

  @Test(
    "Bad input gives one clear line and the right exit code",
    arguments: Tiers.some(of: refused, allInCI: true))
  func oneLine(words: String, code: Int32, text: String) throws {
    try Scratch.folder { folder in
      try Self.populate(folder)
      // The program runs in a temporary folder, as if a user ran it outside the source tree. It finds its
      // suites nevertheless, because it looks for them relative to its own path.
      let command = try Command(words.split(separator: " ").map(String.init), in: folder)
      #expect(command.code == code, "\(command.errors)")
      #expect(command.errors.contains(text), "\(command.errors)")
      // Warnings about a busy machine may come before the message.
      let lines = command.errors.split(separator: "\n").filter { !$0.hasPrefix("warning: ") }
      #expect(lines.count == 1, "\(command.errors)")
      #expect(command.output.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out.png").path))
    }
  }

  /// A limit on the size of files makes the same system calls fail as a full disk would.
  @Test("A full disk is reported, and the old image stays as it was")
  func fullDisk() throws {
    try Scratch.folder { folder in
      var noise = Data("P6 300 300 255\n".utf8)
      for i in 0..<270_000 { noise.append(UInt8(truncatingIfNeeded: (i &* 2_654_435_761) >> 13)) }
      try noise.write(to: folder.appending(path: "in.ppm"))
      try Data("old".utf8).write(to: folder.appending(path: "out.ppm"))
      let limited = ["bash", "-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "limited"]
      let command = try Command(["blur", "in.ppm", "out.ppm", "--sigma", "0"], behind: limited, in: folder)
      #expect(command.code == 1)
      #expect(command.errors.contains("out.ppm: cannot be written: file too large"), "\(command.errors)")
      #expect(try Data(contentsOf: folder.appending(path: "out.ppm")) == Data("old".utf8))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["in.ppm", "out.ppm"])
    }
  }

  @Test("Results that do not fit on the disk are an error")
  func fullOutput() throws {
    let command = try Command(["list", "--json"], behind: ["bash", "-c", "exec \"$@\" >/dev/full", "full"])
    #expect(command.code == 1)
    #expect(command.errors.contains("cannot write to standard output: No space"), "\(command.errors)")
  }

  #if os(Linux)
    /// The header of this PNG file claims 65536x40000 gray pixels, and the file is long enough to contain
    /// them after deflating.
    @Test("An image that does not fit into memory gives one clear line, not a crash")
    func noMemory() throws {
      let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
      let header: [UInt8] = [0, 0, 0, 13, 73, 72, 68, 82, 0, 1, 0, 0, 0, 0, 156, 64, 8, 0, 0, 0, 0]
      let pixels: [UInt8] = [162, 117, 121, 133, 0, 40, 0, 0, 73, 68, 65, 84]
      try Scratch.folder { folder in
        let file = Data(signature + header + pixels) + Data(count: 2_621_440)
        try file.write(to: folder.appending(path: "large.png"))
        let limited = ["bash", "-c", "ulimit -v 2000000; exec \"$@\"", "limited"]
        let command = try Command(
          ["blur", "large.png", "out.png", "--sigma", "1"], behind: limited, in: folder)
        #expect(command.code == 1)
        #expect(command.errors.contains("2621440000 bytes of memory are not available"), "\(command.errors)")
      }
    }
  #endif

  @Test("Goldens are not rewritten in CI")
  func goldens() throws {
    try Scratch.folder { folder in
      let command = try Command(
        ["verify", "--regenerate", "--goldens", folder.path], environment: ["CI": "true"])
      #expect(command.code == 1)
      #expect(command.errors.split(separator: "\n").count == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  /// A YAML file with thirty keys, each of which is a list that contains the previous key twice. Comparing
  /// the keys word by word would mean comparing 2³⁰ words.
  static let bomb =
    "a: &a0 [x, x]\n" + (1...30).map { "? &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n: 1\n" }.joined()

  /// A records file with one case that was measured once.
  static let records =
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,"
    + "error_message,megapixels_per_second,memcpy_ratio,ceiling_share,plan_ns,max_error_levels,"
    + "certified_levels,psnr_db,achieved_sigma,output_hash,isa,threads,repetition,machine_key\n"
    + "BM_Blur/kernel=simd/isa=avx2/threads=1/format=gray8/size=8x8/sigma=1/edge=clamp"
    + ",10,500.0,500.0,ns,,,,,,,,,,1.0,,,,,avx2,1,0,feed\n"

  /// Returns a suite with one workload, to which `more` is added as its seventh line.
  private static func suite(_ more: String) -> String {
    "name: s\nwhy: a test\nworkloads:\n  - kernels: simd\n    formats: gray8\n    sizes: 9x9\n    \(more)\n"
  }

  static func populate(_ folder: URL) throws {
    let files: [String: Data] = [
      "records.csv": Data(Self.records.utf8), "2026-11-21-records.csv": Data(Self.records.utf8),
      "impossible.csv": Data(Self.records.replacing(",10,500.0", with: ",10,-500.0").utf8),
      "foreign.csv": Data(Self.records.replacing(/BM_Blur[^,]*/, with: "BM_Foo/1").utf8),
      "doubled.csv": Data((Self.records + Self.records.split(separator: "\n")[1] + "\n").utf8),
      "again.csv": Data(
        (Self.records + Self.records.split(separator: "\n", omittingEmptySubsequences: false)[0]).utf8),
      "utf16.csv": Data([0xFF, 0xFE]) + Data(Self.records.utf8.flatMap { [$0, 0] }),
      "nan.json": Data("{\"outcome\": \"good\",\n\"cases\": NaN}".utf8),
      "edges.yml": Data(Self.suite("sigmas: 1\n    edges: [edge]").utf8),
      "radius.yml": Data(Self.suite("radii: [5]").utf8),
      "in.pgm": Data("P5 2 2 255\n".utf8) + Data([1, 2, 3, 4]),
      "cut.pgm": Data("P5 20 20 255\n".utf8) + Data([1, 2, 3]),
      "huge.pgm": Data("P5 100000 100000 255\n".utf8),
      "escape.pgm": Data("P5 \u{1B}[2J 3 255\n".utf8), "escape.csv": Data("\u{1B}]0;title\u{7}\n".utf8),
      "certificates.csv": Data("kernel,sigma,certified_levels\nsimd,2,0.1\n".utf8),
      "comparison.json": Data("{\"outcome\": \"good\", \"cases\": [], \"method\": \"records\"}".utf8),
      "real.png": Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]),
      "latin.yml": Data("name: \u{FFFF}\n".utf8),
      "bomb.yml": Data(Self.bomb.utf8), "empty.png": Data(), "text.png": Data("hello, this is text".utf8),
      "bad.yml": Data("name: bad\nwhy: a test\nworkloads:\n  - kernals: [simd]\n".utf8),
      "limits.yml": Data(
        """
        name: l
        why: a test
        workloads:
          - kernels: simd
            formats: gray8
            sizes: 9x9
            sigmas: 1
            limit: 5 parsec

        """.utf8),
    ]
    for (name, data) in files { try data.write(to: folder.appending(path: name)) }
    try FileManager.default.createDirectory(
      at: folder.appending(path: "folder.png"), withIntermediateDirectories: false)
  }
}
