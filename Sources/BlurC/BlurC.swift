import Blur
import CBlur

// Wisdom means kernel times that were measured earlier and are read from a file. Embedded Swift runs without
// an operating system, so there are no files and no wisdom.
#if !hasFeature(Embedded)
  import BlurWisdom
#endif

// This file implements functions that blur.h declares and documents.

/// Implements `blur_plan_create`.
@_cdecl("blur_plan_create")
public func blurPlanCreate(
  _ options: UnsafePointer<blur_options>?, _ plan: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  create(plan) { () throws(Failure) in try Request(options).plan() }
}

/// Implements `blur_execute`.
@_cdecl("blur_execute")
public func blurExecute(
  _ plan: OpaquePointer?, _ source: UnsafeRawPointer?, _ sourceStride: Int64,
  _ destination: UnsafeMutableRawPointer?, _ destinationStride: Int64
) -> Int32 {
  status { () throws(Failure) in
    guard let plan = Unmanaged<BorrowedPlan>.at(plan)?.takeUnretainedValue() else {
      throw .argument("plan is NULL")
    }
    try execute(plan, source, sourceStride, destination, destinationStride)
  }
}

/// Implements `blur_image`.
@_cdecl("blur_image")
public func blurImage(
  _ options: UnsafePointer<blur_options>?, _ source: UnsafeRawPointer?, _ sourceStride: Int64,
  _ destination: UnsafeMutableRawPointer?, _ destinationStride: Int64
) -> Int32 {
  status { () throws(Failure) in
    loadWisdom()
    try execute(Request(options).plan(), source, sourceStride, destination, destinationStride)
  }
}

/// Blurs the pixels at the address `source`, and writes the result to the address `destination`.
private func execute(
  _ borrowed: BorrowedPlan, _ source: UnsafeRawPointer?, _ sourceStride: Int64,
  _ destination: UnsafeMutableRawPointer?, _ destinationStride: Int64
) throws(Failure) {
  let plan = borrowed.plan
  let source = try view(source, sourceStride, plan.layout.bounds, plan.layout)
  let destination = try mutableView(destination, destinationStride, plan.result.bounds, plan.layout)
  do throws(BlurError) { try borrowed.blur(source, into: destination) } catch { throw Failure(error) }
}

/// Implements `blur_destroy`.
@_cdecl("blur_destroy")
public func blurDestroy(_ plan: OpaquePointer?) { Unmanaged<BorrowedPlan>.at(plan)?.release() }

/// Implements `blur_clear_plans`.
@_cdecl("blur_clear_plans")
public func blurClearPlans() { BlurPlanCache.removeAll() }

/// Implements `blur_plan_kernel`.
@_cdecl("blur_plan_kernel")
public func blurPlanKernel(_ plan: OpaquePointer?) -> UnsafePointer<CChar>? {
  guard let kernel = Unmanaged<BorrowedPlan>.at(plan)?.takeUnretainedValue().plan.kernel else { return nil }
  return Registry.kernels.firstIndex { $0.name == kernel.name }.map { kernelNames[$0] }
}

/// Implements `blur_format_name`.
@_cdecl("blur_format_name")
public func blurFormatName(_ format: Int32) -> UnsafePointer<CChar>? { formatNames.name(at: format) }

// SAFETY: neither these arrays nor their strings ever change.
nonisolated(unsafe) private let formatNames = PixelFormat.allCases.map { lastingCString($0.rawValue) }
nonisolated(unsafe) private let kernelNames = Registry.kernels.map { lastingCString($0.name) }

/// Implements `blur_kernel_name`.
@_cdecl("blur_kernel_name")
public func blurKernelName(_ index: Int32) -> UnsafePointer<CChar>? { kernelNames.name(at: index) }

/// Implements `blur_version`.
@_cdecl("blur_version")
public func blurVersion() -> Int32 { BLUR_VERSION }

/// The validated options of a call of the C function `blur_plan_create` or `blur_image`.
private struct Request {
  private let options: blur_options
  private let format: PixelFormat
  private let edge: EdgeMode
  private let order: ImageLayout.ChannelOrder
  private let alpha: ImageLayout.Alpha

  init(_ options: UnsafePointer<blur_options>?) throws(Failure) {
    self.options = try read(options, "blur_options") { $0.pointee.size }
    format = try PixelFormat(code: self.options.format)
    edge = try EdgeMode(code: self.options.edge, constant: self.options.constant)
    (order, alpha) = try ImageLayout.pixels(code: self.options.pixels, format)
    let sigmas = [self.options.sigma_x, self.options.sigma_y]
    try checkIsSet(sigmas, "sigma_x and options.sigma_y", allowsCopy: self.options.allow_copy)
  }

