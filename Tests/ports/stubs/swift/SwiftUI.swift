// The declarations of SwiftUI that BlurApple and docs/FIRST-STEPS.md use, written from Apple's documentation.
// They show nothing.
@_exported import CoreGraphics

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("the stub shows nothing") }
}

public protocol Primitive: View where Body == Never {}
extension Primitive {
  public var body: Never { fatalError("the stub shows nothing") }
}

public struct Opaque: Primitive {}
extension Optional: View where Wrapped: View {
  public var body: Never { fatalError("the stub shows nothing") }
}

@resultBuilder
public enum ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

@propertyWrapper
public struct Environment<Value> {
  public init(_ path: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError("the stub shows nothing") }
}

public struct EnvironmentValues: Sendable {
  public var displayScale: CGFloat = 1
}

@propertyWrapper
public struct State<Value> {
  public init(wrappedValue: Value) {}
  public init() where Value: ExpressibleByNilLiteral {}
  public var wrappedValue: Value {
    get { fatalError("the stub shows nothing") }
    nonmutating set {}
  }
}

public struct Image: Primitive {
  public init(decorative image: CGImage, scale: CGFloat, orientation: Orientation = .up) {}
  public enum Orientation: Sendable { case up }
}

public struct Animation: Equatable, Sendable { public static let `default` = Animation() }
public struct AnyTransition: Sendable { public static let opacity = AnyTransition() }
public struct GeometryProxy { public var size: CGSize { .zero } }

@MainActor
public final class ImageRenderer<Content: View> {
  public init(content: Content) {}
  public var scale: CGFloat = 1
  public var cgImage: CGImage? { nil }
}

extension View {
  nonisolated public func overlay(@ViewBuilder content: () -> some View) -> some View { Opaque() }
  nonisolated public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { Opaque() }
  nonisolated public func transition(_ transition: AnyTransition) -> some View { Opaque() }
  nonisolated public func animation(_ animation: Animation?, value: some Equatable) -> some View { Opaque() }
  nonisolated public func environment<V>(
    _ path: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View { Opaque() }
  nonisolated public func onChange(
    of value: some Equatable, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View { Opaque() }
  nonisolated public func onGeometryChange<T: Equatable & Sendable>(
    for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T, action: @escaping (T) -> Void
  ) -> some View { Opaque() }
}

public struct Button: Primitive {
  nonisolated public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}
