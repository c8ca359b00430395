import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import Signalling
import Testing

@testable import DeviceMedia

@Suite struct TalkerMixTests {
  private func connect(_ sessionID: SessionID, _ bench: MediaBench) async throws {
    try await bench.answer(sessionID, mayTalk: true)
    bench.network.emit(.connected, sessionID)
    #expect(await eventually { bench.network.state.withLock { $0.mixes[sessionID] != nil } })
  }

  private func mixes(_ bench: MediaBench) -> [MixMinus] { bench.pipeline.state.withLock { $0.mixes } }

  private func mix(of sessionID: SessionID, _ bench: MediaBench) -> UInt8? {
    bench.network.state.withLock { $0.mixes[sessionID] }
  }

  @Test func `one who talks hears the device alone`() async throws {
    let bench = try await MediaBench()
    try await connect("a", bench)
    #expect(mixes(bench).isEmpty)
    #expect(mix(of: "a", bench) == 0)
  }

  @Test func `three who talk hear the two others each`() async throws {
    let bench = try await MediaBench()
    for sessionID in ["a", "b", "c"] as [SessionID] { try await connect(sessionID, bench) }
    let talkers = bench.playout.talkers
    let ids = ["a", "b", "c"].compactMap { mix(of: $0, bench) }
    #expect(Set(ids).count == 3 && !ids.contains(0))
    for (index, id) in ids.enumerated() {
      let mix = try #require(mixes(bench).first { $0.id == id })
      #expect(mix.inbox === bench.network.localFrames)
      #expect(mix.others.count == 2)
      #expect(!mix.others.contains { $0 === talkers[index] })
    }
  }

  @Test func `who stays alone hears the device alone again`() async throws {
    let bench = try await MediaBench()
    for sessionID in ["a", "b"] as [SessionID] { try await connect(sessionID, bench) }
    #expect(mixes(bench).count == 2)
    await bench.media.hangUp(sessionID: "a")
    #expect(mixes(bench).isEmpty)
    #expect(mix(of: "b", bench) == 0)
  }

  @Test func `a number that was given up is given again, and the others keep theirs`() async throws {
    let bench = try await MediaBench()
    for sessionID in ["a", "b", "c"] as [SessionID] { try await connect(sessionID, bench) }
    let kept = mix(of: "c", bench)
    await bench.media.hangUp(sessionID: "a")
    #expect(mix(of: "c", bench) == kept)
    try await connect("d", bench)
    #expect(mix(of: "c", bench) == kept)
    #expect(Set(mixes(bench).map(\.id)).count == 3)
  }

  @Test func `who comes when enough talk is not heard, and is told`() async throws {
    let bench = try await MediaBench()
    for sessionID in ["a", "b"] as [SessionID] { try await connect(sessionID, bench) }
    try await bench.answer("c", mayTalk: true, maxTalkers: 2)
    bench.network.emit(.connected, "c")
    #expect(await bench.events.contains(.notHeard(sessionID: "c", talkers: 2)))
    #expect(bench.playout.talkers.count == 2)
    #expect(mixes(bench).count == 2)
  }

  @Test func `who waits longest is heard when another leaves, and is told once`() async throws {
    let bench = try await MediaBench()
    for sessionID in ["a", "b"] as [SessionID] { try await connect(sessionID, bench) }
    for sessionID in ["c", "d"] as [SessionID] {
      try await bench.answer(sessionID, mayTalk: true, maxTalkers: 2)
      bench.network.emit(.connected, sessionID)
      #expect(await bench.events.contains(.notHeard(sessionID: sessionID, talkers: 2)))
    }
    await bench.media.hangUp(sessionID: "a")
    #expect(await bench.events.contains(.heard(sessionID: "c")))
    #expect(bench.playout.talkers.count == 2)
    #expect(mixes(bench).count == 2)
    await bench.media.hangUp(sessionID: "b")
    #expect(await bench.events.contains(.heard(sessionID: "d")))
    #expect(bench.playout.talkers.count == 2)
  }

  @Test func `who begins to send sound later is heard from then on`() async throws {
    let bench = try await MediaBench()
    bench.network.state.withLock { $0.receives = [.video] }
    try await bench.answer("a", mayTalk: true)
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    #expect(bench.playout.talkers.isEmpty)
    bench.network.state.withLock { $0.receives = [.audio, .video] }
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "with sound")
    #expect(bench.playout.talkers.count == 1)
  }

  @Test func `who sends no sound is nobody to be heard`() async throws {
    let bench = try await MediaBench()
    try await connect("a", bench)
    bench.network.state.withLock { $0.receives = [.video] }
    try await bench.answer("b", mayTalk: true)
    bench.network.emit(.connected, "b")
    #expect(await bench.settleNetwork())
    #expect(mixes(bench).isEmpty)
    #expect(bench.playout.talkers.count == 1)
  }
}
