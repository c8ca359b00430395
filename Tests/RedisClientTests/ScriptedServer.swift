import NIOCore
import NIOPosix

/// A server on loopback that answers every read of a connection with what the test says, and may hang up then.
final class ScriptedServer: Sendable {
  enum Answer: Sendable {
    case bytes(String)
    case bytesAndClose(String)
    /// `+PONG` and the like, so that a greeting succeeds.
    case obedient
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let script: @Sendable (String) -> Answer

    init(_ script: @escaping @Sendable (String) -> Answer) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let request = String(buffer: unwrapInboundIn(data))
      switch script(request) {
      case .bytes(let text): write(text, context)
      case .bytesAndClose(let text):
        write(text, context)
        context.close(promise: nil)
      case .obedient:
        write(
          String(repeating: "+OK\r\n", count: request.split(separator: "\r\n").count { $0.hasPrefix("*") }), context)
      }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
  }

  let port: Int
  private let channel: any Channel

  /// - Parameter script: what to answer to octets that came in one read.
  init(_ script: @escaping @Sendable (String) -> Answer) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(script)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  func stop() async { try? await channel.close() }
}
