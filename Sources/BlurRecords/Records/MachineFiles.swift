import Foundation

/// What Linux tells about the CPU in its files; elsewhere all of it is empty.
package struct MachineFiles {
  private let root: String
  private let cpuInfo: [String: String]
  /// The folders of the CPUs, in order.
  private let cpus: [String]
  /// What counts the packages' throttlings: one file for each, for there may be hundreds of CPUs.
  private let throttleFiles: [String]

  /// - Parameter root: the folder that holds `proc` and `sys`.
  package init(root: String = "/") {
    self.root = root
    cpuInfo = Self.firstValues(of: Self.text(root + "proc/cpuinfo") ?? "")
    let folder = root + "sys/devices/system/cpu"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    cpus = names.filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
      .sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }.map { "\(folder)/\($0)/" }
    let packages = cpus.inGroups { Self.text($0 + "topology/physical_package_id") }
    throttleFiles = packages.map { $0.elements[0] + "thermal_throttle/package_throttle_count" }
  }

  /// The features that the first CPU lists.
  var flags: String { cpuInfo["flags"] ?? cpuInfo["Features"] ?? "" }

  /// The highest clock of the first CPU in MHz, or else the clock that it states now; 0 where neither is
  /// known.
  var megahertz: Double {
    if let highest = number("cpufreq/cpuinfo_max_freq"), highest > 0 { return highest / 1000 }
    return cpuInfo["cpu MHz"].flatMap { Double($0) } ?? 0
  }

  /// What decides the clock of each CPU; empty where the system does not say.
  var governors: [String] {
    cpus.compactMap { Self.text($0 + "cpufreq/scaling_governor") }
  }

  /// Ticks since the start of the system, of all CPUs: those that programs had, and those that other virtual
  /// machines took, if that is known.
  package var ticks: (busy: Double, stolen: Double?)? {
    let line = Self.text(root + "proc/stat")?.prefix { $0 != "\n" } ?? ""
    // user, nice, system, idle, iowait, irq, softirq, steal, and guests, which are part of the first two.
    let fields = line.split(separator: " ")
    let numbers = fields.dropFirst().compactMap { Double($0) }
    guard fields.first == "cpu", numbers.count >= 7 else { return nil }
    let busy = numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6]
    return (busy, numbers.count > 7 ? numbers[7] : nil)
  }

  /// How often CPUs were slowed down for their heat; nil where the system does not say.
  package var throttles: Int? {
    let counts = throttleFiles.compactMap { Self.text($0).flatMap { Int($0) } }
    return counts.isEmpty ? nil : counts.reduce(0, +)
  }

  /// The clock of a CPU now, in MHz; nil where the system does not say.
  package func currentMegahertz(cpu: Int) -> Double? {
    guard cpus.indices.contains(cpu) else { return nil }
    return Self.text(cpus[cpu] + "cpufreq/scaling_cur_freq").flatMap { Double($0) }.map { $0 / 1000 }
  }

  /// The caches of the first CPU.
  var caches: [Machine.Cache] {
    (0..<16).lazy.map { "cache/index\($0)/" }.prefix { word($0 + "level") != nil }.compactMap { folder in
      guard let type = word(folder + "type"), let level = word(folder + "level").flatMap({ Int($0) }),
        let size = word(folder + "size").flatMap(Self.bytes)
      else { return nil }
      let sharing = Self.count(inMask: word(folder + "shared_cpu_map") ?? "1")
      return Machine.Cache(type: type, level: level, size: size, sharing: sharing)
    }
  }

  // MARK: Not of files

  /// The computer's name in its network.
  static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    // The last byte stays 0, and ends a name that was cut.
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// How many threads wanted to run in the last 1, 5 and 15 minutes; empty where that is unknown.
  static var loadAverage: [Double] {
    var loads = [0.0, 0.0, 0.0]
    let count = getloadavg(&loads, Int32(loads.count))
    return Array(loads.prefix(max(0, Int(count))))
  }

  // MARK: Reading

  private func word(_ name: String) -> String? { Self.text(root + "sys/devices/system/cpu/cpu0/" + name) }
  private func number(_ name: String) -> Double? { word(name).flatMap { Double($0) } }

  private static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The first value of each key in lines `key : value`.
  private static func firstValues(of text: String) -> [String: String] {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let pair = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if pair.count == 2, values[pair[0]] == nil { values[pair[0]] = pair[1] }
    }
    return values
  }

  /// `32K` is 32768.
  private static func bytes(_ text: String) -> Int? {
    let powers: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let power = text.last.flatMap { powers[$0] }
    return Int(power == nil ? text : String(text.dropLast())).map { $0 << (power ?? 0) }
  }

  /// How many bits are set in hexadecimal digits such as `0000,00000003`.
  private static func count(inMask text: String) -> Int {
    text.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
  }
}
