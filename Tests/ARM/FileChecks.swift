import MediaCore
import TestSupport
import MediaFiles
import WebM

func checkFiles() {
  checkWAV()
  checkY4M()
  checkWebM()
}

/// Files of 2 and 4 GiB, and data sizes at the borders of 31 and 32 bits.
private func checkWAV() {
  for size in [0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF] as [UInt32] {
    for there in [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1_4000_0000] as [UInt64] {
      let header = wavHeader(WAVBuilder(toldDataSize: size).bytes, fileByteCount: there)
      let isOpen = size == 0 || size == .max
      expect(header?.frameCount == (isOpen ? there - 44 : min(UInt64(size), there - 44)) / 2)
      // A chunk of such a size before the sound.
      var file = WAVBuilder(others: [("JUNK", [])]).bytes
      for index in 0..<4 { file[40 + index] = UInt8(truncatingIfNeeded: size >> UInt32(8 * index)) }
      _ = wavHeader(file, fileByteCount: there)
      // And a format chunk of it.
      file = WAVBuilder().bytes
      for index in 0..<4 { file[16 + index] = UInt8(truncatingIfNeeded: size >> UInt32(8 * index)) }
      _ = wavHeader(file, fileByteCount: there)
    }
  }
}

/// Reads a file that is zeros behind its beginning.
private func wavHeader(_ beginning: [UInt8], fileByteCount: UInt64) -> WAVHeader? {
  var reader = WAVHeaderReader(fileByteCount: fileByteCount)
  var step = reader.start
  while true {
    switch step {
    case .finished(let header): return header
    case .read(let offset, let count):
      let bytes = (0..<UInt64(count)).map { index in
        offset + index < UInt64(beginning.count) ? beginning[Int(offset + index)] : 0
      }
      guard let next = try? reader.read(bytes.span.bytes) else { return nil }
      step = next
    }
  }
}

private func checkY4M() {
  func header(_ fields: String) -> Y4MHeader? {
    try? Y4MHeader(parsing: Array("YUV4MPEG2 \(fields)\nFRAME\n".utf8).span.bytes)
  }
  expect(header("W4096 H4096 F30:1")?.frameByteCount == 25_165_824)
  expect(header("W4097 H4096 F30:1") == nil)
  for number in ["2147483647", "2147483648", "4294967296", "9223372036854775808", "99999999999999999999"] {
    _ = header("W\(number) H2 F25:1")
    _ = header("W4 H2 F\(number):1")
    _ = header("W4 H2 F1:\(number)")
    _ = header("W4 H2 F\(number):\(number)")
  }
}

/// Bytes, and zeros up to a size.
private struct ZeroFilledSource: WebMSource {
  var beginning: [UInt8]
  var byteCount: UInt64

  mutating func read(at offset: UInt64, count: Int, into target: inout [UInt8]) throws(Never) -> Int {
    let count = Int(min(UInt64(count), byteCount - min(offset, byteCount)))
    for index in 0..<count {
      let place = offset + UInt64(index)
      target[index] = place < UInt64(beginning.count) ? beginning[Int(place)] : 0
    }
    return count
  }
}

private func checkWebM() {
  let file = recording()
  var source = MemorySource(file)
  let scan = WebMScanner.scan(&source, depth: .full)
  expect(scan.validByteCount == UInt64(file.count) && scan.videoFrames == 300 && scan.audioFrames == 500)
  expect(scan.durationMilliseconds >= 9_900)
  expect(frameCount(&source) == 800)
  checkJoining(file)
  checkBrokenSizes(file)
}

/// Ten seconds, which end a minute before the latest time that is recorded.
private func recording() -> [UInt8] {
  let origin = MonotonicInstant(nanoseconds: 1 << 62 - 70_000_000_000)
  var writer = WebMWriter(timelineDate: 0)
  var file: [UInt8] = []
  for millisecond in 0..<10_000 as Range<Int64> {
    let now = origin + .milliseconds(millisecond)
    if millisecond % 20 == 0 { push(.audio, millisecond, now, &writer) }
    if millisecond % 33 == 0, millisecond < 9_900 { push(.video, millisecond, now, &writer) }
    store(&writer, now, &file)
  }
  writer.finish()
  store(&writer, origin + .seconds(20), &file)
  return file
}

private func push(_ kind: MediaKind, _ millisecond: Int64, _ now: MonotonicInstant, _ writer: inout WebMWriter) {
  let isKeyFrame = kind == .audio || millisecond % 1_980 == 0
  let picture: [UInt8] = [isKeyFrame ? 0x10 : 0x11, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01]
  let payload = (kind == .audio ? [31 << 3] : picture) + [UInt8](repeating: 7, count: 200)
  let header = EncodedFrameHeader(
    kind: kind, timestamp: now, duration: kind == .audio ? .milliseconds(20) : .milliseconds(33),
    isKeyFrame: isKeyFrame, number: 0)
  _ = writer.push(header, payload: payload.span.bytes, now: now)
}

private func store(_ writer: inout WebMWriter, _ now: MonotonicInstant, _ file: inout [UInt8]) {
  while true {
    switch writer.nextOutput(now: now) {
    case .nothing, .nextFile: return
    case .append: writer.withOutput { file += $0.copiedToArray() }
    case .write(let offset):
      writer.withOutput { patch in
        file.replaceSubrange(Int(offset)..<Int(offset) + patch.byteCount, with: patch.copiedToArray())
      }
    }
  }
}

private func frameCount<Source: WebMSource>(_ source: inout Source) -> Int where Source.Failure == Never {
  guard var demuxer = WebMDemuxer(&source) else { return 0 }
  var count = 0
  while demuxer.next(&source) != nil { count += 1 }
  return count
}

/// Times of any size.
private func checkJoining(_ file: [UInt8]) {
  let video = WebMMuxedTrack(name: "v", media: .video(WebMVideoTrack(width: 640, height: 480)), isDefault: true)
  var joiner = WebMMuxer(tracks: [video], title: "t", creationDate: .max)
  let payload: [UInt8] = [0, 0, 0]
  for time in [Int64.min, 0, 1 << 31, 1 << 32, .max, .max, .min] {
    joiner.push(track: 1, milliseconds: time, isKeyFrame: true, payload: payload.span.bytes)
    drain(&joiner)
  }
  joiner.finish()
  drain(&joiner)
  expect(joiner.durationMilliseconds >= 1 << 47)
}

private func drain(_ joiner: inout WebMMuxer) {
  while true {
    switch joiner.nextOutput() {
    case .nothing, .nextFile: return
    case .append, .write: joiner.withOutput { _ in }
    }
  }
}

/// One octet of the header after the other is set to ones and to a size of eight octets; nothing may trap.
private func checkBrokenSizes(_ file: [UInt8]) {
  for index in stride(from: 0, to: 600, by: 9) {
    for octet in [0x01, 0xFF] as [UInt8] {
      var broken = Array(file.prefix(2_000))
      broken[index] = octet
      var source = ZeroFilledSource(beginning: broken, byteCount: UInt64(broken.count))
      _ = WebMScanner.scan(&source, depth: .quick)
      _ = frameCount(&source)
    }
  }
}
