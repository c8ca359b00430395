import MediaCore
import Testing

@testable import MediaPipeline

private typealias Action = VideoSourceSupervisor.Action

/// A supervisor, the time, and what its sources are called.
private struct Bench {
  var supervisor: VideoSourceSupervisor
  var now = MonotonicInstant(nanoseconds: 0)
  var abandoned = 0

  init(_ cameras: [VideoSourceSelection], memory: VideoSourceState = VideoSourceState()) {
    supervisor = VideoSourceSupervisor(cameras: cameras, request: Bench.request, memory: memory, now: now)
  }

  static let request = SourceRequest(selection: .none, width: 640, height: 480, frameRate: 30)

  mutating func tick(_ milliseconds: Int64 = 0) -> [Action] {
    now = now + .milliseconds(milliseconds)
    let actions = supervisor.tick(now: now, abandoned: abandoned)
    for action in actions { if case .abandon = action { abandoned += 1 } }
    #expect(supervisor.deadline > now, "a deadline that has passed")
    return actions
  }

  /// Lets time pass from deadline to deadline.
  mutating func run(_ milliseconds: Int64) -> [Action] {
    let end = now + .milliseconds(milliseconds)
    var actions: [Action] = []
    while now < end {
      let next = min(end, supervisor.deadline)
      actions += tick(0)
      now = next
      actions += tick(0)
    }
    return actions
  }

  mutating func open(_ id: Int, _ name: String, isStandIn: Bool = false, rate: Double = 30) {
    let description = Bench.description(name, isStandIn: isStandIn, rate: rate)
    _ = supervisor.opened(id, description, now: now)
  }

  static func description(_ name: String, isStandIn: Bool = false, rate: Double = 30) -> VideoSourceDescription {
    VideoSourceDescription(name: name, text: name, width: 640, height: 480, frameRate: rate, isStandIn: isStandIn)
  }

  mutating func openProgram(_ id: Int, width: Int = 640) {
    var description = Bench.description("exec:x")
    (description.width, description.limits) = (width, .program(of: "frames"))
    _ = supervisor.opened(id, description, now: now)
  }

  mutating func deliver(_ id: Int) -> [Action] { supervisor.delivered(id, now: now) }

  mutating func openAndDeliver(_ id: Int, _ name: String, isStandIn: Bool = false) -> [Action] {
    open(id, name, isStandIn: isStandIn)
    return deliver(id)
  }

  mutating func fail(_ id: Int, _ reason: String = "broken", _ kind: SourceFailure.Kind = .failed) -> [Action] {
    supervisor.ended(id, .failed(SourceFailure(kind: kind, reason: reason)), now: now)
  }

  mutating func end(_ id: Int) -> [Action] { supervisor.ended(id, .finished, now: now) }
}

extension [VideoSourceSupervisor.Action] {
  fileprivate var openings: [Int] {
    compactMap { if case .open(let id, _) = $0 { id } else { nil } }
  }

  fileprivate var requests: [SourceRequest] {
    compactMap { if case .open(_, let request) = $0 { request } else { nil } }
  }

  fileprivate var failures: [String] {
    compactMap { if case .reportFailed(let reason) = $0 { reason } else { nil } }
  }
}

private let program = VideoSourceSelection.program(VideoProgram(name: "exec:x", command: ["x"], format: .y4m))
private let a = VideoSourceSelection.camera(path: "/dev/a")
private let b = VideoSourceSelection.camera(path: "/dev/b")
private let c = VideoSourceSelection.camera(path: "/dev/c")

@Suite struct SourceFailureTests {
  @Test func opensAndTellsWithTheFirstPicture() {
    var bench = Bench([a])
    #expect(bench.tick().openings == [0])
    bench.open(0, "/dev/a")
    #expect(bench.tick() == [])
    #expect(bench.deliver(0) == [.reportOpened(Bench.description("/dev/a"))])
    #expect(bench.deliver(0) == [])
    #expect(bench.supervisor.shown == 0)
  }

  @Test func opensAnewWithGrowingDelays() {
    var bench = Bench([a])
    _ = bench.tick()
    var delays: [Int64] = []
    for id in 0..<6 {
      #expect(bench.fail(id).failures == ["broken"])
      let failed = bench.now
      while bench.tick(50).openings != [id + 1] {}
      delays.append((bench.now - failed).milliseconds)
    }
    #expect(delays == [250, 500, 1_000, 1_500, 1_500, 1_500])
    _ = bench.openAndDeliver(6, "/dev/a")
    _ = bench.fail(6)
    #expect(bench.tick(250).openings == [7])
  }

