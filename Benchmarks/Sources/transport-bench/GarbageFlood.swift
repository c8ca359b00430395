import Glibc
import MediaCore
import RealtimeRuntime

/// Sends what no session wants, at an even pace: random octets, and such as look like STUN, DTLS and RTP.
struct GarbageFlood {
  private static let step = TimeSpan.milliseconds(1)

  private let perStep: Int
  private let steps: Int
  private var sockets: [CInt] = []
  private var datagrams: [[UInt8]] = []

  /// - Parameter arguments: address, port, datagrams a second, seconds, and from how many ports they come.
  init(_ arguments: ArraySlice<String>) throws {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 4, let host = arguments.first, let port = UInt16(exactly: numbers[0]),
      let target = TransportAddress(host: host, port: port)?.ipv4
    else { throw UsageError.wrongArguments }
    perStep = numbers[1] / 1_000
    steps = numbers[2] * 1_000
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = target.bigEndian
    for _ in 0..<numbers[3] { sockets.append(try Self.makeSocket(to: &address)) }
    for number in 0..<256 { datagrams.append(Self.makeDatagram(number)) }
  }

  private static func makeSocket(to address: inout sockaddr_in) throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw CommandError.noSocket }
    return descriptor
  }

  /// A quarter each: noise, a STUN message (RFC 8489 §5; every other one a response), a DTLS record, an RTP packet.
  private static func makeDatagram(_ number: Int) -> [UInt8] {
    var octets = (0..<Int.random(in: 20...1_200)).map { _ in UInt8.random(in: 0...255) }
    switch number % 4 {
    case 0: return octets
    case 1:
      let length = (octets.count - 20) / 4 * 4
      octets = Array(octets.prefix(20 + length))
      octets.replaceSubrange(0..<2, with: number % 8 == 1 ? [0x01, 0x01] : [0x00, 0x01])
      octets.replaceSubrange(2..<4, with: [UInt8(length >> 8), UInt8(length & 255)])
      octets.replaceSubrange(4..<8, with: [0x21, 0x12, 0xA4, 0x42])
    case 2: octets.replaceSubrange(0..<3, with: [22, 254, 253])
    default: octets.replaceSubrange(0..<2, with: [0x80, 96])
    }
    return octets
  }

  /// Prints how many datagrams the kernel took and how many seconds that needed.
  func run() {
    let start = MonotonicClock.now()
    var sent = 0
    for step in 0..<steps {
      MonotonicClock.sleep(until: start + Self.step * Int64(step))
      for index in 0..<perStep {
        let number = step * perStep + index
        let datagram = datagrams[number % datagrams.count]
        if send(sockets[number % sockets.count], datagram, datagram.count, 0) > 0 { sent += 1 }
      }
    }
    print("\(sent) \((MonotonicClock.now() - start).seconds)")
  }
}