  /// Creates the plan that the options ask for.
  func plan() throws(Failure) -> BorrowedPlan {
    guard options.max_error >= 0 else {
      throw Failure(
        code: BLUR_ERROR_ACCURACY, text: "max_error \(options.max_error): must be a number of at least 0")
    }
    let layout: ImageLayout
    let parameters: BlurParameters
    do throws(BlurError) {
      layout = try ImageLayout(
        format, width: Int(options.width), height: Int(options.height), order: order, alpha: alpha)
      parameters = BlurParameters(
        sigma: try Sigma(x: options.sigma_x, y: options.sigma_y), edge: edge, region: region,
        downscaled: options.downscaled == 0 ? 1 : Int(options.downscaled))
    } catch {
      throw Failure(error)
    }
    let kernel = try namedKernel(layout.forKernels(parameters.sigma).format)
    do throws(BlurError) {
      return try BorrowedPlan(
        for: layout, parameters, kernel: kernel,
        accuracy: .levels(options.max_error == 0 ? 1 : options.max_error),
        threads: threadCount(options.threads))
    } catch {
      throw Failure(error)
    }
  }

  /// Returns the kernel that the options name, or nil if the library is to choose one.
  ///
  /// - Parameter blurred: The format of the images that the kernel blurs.
  private func namedKernel(_ blurred: PixelFormat) throws(Failure) -> Kernel? {
    guard let name = options.kernel else { return nil }
    let kernel: Kernel
    // SAFETY: the header requires that a kernel's name is a C string.
    do throws(BlurError) { kernel = try Registry.kernel(named: String(cString: name)) } catch {
      throw Failure(error)
    }
    guard options.max_error == 0 || kernel.promise.bound(for: blurred) ?? .infinity <= options.max_error
    else {
      throw Failure(
        code: BLUR_ERROR_ACCURACY,
        text: "max_error \(options.max_error): kernel \(kernel.name) does not promise such a small error; "
          + "leave `kernel` NULL, or set `max_error` to 0")
    }
    return kernel
  }

  private var region: Region? {
    let wanted = options.region
    let region = Region(
      x: Int(wanted.x), y: Int(wanted.y), width: Int(wanted.width), height: Int(wanted.height))
    return region == Region(x: 0, y: 0, width: 0, height: 0) ? nil : region
  }
}

/// Calls `plan` to create a plan and stores the plan's address at `place`. The plan stays in memory until C
/// code releases it. If creation fails, stores NULL at `place`. Returns 0 on success, or else an error
/// number.
func create<Plan: AnyObject>(
  _ place: UnsafeMutablePointer<OpaquePointer?>?, _ plan: () throws(Failure) -> Plan
) -> Int32 {
  status { () throws(Failure) in
    guard let place else { throw .argument("plan is NULL; it must point to a place for the plan") }
    place.pointee = nil
    loadWisdom()
    place.pointee = OpaquePointer(Unmanaged.passRetained(try plan()).toOpaque())
  }
}

/// Loads the kernel times that were measured and stored earlier. The choice of a kernel depends on them.
private func loadWisdom() {
  #if !hasFeature(Embedded)
    // This reference makes the linker include the module BlurWisdom when the library is linked statically.
    // Without it, no wisdom would be loaded.
    LinkedWisdom.load()
  #endif
}

extension Unmanaged {
  /// Returns the plan at an address that ``create(_:_:)`` has stored for C code, or nil for NULL.
  static func at(_ address: OpaquePointer?) -> Unmanaged? {
    // SAFETY: the header requires that a plan comes from the function that creates plans of its kind, and
    // that the plan has not been destroyed yet.
    address.map { fromOpaque(UnsafeRawPointer($0)) }
  }
}

/// Returns a view for reading the pixels at `address`. The view is as large as `size`. It has the same
/// format, the same order of channels and the same kind of alpha as the layout `like`.
func view(
  _ address: UnsafeRawPointer?, _ stride: Int64, _ size: Region, _ like: ImageLayout
) throws(Failure) -> ImageView {
  guard let address else { throw .argument("source is NULL") }
  return ImageView(address, try layout(of: "source", like, size, stride, at: address))
}

/// Returns a view for writing the pixels at `address`. The view has the size of the region `size`. The layout
/// `like` gives its format, its order of channels and its meaning of alpha.
func mutableView(
  _ address: UnsafeMutableRawPointer?, _ stride: Int64, _ size: Region, _ like: ImageLayout
) throws(Failure) -> MutableImageView {
  guard let address else { throw .argument("destination is NULL") }
  return MutableImageView(address, try layout(of: "destination", like, size, stride, at: address))
}

/// Returns the layout of an image that a C caller has passed by its address. A stride of 0 stands for rows
/// without padding.
///
/// - Parameters:
///   - argument: The name of the argument, for error messages.
///   - like: A layout with the same format, order of channels and meaning of alpha.
func layout(
  of argument: String, _ like: ImageLayout, _ size: Region, _ stride: Int64, at address: UnsafeRawPointer
) throws(Failure) -> ImageLayout {
  do throws(BlurError) {
    let layout = try ImageLayout(
      like.format, width: size.width, height: size.height, stride: stride == 0 ? nil : Int(stride),
      order: like.order, alpha: like.alpha)
    guard !UInt(bitPattern: address).addingReportingOverflow(UInt(layout.byteCount)).overflow else {
      throw .invalidLayout("stride \(stride): the image would extend beyond the end of memory")
    }
    return layout
  } catch {
    throw Failure(error, "the \(argument): ")
  }
}