  /// It costs a process each time, so the pauses grow until it has run for ten seconds.
  @Test func startsAProgramAgainMoreAndMoreSeldom() {
    var bench = Bench([program])
    _ = bench.tick()
    var delays: [Int64] = []
    for id in 0..<8 {
      bench.openProgram(id)
      _ = bench.deliver(id)
      _ = bench.fail(id)
      let failed = bench.now
      while bench.tick(50).openings != [id + 1] {}
      delays.append((bench.now - failed).milliseconds)
    }
    #expect(delays == [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
    bench.openProgram(8)
    _ = bench.deliver(8)
    for _ in 0..<11 {
      _ = bench.tick(1_000)
      _ = bench.deliver(8)
    }
    _ = bench.fail(8)
    #expect(bench.tick(250).openings == [9])
  }

  @Test func givesAProgramTenSecondsForItsFirstFrameAndTwoForTheNext() {
    var bench = Bench([program])
    _ = bench.tick()
    bench.openProgram(0)
    #expect(bench.tick(9_000) == [])
    // The stream has said its size: that gives it no more time.
    bench.openProgram(0, width: 320)
    #expect(bench.tick(999) == [])
    let failures = bench.tick(1).failures
    #expect(
      failures == [
        "exec:x: no frame for 10 s; see what it prints in the journal, and have it write frames to standard output"
      ])
    #expect(bench.end(0) == [])
    #expect(bench.tick(250).openings == [1])
    bench.openProgram(1)
    _ = bench.deliver(1)
    #expect(bench.tick(1_999) == [])
    #expect(bench.tick(1).failures.first?.hasPrefix("exec:x: no frame for 2 s; ") == true)
    // It has a second to end by itself, and is killed then.
    #expect(bench.tick(2_999).allSatisfy { $0 != .abandon(1) })
  }

  @Test func saysThatPicturesCameDamagedWhereTheyDid() {
    var bench = Bench([a])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.deliveredDamaged(0, .broken)
    let failures = bench.tick(2_000).failures
    #expect(failures.count == 1 && failures.allSatisfy { $0.contains("came damaged") })
  }

  /// All threads stood still for three seconds; the camera's next picture is on its way.
  @Test func aCameraIsNotToBlameForAMachineThatStoodStill() {
    var bench = Bench([a])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    #expect(bench.tick(1_000) == [])
    bench.now = bench.now + .seconds(3)
    bench.supervisor.excuse(.seconds(3))
    #expect(bench.tick() == [])
    #expect(bench.supervisor.delivered(0, now: bench.now) == [])
    #expect(bench.tick(1_999) == [])
    #expect(bench.tick(1).failures == ["/dev/a: no frame for 2 s"])
  }

  @Test func namesBothSizesWhereFramesHaveAnother() {
    var bench = Bench([a])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.deliveredDamaged(
      0, .otherSize(width: 4_000, height: 3_000, modeWidth: 640, modeHeight: 480))
    let failures = bench.tick(2_000).failures
    #expect(
      failures == [
        "/dev/a: every frame of the last 2 s is 4000×3000 in a mode of 640×480; choose that size or another pixel_format"
      ])
  }

  @Test func reportsOnceThatACameraHasAnotherSizeNow() throws {
    var bench = Bench([a])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    var description = try #require(bench.supervisor.current?.description)
    description.height /= 2
    #expect(bench.supervisor.opened(0, description, now: bench.now) == [.reportOpened(description)])
    #expect(bench.supervisor.delivered(0, now: bench.now) == [])
  }

  @Test func closesASilentCameraAndWaitsForThatBeforeItOpensAnew() {
    var bench = Bench([a])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    #expect(bench.tick(1_999) == [])
    #expect(bench.tick(1) == [.close(0), .reportFailed("/dev/a: no frame for 2 s")])
    #expect(bench.tick(900) == [])
    #expect(bench.end(0) == [])
    #expect(bench.tick().openings == [1])
  }

  @Test func givesSlowSourcesMoreTime() {
    var bench = Bench([a])
    _ = bench.tick()
    bench.open(0, "/dev/a", rate: 0.5)
    _ = bench.deliver(0)
    #expect(bench.tick(5_900) == [])
    #expect(bench.tick(100).contains(.close(0)))
  }

  @Test func leavesAThreadBehindThatHangsWhileOpening() {
    var bench = Bench([a])
    _ = bench.tick()
    #expect(bench.tick(5_999) == [])
    let actions = bench.tick(1)
    #expect(actions.first == .abandon(0))
    #expect(actions.failures.first?.hasPrefix("/dev/a: the driver does not answer") == true)
    #expect(bench.tick(250).openings == [1])
    #expect(bench.openAndDeliver(1, "/dev/a") == [.reportOpened(Bench.description("/dev/a"))])
    // What the lost one does when it returns changes nothing.
    #expect(bench.openAndDeliver(0, "/dev/a") == [])
    #expect(bench.fail(0) == [])
    #expect(bench.supervisor.shown == 1)
  }

  @Test func leavesAThreadBehindThatHangsWhileStreaming() {
    var bench = Bench([a])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    #expect(bench.tick(2_000).first == .close(0))
    let actions = bench.tick(1_000)
    #expect(actions.first == .abandon(0))
    #expect(actions.openings == [1])
  }

  @Test func opensNothingWhileThreeThreadsHang() {
    var bench = Bench([a])
    let actions = bench.run(120_000)
    #expect(actions.openings == [0, 1, 2])
    #expect(actions.failures.count { $0.contains("until one of the threads") } == 1)
    bench.abandoned -= 1
    #expect(bench.tick(1_000).openings == [3])
  }

  @Test func endsWithAFileThatWasShown() {
    var bench = Bench([.file(path: "x", repeats: false)])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "x")
    #expect(bench.end(0) == [.reportEnded])
    #expect(bench.run(60_000) == [])
  }

  @Test func closesEverythingInTheEnd() {
    var bench = Bench([a, b])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.swap()
    #expect(bench.tick().openings == [1])
    #expect(bench.supervisor.stop(now: bench.now) == [.close(0), .close(1)])
    #expect(bench.end(0) == [])
    #expect(bench.tick(1_000).contains(.abandon(1)))
    #expect(bench.run(10_000) == [])
  }
}

