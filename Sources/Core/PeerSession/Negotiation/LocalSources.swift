import MediaCore
import SDP
import TransportCrypto

/// The sources and names under which this side sends, random for each session and the same all through it.
struct LocalSources {
  let audio: UInt32
  let video: UInt32
  let rtx: UInt32
  let streamID: String
  let audioTrackID: String
  let videoTrackID: String

  init(crypto: any CryptoPrimitives) {
    // The low two bits keep the three apart, and away from 0.
    func source(_ number: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: crypto.randomUInt64()) & ~3 | number }
    func name() -> String { String(crypto.randomUInt64(), radix: 36) }
    audio = source(1)
    video = source(2)
    rtx = source(3)
    streamID = name()
    audioTrackID = name()
    videoTrackID = name()
  }

  func localMedia(_ kind: MediaKind, _ configuration: PeerSessionConfiguration) -> LocalMedia {
    LocalMedia(
      kind: kind, sends: configuration.publish.contains(kind), receives: configuration.subscribe.contains(kind),
      ssrc: kind == .audio ? audio : video, rtxSSRC: kind == .video ? rtx : nil, cname: configuration.cname,
      streamID: streamID, trackID: kind == .audio ? audioTrackID : videoTrackID)
  }
}
