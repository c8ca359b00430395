import MediaCore
import RealtimeRuntime
import SystemSupport
import TestSupport
import Testing

@testable import NetworkLoop

@Suite struct NameResolverTests {
  private final class Answers: Sendable {
    private let answers = Mutex<[UInt32: Result<[TransportAddress], NameResolutionError>]>([:])
    var all: [UInt32: Result<[TransportAddress], NameResolutionError>] { answers.withLock { $0 } }
    func add(_ resolution: NameResolution) { answers.withLock { $0[resolution.id] = resolution.result } }
  }

  @Test func theSystemKnowsThisMachine() async throws {
    let answers = Answers()
    let resolver = NameResolver { answers.add($0) }
    #expect(resolver.resolve("localhost", port: 3478, id: 1))
    #expect(resolver.resolve("no-such-name.invalid", port: 3478, id: 2))
    try await eventually { answers.all.count == 2 }
    let addresses = try #require(try answers.all[1]?.get())
    #expect(addresses.contains(TransportAddress(ipv4: 0x7F00_0001, port: 3478)) || addresses.contains { $0.isIPv6 })
    #expect(addresses.allSatisfy { $0.port == 3478 } && addresses.count <= 4)
    guard case .failure(let error) = answers.all[2] else { return #expect(Bool(false), "the name exists") }
    #expect(error.description.hasPrefix("the name cannot be looked up: "))
  }

  @Test func fourNamesAtOnceAndSixtyFourInWaiting() async throws {
    let answers = Answers()
    let running = Atomic(0)
    let most = Atomic(0)
    let isBlocked = Atomic(true)
    let resolver = NameResolver(
      lookUp: { _, port in
        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        while isBlocked.load(ordering: .relaxed) { MonotonicClock.sleepBriefly() }
        running.subtract(1, ordering: .relaxed)
        return .success([TransportAddress(ipv4: 1, port: port)])
      }, deliver: { answers.add($0) })
    for id in 0..<4 { #expect(resolver.resolve("name", port: 1, id: UInt32(id))) }
    try await eventually { running.load(ordering: .relaxed) == 4 }
    for id in 4..<68 { #expect(resolver.resolve("name", port: 1, id: UInt32(id))) }
    #expect(!resolver.resolve("name", port: 1, id: 68))
    isBlocked.store(false, ordering: .relaxed)
    try await eventually { answers.all.count == 68 }
    #expect(most.load(ordering: .relaxed) == 4)
    #expect(resolver.resolve("name", port: 2, id: 69))
    try await eventually { answers.all.count == 69 }
  }
}
