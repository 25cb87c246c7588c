import Testing

@testable import BlurVerification
