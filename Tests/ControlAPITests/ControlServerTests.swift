@testable import ControlAPI
@testable import ControlMessages
import Foundation
import TestServers
import SystemSupport
import Logging
import Testing

@Suite("Control server")
struct ControlServerTests {
  private let device = "org.livesessions.Device"

  @Test("the service describes itself")
  func description() async throws {
    try await withServer { _, path in
      let client = try RawClient(path: path)
      let info = try client.call("org.varlink.service.GetInfo")
      let parameters = info?["parameters"] as? NSDictionary
      #expect(parameters?["interfaces"] as? [String] == ["org.varlink.service", "org.livesessions.Device"])
      for interface in ["org.varlink.service", "org.livesessions.Device"] {
        let reply = try client.call(
          "org.varlink.service.GetInterfaceDescription", "{\"interface\":\"\(interface)\"}")
        let text = (reply?["parameters"] as? NSDictionary)?["description"] as? String
        #expect(text?.contains("interface \(interface)\n") == true)
      }
    }
  }

  @Test("the description names every method that is implemented, and no other")
  func definition() {
    let named = InterfaceDescription.text.matches(of: /method (\w+)\(/).map { String($0.1) }
    #expect(named == MethodTable.methods.map(\.name))
    // Types, methods and errors share one name space.
    let members = InterfaceDescription.text.matches(of: /(?m)^(?:type|method|error) (\w+)/).map { String($0.1) }
    #expect(Set(members).count == members.count)
    #expect(members.count > named.count)
  }

  /// `LIVESESSIONS_GENERATE=1 swift test --filter ControlServerTests` writes it.
  @Test("the committed definition is the daemon's")
  func committedDefinition() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/org.livesessions.Device.varlink").standardized
    let text = InterfaceDescription.text
    if ProcessInfo.processInfo.environment["LIVESESSIONS_GENERATE"] != nil { try Data(text.utf8).write(to: file) }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test(
    "errors are read as they are written",
    arguments: [
      DeviceControlError.noSuchSession("s"), .noSuchArchive("a"), .archiveInUse("a"), .archiveLocked("a"),
      .actionRefused(name: "door", message: "no"), .noSuchUser("u"), .ambiguousUser(message: "two"), .notConnected,
      .invalidConfiguration(message: "m"), .invalidParameter("p"), .notPermitted, .failed(message: "m"),
    ])
  func errors(error: DeviceControlError) {
    #expect(VarlinkError(error).deviceControlError == error)
  }

  @Test("the description has each field of what is decoded, with its type")
  func fields() {
    let text = InterfaceDescription.text
    #expect(text.contains("method ArchiveDelete(archiveID: string, isForced: ?bool) -> ()"))
    #expect(text.contains("method Snapshot(camera: ?string) -> (picture: string)"))
    #expect(text.contains("method Monitor() -> (event: Event)"))
    #expect(text.contains("type MuteTarget (microphone, speaker, camera)"))
    #expect(text.contains("type Temperature (zone: string, celsius: float)"))
    #expect(text.contains("  mutedBy: ?[]string,\n"))
    #expect(text.contains("  outage: ?string,\n"))
  }

  @Test("methods reach the device and return what it says")
  func methods() async throws {
    try await withServer { fake, path in
      let client = try RawClient(path: path)
      let status = try client.call("\(device).Status")?["parameters"] as? NSDictionary
      #expect((status?["status"] as? NSDictionary)?["title"] as? String == "Gate ☎")
      #expect(try client.call("\(device).HangUp", "{\"sessionID\":\"s1\"}") == ["parameters": NSDictionary()])
      _ = try client.call("\(device).Mute", "{\"target\":\"speaker\",\"isMuted\":true}")
      _ = try client.call("\(device).Chat", "{\"sessionID\":\"s1\",\"text\":\"hi\"}")
      _ = try client.call("\(device).Answer", "{\"sessionID\":\"s2\"}")
      _ = try client.call("\(device).Reject", "{\"sessionID\":\"s3\",\"reason\":\"busy\"}")
      _ = try client.call("\(device).SwapCamera")
      _ = try client.call("\(device).ChooseCamera", "{\"sessionID\":\"s1\",\"camera\":\"yard\"}")
      _ = try client.call("\(device).Say", "{\"path\":\"/srv/door.wav\"}")
      let called = try client.call("\(device).Call", "{\"user\":\"Ann\",\"media\":\"audio\"}")
      #expect(called == ["parameters": ["sessionID": "s2"] as NSDictionary])
      let started = try client.call("\(device).ArchiveStart", "{\"sessionID\":null}")
      #expect(started == ["parameters": ["archiveIDs": ["a2"]] as NSDictionary])
      _ = try client.call("\(device).ArchiveList", "{\"limit\":5}")
      let listed = try client.call("\(device).EventList", "{\"since\":9}")?["parameters"] as? NSDictionary
      let fields: NSDictionary = [
        "id": "e1", "kind": "motion", "source": "yard", "start": 1, "score": 70, "clockSynchronized": true,
      ]
      #expect(listed?["events"] as? NSArray == [fields])
      _ = try client.call("\(device).ArchiveLock", "{\"archiveID\":\"a1\",\"isLocked\":true}")
      _ = try client.call("\(device).ArchiveRename", "{\"archiveID\":\"a1\",\"name\":\"gate\"}")
      _ = try client.call("\(device).ArchiveDelete", "{\"archiveID\":\"a3\"}")
      let repaired = try client.call("\(device).ArchiveRepair", "{\"archiveID\":\"a1\"}")
      #expect(repaired?.at("parameters", "result", "changes") as? [String] == ["cut"])
      let shown = try client.call("\(device).ArchiveShow", "{\"archiveID\":\"a1\"}")
      #expect(shown?.at("parameters", "detail", "archive", "name") as? String == "gate")
      let verified = try client.call("\(device).ArchiveVerify")
      #expect(verified?.at("parameters", "reports") != nil)
      #expect(
        fake.recordedCalls == [
          "hangUp s1", "mute speaker true", "chat s1 hi", "answer s2", "reject s3 busy", "swap",
          "camera s1 yard", "say /srv/door.wav",
          "call Ann audio", "start all", "list 5", "events 9 1000",
          "lock a1 true", "rename a1 gate", "delete a3", "repair a1", "list 1",
        ])
    }
  }

