import Glibc
import MediaCore
import RealtimeRuntime
import SystemSupport

/// A network interface that drops what it is handed, as a card gives packets to the wire: the kernel's way out without
/// the receiver's way in, which on the loopback interface the sender pays as well.
///
/// It is a TAP interface whose queue nobody reads. Once that is full, the interface drops each frame at its end. It computes no
/// checksums and cuts no messages, so the kernel does, as for the plain network cards of small devices.
/// `Benchmarks/transport/run` makes it in its namespace.
final class SwallowingLink {
  static let source = TransportAddress(ipv4: 0x0A4E_0001, port: 0)
  static let target = TransportAddress(ipv4: 0x0A4E_0002, port: 9)

  private static let name = "swallow0"
  /// From linux/if_tun.h.
  private static let (setInterface, tap, noPacketInformation): (UInt, CShort, CShort) = (0x4004_54CA, 0x0002, 0x1000)

  private let descriptor: CInt

  /// Why there is no such interface.
  struct Unavailable: Error {
    let reason: String
  }

  init() throws(Unavailable) {
    guard if_nametoindex(Self.name) > 0 else { throw Unavailable(reason: "no interface \(Self.name)") }
    descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("/dev/net/tun") }
    var request = ifreq()
    withUnsafeMutableBytes(of: &request.ifr_ifrn) { $0.copyBytes(from: Self.name.utf8) }
    request.ifr_ifru.ifru_flags = Self.tap | Self.noPacketInformation
    guard ioctl(descriptor, Self.setInterface, &request) == 0 else { throw .last("TUNSETIFF") }
    try fill()
  }

  deinit { close(descriptor) }

  /// Datagrams that were dropped at the interface's end.
  var swallowed: Int {
    guard let file = fopen("/proc/self/net/dev", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while let text = fgets(&line, CInt(line.count), file) {
      let words = String(cString: text).split(separator: " ")
      // Behind the name eight counts of what came, then octets, packets, errors and drops of what went.
      if words.first == "\(Self.name):", words.count > 12 { return Int(words[12]) ?? 0 }
    }
    return 0
  }

  /// The kernel notices some time after it was attached that the interface can be used.
  private func fill() throws(Unavailable) {
    guard let sender = try? SingleSender(from: Self.source) else {
      throw Unavailable(reason: "\(Self.name) has no address")
    }
    let octets: [UInt8] = [0]
    let end = MonotonicClock.now() + .seconds(2)
    while swallowed == 0 {
      guard MonotonicClock.now() < end else { throw Unavailable(reason: "\(Self.name) does not drop") }
      for _ in 0..<100 { sender.send(octets.span.bytes, to: Self.target) }
    }
  }
}

extension SwallowingLink.Unavailable {
  fileprivate static func last(_ call: String) -> Self {
    Self(reason: "\(call): \(String(cString: strerror(errno)))")
  }
}
