import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import SystemSupport
import TLSClient

/// The connection of one session to one TURN server. Confined to the network thread.
///
/// Addresses are tried one after the other until one can be connected to. The result, and what goes wrong later,
/// waits for ``takeEvent()``.
final class TURNConnection {
  enum State {
    case idle
    case connecting(TURNSocket)
    /// The proxy is asked for the way to the server.
    case tunnelling(TURNSocket, ProxyTunnel)
    case securing(TURNSocket, TLSConnection)
    case open(TURNSocket, TLSConnection?)
    case failed(reason: String)
  }

  enum Event {
    /// The link to this address is up.
    case opened(TransportAddress)
    case failed(reason: String)
  }

  /// For all addresses together, the TLS handshake included.
  static let connectLimit = TimeSpan.seconds(5)

  let id: TURNConnectionID
  let server: ICEServerList.TURNServer
  private(set) var state = State.idle
  /// When the attempt under way is given up.
  private(set) var deadline = MonotonicInstant.distantFuture
  /// Messages that did not fit.
  private(set) var droppedCount = 0
  private var event: Event?
  private let tls: TLSClient
  private let proxy: HTTPProxy?
  private var remaining: [TransportAddress] = []
  private var attemptLimit = TURNConnection.connectLimit
  private var queue = TURNSendQueue()

  /// - Parameter proxy: whose addresses are connected to.
  init(id: TURNConnectionID, server: ICEServerList.TURNServer, tls: TLSClient, proxy: HTTPProxy? = nil) {
    self.id = id
    self.server = server
    self.tls = tls
    self.proxy = proxy
  }

  var isStream: Bool { server.url.transport != .udp }

  var socket: TURNSocket? {
    switch state {
    case .connecting(let socket), .tunnelling(let socket, _), .securing(let socket, _), .open(let socket, _): socket
    case .idle, .failed: nil
    }
  }

  /// The address that is being tried, or that is connected to.
  var address: TransportAddress? { socket?.server }

  /// What a change of this machine's addresses does to a link.
  enum Standing {
    case unaffected
    /// A new link would leave from another address.
    case diverted
    /// The address that it leaves from is gone.
    case cut
  }

  /// Where no route leads to the server, nothing better can be had: a cable that is out may come back.
  ///
  /// What the kernel would choose is asked first, since it may choose addresses that are no candidates.
  func standing(among addresses: LocalAddresses) -> Standing {
    guard let socket, let local = socket.localAddress,
      let present = TURNSocket.localAddress(towards: socket.server), !present.isSameHost(as: local)
    else { return .unaffected }
    return addresses.has(local) ? .diverted : .cut
  }

  /// Whether the socket's becoming writable would help.
  var wantsOutput: Bool {
    if case .connecting = state { return true }
    return !queue.isEmpty
  }

  /// Has epoll watch for what the link waits for.
  func watch(with epoll: borrowing Epoll, token: UInt64) {
    do throws(SystemCallError) {
      try socket?.watch(with: epoll, token: token, output: wantsOutput)
    } catch {
      fail("\(error)")
    }
  }

  /// Takes what the link has come to since the last call.
  func takeEvent() -> Event? { event.take() }

  // MARK: Connecting

  func connect(to addresses: [TransportAddress], now: MonotonicInstant) {
    remaining = addresses
    attemptLimit = Self.connectLimit / Int64(max(1, addresses.count))
    tryNext(after: "there is no address", now: now)
  }

  /// Gives up the attempt under way when its time is over.
  func handleTimeout(now: MonotonicInstant) {
    guard deadline <= now else { return }
    tryNext(after: "no connection within \(attemptLimit.milliseconds) ms", now: now)
  }

  func fail(_ reason: String) {
    deadline = .distantFuture
    state = .failed(reason: reason)
    event = .failed(reason: reason)
  }

  /// Ends the connection, politely where that is the custom.
  func close() {
    if case .open(_, .some(let connection)) = state {
      connection.close()
      flush(connection)
    }
    fail("closed")
  }

  private func tryNext(after reason: String, now: MonotonicInstant) {
    guard !remaining.isEmpty else { return fail(reason) }
    let next = remaining.removeFirst()
    do throws(SystemCallError) {
      let socket = try TURNSocket(to: next, isStream: isStream)
      guard isStream else { return becomeOpen(socket, nil) }
      deadline = now + attemptLimit
      state = .connecting(socket)
    } catch {
      tryNext(after: "\(error)", now: now)
    }
  }

  private func finishConnecting(_ socket: TURNSocket, now: MonotonicInstant) {
    if let error = socket.takeError() { return tryNext(after: "\(error)", now: now) }
    guard server.url.transport == .tls else { return becomeOpen(socket, nil) }
    guard let proxy else { return secure(socket) }
    let tunnel = ProxyTunnel(to: server.url.host, port: Int(server.url.port), through: proxy)
    state = .tunnelling(socket, tunnel)
    tunnel.request.withUnsafeBytes { queue.append($0) }
    flush()
  }

  private func secure(_ socket: TURNSocket) {
    do {
      let connection = try tls.connect(to: server.url.host)
      state = .securing(socket, connection)
      flush(connection)
    } catch {
      fail("\(error)")
    }
  }

  private func becomeOpen(_ socket: TURNSocket, _ connection: TLSConnection?) {
    deadline = .distantFuture
    remaining = []
    state = .open(socket, connection)
    event = .opened(socket.server)
  }

  // MARK: Octets

