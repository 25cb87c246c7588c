import Blur
import BlurScenes
import Testing

@Suite("Backdrop effects")
struct EffectPlanTests {
  @Test("A plain screen stays plain")
  func plain() throws {
    let layout = try ImageLayout(.rgba8, width: 20, height: 30)
    var screen = try Image(layout)
    screen.withMutableView { view in
      for y in 0..<30 { view.row(y).initializeMemory(as: UInt8.self, repeating: 255, count: 80) }
    }
    var result = try Image(layout)
    let plan = try EffectPlan(.light, for: layout, scale: 2)
    try screen.withView { (screen) throws(BlurError) in
      try result.withMutableView { (target) throws(BlurError) in try plan.apply(to: screen, into: target) }
    }
    result.withView { view in
      for y in 0..<30 {
        for x in 0..<80 { #expect(view.row(y).load(fromByteOffset: x, as: UInt8.self) == 255) }
      }
    }
  }
}
