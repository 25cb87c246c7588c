#if canImport(SwiftUI)
  import Blur
  import SwiftUI

  extension View {
    /// Covers this view with a blurred snapshot of itself while `isPresented` is true, as a backdrop for a
    /// modal. The snapshot fades in and out.
    ///
    /// The snapshot is taken and blurred on the main thread, once when `isPresented` becomes true, and again
    /// when the size of the view changes. Other changes of the view do not appear in the snapshot.
    ///
    /// SwiftUI's `ImageRenderer` takes the snapshot. It draws the view from scratch, so the state of inner
    /// views may be reset to its initial values. It does not draw views of UIKit and AppKit, such as maps,
    /// web views and lists, or the contents of a `ScrollView`, and may show placeholders instead. If the
    /// snapshot cannot be taken, or if sigma is out of range, the view is shown without a backdrop.
    ///
    /// - Parameters:
    ///   - isPresented: Whether the backdrop is shown.
    ///   - sigma: The standard deviation in points, so that the backdrop looks the same on every screen.
    public func snapshotBackdrop(isPresented: Bool, sigma: Double) -> some View {
      SnapshotBackdrop(content: self, isPresented: isPresented, sigma: sigma)
    }
  }

  /// A view that is covered with its blurred snapshot. This is not a `ViewModifier`, because the content of a
  /// modifier is a placeholder that `ImageRenderer` cannot draw.
  private struct SnapshotBackdrop<Content: View>: View {
    let content: Content
    let isPresented: Bool
    let sigma: Double
    @Environment(\.self) private var environment
    @State private var size = CGSize.zero
    @State private var snapshot: CGImage?

    var body: some View {
      content
        .overlay {
          if let snapshot {
            SwiftUI.Image(decorative: snapshot, scale: environment.displayScale).transition(.opacity)
          }
        }
        .animation(.default, value: snapshot == nil)
        .onGeometryChange(for: CGSize.self) {
          $0.size
        } action: {
          size = $0
          takeSnapshot(of: $0)
        }
        .onChange(of: isPresented) { takeSnapshot(of: size) }
    }

    private func takeSnapshot(of size: CGSize) {
      guard isPresented else {
        snapshot = nil
        return
      }
      // The renderer does not inherit the environment of this view, such as its color scheme, so the
      // environment is passed on here.
      let renderer = ImageRenderer(
        content: content.frame(width: size.width, height: size.height).environment(\.self, environment))
      renderer.scale = environment.displayScale
      snapshot = try? renderer.cgImage?.blurred(sigma: sigma * environment.displayScale, edge: .mirror)
    }
  }
#endif
