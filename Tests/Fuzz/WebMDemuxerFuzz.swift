import TestSupport
import WebM

/// Reads all frames and joins those of known tracks; the joined file has to give back as many.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  var source = MemorySource(Array(UnsafeBufferPointer(start: data, count: size)))
  guard var demuxer = WebMDemuxer(&source) else { return 0 }
  let tracks = demuxer.tracks.filter { $0.kind != nil }
  guard !tracks.isEmpty else { return 0 }
  var joined = Joined(
    WebMMuxer(tracks: tracks.map { WebMMuxedTrack(name: $0.name, media: $0.media!, isDefault: $0.isDefault) }))
  var pushed = 0
  while let block = demuxer.next(&source) {
    guard let index = tracks.firstIndex(where: { $0.number == block.trackNumber }) else { continue }
    demuxer.withPayload(of: block) { payload in
      joined.joiner.push(
        track: index + 1, milliseconds: block.milliseconds, isKeyFrame: block.isKeyFrame,
        isDiscardable: block.isDiscardable, payload: payload)
    }
    joined.store()
    pushed += 1
  }
  joined.joiner.finish()
  joined.store()
  precondition(joined.frameCount == pushed)
  seek(&source, to: Int64(data[size - 1]) * 100, track: tracks[0].number, frames: pushed)
  return 0
}

/// From wherever it goes to, it gives back no more than from the beginning.
private func seek(_ source: inout MemorySource, to milliseconds: Int64, track: UInt8, frames: Int) {
  guard var demuxer = WebMDemuxer(&source) else { return }
  let known = Set(demuxer.tracks.filter { $0.kind != nil }.map(\.number))
  demuxer.seek(&source, to: milliseconds, track: track)
  var count = 0
  while let block = demuxer.next(&source) { count += known.contains(block.trackNumber) ? 1 : 0 }
  precondition(count <= frames)
}

/// A joined file in memory.
private struct Joined {
  var joiner: WebMMuxer
  private var bytes: [UInt8] = []

  init(_ joiner: WebMMuxer) { self.joiner = joiner }

  mutating func store() {
    while true {
      switch joiner.nextOutput() {
      case .nothing, .nextFile: return
      case .append: joiner.withOutput { output in output.withUnsafeBytes { bytes += $0 } }
      case .write(let offset):
        joiner.withOutput { output in
          let start = Int(offset)
          output.withUnsafeBytes { bytes.replaceSubrange(start..<start + $0.count, with: $0) }
        }
      }
    }
  }

  var frameCount: Int {
    var source = MemorySource(bytes)
    guard var demuxer = WebMDemuxer(&source) else { return -1 }
    var count = 0
    while demuxer.next(&source) != nil { count += 1 }
    precondition(demuxer.damage.isEmpty)
    return count
  }
}
