import MediaCore
import WebM

/// One track of an archive as a WebM file of its own that can be read piece by piece, for programs that render it.
///
/// Times count from the archive's start. Where sound is missing, before a party came or while it was muted, silence is
/// put in, so that the reader need not interpret gaps.
public final class ArchiveTrackReader {
  private let track: ExportTrack
  private let cursor: ExportTrackCursor
  private var joiner: WebMMuxer
  /// Where the sound so far ends, in milliseconds from the archive's start.
  private var soundEnd: Int64 = 0
  private var isInGap = false
  private var isFinished = false

  private static let packetMilliseconds: Int64 = 20
  /// A gap that is no longer is jitter.
  private static let longestJitter: Int64 = 60

  init(_ track: ExportTrack, in folder: HeldFolder) {
    self.track = track
    cursor = ExportTrackCursor(track, in: folder)
    joiner = WebMMuxer(tracks: [track.muxed()])
    cursor.advance()
  }

  /// Milliseconds of the archive that have been read.
  public private(set) var milliseconds: Int64 = 0

  /// What had to be left out so far.
  public var problems: [String] { cursor.problems.map(\.description).sorted() }

  /// The next bytes; `nil` at the end.
  public func read() -> [UInt8]? {
    while true {
      switch joiner.nextOutput() {
      case .append: return joiner.withOutput { $0.copiedToArray() }
      // A pipe cannot be completed; it is whole without. It is one file.
      case .write, .nextFile: return nil
      case .nothing:
        guard !isFinished else { return nil }
        pushNext()
      }
    }
  }

  private func pushNext() {
    guard cursor.block != nil else {
      joiner.finish()
      isFinished = true
      return
    }
    milliseconds = cursor.milliseconds
    if track.kind == .audio, hasGap { return pushSilence() }
    let duration = cursor.withPayload { OpusPacket.sampleCount($0) / 48 } ?? 0
    soundEnd = max(soundEnd, milliseconds) + Int64(duration)
    cursor.push(to: &joiner, track: 1)
    cursor.advance()
  }

  /// Whether silence has to come before the current packet: all of it, once a gap is too long for jitter.
  private var hasGap: Bool {
    let gap = milliseconds - soundEnd
    isInGap = gap > Self.longestJitter || isInGap && gap >= Self.packetMilliseconds
    return isInGap
  }

  /// An Opus packet of 20 ms without sound: full-band CELT, whose frame is all silence (RFC 6716 §4.3).
  private func pushSilence() {
    let packet: [UInt8] = [0xF8, 0xFF, 0xFE]
    joiner.push(track: 1, milliseconds: soundEnd, isKeyFrame: true, payload: packet.span.bytes)
    soundEnd += Self.packetMilliseconds
  }
}

extension ArchiveRemuxer {
  /// Readers of all tracks, independent of each other and of ``run(write:onProgress:)``.
  public func makeTrackReaders() -> [ArchiveTrackReader] { tracks.map { ArchiveTrackReader($0, in: folder) } }
}
