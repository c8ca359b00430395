import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import RealtimeRuntime
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Devices", .timeLimit(.minutes(1)))
struct DeviceTests {
  private func device(_ target: MuteTarget, _ bench: MediaBench) async -> MediaPlaneStatus.Device? {
    await bench.media.status().devices.first { $0.target == target }
  }

  @Test func `muting reaches the pipeline and the loudspeaker`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a", mayTalk: true)
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    await bench.media.setMuted(.microphone, true)
    await bench.media.setMuted(.camera, true)
    await bench.media.setMuted(.speaker, true)
    #expect(bench.pipeline.state.withLock { $0.muted } == [.audio, .video])
    #expect(bench.playout.state.withLock { $0.isMuted })
    await bench.media.setMuted(.speaker, false)
    await bench.media.setMuted(.camera, false)
    #expect(!bench.playout.state.withLock { $0.isMuted })
    #expect(bench.pipeline.state.withLock { $0.muted } == [.audio])
    #expect(await bench.media.status().devices.filter(\.isMuted).map(\.target) == [.microphone])
  }

  @Test func `sources of events keep the camera open without a session`() async throws {
    let bench = try await MediaBench(watched: [.video])
    #expect(bench.pipeline.running == [.video])
    try await bench.answer("a")
    #expect(bench.pipeline.running == [.audio, .video])
    await bench.media.hangUp(sessionID: "a")
    #expect(bench.pipeline.running == [.video])
  }

  @Test func `a camera that delivers after a swap is told`() async throws {
    let bench = try await MediaBench()
    bench.pipeline.emit(.opened(.video, name: "/dev/video0", description: "one"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.camera, details: "one"))))
    try await bench.media.swapCamera()
    bench.pipeline.emit(.opened(.video, name: "/dev/video2", description: "two"))
    #expect(await bench.events.contains(.cameraSwapped(name: "/dev/video2")))
    bench.pipeline.emit(.opened(.video, name: "/dev/video0", description: "three"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.camera, details: "three"))))
    #expect(bench.events.steps == [.cameraSwapped(name: "/dev/video2")])
  }

  @Test func `the old camera is no swap`() async throws {
    let bench = try await MediaBench()
    try await bench.media.swapCamera()
    bench.pipeline.emit(.opened(.video, name: "test:bars", description: "again"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.camera, details: "again"))))
    #expect(bench.events.steps.isEmpty)
  }

  @Test func `with one camera there is no swap`() async throws {
    let bench = try await MediaBench()
    bench.pipeline.state.withLock { $0.hasOtherCamera = false }
    await #expect(throws: NoOtherCamera.self) { try await bench.media.swapCamera() }
  }

  @Test func `failures are told and shown`() async throws {
    let bench = try await MediaBench()
    bench.pipeline.emit(.failed(.video, reason: "unplugged"))
    #expect(await bench.events.contains(.notice(.deviceFailed(.camera, reason: "unplugged"))))
    #expect(await device(.camera, bench)?.state == "stalled")
    bench.pipeline.emit(.closed(.video))
    bench.pipeline.emit(.opened(.audio, name: "hw:1", description: "mono"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.microphone, details: "mono"))))
    #expect(await device(.camera, bench)?.state == "idle")
    #expect(await device(.microphone, bench)?.name == "hw:1")
  }

  @Test func `a caller who may talk is heard once media flows`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a", mayTalk: true)
    #expect(bench.playout.talkers.isEmpty)
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    let talker = try #require(bench.playout.talkers.first)
    #expect(bench.playout.state.withLock { $0.announcements.count } == 0)
    #expect(bench.network.state.withLock { $0.playouts["a"] } === talker.received)
    bench.playout.report(.opened(name: "hw:0"))
    bench.playout.report(.failed(reason: "busy"))
    bench.playout.report(.failed(reason: "busy"))
    bench.playout.report(.failed(reason: "gone"))
    #expect(await bench.events.contains(.notice(.deviceFailed(.speaker, reason: "gone"))))
    #expect(bench.events.notices.count == 2)
    bench.playout.state.withLock { $0.underruns = 7 }
    await bench.media.hangUp(sessionID: "a")
    #expect(bench.playout.talkers.isEmpty)
    bench.playout.report(.closed)
    #expect(await eventually { await device(.speaker, bench)?.state == "idle" })
    #expect(await device(.speaker, bench)?.xruns == 7)
  }

  @Test func `without a loudspeaker nobody is heard`() async throws {
    let bench = try await MediaBench(speaker: .none)
    try await bench.answer("a", mayTalk: true)
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    #expect(bench.playout.talkers.isEmpty)
  }

  @Test func `what rings is ended at once`() async throws {
    let bench = try await MediaBench()
    try await bench.media.setRing(.tone)
    #expect(bench.playout.state.withLock { $0.ring != nil })
    try await bench.media.setRing(nil)
    #expect(bench.playout.state.withLock { $0.ring == nil })
    await #expect(throws: (any Error).self) {
      try await bench.media.setRing(.announcement(.file(path: "/nowhere/ring.wav")))
    }
    #expect(bench.playout.state.withLock { $0.ring == nil })
  }

  @Test func `a sound file that cannot be read is named`() async throws {
    let bench = try await MediaBench()
    let error = await #expect(throws: SoundClipError.self) {
      try await bench.media.announce(.file(path: "/nowhere/door.wav"))
    }
    #expect(error?.description == "/nowhere/door.wav: open: No such file or directory")
    let mute = try await MediaBench(speaker: .none)
    await #expect(throws: NoSpeaker.self) { try await mute.media.announce(.file(path: "/nowhere/door.wav")) }
  }

  @Test func `a tone announces a caller who is not heard`() async throws {
    let bench = try await MediaBench()
    _ = try await bench.media.begin(
      PeerSessionRequest(sessionID: "a", offer: "", publish: [.audio], mayTalk: false, playsTone: true))
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    #expect(bench.playout.state.withLock { $0.announcements.count } == 1)
    #expect(bench.playout.talkers.isEmpty)
    #expect(bench.network.state.withLock { $0.playouts.isEmpty })
  }
}
