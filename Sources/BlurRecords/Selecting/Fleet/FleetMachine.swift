import Foundation

/// One of several machines that records are of.
public struct FleetMachine: Encodable, Sendable {
  /// The key in records, see ``Machine/key``.
  public let key: String
  /// The CPU and its cores as far as provenance says so, and else the key; no two machines have the same.
  public private(set) var name: String
  /// The revisions of this program that measured there, in seven digits, as far as provenance says so.
  public let revisions: [String]

  /// Names machines by what stands beside their records.
  ///
  /// - Parameters:
  ///   - keys: of the machines, each once; their order is kept.
  ///   - origins: the lines of provenance of all files. Those after a machine's key are about that machine.
  static func named(_ keys: [String], by origins: [ProvenanceReader.Line]) -> [FleetMachine] {
    var facts: [String: [String: [String]]] = [:]
    var key = ""
    for line in origins {
      if line.key == "machine key" { key = line.value }
      if facts[key]?[line.key]?.contains(line.value) != true {
        facts[key, default: [:]][line.key, default: []].append(line.value)
      }
    }
    var machines = keys.map { FleetMachine($0, facts[$0] ?? [:]) }
    let counts = Dictionary(grouping: machines, by: \.name).mapValues(\.count)
    for index in machines.indices where counts[machines[index].name, default: 0] > 1 {
      machines[index].name += " (\(machines[index].key))"
    }
    return machines
  }

  private init(_ key: String, _ facts: [String: [String]]) {
    self.key = key
    revisions = Set((facts["git revision"] ?? []).map { String($0.prefix(7)) }).sorted()
    let cpu = facts["cpu"]?.first.map { $0.replacing(/\((R|TM)\)| Processor$/, with: "") }
    let cores = facts["cores"]?.first.map { $0 == "1" ? ", 1 core" : ", \($0) cores" } ?? ""
    name = cpu.map { $0 + cores } ?? key
  }
}
