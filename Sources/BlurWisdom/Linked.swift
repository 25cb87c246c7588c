import Blur

/// The file that this process chooses by.
public enum LinkedWisdom {
  /// The path of the file in use, nil where there is none.
  public static var path: String? { loaded.path }

  /// Makes sure that choices know the wisdom. The library does so by itself at its first choice.
  public static func load() { _ = MeasuredTimes.shared }

  /// Found at first use: with the file that ``WisdomFile/path`` names, if that is of this machine and these
  /// kernels. What is wrong with it is said once on standard error.
  fileprivate static let loaded: (path: String?, wisdom: Wisdom?) = {
    let named = SystemFile.environment("BLUR_WISDOM") != nil
    let (wisdom, warning) = load(WisdomFile.path, isNamed: named)
    if let warning { SystemFile.say("blur: \(warning); until then kernels are chosen by estimate") }
    return (wisdom == nil ? nil : WisdomFile.path, wisdom)
  }()

  /// The wisdom of a file if it is fit, else what to say.
  ///
  /// - Parameter isNamed: whether the file was asked for, so that its absence is worth a word.
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

/// The library calls this at its first choice: the definition that stands in where this module is not linked
/// is weak.
@_cdecl("blur_wisdom_load")
public func blurWisdomLoad(_ times: UnsafeMutableRawPointer) {
  // SAFETY: `MeasuredTimes.shared` hands over itself, and lives as long as the process.
  let table = Unmanaged<MeasuredTimes>.fromOpaque(times).takeUnretainedValue()
  LinkedWisdom.loaded.wisdom?.record(in: table)
}
