import ControlAPI
import ControlMessages
import Foundation
import Testing

@Suite("Control client")
struct ControlClientTests {
  @Test("calls, refusals and events pass through client and server")
  func roundTrip() async throws {
    try await withServer { fake, path in
      var client = try ControlClient(path: path)
      let reply = try client.call(.status)
      #expect(reply.status.sessions.map(\.sessionID) == ["s1"])
      _ = try client.call(.hangUp, SessionParameters(sessionID: "s1"))
      #expect(fake.recordedCalls == ["hangUp s1"])
      let explained = try client.call(
        .eventExplain, EventExplainParameters(source: "yard", score: 50)
      ).explanation
      #expect((explained.rule, explained.effects) == ("strong", ["action light"]))
      #expect(explained.lines == ["matches: \"strong\": the score is 50, 50 needed", "sets off: action light"])
      _ = try client.call(.setHome, SetHomeParameters(isHome: true))
      #expect(fake.recordedCalls.last == "home true")
      #expect(throws: ControlClientError.refused(.noSuchSession("s9"))) {
        var other = try ControlClient(path: path)
        _ = try other.call(.hangUp, SessionParameters(sessionID: "s9"))
      }
      #expect(throws: ControlClientError.refused(.failed(message: "Failure()"))) {
        var other = try ControlClient(path: path)
        _ = try other.call(.reload)
      }
      #expect(throws: ControlClientError.refused(.invalidParameter("path"))) {
        var other = try ControlClient(path: path)
        _ = try other.call(.say, SayParameters())
      }
    }
  }

  @Test("events are handed out until the reader has enough")
  func monitor() async throws {
    try await withServer { fake, path in
      let feeder = Thread {
        while !Thread.current.isCancelled {
          fake.events.yield(DeviceEvent(name: "x", time: 1))
          usleep(1_000)
        }
      }
      feeder.start()
      defer { feeder.cancel() }
      var client = try ControlClient(path: path)
      var names: [String] = []
      try client.monitor { event in
        names.append(event.name)
        return names.count < 3
      }
      #expect(names == ["x", "x", "x"])
    }
  }

  @Test("a daemon that is not there is named with what to do")
  func notRunning() {
    let error = #expect(throws: ControlClientError.self) { _ = try ControlClient(path: "/nonexistent/control") }
    #expect(
      error?.description == "the daemon is not running: nothing listens at /nonexistent/control; "
        + "start it with: systemctl start livesessionsd")
  }

  @Test("a daemon that does not answer is waited for no longer than asked")
  func timeout() async throws {
    try await withTemporaryFolder { folder in
      let socket = try ControlSocket.bind(path: "\(folder)/control")
      var client = try ControlClient(path: socket.path)
      #expect(throws: ControlClientError.timedOut) {
        _ = try client.call(.status, timeout: .milliseconds(50))
      }
    }
  }
}
