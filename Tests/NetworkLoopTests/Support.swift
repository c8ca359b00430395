import Glibc
import MediaCore
public import NetworkLoop
import RealtimeRuntime
import Signalling
import SystemSupport
import Testing

extension SessionHandle: ExpressibleByStringLiteral {
  /// The one attempt at a session.
  public init(stringLiteral text: String) { self.init(SessionID(stringLiteral: text)) }
}

extension MonotonicClock {
  /// For a thread that waits for another.
  static func sleepBriefly() { usleep(1_000) }
}

/// A socket of the other side, on the loopback interface.
final class LoopbackServer {
  let descriptor: CInt
  let port: UInt16

  /// - Parameters:
  ///   - host: IPv4; 0 for all of the network namespace.
  ///   - port: 0 for any.
  init(isStream: Bool, host: UInt32 = 0x7F00_0001, port requested: UInt16 = 0) throws {
    let kind = Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    address.sin_port = requested.bigEndian
    var timeout = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return bind(descriptor, pointer, length) + (isStream ? listen(descriptor, 4) : 0)
        + getsockname(descriptor, pointer, &length)
    }
    guard status == 0 else { throw SystemCallError.last("bind") }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  var address: TransportAddress { TransportAddress(ipv4: 0x7F00_0001, port: port) }

  /// A blocking connection of somebody who connects.
  func acceptOne() -> CInt { accept(descriptor, nil, nil) }

  /// Answers whoever sent the next datagram from now on; returns the datagram.
  func connectToSender() -> [UInt8] {
    let (datagram, sender) = receiveOne()
    withUnsafeBytes(of: sender) { bytes in
      _ = connect(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size)
      )
    }
    return datagram
  }

  /// The address that the next datagram came from; 0 when none comes within 5 s.
  func nextSenderHost() -> UInt32 { UInt32(bigEndian: receiveOne().sender.sin_addr.s_addr) }

  /// The port that the next datagram came from.
  func nextSender() -> UInt16 { UInt16(bigEndian: receiveOne().sender.sin_port) }

  private func receiveOne() -> (datagram: [UInt8], sender: sockaddr_in) {
    var sender = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var buffer = [UInt8](repeating: 0, count: 2_048)
    let count = withUnsafeMutableBytes(of: &sender) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return recvfrom(descriptor, &buffer, buffer.count, 0, pointer, &length)
    }
    return (Array(buffer.prefix(max(0, count))), sender)
  }
}

/// Waits until a descriptor can be read, or written to if that is wanted.
func waitUntilReady(_ descriptor: CInt, output: Bool = false) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN | (output ? POLLOUT : 0)), revents: 0)
  return poll(&entry, 1, 3_000) > 0
}

/// The offer of a peer that sends and takes sound, and has named no candidate.
func soundOffer(trickles: Bool) -> String {
  let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
  return [
    "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    "c=IN IP4 0.0.0.0", "a=ice-ufrag:peer", "a=ice-pwd:0123456789abcdefghijklmn",
    trickles ? "a=ice-options:trickle" : "a=ice-options:ice2", "a=fingerprint:sha-256 \(fingerprint)",
    "a=setup:actpass", "a=mid:0", "a=sendrecv", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
  ].map { $0 + "\r\n" }.joined()
}
