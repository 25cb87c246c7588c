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
        let (first, last) = (view.unsafeRow(0), view.unsafeRow(height - 1))
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

  @Test("A mask equals the mask that was asked for, and no byte beyond a row can be read while it lives")
  func mask() throws {
    let pipe = Pipe()
    var image: Image?
    do {
      let mask = try UnreadableMask(.scattered, height: 3)
      let layout = mask.image.layout
      let packed = try MaskShape.scattered.mask(width: layout.width, height: 3)
      mask.image.withView { view in
        packed.withView { packed in
          for y in 0..<3 {
            #expect(view.values(ofRow: y) == packed.values(ofRow: y))
            #expect(Self.isReadable(view.unsafeRow(y) + layout.width - 1, pipe))
            // SAFETY: the address is only passed to a system call, which finds out whether it can be read.
            #expect(!Self.isReadable(view.unsafeRow(y) + layout.width, pipe))
          }
        }
      }
      image = mask.image
      withExtendedLifetime(mask) {}
    }
    let bytes = try #require(image).bytes
    #expect(bytes.count > 2 * 4096)
  }
}
