internal import HubCore
internal import Hummingbird
internal import NIOCore
internal import SystemSupport

/// One open event stream: writes what is new in its user's log each time that it is woken. In between it has no task,
/// whose memory tens of thousands of streams would hold for days.
///
/// It runs until the client goes, its token runs out or is revoked, it falls too far behind, or the hub stops.
final class EventStream: Sendable {
  private struct State {
    var cursor: UInt64 = 0
    var isWriting = true
    /// There may be more than what was read last.
    var isWoken = false
    /// It is to end when all is written.
    var isEnding = false
    var isClosed = false
  }

  private enum Step { case writeMore, rest, end }

  let id: String
  private let principal: Principal
  private let claims: AccessClaims
  private let hub: Hub
  private let principals: PrincipalCache
  private let writer: ConnectionWriter
  private let state = Mutex(State())

  private init(
    _ id: String, of principal: Principal, _ claims: AccessClaims, _ hub: Hub, _ principals: PrincipalCache,
    _ writer: ConnectionWriter
  ) {
    (self.id, self.principal, self.claims, self.hub) = (id, principal, claims, hub)
    (self.principals, self.writer) = (principals, writer)
  }

  /// Opens a stream, writes what there is, and leaves the connection to it.
  static func open(
    _ id: String, of principal: Principal, _ claims: AccessClaims, after lastEventID: String?, _ hub: Hub,
    _ principals: PrincipalCache, _ writer: ConnectionWriter
  ) async throws {
    let stream = EventStream(id, of: principal, claims, hub, principals, writer)
    hub.streams.register(stream, until: claims.exp, login: claims.loginID)
    do {
      let opening = try await hub.backplane.openStream(id, for: principal, lastEventID: lastEventID)
      stream.state.withLock { $0.cursor = opening.cursor }
      writer.handOver(to: stream)
      try await writer.write(ByteBuffer(string: opening.hello.wireText))
    } catch {
      stream.connectionEnded()
      throw error
    }
    await stream.write(isFirst: true)
  }

  /// There may be something new; without it a comment is written, which keeps the connection alive.
  func wake() {
    let mayStart = state.withLock { state in
      guard !state.isWriting, !state.isClosed else {
        state.isWoken = true
        return false
      }
      state.isWriting = true
      return true
    }
    if mayStart { writer.start { await self.write() } }
  }

  /// Ends when what was logged until now is written.
  func end() {
    let mayEnd = state.withLock { state in
      state.isEnding = true
      return !state.isWriting && !state.isClosed
    }
    if mayEnd { finish() }
  }

  /// The client is gone, or what it was to get cannot be written.
  func connectionEnded() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    hub.streams.unregister(id)
    hub.backplane.closeStream(id, of: principal.userID)
  }

  private func finish() {
    connectionEnded()
    writer.end()
  }

  private func write(isFirst: Bool = false) async {
    do {
      guard try await writeNext(isFirst: isFirst) else { return finish() }
      while true {
        switch nextStep() {
        case .writeMore: guard try await writeNext() else { return finish() }
        case .rest: return
        case .end: return finish()
        }
      }
    } catch {
      connectionEnded()
      writer.abandon()
    }
  }

  private func nextStep() -> Step {
    state.withLock { state in
      if state.isWoken && !state.isClosed {
        state.isWoken = false
        return .writeMore
      }
      if state.isEnding { return .end }
      state.isWriting = false
      return .rest
    }
  }

  /// Returns false when the stream is to end.
  private func writeNext(isFirst: Bool = false) async throws -> Bool {
    let cursor = state.withLock { $0.cursor }
    guard try await principals.principal(for: claims) != nil,
      let read = try await hub.backplane.readStream(id, of: claims.sub, after: cursor)
    else { return false }
    state.withLock { $0.cursor = read.cursor }
    if !read.events.isEmpty {
      try await writer.write(ByteBuffer(string: read.events.map(\.wireText).joined()))
    } else if !isFirst {
      try await writer.write(Self.comment)
    }
    return true
  }

  private static let comment = ByteBuffer(string: ": still here\n\n")
}