@Suite struct CameraSwapTests {
  @Test func takesTheNextCameraWithItsFirstPicture() {
    var bench = Bench([a, b])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.swap()
    let actions = bench.tick()
    #expect(actions.requests.map(\.selection) == [b])
    bench.open(1, "/dev/b")
    #expect(bench.supervisor.shown == 0)
    #expect(bench.deliver(1) == [.close(0), .reportOpened(Bench.description("/dev/b"))])
    #expect(bench.supervisor.shown == 1)
    #expect(bench.supervisor.memory.selected == 1)
    // The way back has to wait until the old one is closed.
    bench.supervisor.swap()
    #expect(bench.tick(100) == [])
    _ = bench.end(0)
    #expect(bench.tick().requests.map(\.selection) == [a])
  }

  @Test func passesOverCamerasThatDoNotOpen() {
    var bench = Bench([a, b, c])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.swap()
    _ = bench.tick()
    #expect(bench.fail(1).failures == ["broken"])
    #expect(bench.tick().requests.map(\.selection) == [c])
    #expect(bench.fail(2) == [.reportFailed("broken"), .reportOpened(Bench.description("/dev/a"))])
    _ = bench.deliver(0)
    #expect(bench.tick() == [])
    #expect(bench.supervisor.shown == 0)
  }

  @Test func givesUpACandidateThatDeliversNothing() {
    var bench = Bench([a, b])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.swap()
    _ = bench.tick()
    bench.open(1, "/dev/b")
    bench.now = bench.now + .milliseconds(1_900)
    _ = bench.deliver(0)
    let actions = bench.tick(200)
    #expect(actions.contains(.close(1)) && actions.failures == ["/dev/b: no frame for 2 s"])
    #expect(bench.supervisor.shown == 0)
  }

  @Test func goesOnByAsManyAsWereAskedFor() {
    var bench = Bench([a, b, c])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.swap(2)
    #expect(bench.tick().requests.map(\.selection) == [c])
    _ = bench.openAndDeliver(1, "/dev/c")
    _ = bench.end(0)
    bench.supervisor.swap(3)
    #expect(bench.tick() == [])
  }

  @Test func swapsAwayFromACameraThatFails() {
    var bench = Bench([a, b])
    _ = bench.tick()
    _ = bench.fail(0)
    bench.supervisor.swap()
    #expect(bench.tick().requests.map(\.selection) == [b])
    #expect(bench.tick(250).requests.map(\.selection) == [a])
    #expect(bench.openAndDeliver(1, "/dev/b") == [.close(2), .reportOpened(Bench.description("/dev/b"))])
  }

