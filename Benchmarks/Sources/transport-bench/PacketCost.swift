import Glibc
import TransportCrypto

/// What a session costs without a network loop: frames in, protected packets out.
enum PacketCost {
  private static let pictures = 3_000

  static func measure() throws {
    for profile in [SRTPProfile.aeadAES128GCM, .aes128CMHMACSHA1_80] {
      for isSent in [false, true] {
        let call = try DirectCall(profile: profile, sendsForReal: isSent)
        // Warms caches and lets the estimate reach what the stream needs.
        _ = call.run(pictures: 300)
        let cost = call.run(pictures: pictures)
        print("packets \(profile.name) \(isSent ? "sent" : "kept") \(cost.line)")
      }
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
func threadTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// What reading ``threadTime()`` twice adds to what lies between: a system call.
let threadTimeCost = (0..<1_000).map { _ in -threadTime() + threadTime() }.min()!
