import Blur
import BlurText
import CBlur
import CLinux
import Foundation
import Synchronization

/// Loads kernels from a shared library that implements `blur_plugin.h`.
///
/// Loading a library runs its code in this process, so pass only paths that the user named.
public enum PluginLibrary {
  /// Loads the library at `path`. Returns its kernels, which can run in this process, and their descriptions,
  /// in the order in which the library lists them. The library stays loaded until the process ends.
  ///
  /// - Throws: ``PluginError`` if the file cannot be loaded, has no `blur_plugin`, has another version of the
  ///   interface, or describes a kernel incorrectly.
  public static func kernels(
    at path: String
  ) throws(PluginError) -> [(kernel: Kernel, description: PluginDescription)] {
    // Loading a library that was linked with -ffast-math makes this thread replace denormal numbers with 0.
    // The thread's old floating-point modes are restored, because the thread also runs other kernels.
    let modes = float_modes()
    defer { set_float_modes(modes) }
    let table = try table(at: path)
    guard table.pointee.count > 0, let kernels = table.pointee.kernels else {
      throw PluginError(path, "offers no kernels")
    }
    var listed: [(kernel: Kernel, description: PluginDescription)] = []
    for index in 0..<Int(table.pointee.count) {
      // SAFETY: `index` is less than `count`, and the interface guarantees that the table has `count`
      // kernels. The table lives as long as the library, and the library is never unloaded.
      let new = try kernel(PluginKernel(kernels + index), path)
      if listed.contains(where: { $0.kernel.name == new.kernel.name }) {
        throw PluginError(path, "has two kernels called '\(new.kernel.name)'")
      }
      listed.append(new)
    }
    return listed
  }

  private static func table(at path: String) throws(PluginError) -> UnsafePointer<blur_plugin_table> {
    // The path is made absolute. If it were a name without a slash, the loader would search only the library
    // folders of the system for it.
    let file = URL(filePath: path).path
    guard FileManager.default.fileExists(atPath: file) else { throw PluginError(path, "does not exist") }
    guard let library = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
      throw PluginError(
        path, "cannot be loaded: " + (dlerror().map { String(cString: $0) } ?? "unknown error"))
    }
    guard let symbol = dlsym(library, "blur_plugin") else {
      throw PluginError(path, "does not export the function blur_plugin")
    }
    typealias Entry = @convention(c) () -> UnsafePointer<blur_plugin_table>?
    // SAFETY: the interface declares the exported function `blur_plugin` with exactly this type.
    guard let table = unsafeBitCast(symbol, to: Entry.self)() else {
      throw PluginError(path, "could not be started, because blur_plugin returned null")
    }
    guard table.pointee.version == UInt32(BLUR_PLUGIN_VERSION) else {
      throw PluginError(
        path,
        "uses version \(table.pointee.version) of the interface, but this program needs version "
          + "\(BLUR_PLUGIN_VERSION)")
    }
    return table
  }

  private static func kernel(
    _ loaded: PluginKernel, _ path: String
  ) throws(PluginError) -> (kernel: Kernel, description: PluginDescription) {
    let name = loaded.name
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    guard !name.isEmpty, name.count <= 64, name.allSatisfy(allowed.contains) else {
      throw PluginError(
        path,
        "has a kernel called \(name.debugDescription); a name has 1 to 64 lower-case letters, digits, '-' "
          + "and '.'")
    }
    guard loaded.functions.plan != nil, loaded.functions.blur != nil else {
      throw PluginError(path, "kernel \(name) lacks the function plan or blur")
    }
    let description = try loaded.description(path)
    let kernel = Kernel(name: name, summary: description.summary, promise: description.promise) {
      (problem) throws(BlurError) in
      try description.check(problem)
      return try PluginPlan(loaded, problem)
    }
    return (kernel, description)
  }
}

/// The reason why a plug-in could not be loaded.
public struct PluginError: Error, CustomStringConvertible {
  /// One line of text that names the file and says what is wrong with the file.
  public let description: String

  init(description: String) { self.description = description }

  init(_ path: String, _ reason: String) { description = "plug-in \(path) \(reason)" }
}

/// The C structure with which a plug-in describes one of its kernels.
///
/// `@unchecked Sendable` is justified because the structure is never changed. The interface guarantees that
/// everything it points to lives as long as the library, and the library is never unloaded.
private struct PluginKernel: @unchecked Sendable {
  let functions: blur_kernel

