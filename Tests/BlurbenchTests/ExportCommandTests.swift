import Foundation
import TestSupport
import Testing

@Suite("blurbench export")
struct ExportCommandTests {
  /// Writes the records of a case with two times and of a case that was skipped, and their provenance.
  private static func populate(_ folder: URL) throws {
    let case1 = "BM_Blur/kernel=simd/isa=avx2/threads=1/format=gray8/size=8x8/sigma=1/edge=clamp"
    let case2 = case1.replacing("simd", with: "shy")
    let measured = { (time: Int, repetition: Int) in
      "\(case1),10,\(time).0,\(time).0,ns,,,,,,,,,,1.0,,,,,avx2,1,\(repetition),feed\n"
    }
    let header =
      "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,"
      + "error_message,megapixels_per_second,memcpy_ratio,ceiling_share,plan_ns,max_error_levels,"
      + "certified_levels,psnr_db,achieved_sigma,output_hash,isa,threads,repetition,machine_key\n"
    let skipped = "\(case2),,,,,,,skipped,,too slow,,,,,,,,,,avx2,1,,feed\n"
    try (header + measured(500, 0) + measured(700, 1) + skipped).write(
      to: folder.appending(path: "r.csv"), atomically: true, encoding: .utf8)
    try "cpu: Some CPU\n".write(to: folder.appending(path: "r.txt"), atomically: true, encoding: .utf8)
  }

  @Test("export writes to standard output for each tool, and names what it leaves out")
  func formats() throws {
    try Scratch.folder { folder in
      try Self.populate(folder)
      for format in ["gha", "bencher", "google"] {
        let command = try Command(["export", "--for", format, "r.csv"], in: folder)
        #expect(command.code == 0 && command.errors.contains("kernel=shy"), "\(command.errors)")
        #expect(command.errors.contains("too slow") && command.errors.split(separator: "\n").count == 1)
        _ = try JSONSerialization.jsonObject(with: Data(command.output.utf8))
      }
      let lines = try Command(["export", "--for", "benchstat", "r.csv"], in: folder).output.split(
        separator: "\n")
      #expect(lines.contains("cpu: Some CPU"))
      #expect(lines.suffix(2).allSatisfy { $0.hasPrefix("BenchmarkBlur/kernel=simd/") })
    }
  }

  @Test(
    "export rejects bad input with the right exit code",
    arguments: [
      ("--for gha r.csv --filter kernel=shy", 4, "left out"), ("--for gha none.csv", 1, "no such file"),
      ("--for gha r.txt", 1, "is not a records file"), ("--for nobody r.csv", 64, "'benchstat'"),
      ("--for gha r.csv --filter colour=red", 64, "no key is called 'colour'"), ("r.csv", 64, "--for"),
    ])
  func refusals(words: String, code: Int32, text: String) throws {
    try Scratch.folder { folder in
      try Self.populate(folder)
      let command = try Command(["export"] + words.split(separator: " ").map(String.init), in: folder)
      #expect(command.code == code && command.errors.contains(text), "\(command.errors)")
    }
  }
}
