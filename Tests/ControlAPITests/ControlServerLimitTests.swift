import ControlAPI
import ControlMessages
import Foundation
import Testing

@Suite("Control server limits")
struct ControlServerLimitTests {
  private let status = "org.livesessions.Device.Status"

  @Test("a message that is too long, too deep or no call ends the connection")
  func badMessages() async throws {
    try await withServer { _, path in
      let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
      for text in [
        "nonsense\u{0}", "\u{0}", "[]\u{0}", "{\"method\":1}\u{0}", "{\"method\":\"a\",\"parameters\":\(deep)}\u{0}",
      ] {
        let client = try RawClient(path: path)
        try client.send(text)
        #expect(try client.receive() == nil, "\(text)")
      }
      let client = try RawClient(path: path)
      // The server may close while the rest is on its way.
      try? client.send([UInt8](repeating: 0x20, count: 65_537))
      #expect(try client.receive() == nil)
    }
  }

  @Test("a message of the permitted length is answered")
  func longestMessage() async throws {
    try await withServer { _, path in
      let client = try RawClient(path: path)
      let call = "{\"method\":\"\(status)\"}"
      try client.send(call + String(repeating: " ", count: 65_536 - call.utf8.count) + "\u{0}")
      #expect(try client.receive() != nil)
    }
  }

  @Test("a message that is not finished in time ends the connection, a silent client stays")
  func partialMessage() async throws {
    var limits = ControlServerLimits()
    limits.messageTimeout = .milliseconds(100)
    try await withServer(limits: limits) { _, path in
      let silent = try RawClient(path: path)
      let slow = try RawClient(path: path)
      try slow.send("{\"method\"")
      #expect(try slow.receive() == nil)
      #expect(try silent.call(status)?["parameters"] != nil)
    }
  }

  /// Tests run as one user, who is the server's own: only its places count.
  private func limits(places: Int) -> ControlServerLimits {
    var limits = ControlServerLimits()
    (limits.clients, limits.reservedClients) = (0, places)
    return limits
  }

  @Test("clients that follow events keep their places until one goes")
  func clientCount() async throws {
    try await withServer(limits: limits(places: 2)) { fake, path in
      let monitor = "{\"method\":\"org.livesessions.Device.Monitor\",\"more\":true}\u{0}"
      let first = try RawClient(path: path)
      try first.send(monitor)
      repeat { fake.events.yield(DeviceEvent(name: "hello", time: 0)) } while !first.isReadable(within: 5)
      do {
        let second = try RawClient(path: path)
        try second.send(monitor)
        repeat { fake.events.yield(DeviceEvent(name: "hello", time: 0)) } while !second.isReadable(within: 5)
        let third = try RawClient(path: path)
        #expect(try third.receive() == nil)
      }
      var isServed = false
      for _ in 0..<500 where !isServed {
        let next = try RawClient(path: path)
        isServed = ((try? next.call(status)) ?? nil) != nil
      }
      #expect(isServed)
    }
  }

  @Test("idle clients make room for one that asks, the longest idle first")
  func idleClientsMakeRoom() async throws {
    try await withServer(limits: limits(places: 3)) { _, path in
      let first = try RawClient(path: path)
      #expect(try first.call(status) != nil)
      let second = try RawClient(path: path)
      #expect(try second.call(status) != nil)
      let third = try RawClient(path: path)
      #expect(try third.call(status) != nil)
      #expect(try first.call(status) != nil)
      for _ in 0..<100 {
        let next = try RawClient(path: path)
        #expect(try next.call(status) != nil)
      }
      #expect(try second.receive() == nil)
    }
  }

  @Test("an idle client is disconnected after a time, one that follows events stays")
  func idleTimeout() async throws {
    var limits = ControlServerLimits()
    limits.idleTimeout = .milliseconds(300)
    try await withServer(limits: limits) { fake, path in
      let silent = try RawClient(path: path)
      let monitor = try RawClient(path: path)
      try monitor.send("{\"method\":\"org.livesessions.Device.Monitor\",\"more\":true}\u{0}")
      #expect(try silent.receive() == nil)
      let slow = try RawClient(path: path)
      _ = try slow.call(status)
      #expect(try slow.receive() == nil)
      repeat { fake.events.yield(DeviceEvent(name: "hello", time: 0)) } while !monitor.isReadable(within: 5)
      #expect(try monitor.receive() != nil)
    }
  }

  @Test("who only watches learns that there was a chat line, not what it says")
  func chatIsPrivate() async throws {
    for access in [ControlAccess.monitoring, .full] {
      try await withServer(access: access) { fake, path in
        let client = try RawClient(path: path)
        try client.send("{\"method\":\"org.livesessions.Device.Monitor\",\"more\":true}\u{0}")
        repeat {
          fake.events.yield(DeviceEvent(name: "chat", time: 0, sessionID: "s1", userID: "u1", text: "my secret"))
        } while !client.isReadable(within: 5)
        let event = try #require(try client.receiveObject())
        #expect(event.at("parameters", "event", "userID") as? String == "u1")
        #expect((event.at("parameters", "event", "text") as? String == nil) == (access == .monitoring))
      }
    }
  }

  @Test("a monitor that does not read is dropped, while another gets every event")
  func slowMonitor() async throws {
    try await withServer { fake, path in
      let slow = try RawClient(path: path)
      let fast = try RawClient(path: path)
      let call = "{\"method\":\"org.livesessions.Device.Monitor\",\"more\":true}\u{0}"
      try slow.send(call)
      try fast.send(call)
      let text = String(repeating: "x", count: 8_192)
      repeat { fake.events.yield(DeviceEvent(name: "hello", time: 0)) } while !slow.isReadable(within: 5)
      repeat { fake.events.yield(DeviceEvent(name: "hello", time: 0)) } while !fast.isReadable(within: 5)
      for index in 1...250 {
        fake.events.yield(DeviceEvent(name: "load", time: Int64(index), text: text))
        var time: Int64 = 0
        while time != index {
          let event = try fast.receiveObject()
          time = try #require(event?.at("parameters", "event", "time") as? Int64)
        }
      }
      var count = 0
      while try slow.receive() != nil { count += 1 }
      #expect(count < 250)
    }
  }
}
