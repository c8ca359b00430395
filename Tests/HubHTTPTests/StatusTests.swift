import Foundation
import HubCore
import HubHTTP
import NIOHTTP1
import Signalling
import SystemSupport
import Testing

@Suite("How the hub is", .timeLimit(.minutes(1)))
struct StatusTests {
  private func withHub(_ body: @Sendable (HubFixture, String) async throws -> Void) async throws {
    let socket = FileManager.default.temporaryDirectory.appending(path: "hub-\(UInt32.random(in: 0 ... .max))").path
    var configuration = HubConfiguration()
    configuration.statusSocket = socket
    try await HubFixture.run(configuration) { hub in
      try await hub.eventually { FileManager.default.fileExists(atPath: socket) }
      try await body(hub, socket)
    }
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func theProgramShowsARunningHub() async throws {
    try await withHub { hub, socket in
      let door = try await hub.addDevice("Door")
      try await hub.withEvents(of: door) { reader in
        try await hub.publish(door, stream: reader)
        let text = try await hubProgram(asking: socket)
        #expect(text.status == 0 && text.output.contains("1 event streams, 1 users"), "\(text)")
        let json = try await hubProgram(asking: socket, "--json")
        let status = try JSONDecoder().decode(HubStatus.self, from: Data(json.output.utf8))
        #expect(status.version == ProgramVersion.text && status.shared.nodes.count == 1)
        #expect(status.shared.nodes[0].presentUserIDs == [door.id])
        #expect(status.shared.liveSessions == 0 && status.shared.redis == nil && status.memberConnections >= 1)
      }
      let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
      #expect(mode == 0o660)
    }
  }

  @Test func moreUsersThanAStatusHoldsAreNotNamed() {
    var node = BackplaneStatus.Node(name: "hub")
    node.setPresentUserIDs(["b", "a"])
    #expect(node.presentUserIDs == ["a", "b"])
    node.setPresentUserIDs(Array(repeating: "u", count: BackplaneStatus.Node.maximumUserIDs + 1))
    #expect(node.presentUserIDs == nil)
  }

  @Test func whatIsSentToTheSocketIsNotRead() async throws {
    try await withHub { _, socket in
      for _ in 0..<20 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
          "-c", "head -c 100000 /dev/zero | timeout 5 \(Self.connect) \(socket) >/dev/null 2>&1; true",
        ]
        try process.run()
        process.waitUntilExit()
      }
      #expect(try await hubProgram(asking: socket).status == 0)
    }
  }

  /// Debian's Python speaks Unix sockets everywhere.
  private static let connect = """
    /usr/bin/python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); \
    s.sendall(sys.stdin.buffer.read())'
    """

  @Test func aHubThatIsNotThereIsSaidSo() throws {
    let reply = try hubProgram("status", "--socket", "/nowhere/status.sock")
    #expect(reply.status == 1 && reply.errors.contains("/nowhere/status.sock: No such file"))
    #expect(reply.errors.contains("is the hub running"))
  }

  @Test func metricsAreForWhoShowsTheirToken() async throws {
    try await HubFixture.run { hub in
      let admin = try await hub.addPerson("admin", role: .operator)
      #expect(try await hub.send(.GET, "/metrics").problem == "not-authenticated")
      #expect(try await hub.send(.GET, "/metrics", by: admin).problem == "not-authenticated")
      for wrong in ["", "a token for figurez", "a token for figures2"] {
        #expect(try await hub.send(.GET, "/metrics", headers: [("Authorization", "Bearer \(wrong)")]).status == 401)
      }
      #expect(try await hub.metrics().text.contains("livesessions_hub_connections "))
    }
  }

  @Test func withoutATokenThereAreNoMetrics() async throws {
    try await HubFixture.run(closed: true) { hub in
      let replies = [try await hub.send(.GET, "/metrics"), try await hub.metrics()]
      #expect(replies.map(\.status) == [404, 404])
    }
  }

  @Test func metricsFollowPrometheussConventions() async throws {
    try await HubFixture.run { hub in
      let lines = try await hub.metrics().text.split(separator: "\n")
      let names = lines.filter { !$0.hasPrefix("#") }.compactMap { $0.split { $0 == " " || $0 == "{" }.first }
      #expect(names.count >= 25)
      for name in names {
        #expect(name.hasPrefix("livesessions_hub_"))
        #expect(
          lines.contains { $0.hasPrefix("# HELP \(name) ") } && lines.contains { $0.hasPrefix("# TYPE \(name) ") })
        #expect(name.hasSuffix("_total") == lines.contains("# TYPE \(name) counter"))
      }
    }
  }
}
