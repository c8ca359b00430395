import NIOCore
import NIOEmbedded
import TLSChannel
import TLSClient
import TestServers
import Testing

/// The server's side of TLS in a channel without a socket, whose time the test decides.
@Suite("TLS of a server's channel")
struct TLSServerHandlerTests {
  private static let answer = "HTTP/1.1 400 Bad Request\r\n\r\n"
  private let authority = TestAuthority()

  /// A connection at the server, and what its handler reports.
  private final class Served {
    let channel = EmbeddedChannel()
    private(set) var failures: [TLSChannelError] = []

    init(_ server: TLSServer) throws {
      let handler = TLSServerHandler(
        try server.accept(), handshakeLimit: .seconds(10), plaintextAnswer: ByteBuffer(string: answer)
      ) { [unowned self] in failures.append($0) }
      try channel.pipeline.syncOperations.addHandler(handler)
      channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    /// Carries octets both ways until there are none.
    func exchange(with client: TLSConnection) throws {
      while client.pendingCiphertext > 0 {
        try channel.writeInbound(ByteBuffer(bytes: client.takeAllCiphertext()))
        while let sent = try channel.readOutbound(as: ByteBuffer.self) { client.receive(sent.readableBytesSpan) }
      }
    }

    func readAll() throws -> [UInt8] {
      var octets: [UInt8] = []
      while let buffer = try channel.readInbound(as: ByteBuffer.self) { octets += buffer.readableBytesView }
      return octets
    }
  }

  private func withServed(_ body: (Served, TLSConnection) throws -> Void) async throws {
    try await authority.withFiles(authority.issue("DNS:hub")) { files in
      let server = try TLSServer(certificateFile: files.certificate, keyFile: files.key)
      let served = try Served(server)
      defer { _ = try? served.channel.finish(acceptAlreadyClosed: true) }
      try body(served, try TLSClient(authorityFile: files.authority).connect(to: "hub"))
    }
  }

  @Test func octetsTravelBothWaysAfterTheHandshake() async throws {
    try await withServed { served, client in
      try served.exchange(with: client)
      #expect(client.state == .connected)
      let question = [UInt8](repeating: 7, count: 40_000)
      let isSent = client.send(question.span.bytes)
      try served.exchange(with: client)
      #expect(isSent)
      #expect(try served.readAll() == question)
      try served.channel.writeOutbound(ByteBuffer(bytes: question))
      while let sent = try served.channel.readOutbound(as: ByteBuffer.self) { client.receive(sent.readableBytesSpan) }
      #expect(client.takeAllPlaintext() == question)
      served.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
      #expect(served.channel.isActive && served.failures.isEmpty)
      client.close()
      try served.exchange(with: client)
      #expect(!served.channel.isActive && served.failures.isEmpty)
    }
  }

  @Test func aHandshakeHasItsTime() async throws {
    try await withServed { served, client in
      let hello = client.takeAllCiphertext()
      try served.channel.writeInbound(ByteBuffer(bytes: hello.prefix(hello.count / 2)))
      served.channel.embeddedEventLoop.advanceTime(by: .seconds(9))
      #expect(served.channel.isActive)
      served.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      #expect(!served.channel.isActive && served.failures == [.timedOut])
    }
  }

  @Test func aClientThatGoesAwayIsNoFailure() async throws {
    try await withServed { served, client in
      try served.channel.writeInbound(ByteBuffer(bytes: client.takeAllCiphertext().prefix(10)))
      served.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      #expect(!served.channel.isActive && served.failures.isEmpty)
    }
  }

  @Test func plainHTTPIsAnsweredWithoutTLS() async throws {
    try await withServed { served, _ in
      try served.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
      let answer = try #require(try served.channel.readOutbound(as: ByteBuffer.self))
      #expect(String(buffer: answer) == Self.answer)
      try served.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
      #expect(served.failures.count == 1)
      #expect(try served.readAll().isEmpty)
      served.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
      #expect(!served.channel.isActive)
    }
  }

  @Test func nothingIsWrittenBeforeTheHandshake() async throws {
    try await withServed { served, _ in
      #expect(throws: TLSChannelError.closed) { try served.channel.writeOutbound(ByteBuffer(string: "early")) }
      let sent = try served.channel.readOutbound(as: ByteBuffer.self)
      #expect(sent == nil)
    }
  }
}

extension TLSConnection {
  fileprivate func takeAllCiphertext() -> [UInt8] { all { takeCiphertext(into: &$0) } }

  fileprivate func takeAllPlaintext() -> [UInt8] { all { takePlaintext(into: &$0) } }

  private func all(_ take: (inout MutableRawSpan) -> Int) -> [UInt8] {
    var octets: [UInt8] = []
    while true {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      let count = take(&bytes)
      guard count > 0 else { return octets }
      octets += buffer.prefix(count)
    }
  }
}
