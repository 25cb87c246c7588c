import Blur
import CBlur

/// Reads an options struct that a C caller has filled in. One member of the struct holds its size in bytes,
/// and the function `size` returns this member.
///
/// The size shows whether the caller was compiled for the same version of the library, because later versions
/// may add members. If it is not the size of `Options`, an error is thrown and no other member is read.
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

/// The validated options of a call of the C function `blur_plan_create`.
struct Request {
  private let options: blur_options
  private let format: PixelFormat
  private let edge: EdgeMode

  init(_ options: UnsafePointer<blur_options>?) throws(Failure) {
    self.options = try read(options, "blur_options") { $0.pointee.size }
    format = try PixelFormat(code: self.options.format)
    edge = try EdgeMode(code: self.options.edge, constant: self.options.constant)
    guard self.options.reserved == 0 else { throw .argument("options.reserved: must be 0") }
  }

  /// Creates the plan that the options ask for.
  func plan() throws(Failure) -> BlurPlan {
    guard options.max_error >= 0 else {
      throw Failure(
        code: BLUR_ERROR_ACCURACY, text: "max_error \(options.max_error): must be a number of at least 0")
    }
    let kernel = try namedKernel()
    do throws(BlurError) {
      let layout = try ImageLayout(format, width: Int(options.width), height: Int(options.height))
      let parameters = BlurParameters(
        sigma: try Sigma(x: options.sigma_x, y: options.sigma_y), edge: edge, region: region)
      let threads = threadCount(options.threads)
      if let kernel {
        return try BlurPlan(kernel, for: layout, parameters, threads: threads)
      }
      let accuracy = ErrorBound.levels(options.max_error == 0 ? 1 : options.max_error)
      return try BlurPlan(for: layout, parameters, accuracy: accuracy, threads: threads)
    } catch {
      throw Failure(error)
    }
  }

  /// Returns the kernel that the options name, or nil if the library is to choose one.
  private func namedKernel() throws(Failure) -> Kernel? {
    guard let name = options.kernel else { return nil }
    let kernel: Kernel
    // SAFETY: the header requires that a kernel's name is a C string.
    do throws(BlurError) { kernel = try Registry.kernel(named: String(cString: name)) } catch {
      throw Failure(error)
    }
    guard options.max_error == 0 || kernel.promise.bound(for: format) ?? .infinity <= options.max_error else {
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

/// Returns the number of threads that an option asks for. An option of 0 stands for 1.
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
    let mode = try value(code, of: EdgeMode.all, "edge", "blur_edge")
    self =
      mode == .transparent ? .constant(SIMD4(constant.0, constant.1, constant.2, constant.3)) : mode
  }
}
