import Testing

@testable import BlurMeasurement
