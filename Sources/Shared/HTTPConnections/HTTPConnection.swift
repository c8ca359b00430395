import NIOCore
import NIOHTTP1

/// An open connection, for one exchange at a time.
final class HTTPConnection: Sendable {
  private let channel: any Channel
  private let handler: NIOLoopBound<ExchangeHandler>

  /// To be called on the channel's loop.
  init(_ channel: any Channel, _ handler: ExchangeHandler) {
    self.channel = channel
    self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
  }

  var isOpen: Bool { channel.isActive }

  /// The answer's next part. A task that is cancelled closes the connection.
  func nextPart() async throws -> HTTPClientResponsePart {
    try await closingWhenCancelled { try await self.onLoop { $0.nextPart() } }
  }

  /// Writes parts of a request and waits until the kernel has them; returns false, without writing, when an answer has
  /// come already.
  func write(_ parts: [HTTPClientRequestPart]) async throws -> Bool {
    try await closingWhenCancelled { try await self.onLoop { $0.write(parts) } }
  }

  /// Closes the connection unless it is taken again within `limit`.
  func rest(for limit: TimeAmount) {
    channel.eventLoop.execute { self.handler.value.rest(for: limit) }
  }

  func close() {
    // The loop of a channel that is closed may be gone.
    if channel.isActive { channel.eventLoop.execute { self.handler.value.close() } }
  }

  /// Calls `body` once the connection is closed.
  func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }

  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (ExchangeHandler) -> EventLoopFuture<Value>
  ) async throws -> Value {
    try await channel.eventLoop.flatSubmit { body(self.handler.value) }.get()
  }

  private func closingWhenCancelled<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    try await withTaskCancellationHandler {
      do {
        return try await body()
      } catch {
        throw Task.isCancelled ? HTTPConnectionError.cancelled : HTTPConnectionError.translating(error)
      }
    } onCancel: {
      close()
    }
  }
}
