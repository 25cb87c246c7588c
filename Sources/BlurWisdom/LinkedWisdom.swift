import Blur

/// The wisdom file from which this process takes measured times when it chooses kernels.
public enum LinkedWisdom {
  /// The path of the wisdom file in use, or nil if no file is used.
  public static var path: String? { loaded.path }

  /// Loads the wisdom file now. Without this call, the library loads the file when it first chooses a kernel.
  public static func load() { _ = MeasuredTimes.shared }

  /// The path and the contents of the wisdom file, loaded on first access from ``WisdomFile/path``.
  ///
  /// Both are nil if there is no file or if the file cannot be used, for example because it was measured on
  /// another machine or with other kernels. The reason is reported once, on standard error. A missing file is
  /// only reported if the environment variable `BLUR_WISDOM` names it.
  fileprivate static let loaded: (path: String?, wisdom: Wisdom?) = {
    let named = SystemFile.environment("BLUR_WISDOM") != nil
    let (wisdom, warning) = load(WisdomFile.path, isNamed: named)
    if let warning { SystemFile.say("blur: \(warning); until then, kernels are chosen by estimated times") }
    return (wisdom == nil ? nil : WisdomFile.path, wisdom)
  }()

  /// Returns the wisdom in the file if it can be used. Otherwise returns a warning, or nothing if there is no
  /// reason to warn.
  ///
  /// - Parameter isNamed: Whether the user named the file, so that a missing file deserves a warning.
  static func load(
    _ path: String?, isNamed: Bool, processor: Processor = .current
  ) -> (wisdom: Wisdom?, warning: String?) {
    guard let path else { return (nil, nil) }
    do throws(WisdomFile.Failure) { return (try WisdomFile.load(path, for: processor), nil) } catch {
      if case .missing = error, !isNamed { return (nil, nil) }
      return (nil, error.description)
    }
  }
}

/// Adds the wisdom to the table of measured times.
///
/// The library calls this function when it first chooses a kernel. A weak definition that does nothing takes
/// its place in programs that do not link this module.
@_cdecl("blur_wisdom_load")
public func blurWisdomLoad(_ times: UnsafeMutableRawPointer) {
  // SAFETY: The pointer is `MeasuredTimes.shared`, which is passed unretained and lives as long as the
  // process.
  let table = Unmanaged<MeasuredTimes>.fromOpaque(times).takeUnretainedValue()
  LinkedWisdom.loaded.wisdom?.record(in: table)
}
