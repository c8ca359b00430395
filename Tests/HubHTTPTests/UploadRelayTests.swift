import Foundation
import Hummingbird
import SystemSupport
import Testing

@testable import HubHTTP

/// What one node of a hub hands on to another.
@Suite(.timeLimit(.minutes(1)))
struct UploadRelayTests {
  @Test func theDevicesTokenStaysWhereItCame() async throws {
    let node = OneAnswer()
    let head = HTTPRequest(
      method: .post, scheme: "http", authority: "hub.example", path: "/v1/uploads/u",
      headerFields: [.authorization: "Bearer secret-of-the-device", .contentType: "video/webm"])
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: "recording")))
    let answer = try await UploadRelay.relay(request, "u", to: "127.0.0.1:\(node.port)", ticket: "good-once")
    #expect(answer.status == .noContent)
    let seen = node.received
    #expect(seen.hasPrefix("POST /v1/uploads/u/relayed HTTP/1.1\r\n") && seen.contains("recording"))
    #expect(seen.lowercased().contains("x-upload-ticket: good-once"))
    #expect(!seen.contains("secret-of-the-device") && !seen.lowercased().contains("authorization"))
  }
}

/// A server on loopback that takes one request in chunks, answers 204, and keeps what it got.
private final class OneAnswer: Sendable {
  let port: Int
  private let octets = Mutex<[UInt8]>([])

  init() {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
        precondition(bind(listener, bound, length) == 0 && listen(listener, 1) == 0)
        getsockname(listener, bound, &length)
      }
      return Int(UInt16(bigEndian: pointer.pointee.sin_port))
    }
    Thread.detachNewThread { self.serve(listener) }
  }

  var received: String { String(decoding: octets.withLock { $0 }, as: UTF8.self) }

  private func serve(_ listener: CInt) {
    let descriptor = accept(listener, nil, nil)
    close(listener)
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while !received.hasSuffix("\r\n0\r\n\r\n") {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      octets.withLock { $0 += chunk[..<count] }
    }
    let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
    send(descriptor, answer, answer.count, CInt(MSG_NOSIGNAL))
    close(descriptor)
  }
}
