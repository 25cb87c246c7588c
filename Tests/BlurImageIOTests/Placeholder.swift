import Testing

@testable import BlurImageIO
