import Glibc
import TransportCrypto

/// What a session costs without a network loop: frames in, protected packets out.
enum PacketCost {
  /// One after the other, many times, so that what disturbs the machine disturbs all.
  private static let rounds = 15
  private static let pictures = 300

  /// Prints a line for each round: `packets PROFILE WAY PACKETS OWN FEEDBACK ALLOCATIONS`, costs in nanoseconds a packet.
  static func measure() throws {
    let link = attachLink()
    for profile in [SRTPProfile.aeadAES128GCM, .aes128CMHMACSHA1_80] {
      let ways = SendingWay.allCases.filter { link != nil || !$0.isSwallowed }
      let calls = try ways.map { (way: $0, call: try DirectCall(profile: profile, queue: try $0.makeQueue())) }
      let alone = ProtectionAlone(profile: profile)
      // Warms caches and lets the estimate reach what the stream needs.
      for (_, call) in calls { _ = call.run(pictures: pictures) }
      for _ in 0..<rounds {
        print("packets \(profile.name) protected \(alone.run(pictures: pictures).line)")
        for (way, call) in calls { print("packets \(profile.name) \(way) \(call.run(pictures: pictures).line)") }
      }
    }
  }

  private static func attachLink() -> SwallowingLink? {
    do {
      return try SwallowingLink()
    } catch {
      print("unavailable \(error.reason)")
      return nil
    }
  }
}

/// Where the packets go.
enum SendingWay: CaseIterable {
  case kept
  case loopback, loopbackSingly
  case swallowed, swallowedSingly

  var isSwallowed: Bool { self == .swallowed || self == .swallowedSingly }

  func makeQueue() throws -> any DatagramQueue {
    switch self {
    case .kept: MemoryQueue()
    case .loopback: try LoopbackQueue(TurnSender(from: LoopbackQueue.anyPort))
    case .loopbackSingly: try LoopbackQueue(SingleSender(from: LoopbackQueue.anyPort))
    case .swallowed: SwallowedQueue(try TurnSender(from: SwallowingLink.source))
    case .swallowedSingly: SwallowedQueue(try SingleSender(from: SwallowingLink.source))
    }
  }
}

extension SRTPProfile {
  fileprivate var name: String {
    switch self {
    case .aes128CMHMACSHA1_80: "AES128_CM_HMAC_SHA1_80"
    case .aeadAES128GCM: "AEAD_AES_128_GCM"
    case .aeadAES256GCM: "AEAD_AES_256_GCM"
    }
  }
}

/// What the side of a call costs that sends.
struct SessionCost {
  var packets = 0
  /// Nanoseconds of CPU time for frames and deadlines, and for feedback.
  var sending: Int64 = 0
  var receiving: Int64 = 0
  /// While frames were sent. ICE's checks of consent, one in some seconds, allocate.
  var frameAllocations = 0

  /// `packets ns-a-packet ns-a-packet-for-feedback allocations`.
  var line: String {
    let count = Int64(max(1, packets))
    return "\(packets) \(sending / count) \(receiving / count) \(frameAllocations)"
  }
}

/// The calling thread's CPU time in nanoseconds.
private func threadTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The thread's CPU time for `body` in nanoseconds. What it takes to read the clock, a system call, is measured each time
/// just before, and taken off.
func threadTime(of body: () -> Void) -> Int64 {
  let first = threadTime()
  let start = threadTime()
  body()
  return threadTime() - start - (start - first)
}
