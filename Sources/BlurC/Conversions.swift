import Blur
import CBlur

/// Reads an options struct that a C caller has filled in. One member of the struct holds its size in bytes,
/// and the function `size` returns this member.
///
/// The size shows whether the caller was compiled for the same version of the library, because later versions
/// may add members. If this size is not the size of `Options`, an error is thrown and no other member is
/// read.
func read<Options>(
  _ options: UnsafePointer<Options>?, _ name: String, size: (UnsafePointer<Options>) -> Int
) throws(Failure) -> Options {
  guard let options else { throw .argument("options is NULL") }
  let expected = MemoryLayout<Options>.size
  guard size(options) == expected else {
    throw .argument("options.size \(size(options)): must be sizeof(\(name)), which is \(expected)")
  }
  return options.pointee
}

/// Returns the value with the number `code` in a C enum.
///
/// - Parameters:
///   - all: The values of the enum, in the order of their numbers.
///   - name: The name of the option, for error messages.
///   - type: The name of the enum, for error messages.
func value<Value>(_ code: Int32, of all: [Value], _ name: String, _ type: String) throws(Failure) -> Value {
  guard all.indices.contains(Int(code)) else {
    throw .argument("\(name) \(code): must be a \(type), 0 to \(all.count - 1)")
  }
  return all[Int(code)]
}

extension ImageLayout {
  /// Returns the order of the channels and the meaning of alpha that `code` stands for. `code` is a
  /// combination of values of the C enum `blur_pixels`. Throws if the format does not have the channels that
  /// the combination needs.
  static func pixels(code: Int32, _ format: PixelFormat) throws(Failure) -> (ChannelOrder, Alpha) {
    let (order, alpha) = (Int(code & 15), Int(code >> 4))
    guard ChannelOrder.allCases.indices.contains(order), Alpha.allCases.indices.contains(alpha) else {
      throw .argument(
        "pixels \(code): must be at most one of BLUR_BGRA, BLUR_ARGB and BLUR_ABGR, plus at most one of "
          + "BLUR_STRAIGHT and BLUR_OPAQUE")
    }
    let least = alpha > 0 || order > 1 ? 4 : order == 1 ? 3 : 1
    guard format.channels >= least else {
      let orders = ["BLUR_BGRA", "BLUR_ARGB", "BLUR_ABGR"]
      let name = alpha > 0 ? ["BLUR_STRAIGHT", "BLUR_OPAQUE"][alpha - 1] : orders[order - 1]
      throw Failure(
        code: BLUR_ERROR_LAYOUT,
        text: "pixels \(code): \(name) needs a format with \(least) channels, but \(format.rawValue) has "
          + "\(format.channels)")
    }
    return (ChannelOrder.allCases[order], Alpha.allCases[alpha])
  }
}

/// Throws if all sigmas of a request are 0 and the request does not allow a copy. If all sigmas are 0, the
/// caller has probably forgotten to set them in the struct.
///
/// - Parameter names: The members that hold the sigmas, for the error message.
func checkIsSet(_ sigmas: [Double], _ names: String, allowsCopy: Int32) throws(Failure) {
  guard (0...1).contains(allowsCopy) else {
    throw .argument("options.allow_copy \(allowsCopy): must be 0 or 1")
  }
  guard allowsCopy == 1 || sigmas.contains(where: { $0 != 0 }) else {
    throw Failure(
      code: BLUR_ERROR_SIGMA,
      text: "options.\(names): not set; if sigma 0 should copy the image, set options.allow_copy to 1")
  }
}

/// Returns the number of threads that an option asks for. The value 0 stands for one thread.
func threadCount(_ option: Int32) -> Int { option == 0 ? 1 : Int(option) }

extension PixelFormat {
  /// Creates the format that has the number `code` in the C enum `blur_format`.
  init(code: Int32) throws(Failure) {
    self = try value(code, of: PixelFormat.allCases, "format", "blur_format")
  }
}

extension EdgeMode {
  /// Creates the edge mode that has the number `code` in the C enum `blur_edge`. `constant` is the constant
  /// pixel of BLUR_CONSTANT.
  init(code: Int32, constant: (Float, Float, Float, Float)) throws(Failure) {
    let mode = try value(code, of: EdgeMode.allCases, "edge", "blur_edge")
    self =
      mode == .transparent ? .constant(SIMD4(constant.0, constant.1, constant.2, constant.3)) : mode
  }
}

/// Returns the text as a C string in memory that is never freed, so C code may keep its address.
func lastingCString(_ text: String) -> UnsafePointer<CChar> {
  let characters = text.utf8CString
  // SAFETY: the memory has room for the characters and their terminating 0, and no other code has its address
  // yet.
  let copy = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
  for (index, character) in characters.enumerated() { (copy + index).initialize(to: character) }
  return UnsafePointer(copy)
}

extension [UnsafePointer<CChar>] {
  /// Returns the string at this index, or NULL if the index is out of range.
  func name(at index: Int32) -> UnsafePointer<CChar>? {
    indices.contains(Int(index)) ? self[Int(index)] : nil
  }
}
