import Blur
import CBlur

/// What C holds by its address.
protocol Handle: AnyObject {}

extension Handle {
  /// The address that C keeps, which counts as an owner.
  func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  /// The object at an address that ``retained()`` gave; nil for NULL.
  static func at(_ address: OpaquePointer?) -> Self? { unmanaged(address)?.takeUnretainedValue() }

  /// Gives up what C owned.
  static func release(_ address: OpaquePointer?) { unmanaged(address)?.release() }

  private static func unmanaged(_ address: OpaquePointer?) -> Unmanaged<Self>? {
    // SAFETY: the header says that a plan comes from the function that creates plans of its kind, and is not
    // yet destroyed.
    address.map { Unmanaged.fromOpaque(UnsafeRawPointer($0)) }
  }
}

/// What a `blur_plan *` points to.
final class PlanHandle: Handle {
  let plan: BlurPlan
  let kernelName: CString

  init(_ plan: BlurPlan) {
    self.plan = plan
    kernelName = CString(plan.kernel.name)
  }

  deinit { kernelName.free() }
}

/// What a `blur_variable_plan *` points to.
final class VariableHandle: Handle {
  let plan: VariableBlurPlan

  init(_ plan: VariableBlurPlan) { self.plan = plan }
}

/// Text for C, kept until it is freed.
///
/// `@unchecked Sendable`: it is never written.
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

/// What can be asked for by name or number; never freed.
enum Names {
  static let formats = PixelFormat.allCases.map { CString($0.rawValue) }
  static let kernels = Registry.kernels.map { CString($0.name) }
  static let methods = VariableMethod.allCases.map { CString($0.rawValue) }
}

extension [CString] {
  /// NULL outside of the list.
  func name(at index: Int32) -> UnsafePointer<CChar>? {
    indices.contains(Int(index)) ? self[Int(index)].address : nil
  }
}