  @Test func makesWayForACameraThatNeedsTheBus() {
    var bench = Bench([a, b])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    bench.supervisor.swap()
    _ = bench.tick()
    #expect(bench.fail(1, "full", .outOfBandwidth) == [.close(0)])
    #expect(bench.tick() == [])
    _ = bench.end(0)
    #expect(bench.tick().requests.map(\.selection) == [b])
    // It does not open by itself either: back to the first one.
    #expect(bench.fail(2, "full", .outOfBandwidth).failures == ["full"])
    #expect(bench.tick(250).requests.map(\.selection) == [a])
    _ = bench.openAndDeliver(3, "/dev/a")
    #expect(bench.supervisor.memory.selected == 0)
  }
}

@Suite struct AutomaticCameraTests {
  private func requestOrder(_ preferred: String?, _ avoided: String?) -> [String] {
    var request = Bench.request
    (request.preferred, request.avoided) = (preferred, avoided)
    return request.order(["a", "b", "c"])
  }

  @Test func triesTheUsualCameraFirstAndTheUselessOneLast() {
    #expect(requestOrder(nil, nil) == ["a", "b", "c"])
    #expect(requestOrder("b", nil) == ["b", "a", "c"])
    #expect(requestOrder(nil, "a") == ["b", "c", "a"])
    #expect(requestOrder("c", "b") == ["c", "a", "b"])
    #expect(requestOrder("x", "y") == ["a", "b", "c"])
  }

  @Test func takesACameraThatAppearsWhileTheTestPictureIsShown() {
    var bench = Bench([.automatic])
    #expect(bench.tick().requests.map(\.allowsStandIn) == [true])
    #expect(bench.openAndDeliver(0, "test:bars", isStandIn: true).count == 1)
    _ = bench.tick(1_900)
    _ = bench.deliver(0)
    let scan = bench.tick(100)
    #expect(scan.requests.map(\.allowsStandIn) == [false])
    #expect(bench.fail(1, "none", .noCamera) == [])
    _ = bench.deliver(0)
    _ = bench.tick(1_000)
    _ = bench.deliver(0)
    #expect(bench.tick(1_000).openings == [2])
    #expect(bench.openAndDeliver(2, "/dev/a") == [.close(0), .reportOpened(Bench.description("/dev/a"))])
    #expect(bench.supervisor.memory.hasTakenCamera)
  }

  @Test func waitsForACameraThatVanishedWithoutTheTestPicture() {
    var bench = Bench([.automatic])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    _ = bench.fail(0, "unplugged")
    let again = bench.tick(250).requests
    #expect(again.map(\.allowsStandIn) == [false] && again.map(\.preferred) == ["/dev/a"])
    #expect(bench.fail(1, "none", .noCamera).failures == ["none"])
    #expect(bench.tick(500).openings == [2])
    #expect(bench.openAndDeliver(2, "/dev/b") == [.reportOpened(Bench.description("/dev/b"))])
    var next = Bench([.automatic], memory: bench.supervisor.memory)
    #expect(next.tick().requests.map(\.allowsStandIn) == [false])
  }

  @Test func avoidsACameraThatOpensButDeliversNothing() {
    var bench = Bench([.automatic])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "/dev/a")
    _ = bench.fail(0)
    _ = bench.tick(250)
    bench.open(1, "/dev/a")
    #expect(bench.tick(2_000).first == .close(1))
    _ = bench.end(1)
    let request = bench.tick(1_000).requests.first
    #expect(request?.avoided == "/dev/a" && request?.preferred == nil)
  }

  @Test func tellsOnceThatAnAppearedCameraDoesNotOpen() {
    var bench = Bench([.automatic])
    _ = bench.tick()
    let bars = Bench.description("test:bars", isStandIn: true)
    _ = bench.openAndDeliver(0, "test:bars", isStandIn: true)
    for id in 1...3 {
      bench.now = bench.now + .milliseconds(1_900)
      _ = bench.deliver(0)
      #expect(bench.tick(200).openings == [id])
      #expect(bench.fail(id, "busy") == (id == 1 ? [.reportFailed("busy"), .reportOpened(bars)] : []))
    }
  }

  @Test func interruptsTheSearchForASwap() {
    var bench = Bench([.automatic, b])
    _ = bench.tick()
    _ = bench.openAndDeliver(0, "test:bars", isStandIn: true)
    bench.now = bench.now + .milliseconds(1_900)
    _ = bench.deliver(0)
    #expect(bench.tick(200).openings == [1])
    bench.supervisor.swap()
    #expect(bench.tick() == [.close(1)])
    _ = bench.end(1)
    #expect(bench.tick().requests.map(\.selection) == [b])
  }
}
