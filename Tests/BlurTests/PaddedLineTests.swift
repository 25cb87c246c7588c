import Testing

@testable import Blur

@Suite("Lines that continue beyond the edges")
struct PaddedLineTests {
  @Test(
    "A line is continued as the edge mode requires, in every sample layout",
    arguments: [EdgeMode.clamp, .mirror, .reflect, .wrap, .constant([7, 8, 9, 10])], [1, 3, 4])
  func lines(edge: EdgeMode, channels: Int) {
    for (width, radius, start) in [(1, 5, 0), (2, 9, -3), (5, 3, 4), (40, 17, 0), (64, 200, 7)] {
      let (inside, support) = (start..<start + width, start - radius..<start + width + radius)
      for order in [SampleLayout.pixels, .pairs, .halves(odd: 0)] {
        let line = PaddedLine(support, inside: inside, edge: edge, order, channels: channels)
        var values = [Float](repeating: -1, count: line.stride)
        for x in line.columns {
          for c in 0..<channels { values[line.index(of: x, c)] = Float(4 * x + c) }
        }
        values.withUnsafeMutableBufferPointer {
          line.fill($0.baseAddress!) { edge.constant($0, of: .float32) }
        }
        for position in support {
          for c in 0..<channels {
            let column = edge.index(of: position - start, count: width)
            let wanted = column.map { Float(4 * ($0 + start) + c) } ?? edge.constant(c, of: .float32)
            #expect(values[line.index(of: position, c)] == wanted)
          }
        }
      }
    }
  }
}
