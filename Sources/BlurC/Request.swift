import Blur
import CBlur

/// The options of `blur_plan_create`, read.
struct Request {
  private let options: blur_options
  private let format: PixelFormat
  private let edge: EdgeMode

  init(_ options: UnsafePointer<blur_options>?) throws(Failure) {
    guard let options else { throw .argument("options is NULL") }
    // The struct can grow: until then, any other size is another struct, of which nothing more is read.
    let size = MemoryLayout<blur_options>.size
    guard options.pointee.size == size else {
      throw .argument("options.size \(options.pointee.size): must be sizeof(blur_options), here \(size)")
    }
    self.options = options.pointee
    format = try Self.format(self.options)
    edge = try Self.edge(self.options)
    guard self.options.reserved == 0 else { throw .argument("options.reserved: must be 0") }
  }

  /// Makes the plan.
  func plan() throws(Failure) -> BlurPlan {
    guard options.max_error >= 0 else {
      throw Failure(
        code: BLUR_ERROR_ACCURACY, text: "max_error \(options.max_error): must be a number of at least 0")
    }
    do throws(BlurError) {
      let layout = try ImageLayout(format, width: Int(options.width), height: Int(options.height))
      let parameters = BlurParameters(
        sigma: try Sigma(x: options.sigma_x, y: options.sigma_y), edge: edge, region: region)
      let threads = options.threads == 0 ? 1 : Int(options.threads)
      if let kernel = try namedKernel() {
        return try BlurPlan(kernel, for: layout, parameters, threads: threads)
      }
      let accuracy = ErrorBound.levels(options.max_error == 0 ? 1 : options.max_error)
      return try BlurPlan(for: layout, parameters, accuracy: accuracy, threads: threads)
    } catch {
      throw Failure(error)
    }
  }

  /// The named kernel, or nil where the library is to choose.
  private func namedKernel() throws(BlurError) -> Kernel? {
    guard let name = options.kernel else { return nil }
    // SAFETY: the header says that a name is a C string.
    let kernel = try Registry.kernel(named: String(cString: name))
    guard options.max_error == 0 || kernel.promise.bound(for: format) ?? .infinity <= options.max_error else {
      throw .noKernel(within: options.max_error)
    }
    return kernel
  }

  private var region: Region? {
    let wanted = options.region
    let region = Region(
      x: Int(wanted.x), y: Int(wanted.y), width: Int(wanted.width), height: Int(wanted.height))
    return region == Region(x: 0, y: 0, width: 0, height: 0) ? nil : region
  }

  private static func format(_ options: blur_options) throws(Failure) -> PixelFormat {
    let formats = PixelFormat.allCases
    guard formats.indices.contains(Int(options.format)) else {
      throw .argument("format \(options.format): must be a blur_format, 0 to \(formats.count - 1)")
    }
    return formats[Int(options.format)]
  }

  private static func edge(_ options: blur_options) throws(Failure) -> EdgeMode {
    switch UInt32(bitPattern: options.edge) {
    case BLUR_CLAMP.rawValue: return .clamp
    case BLUR_MIRROR.rawValue: return .mirror
    case BLUR_REFLECT.rawValue: return .reflect
    case BLUR_WRAP.rawValue: return .wrap
    case BLUR_CONSTANT.rawValue:
      let (a, b, c, d) = options.constant
      return .constant(SIMD4(a, b, c, d))
    default: throw .argument("edge \(options.edge): must be a blur_edge, 0 to 4")
    }
  }
}
