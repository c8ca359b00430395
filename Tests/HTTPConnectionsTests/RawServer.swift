import COpenSSL
import Foundation
import SystemSupport
import TestServers

/// A server on loopback whose every octet the test decides: plain TCP, or TLS when it has an identity.
///
/// Each connection has a thread. A client that says nothing for five seconds is hung up on.
final class RawServer: Sendable {
  typealias Script = @Sendable (_ connection: ServerConnection, _ number: Int) -> Void

  let port: Int
  private let listener: CInt
  private let accepted = Mutex(0)
  private let group = DispatchGroup()

  /// - Parameter script: what to do with a connection; `number` counts them from zero.
  init(_ identity: ServerIdentity? = nil, _ script: @escaping Script) {
    (listener, port) = listenOnLoopback(backlog: 64)
    start { self.accept(identity, script) }
  }

  /// How many connections there have been.
  var connections: Int { accepted.withLock { $0 } }

  /// Ends the server and waits for its threads.
  func stop() {
    shutdown(listener, CInt(SHUT_RDWR))
    group.wait()
    close(listener)
  }

  private func accept(_ identity: ServerIdentity?, _ script: @escaping Script) {
    while case let descriptor = Glibc.accept(listener, nil, nil), descriptor >= 0 {
      let number = accepted.withLock { count in
        defer { count += 1 }
        return count
      }
      start { ServerConnection(descriptor, identity).map { script($0, number) } }
    }
  }

  private func start(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    Thread.detachNewThread {
      body()
      self.group.leave()
    }
  }
}

/// The server's end of one connection; belongs to one thread.
final class ServerConnection {
  private let descriptor: CInt
  private let context: OpaquePointer?
  private let ssl: OpaquePointer?
  private var received: [UInt8] = []

  /// `nil` when the TLS handshake fails.
  init?(_ descriptor: CInt, _ identity: ServerIdentity?) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    context = identity.map { identity in
      let context: OpaquePointer = SSL_CTX_new(TLS_server_method())
      SSL_CTX_use_certificate(context, identity.certificate)
      SSL_CTX_use_PrivateKey(context, identity.key)
      return context
    }
    ssl = context.map { SSL_new($0) }
    if let ssl {
      SSL_set_fd(ssl, descriptor)
      guard SSL_accept(ssl) == 1 else { return nil }
    }
  }

  deinit {
    if let ssl { SSL_free(ssl) }
    if let context { SSL_CTX_free(context) }
    close(descriptor)
  }

  /// The next octets; none when the client has gone or says nothing.
  func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = ssl.map { Int(SSL_read($0, &buffer, CInt(buffer.count))) } ?? recv(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  /// A request's head; `nil` when there is no further one.
  func readHead() -> String? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = received.firstRange(of: end) {
        defer { received.removeFirst(range.upperBound) }
        return String(decoding: received[..<range.upperBound], as: UTF8.self)
      }
      let more = read()
      if more.isEmpty { return nil }
      received += more
    }
  }

  func readBody(_ count: Int) -> [UInt8] {
    while received.count < count, case let more = read(), !more.isEmpty { received += more }
    defer { received.removeFirst(min(count, received.count)) }
    return Array(received.prefix(count))
  }

  /// Returns false when the client has gone, or does not read for five seconds.
  @discardableResult
  func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  @discardableResult
  func write(_ octets: [UInt8]) -> Bool {
    if let ssl { return SSL_write(ssl, octets, CInt(octets.count)) > 0 }
    var rest = octets[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Asks the client to change its keys, and does so itself (RFC 8446 §4.6.3); returns false when the client has gone.
  func renewKeys() -> Bool {
    guard let ssl else { return false }
    SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
    return SSL_do_handshake(ssl) == 1
  }

  /// Says goodbye in TLS.
  func sayGoodbye() { ssl.map { _ = SSL_shutdown($0) } }

  func answer(_ body: String, _ fields: String = "") {
    write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }
}
