import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Single pictures of the camera", .timeLimit(.minutes(1)))
struct SnapshotTests {
  /// What comes of the camera, in virtual time.
  private final class Shutter: Sendable {
    struct State {
      var asked = 0
      /// Nil: none comes.
      var picture: [UInt8]? = [1]
    }

    let state = Mutex(State())

    func next() -> [UInt8]? {
      state.withLock { state in
        state.asked += 1
        return state.picture
      }
    }
  }

  private struct Setting {
    let bench: MediaBench
    let shutter = Shutter()
    let snapshots: Snapshots

    init(
      camera: VideoSourceSelection = .testBars, watched: Set<MediaKind> = [],
      before: @escaping @Sendable () async -> Void = {}
    ) async throws {
      bench = try await MediaBench(watched: watched, camera: camera)
      snapshots = Snapshots(bench.media, clock: bench.clock.mediaClock) { [shutter] _ in
        await before()
        return shutter.next()
      }
    }

    /// Asks, and lets time pass until there is an answer.
    func take() async -> Result<[UInt8], SnapshotError> {
      let asking = Task { () -> Result<[UInt8], SnapshotError> in
        do throws(SnapshotError) { return .success(try await snapshots.take()) } catch { return .failure(error) }
      }
      let isDone = Mutex(false)
      let done = Task {
        _ = await asking.value
        isDone.withLock { $0 = true }
      }
      while !isDone.withLock({ $0 }) {
        bench.clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
      await done.value
      return await asking.value
    }
  }

  @Test func `a closed camera is opened for it, given time, and closed again`() async throws {
    let setting = try await Setting()
    let begin = setting.bench.clock.now
    #expect(await setting.take() == .success([1]))
    #expect(setting.bench.clock.now - begin >= Snapshots.settling)
    #expect(setting.shutter.state.withLock { $0.asked } == 2)
    #expect(setting.bench.pipeline.state.withLock { $0.openings } == 1)
    #expect(setting.bench.pipeline.running.isEmpty)
  }

  @Test func `a camera that is in use is asked once, and stays open`() async throws {
    let setting = try await Setting(watched: [.video])
    setting.bench.pipeline.emit(.opened(.video, name: "test:bars", description: "bars"))
    #expect(await setting.bench.events.contains(.notice(.deviceOpened(.camera, details: "bars"))))
    #expect(await setting.take() == .success([1]))
    #expect(setting.shutter.state.withLock { $0.asked } == 1)
    #expect(setting.bench.pipeline.running == [.video])
  }

  @Test func `a call that began meanwhile keeps the camera`() async throws {
    let gate = Gate()
    let setting = try await Setting { await gate.pass() }
    async let asking = setting.take()
    #expect(await eventually { setting.bench.pipeline.running == [.video] })
    try await setting.bench.answer("a", publish: [.video])
    gate.open()
    #expect(await asking == .success([1]))
    #expect(setting.bench.pipeline.running == [.video])
    await setting.bench.media.hangUp(sessionID: "a")
    #expect(setting.bench.pipeline.running.isEmpty)
  }

  @Test func `one picture is for all who ask within two seconds`() async throws {
    let setting = try await Setting()
    #expect(await setting.take() == .success([1]))
    setting.shutter.state.withLock { $0.picture = [2] }
    #expect(try await setting.snapshots.take() == [1])
    setting.bench.clock.advance(by: Snapshots.interval)
    #expect(await setting.take() == .success([2]))
    #expect(setting.bench.pipeline.state.withLock { $0.openings } == 2)
  }

  @Test func `those who ask at the same time get the same picture`() async throws {
    let setting = try await Setting()
    async let one = setting.take()
    async let two = setting.take()
    let both = await (one, two)
    #expect(both.0 == .success([1]) && both.1 == .success([1]))
    #expect(setting.bench.pipeline.state.withLock { $0.openings } == 1)
  }

  @Test func `a muted camera shows nothing, not even what it has shown`() async throws {
    let setting = try await Setting()
    #expect(await setting.take() == .success([1]))
    await setting.bench.media.setMuted(.camera, true)
    #expect(await setting.take() == .failure(.muted))
    #expect(setting.bench.pipeline.state.withLock { $0.openings } == 1)
  }

  @Test func `a camera that fails is told by its reason, and given back`() async throws {
    let setting = try await Setting()
    setting.shutter.state.withLock { $0.picture = nil }
    let asking = Task { () -> SnapshotError? in
      do throws(SnapshotError) {
        _ = try await setting.snapshots.take()
        return nil
      } catch { return error }
    }
    #expect(await eventually { setting.bench.pipeline.running == [.video] })
    setting.bench.pipeline.emit(.failed(.video, reason: "/dev/video0: busy"))
    #expect(await setting.bench.events.contains(.notice(.deviceFailed(.camera, reason: "/dev/video0: busy"))))
    while setting.bench.pipeline.running == [.video] {
      setting.bench.clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    #expect(await asking.value == .failed(reason: "/dev/video0: busy"))
  }

  @Test func `a camera that gives nothing is given up`() async throws {
    let setting = try await Setting()
    setting.shutter.state.withLock { $0.picture = nil }
    #expect(await setting.take() == .failure(.noImage(seconds: 10)))
    #expect(setting.bench.pipeline.running.isEmpty)
    setting.shutter.state.withLock { $0.picture = [1] }
    #expect(await setting.take() == .success([1]))
  }

  @Test func `without a camera there is no picture`() async throws {
    let setting = try await Setting(camera: .none)
    #expect(await setting.take() == .failure(.noCamera))
  }

  @Test func `the test picture that stands for a missing camera is none`() async throws {
    let setting = try await Setting(camera: .automatic)
    setting.bench.pipeline.emit(.opened(.video, name: "test:bars", description: "bars"))
    #expect(await setting.bench.events.contains(.notice(.deviceOpened(.camera, details: "bars"))))
    #expect(await setting.take() == .failure(.notFound))
    #expect(setting.bench.pipeline.running.isEmpty)
  }

  @Test func `a daemon that stops takes none`() async throws {
    let setting = try await Setting()
    await setting.bench.media.shutDown()
    #expect(await setting.take() == .failure(.stopped))
  }
}
