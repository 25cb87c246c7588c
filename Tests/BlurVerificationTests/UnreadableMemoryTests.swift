import Blur
import Foundation
import Testing

@testable import BlurVerification

@Suite("Memory that cannot be read")
struct UnreadableMemoryTests {
  /// Returns whether a byte can be read. If an address cannot be read, the operating system reports an error
  /// when the process writes this byte to a pipe.
  private static func isReadable(_ address: UnsafeRawPointer, _ pipe: Pipe) -> Bool {
    guard write(pipe.fileHandleForWriting.fileDescriptor, address, 1) == 1 else { return false }
    return (try? pipe.fileHandleForReading.read(upToCount: 1)) != nil
  }

  @Test(
    "No byte and no row beyond an image's side can be read, whatever the height is",
    arguments: [1, 7, 40, 41])
  func rows(height: Int) throws {
    let pipe = Pipe()
    for side in UnreadableMemory.Side.allCases {
      for width in [1, 5, 4096] {
        let frame = try UnreadableFrame(.rgba8, width, height, side)
        defer { withExtendedLifetime(frame) {} }
        let view = frame.view
        let (first, last) = (view.row(0), view.row(height - 1))
        let end = last + 4 * width
        #expect(Self.isReadable(first, pipe) && Self.isReadable(end - 1, pipe))
        // SAFETY: these addresses are never accessed here. They are passed to a system call, which finds out
        // whether they can be read.
        switch side {
        case .before:
          #expect(!Self.isReadable(first - 1, pipe) && !Self.isReadable(first - view.layout.stride, pipe))
        case .after:
          #expect(!Self.isReadable(end, pipe) && !Self.isReadable(last + view.layout.stride, pipe))
        }
      }
    }
  }
}
