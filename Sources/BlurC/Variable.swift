import Blur
import CBlur

// This file implements the functions of blur.h for blurs with a variable sigma.

/// Implements `blur_variable_plan_create`.
@_cdecl("blur_variable_plan_create")
public func blurVariablePlanCreate(
  _ options: UnsafePointer<blur_variable_options>?, _ plan: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  create(plan) { () throws(Failure) in try VariableRequest(options).plan() }
}

/// Implements `blur_variable_execute`.
@_cdecl("blur_variable_execute")
public func blurVariableExecute(
  _ plan: OpaquePointer?, _ source: UnsafeRawPointer?, _ sourceStride: Int64,
  _ destination: UnsafeMutableRawPointer?, _ destinationStride: Int64
) -> Int32 {
  status { () throws(Failure) in
    guard let plan = Unmanaged<VariableBlurPlan>.at(plan)?.takeUnretainedValue() else {
      throw .argument("plan is NULL")
    }
    let whole = plan.layout
    let source = try view(source, sourceStride, whole.bounds, whole)
    let destination = try mutableView(destination, destinationStride, whole.bounds, whole)
    do throws(BlurError) { try plan.blur(source, into: destination) } catch { throw Failure(error) }
  }
}

/// Implements `blur_variable_plan_error`.
@_cdecl("blur_variable_plan_error")
public func blurVariablePlanError(_ plan: OpaquePointer?) -> Double {
  Unmanaged<VariableBlurPlan>.at(plan)?.takeUnretainedValue().error ?? -1
}

/// Implements `blur_variable_destroy`.
@_cdecl("blur_variable_destroy")
public func blurVariableDestroy(_ plan: OpaquePointer?) {
  Unmanaged<VariableBlurPlan>.at(plan)?.release()
}

/// Implements `blur_variable_method_name`.
@_cdecl("blur_variable_method_name")
public func blurVariableMethodName(_ method: Int32) -> UnsafePointer<CChar>? {
  methodNames.name(at: method)
}

// SAFETY: neither the array nor its strings ever change.
nonisolated(unsafe) private let methodNames = VariableMethod.allCases.map { lastingCString($0.rawValue) }

/// The validated options of a call of the C function `blur_variable_plan_create`.
private struct VariableRequest {
  private let options: blur_variable_options
  private let format: PixelFormat
  private let edge: EdgeMode
  private let order: ImageLayout.ChannelOrder
  private let alpha: ImageLayout.Alpha
  private let method: VariableMethod

  init(_ options: UnsafePointer<blur_variable_options>?) throws(Failure) {
    self.options = try read(options, "blur_variable_options") { $0.pointee.size }
    format = try PixelFormat(code: self.options.format)
    edge = try EdgeMode(code: self.options.edge, constant: self.options.constant)
    (order, alpha) = try ImageLayout.pixels(code: self.options.pixels, format)
    method = try value(self.options.method, of: VariableMethod.allCases, "method", "blur_variable_method")
    try checkIsSet([self.options.sigma], "sigma", allowsCopy: self.options.allow_copy)
  }

  /// Creates the plan that the options ask for.
  func plan() throws(Failure) -> VariableBlurPlan {
    let whole: ImageLayout
    let gray: ImageLayout
    do throws(BlurError) {
      whole = try ImageLayout(
        format, width: Int(options.width), height: Int(options.height), order: order, alpha: alpha)
      gray = try ImageLayout(.gray8, width: whole.width, height: whole.height)
      _ = try Sigma(options.sigma)
    } catch { throw Failure(error) }
    let mask = try mask(gray)
    do throws(BlurError) {
      var kernel: Kernel?
      // SAFETY: the header requires that a kernel's name is a C string.
      if let name = options.kernel { kernel = try Registry.kernel(named: String(cString: name)) }
      return try VariableBlurPlan(
        for: whole, sigma: options.sigma, mask: mask, edge: edge, method: method, kernel: kernel,
        threads: threadCount(options.threads))
    } catch {
      throw Failure(error)
    }
  }

  /// Returns a copy of the mask that the caller has passed. The copy has the layout `gray`. The caller's mask
  /// has the same format and size, but its rows may have a different stride.
  private func mask(_ gray: ImageLayout) throws(Failure) -> Image {
    guard let address = options.mask else {
      throw .argument("mask is NULL; it must point to one byte for each pixel")
    }
    let rows = try layout(of: "mask", gray, gray.bounds, options.mask_stride, at: address)
    do throws(BlurError) {
      var mask = try Image(gray)
      // SAFETY: the header requires that the caller's mask has the layout `rows`.
      mask.withMutableView { $0.copyPixels(of: ImageView(address, rows)) }
      return mask
    } catch {
      throw Failure(error)
    }
  }
}
