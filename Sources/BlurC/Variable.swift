import Blur
import CBlur

#if !hasFeature(Embedded)
  import BlurWisdom
#endif

// The functions of blur.h for blurs of variable sigma.

/// `blur_variable_plan_create`.
@_cdecl("blur_variable_plan_create")
public func blurVariablePlanCreate(
  _ options: UnsafePointer<blur_variable_options>?, _ plan: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  status { () throws(Failure) in
    guard let plan else { throw .argument("plan is NULL: there must be a place for the plan") }
    plan.pointee = nil
    plan.pointee = VariableHandle(try VariableRequest(options).plan()).retained()
  }
}

/// `blur_variable_execute`.
@_cdecl("blur_variable_execute")
public func blurVariableExecute(
  _ plan: OpaquePointer?, _ source: UnsafeRawPointer?, _ sourceStride: Int64,
  _ destination: UnsafeMutableRawPointer?, _ destinationStride: Int64
) -> Int32 {
  status { () throws(Failure) in
    guard let plan = VariableHandle.at(plan)?.plan else { throw .argument("plan is NULL") }
    guard let source else { throw .argument("source is NULL") }
    guard let destination else { throw .argument("destination is NULL") }
    let (format, bounds) = (plan.layout.format, plan.layout.bounds)
    let from = try layout(format, bounds, sourceStride, at: source)
    let to = try layout(format, bounds, destinationStride, at: destination)
    do throws(BlurError) {
      try plan.blur(ImageView(source, from), into: MutableImageView(destination, to))
    } catch {
      throw Failure(error)
    }
  }
}

/// `blur_variable_plan_error`.
@_cdecl("blur_variable_plan_error")
public func blurVariablePlanError(_ plan: OpaquePointer?) -> Double {
  VariableHandle.at(plan)?.plan.error ?? -1
}

/// `blur_variable_destroy`.
@_cdecl("blur_variable_destroy")
public func blurVariableDestroy(_ plan: OpaquePointer?) { VariableHandle.release(plan) }

/// `blur_variable_method_name`.
@_cdecl("blur_variable_method_name")
public func blurVariableMethodName(_ method: Int32) -> UnsafePointer<CChar>? {
  Names.methods.name(at: method)
}

/// What a `blur_variable_plan *` points to.
final class VariableHandle {
  let plan: VariableBlurPlan

  init(_ plan: VariableBlurPlan) { self.plan = plan }

  /// The address that C keeps, which counts as an owner.
  func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  /// The plan at an address that ``retained()`` gave; nil for NULL.
  static func at(_ address: OpaquePointer?) -> VariableHandle? { unmanaged(address)?.takeUnretainedValue() }

  /// Gives up what C owned.
  static func release(_ address: OpaquePointer?) { unmanaged(address)?.release() }

  private static func unmanaged(_ address: OpaquePointer?) -> Unmanaged<VariableHandle>? {
    // SAFETY: the header says that a plan comes from `blur_variable_plan_create` and is not yet destroyed.
    address.map { Unmanaged.fromOpaque(UnsafeRawPointer($0)) }
  }
}

/// The options of `blur_variable_plan_create`, read.
struct VariableRequest {
  private let options: blur_variable_options
  private let format: PixelFormat
  private let edge: EdgeMode
  private let method: VariableMethod

  init(_ options: UnsafePointer<blur_variable_options>?) throws(Failure) {
    guard let options else { throw .argument("options is NULL") }
    let size = MemoryLayout<blur_variable_options>.size
    guard options.pointee.size == size else {
      throw .argument(
        "options.size \(options.pointee.size): must be sizeof(blur_variable_options), here \(size)")
    }
    self.options = options.pointee
    format = try PixelFormat(code: self.options.format)
    edge = try EdgeMode(code: self.options.edge, constant: self.options.constant)
    let methods = VariableMethod.allCases
    guard methods.indices.contains(Int(self.options.method)) else {
      throw .argument(
        "method \(self.options.method): must be a blur_variable_method, 0 to \(methods.count - 1)")
    }
    method = methods[Int(self.options.method)]
  }

  /// Makes the plan.
  func plan() throws(Failure) -> VariableBlurPlan {
    #if !hasFeature(Embedded)
      // A reference, without which a static library would be linked without wisdom.
      LinkedWisdom.load()
    #endif
    let whole: ImageLayout
    do throws(BlurError) {
      whole = try ImageLayout(format, width: Int(options.width), height: Int(options.height))
      _ = try Sigma(options.sigma)
    } catch { throw Failure(error) }
    let mask = try mask(whole)
    do throws(BlurError) {
      var kernel: Kernel?
      // SAFETY: the header says that a name is a C string.
      if let name = options.kernel { kernel = try Registry.kernel(named: String(cString: name)) }
      return try VariableBlurPlan(
        for: whole, sigma: options.sigma, mask: mask, edge: edge, method: method, kernel: kernel,
        threads: options.threads == 0 ? 1 : Int(options.threads))
    } catch {
      throw Failure(error)
    }
  }

  /// A copy of the mask.
  private func mask(_ whole: ImageLayout) throws(Failure) -> Image {
    guard let address = options.mask else { throw .argument("mask is NULL: it has a byte for each pixel") }
    let rows = try layout(.gray8, whole.bounds, options.mask_stride, at: address)
    do throws(BlurError) {
      var mask = try Image(.gray8, width: whole.width, height: whole.height)
      mask.withMutableView { copy in
        for y in 0..<whole.height {
          // SAFETY: both rows have `width` bytes; the header says that the mask's are there.
          copy.row(y).copyMemory(from: UnsafeRawPointer(address) + y * rows.stride, byteCount: whole.width)
        }
      }
      return mask
    } catch {
      throw Failure(error)
    }
  }
}
