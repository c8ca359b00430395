import MediaCore
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import Testing
import Signalling

@testable import DeviceMedia

@Suite("Events for the engine", .timeLimit(.minutes(1)))
struct EventOrderTests {
  @Test func `no step in a session's life is lost in a flood of estimates and notices`() async throws {
    let bench = try await MediaBench(listens: false)
    let sessionIDs = (0..<40).map { SessionID("s\($0)")! }
    for sessionID in sessionIDs { try await bench.answer(sessionID) }
    for (index, sessionID) in sessionIDs.enumerated() {
      bench.network.emit(.connected, sessionID)
      for round in 0..<250 {
        bench.network.emit(estimate: 200 + round, sessionID)
        bench.network.emit(.server(sessionID: sessionID, reason: "\(index) \(round)"))
      }
      bench.network.emit(.ended(.closedByPeer), sessionID)
    }
    bench.events.listen(to: bench.media)
    #expect(await bench.settleNetwork())
    for sessionID in sessionIDs {
      let steps = bench.events.steps.filter { $0 == .connected(sessionID: sessionID) || $0 == .ended(sessionID) }
      #expect(steps == [.connected(sessionID: sessionID), .ended(sessionID)])
    }
  }

  @Test func `the queue keeps every step and the latest notices`() async {
    let queue = MediaEventQueue(ProblemLog(.system))
    for round in 0..<1_000 {
      queue.push(.connected(sessionID: SessionID("\(round)")!))
      queue.report(.network(line: "\(round)"))
    }
    queue.finish()
    var steps = 0
    var notices: [MediaPlaneEvent] = []
    for await event in queue.events {
      if case .notice = event {
        notices.append(event)
      } else {
        #expect(event == .connected(sessionID: SessionID("\(steps)")!))
        steps += 1
      }
    }
    #expect(steps == 1_000)
    #expect(notices == (1_000 - MediaEventQueue.noticeLimit..<1_000).map { .notice(.network(line: "\($0)")) })
  }

  @Test func `the queue's reader waits for what comes later`() async {
    let queue = MediaEventQueue(ProblemLog(.system))
    let reader = Task {
      var count = 0
      for await _ in queue.events { count += 1 }
      return count
    }
    for round in 0..<100 {
      queue.push(.connected(sessionID: SessionID("\(round)")!))
      await Task.yield()
    }
    queue.finish()
    queue.push(.connected(sessionID: "late"))
    #expect(await reader.value == 100)
  }

  @Test func `notices read as they are logged`() {
    #expect("\(DeviceNotice.deviceOpened(.camera, details: "640x480"))" == "camera: 640x480")
    #expect("\(DeviceNotice.deviceFailed(.microphone, reason: "gone"))" == "microphone: gone")
    #expect("\(DeviceNotice.network(line: "no route"))" == "network: no route")
    #expect(
      "\(DeviceNotice.diskTooSlow(archiveID: "x", droppedFrames: 3))"
        == "archive x: the disk is too slow: 3 frames lost so far")
    #expect(
      "\(DeviceNotice.streamExceedsRate(archiveID: "x", streamID: "caller", limit: .kilobits(2_500)))"
        == "archive x: the caller sends more than caller_max_bitrate (2500 kbit/s): video is left out of the recording"
    )
    #expect(
      "\(DeviceNotice.archiveEnded(archiveID: "x", reason: "too little space", directory: "/a"))"
        == "archive x: too little space in /a")
    #expect(DeviceNotice.deviceOpened(.camera, details: "").severity == .notice)
    #expect(DeviceNotice.deviceFailed(.camera, reason: "").severity == .warning)
  }
}

extension MediaPlaneEvent {
  fileprivate static func ended(_ sessionID: SessionID) -> MediaPlaneEvent {
    .ended(sessionID: sessionID, reason: .closed)
  }
}
