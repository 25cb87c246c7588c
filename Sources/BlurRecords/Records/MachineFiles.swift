import BlurText
import Foundation

/// Reads the files in which Linux publishes facts about the machine, such as its CPUs. On other systems,
/// these files don't exist, so all facts are missing.
package struct MachineFiles {
  private let root: String
  private let cpuInfo: [String: String]
  /// The sysfs folders of the CPUs, in order.
  private let cpus: [String]
  /// The files in which Linux counts how often the CPU was slowed down because of heat. There is only one
  /// file for each CPU package here, because all cores of a package share one counter.
  private let throttleFiles: [String]

  /// Reads the files in which Linux describes this machine.
  ///
  /// - Parameter root: The folder that contains the folders `proc` and `sys`. Tests pass a folder with files
  ///   of their own.
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

  /// The features of the first CPU, separated by spaces.
  var flags: String { cpuInfo["flags"] ?? cpuInfo["Features"] ?? "" }

  /// The highest clock rate of the first CPU in MHz, or its current clock rate if the highest one is unknown,
  /// or 0 if both are unknown.
  var megahertz: Double {
    if let highest = number("cpufreq/cpuinfo_max_freq"), highest > 0 { return highest / 1000 }
    return cpuInfo["cpu MHz"].flatMap { Double($0) } ?? 0
  }

  /// The governors that control the clock rates of the CPUs. The array is empty if the system reports no
  /// governors.
  var governors: [String] {
    cpus.compactMap { Self.text($0 + "cpufreq/scaling_governor") }
  }

  /// Clock ticks since the system started, summed over all CPUs. `busy` counts the ticks during which this
  /// system ran programs. `stolen` counts the ticks that other virtual machines took, or is nil if the system
  /// does not report them. If the system reports no ticks at all, the whole value is nil.
  package var ticks: (busy: Double, stolen: Double?)? {
    let line = Self.text(root + "proc/stat")?.prefix { $0 != "\n" } ?? ""
    // The `cpu` line of /proc/stat has the fields user, nice, system, idle, iowait, irq, softirq and steal.
    // Two more fields may follow, for the time spent in virtual machines. They are not added, because the
    // fields user and nice already include that time.
    let fields = line.split(separator: " ")
    let numbers = fields.dropFirst().compactMap { Double($0) }
    guard fields.first == "cpu", numbers.count >= 7 else { return nil }
    let busy = numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6]
    return (busy, numbers.count > 7 ? numbers[7] : nil)
  }

  /// The number of times that CPUs were slowed down because of heat, or nil if the system does not report
  /// this number.
  package var throttles: Int? {
    let counts = throttleFiles.compactMap { Self.text($0).flatMap { Int($0) } }
    return counts.isEmpty ? nil : counts.reduce(0, +)
  }

  /// Returns the current clock rate of a CPU in MHz, or nil if the system does not report it.
  package func currentMegahertz(cpu: Int) -> Double? {
    guard cpus.indices.contains(cpu) else { return nil }
    return Self.text(cpus[cpu] + "cpufreq/scaling_cur_freq").flatMap { Double($0) }.map { $0 / 1000 }
  }

  /// The caches of the first CPU.
  var caches: [Machine.Cache] {
    (0..<16).lazy.map { "cache/index\($0)/" }.prefix { word($0 + "level") != nil }.compactMap { folder in
      guard let type = word(folder + "type"), let level = word(folder + "level").flatMap({ Int($0) }),
        let size = word(folder + "size").flatMap({ Int(bytes: $0) })
      else { return nil }
      let sharing = Self.count(inMask: word(folder + "shared_cpu_map") ?? "1")
      return Machine.Cache(type: type, level: level, size: size, sharing: sharing)
    }
  }

  // MARK: Values from system calls

  /// The computer's name on its network.
  static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    // The last byte stays 0, so it terminates a name that was truncated.
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The average number of runnable threads over the last 1, 5 and 15 minutes, or an empty array if the
  /// averages are unknown.
  static var loadAverage: [Double] {
    var loads = [0.0, 0.0, 0.0]
    let count = getloadavg(&loads, Int32(loads.count))
    return Array(loads.prefix(max(0, Int(count))))
  }

  // MARK: Reading files

  private func word(_ name: String) -> String? { Self.text(root + "sys/devices/system/cpu/cpu0/" + name) }
  private func number(_ name: String) -> Double? { word(name).flatMap { Double($0) } }

  private static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Parses lines of the form `key : value`, and returns the first value of each key.
  private static func firstValues(of text: String) -> [String: String] {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let pair = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if pair.count == 2, values[pair[0]] == nil { values[pair[0]] = pair[1] }
    }
    return values
  }

  /// Returns the number of bits that are set in a hexadecimal mask such as `0000,00000003`.
  private static func count(inMask text: String) -> Int {
    text.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
  }
}
