import Blur
import CBlurVectors

/// A plan that the target has made at the request of another program and keeps for later requests. The plan
/// blurs images that are surrounded by guard bytes, so that a write outside an image is detected.
final class ServedPlan {
  private let plan: BlurPlan
  private let facts: PlanFacts

  init(_ request: PlanRequest) throws(ServedFailure) {
    do throws(BlurError) {
      let kernel = try Registry.kernel(named: request.kernel)
      let problem = request.problem
      let plain = try kernel.plan(problem)
      let checked: any Plan = request.isTimed ? plain : PoisonedScratchPlan(plain, of: kernel)
      facts = plain.facts
      let parameters = BlurParameters(
        sigma: problem.sigma, edge: problem.edge, region: problem.region,
        instructionSet: problem.instructionSet)
      // If the blur is only checked and not timed, all threads must work on every image, even on small images
      // for which one thread would be faster. Otherwise, the code for several threads would not be checked.
      plan = try BlurPlan(
        checked, kernel, nil, for: problem.layout, parameters, threads: problem.threads,
        isAlwaysShared: !request.isTimed)
    } catch {
      throw ServedFailure(error)
    }
  }

  /// Adds facts about the plan to a message, such as the part of the image that the plan reads. The program
  /// that requested the plan needs these facts.
  func describe(to message: inout MessageWriter) {
    message.add(plan.reads)
    message.add(facts.isSameByRegion)
    message.add(facts.arithmetic ?? "")
    message.add(facts.blockColumns)
    message.add(facts.blockRows)
    message.add(facts.halvings)
  }

  /// Blurs the pixels in the request `message` and adds the time and the result to `answer`. The rows have
  /// the stride and the offset from an aligned address that the request states.
  ///
  /// - Throws: ``ServedFailure/failed(_:)`` if the request is invalid, or if the kernel fails or writes
  ///   outside the result.
  func blur(_ message: inout MessageReader, _ answer: inout MessageWriter) throws(ServedFailure) {
    do throws(WireError) {
      let turns = try message.number()
      guard turns > 0 else {
        throw WireError("the request asks for \(turns) blurs, but must ask for at least 1")
      }
      let format = plan.layout.format
      let source = try Self.image(format, plan.reads, &message)
      let target = try Self.image(format, plan.region, &message)
      try message.pixels(into: source.view)
      let time = try timed(turns, source.view.readOnly, target.view)
      if let place = target.damage { throw WireError("it writes outside the result, \(place)") }
      if source.damage != nil { throw WireError("it writes to the bytes around the source image") }
      answer.add(time)
      withExtendedLifetime(target) { answer.add(pixels: target.view.readOnly) }
    } catch {
      throw .failed(error.description)
    }
  }

  /// Allocates memory for an image with the width and height of the region `size`, and for guard bytes around
  /// the image. The next two numbers of the request `message` say how to place the image in memory. The first
  /// is the stride, which is the number of bytes from the start of one row to the start of the next. The
  /// second is the number of bytes from an aligned address to the first pixel.
  private static func image(
    _ format: PixelFormat, _ size: Region, _ message: inout MessageReader
  ) throws(WireError) -> GuardedImage {
    let (stride, shift) = (try message.number(), try message.number())
    guard (0..<TargetProtocol.alignment).contains(shift) else {
      throw WireError(
        "the pixels begin \(shift) bytes after an aligned address; this must be from 0 to 63 bytes")
    }
    do throws(BlurError) {
      let layout = try ImageLayout(format, width: size.width, height: size.height, stride: stride)
      return try GuardedImage(layout, shift: shift)
    } catch {
      throw WireError(error.description)
    }
  }

  /// Blurs the image `turns` times and returns the total time in nanoseconds.
  private func timed(
    _ turns: Int, _ source: ImageView, _ target: MutableImageView
  ) throws(WireError) -> UInt64 {
    let start = blur_nanoseconds()
    do throws(BlurError) { for _ in 0..<turns { try plan.blur(tile: source, into: target) } } catch {
      throw WireError(ServedFailure(error).text)
    }
    return blur_nanoseconds() - start
  }
}

extension ServedFailure {
  /// The reason for the failure as text.
  public var text: String {
    switch self {
    case .refused(let text), .failed(let text): text
    }
  }
}
