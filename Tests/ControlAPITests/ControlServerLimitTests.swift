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

  @Test("one client more than permitted is turned away until another goes")
  func clientCount() async throws {
    var limits = ControlServerLimits()
    limits.clients = 2
    try await withServer(limits: limits) { _, path in
      let first = try RawClient(path: path)
      _ = try first.call(status)
      do {
        let second = try RawClient(path: path)
        _ = try second.call(status)
        let third = try RawClient(path: path)
        #expect(try third.receive() == nil)
        #expect(try first.call(status) != nil)
      }
      var isServed = false
      for _ in 0..<500 where !isServed {
        let next = try RawClient(path: path)
        isServed = ((try? next.call(status)) ?? nil) != nil
      }
      #expect(isServed)
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
