import Foundation
import Glibc
import SystemSupport

/// An HTTP server on loopback before a ``StampingAuthority``, one connection at a time.
public final class StampingServer: Sendable {
  /// How it answers a request.
  public enum Mood: Sendable {
    case honest
    /// With HTTP status 500.
    case failing
    /// Answers something else.
    case wrong
    /// Answers with more octets than any time stamp has.
    case endless
  }

  public let authority: StampingAuthority
  public let port: Int
  private let listener: CInt
  private let state = Mutex((mood: Mood.honest, requests: 0))
  private let group = DispatchGroup()

  public init() throws {
    authority = try StampingAuthority()
    (listener, port) = listenOnLoopback()
    group.enter()
    Thread.detachNewThread {
      while case let descriptor = accept(self.listener, nil, nil), descriptor >= 0 {
        self.serve(descriptor)
        close(descriptor)
      }
      self.group.leave()
    }
  }

  public var url: String { "http://127.0.0.1:\(port)/tsr" }

  /// How many requests there have been.
  public var requests: Int { state.withLock { $0.requests } }

  public func setMood(_ mood: Mood) { state.withLock { $0.mood = mood } }

  /// Ends the server and waits for its thread.
  public func stop() {
    shutdown(listener, CInt(SHUT_RDWR))
    group.wait()
    close(listener)
  }

  private func serve(_ descriptor: CInt) {
    guard let query = readBody(descriptor) else { return }
    let mood = state.withLock { state in
      state.requests += 1
      return state.mood
    }
    switch mood {
    case .failing: answer(descriptor, "500 No", [])
    case .endless: answer(descriptor, "200 OK", [UInt8](repeating: 0x30, count: 100_000))
    case .honest: answer(descriptor, "200 OK", (try? authority.answer(query)) ?? [])
    case .wrong:
      answer(descriptor, "200 OK", (try? authority.answer(about: [UInt8](repeating: 9, count: 32))) ?? [])
    }
  }

  private func readBody(_ descriptor: CInt) -> [UInt8]? {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      received += chunk[..<count]
      let text = String(decoding: received, as: UTF8.self).lowercased()
      guard let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound,
        let field = text.firstRange(of: "content-length: ")?.upperBound,
        let length = Int(text[field...].prefix { $0.isNumber })
      else { continue }
      if received.count - end >= length { return Array(received[end..<end + length]) }
    }
  }

  private func answer(_ descriptor: CInt, _ status: String, _ body: [UInt8]) {
    let head =
      "HTTP/1.1 \(status)\r\nContent-Type: application/timestamp-reply\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    var rest = (Array(head.utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
