import Foundation
import TestSupport
import Testing

/// A camera that is left alone: plans, events, calls, power cuts, a clock that starts in 1970, is set and is wrong, summer and
/// winter time, on a disk that is full after three days.
@Suite struct UnattendedYearTests {
  /// A year with LIVESESSIONS_YEAR_DAYS=365, which takes minutes; by itself the days around the change to summer time.
  private static let days = ProcessInfo.processInfo.environment["LIVESESSIONS_YEAR_DAYS"].flatMap { Int($0) } ?? 5
  private static let stepsADay = 288
  private static let step: Int64 = 300_000

  @Test func keepsItsBudgetAndWhatItShouldKeep() async throws {
    var camera = try UnattendedCamera(seed: 1)
    var cuts = 0
    for number in 0..<Self.days * Self.stepsADay {
      camera.time.pass(Self.step)
      try await camera.record()
      try await live(&camera, &cuts)
      if number % 6 == 0 { try camera.keep() }
      if number % (Self.stepsADay * 7) == 0 { try camera.verify() }
    }
    try camera.verify()
    print("\(Self.days) days: \(cuts) power cuts, \(camera.recovered) archives recovered, \(camera.oracle.deletions)")
    #expect(camera.recovered > 0)
  }

  /// What happens in five minutes: 20 events, 5 calls and 5.5 power cuts a day.
  private func live(_ camera: inout UnattendedCamera, _ cuts: inout Int) async throws {
    let (event, call, cut, set, wrong) = (
      camera.draws(of: 0.07), camera.draws(of: 0.017), camera.draws(of: 0.019), camera.draws(of: 0.05),
      camera.draws(of: 0.002)
    )
    if event { try await camera.happen() }
    if call { try await camera.call() }
    if cut {
      cuts += 1
      try await camera.cutPower()
    }
    if set { camera.time.synchronize() }
    if wrong, camera.time.isTrusted { camera.time.error = camera.step() }
  }
}

extension UnattendedCamera {
  /// Whether something happens that has this probability.
  mutating func draws(of probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  /// Milliseconds by which a time server is wrong.
  mutating func step() -> Int64 { Int64.random(in: -3_600_000...3_600_000, using: &random) }
}
