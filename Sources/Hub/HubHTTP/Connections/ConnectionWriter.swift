internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Writes one response to a connection, from any thread; without detours from the connection's event loop.
struct ConnectionWriter: ResponseBodyWriter, Sendable {
  private let executor: EventLoopExecutor
  private let tasks: RequestTasks
  private let handler: NIOLoopBound<RequestHandler>

  /// On the event loop.
  init(_ handler: RequestHandler, executor: EventLoopExecutor, tasks: RequestTasks, eventLoop: any EventLoop) {
    (self.executor, self.tasks) = (executor, tasks)
    self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
  }

  /// Has something done on the connection's event loop.
  func start(_ body: @escaping @Sendable () async -> Void) { tasks.start(on: executor, body) }

  /// Writes a whole response, once the client has taken enough of those before; returns when an event stream has taken the
  /// connection over, too.
  func write(_ response: Response, date: String) async throws {
    if handler.eventLoop.inEventLoop, !handler.value.hasRoom { try await waitForRoom() }
    onEventLoop { $0.begin(response.status, response.headers, date: date, length: response.body.contentLength) }
    try await response.body.write(self)
  }

  /// Returns when there is room for more; throws once the connection is closed.
  func write(_ buffer: ByteBuffer) async throws {
    guard buffer.readableBytes > 0 else { return }
    let hasRoom: Bool
    if handler.eventLoop.inEventLoop {
      hasRoom = try handler.value.send(buffer)
    } else {
      hasRoom = try await handler.eventLoop.submit { [handler] in try handler.value.send(buffer) }.get()
    }
    if !hasRoom { try await waitForRoom() }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws { end() }

  /// The response is whole.
  func end() { onEventLoop { $0.end() } }

  /// The response cannot be completed: what its client got is to be no whole one.
  func abandon() { onEventLoop { $0.close() } }

  /// From now on the stream writes the body.
  func handOver(to stream: EventStream) { onEventLoop { $0.handOver(to: stream) } }

  private func waitForRoom() async throws {
    try await withCheckedThrowingContinuation { continuation in onEventLoop { $0.waitForRoom(continuation) } }
  }

  private func onEventLoop(_ action: @escaping @Sendable (RequestHandler) -> Void) {
    if handler.eventLoop.inEventLoop {
      action(handler.value)
    } else {
      handler.eventLoop.execute { [handler] in action(handler.value) }
    }
  }
}
