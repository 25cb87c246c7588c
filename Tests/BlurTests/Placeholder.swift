import Testing

@testable import Blur
