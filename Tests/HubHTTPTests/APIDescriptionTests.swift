import Foundation
import HTTPTypes
import HubCore
import HubStoreSQLite
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// The description of the API says what the hub's routes are and do.
@Suite(.timeLimit(.minutes(1)))
struct APIDescriptionTests {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// `LIVESESSIONS_GENERATE=1 swift test --filter APIDescriptionTests` writes it.
  @Test func theCommittedDocumentIsTheHubs() throws {
    let file = Self.top.appending(path: "docs/reference/openapi.json")
    let text = try APIDescription.text()
    if ProcessInfo.processInfo.environment["LIVESESSIONS_GENERATE"] != nil { try Data(text.utf8).write(to: file) }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test func itDescribesTheRoutesThatThereAre() async throws {
    var configuration = HubConfiguration()
    configuration.metricsToken = "a token"
    configuration.webRoot = "/nowhere"
    let file = FileManager.default.temporaryDirectory.appending(path: "routes-\(UUID().uuidString).sqlite").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
    let server = try await HubServer(
      configuration: configuration, store: try SQLiteStore(path: file), passwordCost: HubFixture.cheap,
      logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
    let routes = server.makeRoutes().routes.filter { !["/", "/**"].contains($0.path.description) }
    let (real, described) = (
      Set(routes.map { "\($0.method.rawValue) \($0.path.description)" }), Set(APIOperation.all.map(\.route))
    )
    #expect(real.subtracting(described).sorted() == [], "these have no description")
    #expect(described.subtracting(real).sorted() == [], "these do not exist")
    #expect(described.count == APIOperation.all.count)
    #expect(Set(APIOperation.all.map(\.id)).count == APIOperation.all.count)
  }

  @Test func eachParameterOfAPathIsDescribed() {
    for operation in APIOperation.all {
      let named = operation.path.matches(of: #/\{(\w+)\}/#).map { String($0.output.1) }
      #expect(operation.parameters.filter { $0.place == .path }.map(\.name) == named, "\(operation.route)")
      #expect(operation.summary.hasSuffix("."), "\(operation.route)")
    }
  }

  @Test func notesAreOnMembersThatThereAre() throws {
    let parts = DescriptionParts()
    for operation in APIOperation.all { _ = try parts.operation(operation) }
    _ = try APIWebhooks.all(parts)
    _ = try parts.allSchemas()
    #expect(parts.strayNotes == [])
  }

  @Test func referencesLeadSomewhere() throws {
    let document = try APIDescription.document()
    let references = try APIDescription.text().matches(of: #/"#/components/(\w+)/([^"]+)"/#).map { $0.output }
    #expect(references.count > 100)
    for (_, group, name) in references {
      #expect(document["components"]?[String(group)]?[String(name)] != nil, "\(name)")
    }
  }

  /// Each refusal of the sources is one of some request.
  @Test func eachRefusalIsDescribed() throws {
    let source = try String(
      contentsOf: Self.top.appending(path: "Sources/Hub/HubCore/HubRefusal.swift"), encoding: .utf8)
    let types = Set(source.matches(of: #/\(\s*"([a-z][a-z-]+)",/#).map { String($0.output.1) })
    let text = try APIDescription.text()
    #expect(types.count > 15 && types.filter { !text.contains("\"\($0)\"") } == [])
  }

  @Test func anyoneReadsIt() async throws {
    try await HubFixture.run { hub in
      let reply = try await hub.send(.GET, DescriptionRoute.path)
      #expect(reply.status == 200 && reply.headers.first(name: "Content-Type") == "application/json")
      #expect(reply.headers.first(name: "Cache-Control") == "max-age=3600")
      #expect(try reply.text == APIDescription.text())
      let tag = try #require(reply.headers.first(name: "ETag"))
      let again = try await hub.send(.GET, DescriptionRoute.path, headers: [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.readableBytes == 0 && again.headers.first(name: "ETag") == tag)
      #expect(again.headers.first(name: "Content-Type") == nil)
      let other = try await hub.send(.GET, DescriptionRoute.path, headers: [("If-None-Match", "\"other\"")])
      #expect(other.status == 200)
    }
  }

  // MARK: Rights

  /// Bodies by which a request gets as far as the question who asks.
  private static let bodies = [
    "setRecording": #"{"isRecording":true}"#,
    "sessionArchive": #"{"sessionID":"\#(id)","archiveID":"a","status":"started"}"#,
  ]
  private static let id = "0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11"
  private static let query = "?from=0&before=1"

  private func path(of operation: APIOperation, userID: String) -> String {
    var path = operation.path.replacing("{userID}", with: userID).replacing("{id}", with: Self.id)
    for (name, text) in [("eventID", "20261124T195512Z-9f3c01ab"), ("camera", "yard")] {
      path = path.replacing("{\(name)}", with: text)
    }
    return path.replacing(#/\{\w+\}/#, with: "x")
      + (operation.parameters.contains { $0.name == "from" } ? Self.query : "")
  }

  @Test func tokensAreNeededWhereItSaysSo() async throws {
    try await HubFixture.run { hub in
      for operation in APIOperation.all {
        let reply = try await hub.send(
          HTTPMethod(rawValue: operation.method.rawValue), self.path(of: operation, userID: "x"))
        switch operation.access {
        case .token, .metricsToken, .viewer:
          #expect(reply.status == 401 && reply.problem == "not-authenticated", "\(operation.route)")
        case .anyone: #expect([200, 400].contains(reply.status), "\(operation.route): \(reply.status)")
        case .uploadTicket, .imageTicket: #expect(reply.status == 404, "\(operation.route)")
        }
      }
    }
  }

  @Test func rolesAreNeededWhereItSaysSo() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("door")
      let members: [UserRole: Member] = [
        .operator: try await hub.addPerson("admin", role: .operator), .user: try await hub.addPerson("user"),
        // Another one than the device that is asked.
        .device: try await hub.addDevice("gate"),
      ]
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        for operation in APIOperation.all {
          guard case .token(let roles) = operation.access, !roles.isEmpty else { continue }
          let path = self.path(of: operation, userID: device.id)
          for (role, member) in members where !roles.contains(role) {
            let body = Self.bodies[operation.id].map { ByteBuffer(string: $0) }
            let reply = try await hub.send(
              HTTPMethod(rawValue: operation.method.rawValue), path, bytes: body, by: member)
            // Who has no upload learns not even that there is one.
            let status = operation.id == "upload" ? 404 : 403
            #expect(reply.status == status, "\(operation.route) by \(role): \(reply.text)")
          }
        }
      }
    }
  }
}