  init(_ kernel: UnsafePointer<blur_kernel>) { functions = kernel.pointee }

  var name: String { functions.name.map { String(cString: $0) } ?? "" }

  /// Returns the description of the kernel, converted from the plug-in's C types to Swift types.
  ///
  /// - Parameter path: The path of the plug-in, for error messages.
  /// - Throws: ``PluginError`` if the kernel states an invalid promise, or invalid formats, edge modes or
  ///   thread counts.
  func description(_ path: String) throws(PluginError) -> PluginDescription {
    if let fault = promiseFault ?? offerFault { throw PluginError(path, "kernel \(name): \(fault)") }
    return PluginDescription(
      name: name, summary: functions.summary.map { PlainText.shown(String(cString: $0).oneLine) } ?? "",
      isNotGaussian: functions.promise == Self.promises[3],
      promisedLevels: hasLevels ? functions.promise_levels : nil,
      promisedShare: isExact ? functions.promise_share : nil,
      formats: formats.map(\.rawValue), edges: edges.map(\.name),
      mostThreads: functions.most_threads == 0 ? nil : Int(functions.most_threads))
  }

  private static let promises = [
    BLUR_PROMISE_NONE, BLUR_PROMISE_EXACT, BLUR_PROMISE_APPROXIMATION, BLUR_PROMISE_NOT_GAUSSIAN,
  ].map { Int32($0.rawValue) }

  private var isExact: Bool { functions.promise == Self.promises[1] }
  private var hasLevels: Bool { Self.promises[1...2].contains(functions.promise) }
  private var formats: [PixelFormat] { PixelFormat.allCases.filter { functions.formats & 1 << $0.code != 0 } }
  private var edges: [EdgeMode] { EdgeMode.allCases.filter { functions.edges & 1 << $0.code != 0 } }

  /// A sentence about what is invalid in the kernel's promise, or nil if the promise is valid.
  private var promiseFault: String? {
    guard Self.promises.contains(functions.promise) else {
      return "promise is \(functions.promise), which is not a value of blur_promise"
    }
    func fault(_ field: String, _ value: Double) -> String? {
      value.isFinite && value >= 0 ? nil : "\(field) is \(value); it must be a number of at least 0"
    }
    guard hasLevels else { return nil }
    if let fault = fault("promise_levels", functions.promise_levels) { return fault }
    guard isExact, let format = formats.first(where: { $0.component == .float32 }) else { return nil }
    if functions.promise_share == 0 {
      return "promises EXACT and offers \(format), but promise_share is 0; set it to the promised error "
        + "as a fraction of full scale, such as 2e-5"
    }
    return fault("promise_share", functions.promise_share)
  }

  /// A sentence about what is invalid in the formats, edge modes or thread count that the kernel states, or
  /// nil if they are valid.
  private var offerFault: String? {
    let ofFormats = Self.fault("formats", functions.formats, PixelFormat.allCases.map(\.code), "blur_format")
    let ofEdges = Self.fault("edges", functions.edges, EdgeMode.allCases.map(\.code), "blur_edge")
    if let fault = ofFormats ?? ofEdges { return fault }
    guard functions.most_threads < 0 else { return nil }
    return "most_threads is \(functions.most_threads); it must be at least 1, or 0 for any number of threads"
  }

  /// Returns a sentence about what is invalid in a bit set, or nil if the set is valid. The numbers in
  /// `codes` are the values of the C enumeration `type`. In a valid set, at least one of the bits with these
  /// numbers is set, and no other bit is set.
  private static func fault(_ field: String, _ bits: UInt32, _ codes: [Int], _ type: String) -> String? {
    let known = codes.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
    if bits & known == 0 { return "\(field) has none of the bits of \(type) set" }
    let unknown = bits & ~known
    return unknown == 0
      ? nil : "\(field) has bit \(unknown.trailingZeroBitCount) set, which is not a value of \(type)"
  }
}

/// A plan that blurs with a plug-in. The plan has only one unit of work, because the plug-in starts its own
/// threads.
private final class PluginPlan: Plan {
  private let plan: Mutex<OpaquePlan>

  let facts = PlanFacts(phases: [Phase(units: 1)])

  init(_ kernel: PluginKernel, _ problem: BlurProblem) throws(BlurError) {
    plan = Mutex(try OpaquePlan(kernel, blur_request(problem)))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    do throws(BlurError) {
      try plan.withLock { (plan) throws(BlurError) in
        try plan.blur(buffers.source, into: buffers.destination)
      }
    } catch {
      buffers.fail(error)
    }
  }
}