  /// Sends a message of the session's, whole or not at all.
  func send(_ message: RawSpan) {
    guard case .open(let socket, let connection) = state else { return }
    guard isStream else { return sendDatagram(message, socket) }
    guard queue.admits(message) else {
      droppedCount += 1
      return
    }
    if let connection {
      guard connection.send(message) else { return follow(connection) }
      flush(connection)
    } else {
      message.withUnsafeBytes { queue.append($0) }
      flush()
    }
  }

  /// Takes part in what has become possible: connecting, writing, reading.
  ///
  /// - Parameters:
  ///   - buffer: memory for what comes.
  ///   - deliver: called with each datagram, or with the next octets of the stream.
  func handleReady(
    _ buffer: TURNReceiveBuffer, now: MonotonicInstant, deliver: (inout MutableRawSpan) -> Void
  ) {
    if case .connecting(let socket) = state { return finishConnecting(socket, now: now) }
    flush()
    // A few at a time, so that one server cannot keep others waiting.
    for _ in 0..<(isStream ? 4 : 32) {
      guard let socket, receive(from: socket, buffer, now: now, deliver) else { return }
    }
  }

  /// Returns whether more may wait.
  private func receive(
    from socket: TURNSocket, _ buffer: TURNReceiveBuffer, now: MonotonicInstant,
    _ deliver: (inout MutableRawSpan) -> Void
  ) -> Bool {
    switch socket.receive(into: buffer.octets) {
    case .wouldBlock: return false
    case .failed(let error): lose("\(error)", now: now)
    case .ended: lose("the server has closed the connection", now: now)
    case .moved(let count):
      take(count, buffer, now: now, deliver)
      return true
    }
    return false
  }

  private func take(
    _ count: Int, _ buffer: TURNReceiveBuffer, now: MonotonicInstant, _ deliver: (inout MutableRawSpan) -> Void
  ) {
    let octets = UnsafeMutableRawBufferPointer(rebasing: buffer.octets[..<count])
    switch state {
    case .tunnelling(let socket, var tunnel):
      let outcome = tunnel.receive(octets)
      state = .tunnelling(socket, tunnel)
      followTunnel(outcome, socket, UnsafeRawBufferPointer(octets), buffer, deliver)
    case .securing(_, let connection), .open(_, .some(let connection)):
      connection.receive(octets.bytes)
      read(connection, buffer, deliver)
    case .open(_, nil):
      var span = octets.mutableBytes
      deliver(&span)
    case .idle, .connecting, .failed: return
    }
  }

  private func followTunnel(
    _ outcome: ProxyTunnel.Outcome, _ socket: TURNSocket, _ octets: UnsafeRawBufferPointer,
    _ buffer: TURNReceiveBuffer, _ deliver: (inout MutableRawSpan) -> Void
  ) {
    switch outcome {
    case .pending: return
    case .refused(let refusal): fail("\(refusal)")
    case .open(let consumed):
      secure(socket)
      guard consumed < octets.count, case .securing(_, let connection) = state else { return }
      connection.receive(UnsafeRawBufferPointer(rebasing: octets[consumed...]).bytes)
      read(connection, buffer, deliver)
    }
  }

  /// A connection that was never up is tried at the server's next address.
  private func lose(_ reason: String, now: MonotonicInstant) {
    if case .open = state { fail(reason) } else { tryNext(after: reason, now: now) }
  }

  private func sendDatagram(_ datagram: RawSpan, _ socket: TURNSocket) {
    switch datagram.withUnsafeBytes({ socket.send($0) }) {
    case .moved, .ended: return
    case .wouldBlock: droppedCount += 1
    case .failed(let error): fail("\(error)")
    }
  }

  private func flush() {
    guard let socket else { return }
    var failure: SystemCallError?
    queue.take { octets in
      guard !octets.isEmpty else { return 0 }
      switch socket.send(octets) {
      case .moved(let count): return count
      case .wouldBlock, .ended: return 0
      case .failed(let error):
        failure = error
        return octets.count
      }
    }
    if let failure { fail("\(failure)") }
  }
}

// MARK: - TLS

extension TURNConnection {
  /// Hands on what the server has encrypted, and acts on the state of TLS.
  private func read(_ connection: TLSConnection, _ buffer: TURNReceiveBuffer, _ deliver: (inout MutableRawSpan) -> Void)
  {
    flush(connection)
    follow(connection)
    while case .open = state {
      var space = buffer.plaintext.mutableBytes
      let count = connection.takePlaintext(into: &space)
      guard count > 0 else { break }
      var span = UnsafeMutableRawBufferPointer(rebasing: buffer.plaintext[..<count]).mutableBytes
      deliver(&span)
    }
    flush(connection)
    follow(connection)
  }

  private func follow(_ connection: TLSConnection) {
    switch (connection.state, state) {
    case (.connected, .securing(let socket, _)): becomeOpen(socket, connection)
    case (.handshaking, _), (.connected, _): return
    case (.closed, .open), (.closed, .securing): fail("the server has closed the connection")
    case (.failed(let reason), .open), (.failed(let reason), .securing): fail(reason)
    case (.closed, _), (.failed, _): return
    }
  }

  /// Sends what TLS wants to send.
  private func flush(_ connection: TLSConnection) {
    while connection.pendingCiphertext > 0 {
      withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 1) { octets in
        var space = octets.mutableBytes
        let count = connection.takeCiphertext(into: &space)
        queue.append(UnsafeRawBufferPointer(rebasing: octets[..<count]))
      }
    }
    flush()
  }
}
