import Foundation

/// A machine on which records were measured, with its readable name.
public struct FleetMachine: Encodable, Sendable {
  /// The key that identifies the machine in its records (see ``Machine/key``).
  public let key: String
  /// A readable name, which no other machine in the list has. It consists of the CPU's name and the number of
  /// cores. If the provenance file does not name the CPU, the name is equal to ``key``.
  public private(set) var name: String
  /// The Git revisions of the programs that took measurements on this machine, abbreviated to seven digits. A
  /// revision is missing if the provenance does not state it.
  public let revisions: [String]

  /// Returns the machines with the given keys. The name of each machine is taken from the provenance of its
  /// records.
  ///
  /// - Parameters:
  ///   - keys: The keys of the machines, without duplicates. The result has the same order.
  ///   - origins: The lines of all provenance files, one file after the other. Each line `machine key`
  ///     contains the key of a machine, and the lines after it describe this machine, up to the next line of
  ///     this kind.
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