/// Owns the plan object that the plug-in has made, and frees this object when the value is destroyed.
private struct OpaquePlan: ~Copyable {
  private let kernel: PluginKernel
  private let address: UnsafeMutableRawPointer?

  init(_ kernel: PluginKernel, _ request: blur_request) throws(BlurError) {
    var plan: UnsafeMutableRawPointer?
    var request = request
    let (status, message, change) = Message.collect {
      kernel.functions.plan(kernel.functions.context, &request, &plan, $0)
    }
    switch status {
    case Int32(BLUR_OK.rawValue):
      guard let change else { break }
      kernel.functions.destroy?(plan)
      throw .failed(kernel: kernel.name, reason: "plan \(change)")
    case Int32(BLUR_UNSUPPORTED.rawValue):
      let reason = message ?? "this case: plan returned BLUR_UNSUPPORTED without a message"
      throw .unsupported(kernel: kernel.name, reason: reason)
    case Int32(BLUR_FAILED.rawValue):
      let reason = message.map { "planning: \($0)" } ?? "plan returned BLUR_FAILED without a message"
      throw .failed(kernel: kernel.name, reason: reason)
    default:
      throw .failed(
        kernel: kernel.name, reason: "plan returned \(status), which is not a value of blur_status")
    }
    self.kernel = kernel
    address = plan
  }

  deinit { kernel.functions.destroy?(address) }

  func blur(_ source: ImageView, into target: MutableImageView) throws(BlurError) {
    // SAFETY: the code that runs the plan has checked that both views have the format and size for which the
    // plan was made. The views stay valid during this call. The plug-in knows the size from the plan, and
    // gets the strides here.
    let (status, message, change) = Message.collect {
      kernel.functions.blur(
        address, source.unsafeBase, Int64(source.layout.stride), target.unsafeBase,
        Int64(target.layout.stride), $0)
    }
    let fault: String
    switch status {
    case Int32(BLUR_OK.rawValue):
      guard let change else { return }
      fault = "blur \(change)"
    case Int32(BLUR_UNSUPPORTED.rawValue):
      fault = "blur returned BLUR_UNSUPPORTED, which only plan may return" + (message.map { ": \($0)" } ?? "")
    case Int32(BLUR_FAILED.rawValue): fault = message ?? "blur returned BLUR_FAILED without a message"
    default: fault = "blur returned \(status), which is not a value of blur_status"
    }
    throw .failed(kernel: kernel.name, reason: fault)
  }
}

/// The buffer into which a plug-in may write a message for the user.
private enum Message {
  static let capacity = 512

  /// Runs `call`, and returns its status and the message of the plug-in. The message is one line without
  /// control characters. It is nil if the call succeeded, or if the plug-in wrote no message.
  ///
  /// If the plug-in has changed a floating-point mode of the CPU, such as the rounding mode, other kernels on
  /// the same thread would give wrong results. This function therefore restores the old modes, and `change`
  /// says which modes the plug-in has changed.
  static func collect(
    _ call: (blur_message) -> Int32
  ) -> (status: Int32, message: String?, change: String?) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
      text.initialize(repeating: 0)
      let modes = float_modes()
      let status = call(blur_message(text: text.baseAddress, capacity: capacity))
      let change = float_modes_change(modes, float_modes())
      if change != nil { set_float_modes(modes) }
      // This 0 makes reading stop at the end of the buffer, even if the plug-in forgot the terminating 0.
      text[capacity - 1] = 0
      let told = change.map { String(cString: $0) }
      guard status != 0 else { return (status, nil, told) }
      let message = PlainText.shown(String(cString: text.start).oneLine)
      return (status, message.isEmpty ? nil : message, told)
    }
  }
}

extension blur_request {
  init(_ problem: BlurProblem) {
    // The edge colour is rounded and clamped in the same way as for the library's own kernels.
    func constant(_ c: Int) -> Double { Double(problem.edge.constant(c, in: problem.layout.format)) }
    self.init(
      format: Int32(problem.layout.format.code), edge: Int32(problem.edge.code),
      width: Int64(problem.layout.width), height: Int64(problem.layout.height),
      sigma_x: problem.sigma.x, sigma_y: problem.sigma.y,
      constant: (constant(0), constant(1), constant(2), constant(3)),
      threads: Int32(problem.threads))
  }
}
