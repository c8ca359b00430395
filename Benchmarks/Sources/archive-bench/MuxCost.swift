import MediaCore
import WebM

/// Muxing alone: frames in, clusters with checksums out, nothing written.
enum MuxCost {
  static func measure() {
    let frames = TestFrames()
    let seconds = 3_600
    var writer = WebMWriter(segmentDuration: .seconds(900))
    var bytes = 0
    let time = processorMilliseconds {
      frames.forEach(seconds: seconds, from: MonotonicInstant(nanoseconds: 0)) { header, payload in
        writer.push(header, payload: payload.span.bytes, now: header.timestamp)
        while writer.nextOutput(now: header.timestamp) != .nothing { writer.withOutput { bytes += $0.byteCount } }
      }
    }
    let percent = (time / Double(seconds) / 10 * 10_000).rounded() / 10_000
    print("mux: \(percent) % of a core in real time (\(bytes >> 20) MB an hour)")
  }
}
