import Blur
import CBlur

/// An object that C code holds by its address.
protocol Handle: AnyObject {}

extension Handle {
  /// Returns the address of the object for C code. The object stays in memory until C code passes the address
  /// to ``release(_:)``.
  func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  /// Returns the object at an address that ``retained()`` returned, or nil for NULL.
  static func at(_ address: OpaquePointer?) -> Self? { unmanaged(address)?.takeUnretainedValue() }

  /// Releases the object at an address that ``retained()`` returned. Does nothing if the address is NULL.
  static func release(_ address: OpaquePointer?) { unmanaged(address)?.release() }

  private static func unmanaged(_ address: OpaquePointer?) -> Unmanaged<Self>? {
    // SAFETY: the header requires that a plan comes from the function that creates plans of its kind, and
    // that it is not destroyed yet.
    address.map { Unmanaged.fromOpaque(UnsafeRawPointer($0)) }
  }
}

/// The object that a `blur_plan *` points to.
final class PlanHandle: Handle {
  let plan: BlurPlan
  let kernelName: CString

  init(_ plan: BlurPlan) {
    self.plan = plan
    kernelName = CString(plan.kernel.name)
  }

  deinit { kernelName.free() }
}

/// The object that a `blur_variable_plan *` points to.
final class VariableHandle: Handle {
  let plan: VariableBlurPlan

  init(_ plan: VariableBlurPlan) { self.plan = plan }
}

/// A string for C code, which stays in memory until it is freed.
///
/// `@unchecked Sendable`: the string is never changed.
struct CString: @unchecked Sendable {
  let address: UnsafePointer<CChar>

  init(_ text: String) {
    let characters = text.utf8CString
    // SAFETY: the memory has room for the characters and their terminating 0, and no other code has its
    // address yet.
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
    for (index, character) in characters.enumerated() {
      (copy + index).initialize(to: character)
    }
    address = UnsafePointer(copy)
  }

  func free() { address.deallocate() }
}

/// The names of formats, kernels and methods as C strings. C code gets a name by its index. The strings are
/// never freed, so C code may keep their addresses.
enum Names {
  static let formats = PixelFormat.allCases.map { CString($0.rawValue) }
  static let kernels = Registry.kernels.map { CString($0.name) }
  static let methods = VariableMethod.allCases.map { CString($0.rawValue) }
}

extension [CString] {
  /// Returns the address of the string at this index, or NULL if the index is out of range.
  func name(at index: Int32) -> UnsafePointer<CChar>? {
    indices.contains(Int(index)) ? self[Int(index)].address : nil
  }
}