  @Test("A list that is cut says of how many", arguments: [(5, 1), (1, 10_000)])
  func totals(limit: Int, total: Int) async throws {
    try await withServer { _, path in
      let client = try RawClient(path: path)
      let list = try client.call("org.livesessions.Device.ArchiveList", "{\"limit\":\(limit)}")
      #expect(list?.at("parameters", "total") as? Int == total)
    }
  }

  @Test("who only watches cannot fill the journal", arguments: [ControlAccess.monitoring, .full])
  func journal(access: ControlAccess) async throws {
    let log = RecordedLog(.info)
    try await withServer(access: access, logger: log.logger) { _, path in
      let client = try RawClient(path: path)
      for _ in 0..<20 { _ = try client.call("org.livesessions.Device.Status") }
    }
    #expect(log.lines.count { $0.contains("control call") } == (access == .full ? 20 : 0))
  }

  @Test("who only watches sees everything and changes nothing")
  func monitoring() async throws {
    try await withServer(access: .monitoring) { fake, path in
      let client = try RawClient(path: path)
      let open = ["Status", "GetTelemetry", "ArchiveList", "EventList", "Monitor"]
      for method in MethodTable.methods where !open.contains(method.name) {
        let reply = try client.call("\(device).\(method.name)")
        #expect(reply?["error"] as? String == "org.varlink.service.PermissionDenied", "\(method.name)")
      }
      #expect(fake.recordedCalls.isEmpty)
      #expect(try client.call("org.varlink.service.GetInfo")?["parameters"] != nil)
      #expect(try client.call("\(device).Status")?["parameters"] != nil)
      #expect(try client.call("\(device).ArchiveList")?["parameters"] != nil)
      let figures = try client.call("\(device).GetTelemetry")
      #expect(figures?.at("parameters", "telemetry", "hub", "reconnects") as? Int == 2)
      var control = try ControlClient(path: path)
      #expect(throws: ControlClientError.refused(.notPermitted)) {
        try control.call(.swapCamera)
      }
    }
  }

  @Test("parameters may be left out")
  func noParameters() async throws {
    try await withServer { _, path in
      let client = try RawClient(path: path)
      try client.send("{\"method\":\"\(device).Users\"}\u{0}")
      let users = try client.receiveObject()?["parameters"] as? NSDictionary
      #expect((users?["users"] as? [NSDictionary])?.first?["distance"] as? Double == 1.5)
    }
  }

  @Test("a hunt that is followed replies at once, and then with each of its events until it is over")
  func followingAHunt() async throws {
    try await withServer { fake, path in
      fake.callEvents.withLock {
        $0 = [("hunt.calling", "call"), ("hunt.calling", "Bell"), ("hunt.ended", "call"), ("hunt.calling", "call")].map
        {
          var event = DeviceEvent(name: $0.0, time: 1)
          event.hunt = $0.1
          return event
        }
      }
      var client = try ControlClient(path: path)
      var seen: [String?] = []
      let parameters = HuntParameters(users: ["Ann", "user:b"], order: .allAtOnce, ringFor: 5)
      try client.follow(.hunt, parameters) { reply in
        seen.append(reply.event?.name)
        return reply.hunt == "call"
      }
      #expect(seen == [nil, "hunt.calling", "hunt.ended"])
      #expect(fake.recordedCalls == ["hunt Ann+user:b all_at_once 5"])
    }
  }

  @Test("a call that is followed replies at once, and then with each of its events until it is over")
  func following() async throws {
    try await withServer { fake, path in
      fake.callEvents.withLock {
        $0 = ["call.calling", "call.ended", "call.ringing"].map { DeviceEvent(name: $0, time: 1, sessionID: "s2") }
      }
      var client = try ControlClient(path: path)
      var seen: [String?] = []
      try client.follow(.call, CallParameters(user: "Ann", media: .both)) { reply in
        seen.append(reply.event?.name)
        return reply.sessionID == "s2"
      }
      #expect(seen == [nil, "call.calling", "call.ended"])
      var other = try ControlClient(path: path)
      #expect(throws: ControlClientError.refused(.noSuchUser("Bob"))) {
        try other.follow(.call, CallParameters(user: "Bob")) { _ in true }
      }
    }
  }

  @Test(
    "mistakes are answered by name, and the connection lives on",
    arguments: [
      (
        "org.livesessions.Device.HangUp", "{\"sessionID\":\"s9\"}", "org.livesessions.Device.NoSuchSession",
        "sessionID", "s9"
      ),
      ("org.livesessions.Device.HangUp", "{}", "org.varlink.service.InvalidParameter", "parameter", "sessionID"),
      (
        "org.livesessions.Device.HangUp", "{\"sessionID\":1}", "org.varlink.service.InvalidParameter", "parameter",
        "sessionID"
      ),
      (
        "org.livesessions.Device.ArchiveStart", "{\"sesionID\":\"s1\"}", "org.varlink.service.InvalidParameter",
        "parameter", "sesionID"
      ),
      (
        "org.livesessions.Device.Mute", "{\"target\":\"ears\",\"isMuted\":true}",
        "org.varlink.service.InvalidParameter", "parameter", "target"
      ),
      ("org.livesessions.Device.Status", "[]", "org.varlink.service.InvalidParameter", "parameter", "parameters"),
      (
        "org.livesessions.Device.ArchiveList", "{\"limit\":0}", "org.varlink.service.InvalidParameter", "parameter",
        "limit"
      ),
      (
        "org.livesessions.Device.EventList", "{\"limit\":10001}", "org.varlink.service.InvalidParameter", "parameter",
        "limit"
      ),
      (
        "org.livesessions.Device.Dance", "{}", "org.varlink.service.MethodNotFound", "method",
        "org.livesessions.Device.Dance"
      ),
      ("nothing", "{}", "org.varlink.service.MethodNotFound", "method", "nothing"),
      ("org.example.Other.Status", "{}", "org.varlink.service.InterfaceNotFound", "interface", "org.example.Other"),
      (
        "org.livesessions.Device.ArchiveStop", "{\"archiveID\":\"a9\"}", "org.livesessions.Device.NoSuchArchive",
        "archiveID", "a9"
      ),
      (
        "org.livesessions.Device.ArchiveDelete", "{\"archiveID\":\"a1\"}", "org.livesessions.Device.ArchiveLocked",
        "archiveID", "a1"
      ),
      (
        "org.livesessions.Device.ArchiveDelete", "{\"archiveID\":\"a2\",\"isForced\":true}",
        "org.livesessions.Device.ArchiveInUse", "archiveID", "a2"
      ),
      (
        "org.livesessions.Device.ArchiveDelete", "{\"archiveID\":\"a2\",\"force\":true}",
        "org.varlink.service.InvalidParameter", "parameter", "force"
      ),
      ("org.livesessions.Device.ArchiveShow", "{}", "org.varlink.service.InvalidParameter", "parameter", "archiveID"),
      ("org.livesessions.Device.Reload", "{}", "org.livesessions.Device.Failed", "message", "Failure()"),
    ])
  func errors(method: String, parameters: String, error: String, key: String, value: String) async throws {
    try await withServer { _, path in
      let client = try RawClient(path: path)
      let reply = try client.call(method, parameters)
      #expect(reply?["error"] as? String == error)
      #expect(reply?["parameters"] as? [String: String] == [key: value])
      #expect(try client.call("\(device).Status")?["error"] == nil)
    }
  }

  @Test("a one-way call is carried out without a reply")
  func oneway() async throws {
    try await withServer { fake, path in
      let client = try RawClient(path: path)
      try client.send("{\"method\":\"\(device).HangUp\",\"parameters\":{\"sessionID\":\"s1\"},\"oneway\":true}\u{0}")
      #expect(try client.call("\(device).Users")?.at("parameters", "users") != nil)
      #expect(fake.recordedCalls == ["hangUp s1"])
    }
  }

  @Test("calls sent together are answered in their order")
  func pipelining() async throws {
    try await withServer { _, path in
      let client = try RawClient(path: path)
      try client.send((0..<50).map { "{\"method\":\"x.m\($0)\"}\u{0}" }.joined())
      for index in 0..<50 {
        let reply = try client.receiveObject()
        #expect(reply?["error"] as? String == "org.varlink.service.InterfaceNotFound", "\(index)")
      }
    }
  }

  @Test("a monitor without more is refused, with it events arrive and continue")
  func monitor() async throws {
    try await withServer { fake, path in
      let client = try RawClient(path: path)
      #expect(try client.call("\(device).Monitor")?["error"] as? String == "org.varlink.service.ExpectedMore")
      try client.send("{\"method\":\"\(device).Monitor\",\"more\":true}\u{0}")
      // The subscription begins some time after the call was sent.
      repeat {
        fake.events.yield(DeviceEvent(name: "call.incoming", time: 1, sessionID: "s1"))
      } while !client.isReadable(within: 5)
      fake.events.yield(DeviceEvent(name: "call.incoming", time: 1, sessionID: "s1"))
      fake.events.yield(DeviceEvent(name: "call.incoming", time: 1, sessionID: "s1"))
      for _ in 0..<3 {
        let reply = try client.receiveObject()
        #expect(reply?["continues"] as? Bool == true)
        #expect(reply?.at("parameters", "event", "sessionID") as? String == "s1")
      }
    }
  }
}
