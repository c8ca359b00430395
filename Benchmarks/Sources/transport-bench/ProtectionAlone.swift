import CTestSupport
import DTLSSRTP
import TransportCrypto

/// Protects packets of the lengths that a call has, and does nothing else: what the rest of a session is compared with.
final class ProtectionAlone {
  /// RTP header, extensions and VP8's descriptor.
  private static let overhead = 28

  private let protection: any PacketProtection
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 16)
  private var number: UInt16 = 0

  init(profile: SRTPProfile) {
    let key = [UInt8](repeating: 0x42, count: profile.keyLengths.key + profile.keyLengths.salt)
    guard
      let made = try? SRTPCrypto().makeProtection(SRTPKeyingMaterial(profile: profile, local: key, remote: key))
    else { preconditionFailure("the key has the profile's length") }
    protection = made
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { memory.deallocate() }

  func run(pictures count: Int) -> SessionCost {
    let media = TestMedia()
    var cost = SessionCost()
    for picture in 0..<count {
      protect(packets: 3, of: media.picture.count / 3, &cost)
      // Five packets of sound to three pictures.
      for _ in 0..<(picture % 3 == 0 ? 1 : 2) { protect(packets: 1, of: media.packet.count, &cost) }
    }
    return cost
  }

  private func protect(packets count: Int, of octets: Int, _ cost: inout SessionCost) {
    let allocations = callocation_count()
    cost.sending += threadTime(of: { for _ in 0..<count { protect(octets + Self.overhead) } })
    cost.packets += count
    cost.frameAllocations += callocation_count() - allocations
  }

  private func protect(_ length: Int) {
    number &+= 1
    memory.storeBytes(of: 0x80, as: UInt8.self)
    memory.storeBytes(of: number.bigEndian, toByteOffset: 2, as: UInt16.self)
    var bytes = memory.mutableBytes
    let isProtected = (try? protection.protectRTP(&bytes, length: length)) != nil
    precondition(isProtected, "a new packet was refused")
  }
}
