import ArgumentParser
import Blur
import BlurRecords
import BlurScenes
import Foundation
import TestSupport
import Testing

@testable import blurbench

@Suite("Shell completions")
struct CompletionTests {
  /// A command with its options, as the argument parser describes it.
  private struct Tool: Decodable {
    let command: Verb

    struct Verb: Decodable {
      let commandName: String
      let arguments: [Argument]?, subcommands: [Verb]?
    }

    struct Argument: Decodable {
      struct Name: Decodable { let name: String }
      let kind: String
      let preferredName: Name?, valueName: String?
      let allValues: [String]?, completionKind: Bool?

      enum Key: String, CodingKey { case kind, preferredName, valueName, allValues, completionKind }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        kind = try values.decode(String.self, forKey: .kind)
        preferredName = try values.decodeIfPresent(Name.self, forKey: .preferredName)
        valueName = try values.decodeIfPresent(String.self, forKey: .valueName)
        allValues = try values.decodeIfPresent([String].self, forKey: .allValues)
        completionKind = values.contains(.completionKind) ? true : nil
      }
    }
  }

  /// The options whose values are numbers, or are words that only the user can know.
  private static let free: Set = [
    "size", "sigma", "filter", "repetitions", "min-time", "max-case-seconds", "certify-seconds", "processes",
    "kernel-timeout", "threshold", "pairs", "budget", "rounds", "instruction-threshold", "seconds", "limit",
    "max-error", "memory", "frames", "seed", "source", "check", "since", "shard",
    "constant",
  ]

  @Test(
    "Every option and argument completes a list or a kind of file, unless only the user can know its value")
  func all() throws {
    let tool = try JSONDecoder().decode(Tool.self, from: Data(Blurbench._dumpHelp().utf8))
    let verbs = (tool.command.subcommands ?? []).filter { !["worker", "help"].contains($0.commandName) }
    #expect(verbs.count >= 15)
    var names: Set<String> = []
    for verb in verbs {
      for argument in verb.arguments ?? [] where argument.kind != "flag" {
        let name = argument.preferredName?.name ?? argument.valueName ?? ""
        names.insert(name)
        let isKnown = argument.completionKind != nil || !(argument.allValues ?? []).isEmpty
        #expect(isKnown != Self.free.contains(name), "\(verb.commandName): \(name)")
      }
    }
    #expect(Self.free.isSubset(of: names), "\(Self.free.subtracting(names))")
  }

  /// The completion script that Bench/install installs.
  private static let bashScript = Result { try Command(["--generate-completion-script", "bash"]).output }

  /// Returns what bash offers for the last word of a command line.
  private static func offered(_ line: String, in folder: URL = Command.package) throws -> Set<String> {
    let script = """
      blurbench() { '\(Command.program)' "$@"; }
      \(try bashScript.get())
      COMP_WORDS=(\(line)) COMP_LINE="\(line)"
      case "$COMP_LINE" in *' ') COMP_WORDS+=('') ;; esac
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
      _blurbench blurbench "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let offers = try Program.output(["bash", "-c", script], in: folder)
    return Set(offers.split(separator: "\n").map(String.init))
  }

  @Test("Bash offers kernels, also after commas, and everything else that has a list")
  func bash() throws {
    let kernels = Set(Registry.kernels.map(\.name))
    for verb in ["verify", "certify", "list", "picture out.png", "compare"] {
      #expect(try Self.offered("blurbench \(verb) --kernel ") == kernels, "\(verb)")
    }
    #expect(try Self.offered("blurbench run --kernel simd,py") == ["simd,pyramid", "simd,pyramid-fine"])
    #expect(try !Self.offered("blurbench run --kernel simd,s").contains("simd,simd"))
    #expect(try Self.offered("blurbench blur a.png b.png --kernel ") == kernels.union(["auto"]))
    #expect(try Self.offered("blurbench verify --property trut") == ["truth"])
    #expect(try Self.offered("blurbench certify --edge cl") == ["clamp"])
    #expect(try Self.offered("blurbench run --pace c") == ["cold"])
    #expect(try Self.offered("blurbench blur a.png b.png --isa avx") == ["avx2", "avx512"])
    #expect(try Self.offered("blurbench scene ").isSuperset(of: Scene.all.map(\.name)))
    #expect(try Self.offered("blurbench scene reveal --device ") == Set(Device.all.map(\.name)))
    #expect(try Self.offered("blurbench export --for ") == ["gha", "bencher", "benchstat", "google"])
  }

  @Test("Bash offers files of the right kind, and folders on the way to them")
  func files() throws {
    try Scratch.folder { folder in
      for name in ["a.csv", "a.so", "a.py", "a.yml", "a.json", "a.txt"] {
        try Data().write(to: folder.appending(path: name))
      }
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sub"), withIntermediateDirectories: true)
      func offered(_ line: String) throws -> Set<String> { try Self.offered(line, in: folder) }
      #expect(try offered("blurbench run --suite a") == ["a.yml"])
      #expect(try offered("blurbench run --suite s").isSuperset(of: ["standard", "sub/"]))
      #expect(try offered("blurbench run --plugin a") == ["a.so"])
      #expect(try offered("blurbench run --python a") == ["a.py"])
      #expect(try offered("blurbench rank a") == ["a.csv"])
      #expect(try offered("blurbench report a") == ["a.csv", "a.json"])
      #expect(try offered("blurbench compare a").isSuperset(of: ["a.csv", "a.so", "a.py"]))
      #expect(try !offered("blurbench compare a").contains("a.txt"))
      #expect(try offered("blurbench select --from a") == ["a.csv"])
    }
  }
}
