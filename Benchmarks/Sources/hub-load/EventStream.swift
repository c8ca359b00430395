import Signalling

/// A user's event stream.
final class EventStream: Connection {
  private let reactor: Reactor
  private let onEvent: (ServerSentEvent) -> Void
  private let onEnd: () -> Void
  private var socket: SocketBuffer
  private var responses = ResponseParser()
  private var events = ServerSentEventParser()

  /// - Parameters:
  ///   - request: the head of the `GET`.
  ///   - onEnd: told once, when the stream ends or is refused.
  init(
    _ reactor: Reactor, _ target: LoadOptions.Target, number: Int, request: [UInt8],
    onEvent: @escaping (ServerSentEvent) -> Void, onEnd: @escaping () -> Void
  ) throws(LoadFailure) {
    self.reactor = reactor
    (self.onEvent, self.onEnd) = (onEvent, onEnd)
    socket = SocketBuffer(try openSocket(to: target, number: number))
    socket.send(request)
    try reactor.add(socket.descriptor, self)
    if socket.hasOutput { reactor.watchOutput(of: socket.descriptor, true) }
  }

  func isWritable() {
    guard socket.hasOutput else { return }
    socket.flush()
    if !socket.hasOutput { reactor.watchOutput(of: socket.descriptor, false) }
  }

  func isReadable() {
    responses.append(&socket)
    for event in events.push(responses.nextPiece()) { onEvent(event) }
    guard socket.isClosed || responses.streamedStatus ?? 200 != 200 else { return }
    reactor.remove(socket.descriptor)
    onEnd()
  }
}
