import MediaCore
import TestSupport
import Testing
import WebM

@Suite struct WebMScannerTests {
  @Test func finishedFileNeedsNothing() throws {
    let recording = try Recording.ofSamples()
    for depth in [WebMScanner.Depth.quick, .full] {
      var source = MemorySource(recording.bytes)
      let scan = WebMScanner.scan(&source, depth: depth)
      #expect(scan.findings == [])
      #expect(scan.repairs() == [])
      #expect(scan.durationMilliseconds == recording.writer.durationMilliseconds)
      #expect(scan.clusters == recording.clusterEnds.count)
    }
  }

  @Test func quickScanReadsLittle() throws {
    let recording = try Recording.ofSamples()
    var source = MemorySource(recording.bytes)
    _ = WebMScanner.scan(&source, depth: .quick)
    #expect(source.bytesRead < recording.bytes.count / 2)
  }

  @Test func unfinishedFileIsFinishedAsTheWriterWouldHave() throws {
    let unfinished = try Recording.ofSamples(isFinished: false)
    var finished = unfinished
    finished.finish()
    // Frames that were in memory are lost; the file is otherwise the same.
    let (bytes, _) = repaired(unfinished.bytes)
    #expect(bytes.count == unfinished.bytes.count)
    try withFile(bytes) { (path) throws in
      #expect(try MediaInspection.probeWarnings(path) == "")
      #expect(try MediaInspection.decodeWarnings(path) == "")
      #expect(try MediaInspection.firstPacket(path, seekingTo: 7.3)?.milliseconds == 6_000)
    }
    let lost = finished.writer.durationMilliseconds - repaired(unfinished.bytes).scan.durationMilliseconds
    #expect((0...950).contains(lost))
  }

  @Test func repairIsIdempotentWhereverItIsInterrupted() throws {
    let unfinished = try Recording.ofSamples(isFinished: false).bytes
    let (expected, scan) = repaired(unfinished)
    let patches = scan.repairs()
    for count in 0...patches.count {
      var bytes = unfinished
      for patch in patches.prefix(count) {
        bytes.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + patch.bytes.count, with: patch.bytes)
      }
      if count > 0, count < patches.count {
        let torn = patches[count]
        let half = torn.bytes.prefix(torn.bytes.count > 512 ? torn.bytes.count / 2 : 0)
        bytes.replaceSubrange(Int(torn.offset)..<Int(torn.offset) + half.count, with: half)
      }
      try withFile(bytes) { (path) throws in
        #expect(try MediaInspection.probeWarnings(path) == "", "after \(count) patches")
      }
      #expect(repaired(bytes).bytes == expected, "after \(count) patches")
    }
  }

  @Test func damageInTheMiddleCostsNoLaterCluster() throws {
    let recording = try Recording.ofSamples()
    var bytes = recording.bytes
    // A cluster's header is overwritten: the chain breaks there.
    for index in 0..<4 { bytes[recording.clusterEnds[4] + index] = 0 }
    // A payload byte of another is changed: only the checksum notices.
    bytes[recording.clusterEnds[8] + 600] ^= 0x55
    var source = MemorySource(bytes)
    let scan = WebMScanner.scan(&source, depth: .full)
    let gap = UInt64(recording.clusterEnds[5] - recording.clusterEnds[4])
    #expect(
      scan.findings == [
        .gap(offset: UInt64(recording.clusterEnds[4]), byteCount: gap),
        .clusterDamaged(offset: UInt64(recording.clusterEnds[8])),
      ])
    #expect(scan.validByteCount == UInt64(bytes.count))
    let (mended, _) = repaired(bytes)
    try withFile(mended) { (path) throws in #expect(try MediaInspection.probeWarnings(path) == "") }
  }

  @Test(arguments: [1, 2, 8, 9, 300]) func strayBytesBetweenClustersAreBridged(count: Int) throws {
    let recording = try Recording.ofSamples(isFinished: false)
    var bytes = recording.bytes
    bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: count), at: recording.clusterEnds[2])
    let (mended, scan) = repaired(bytes)
    #expect(scan.clusters == recording.clusterEnds.count)
    #expect(mended.count == bytes.count)
    // A single byte has no room for the header of a Void; players find the next cluster by themselves.
    guard count > 1 else { return }
    try withFile(mended) { (path) throws in #expect(try MediaInspection.probeWarnings(path) == "") }
  }

  /// A sector that was half written when the power went, or went bad: the clusters tell what it said.
  @Test(arguments: [0, 44, 200, 300]) func tornHeaderIsMadeAnew(offset: Int) throws {
    let recording = try Recording.ofSamples()
    var bytes = recording.bytes
    bytes.replaceSubrange(offset..<offset + 100, with: [UInt8](repeating: 0xFF, count: 100))
    var source = MemorySource(bytes)
    #expect(WebMScanner.scan(&source, depth: .full).findings == [.headerUnreadable, .unfinished])
    let (mended, scan) = repaired(bytes)
    #expect(scan.clusters == recording.clusterEnds.count)
    #expect(scan.header?.video == WebMVideoTrack(width: 320, height: 240))
    #expect(scan.header?.audio == WebMAudioTrack(channels: 1))
    try withFile(mended) { (path) throws in #expect(try MediaInspection.decodeWarnings(path) == "") }
    #expect(repaired(mended).scan.findings == [])
  }

  @Test func foreignFilesAreLeftAlone() throws {
    for bytes in [[], [0x1A], [UInt8](repeating: 0, count: 30_000)] as [[UInt8]] {
      var source = MemorySource(bytes)
      let scan = WebMScanner.scan(&source, depth: .quick)
      #expect(scan.findings == [.headerUnreadable])
      #expect(scan.repairs() == [])
    }
  }

  @Test func dayLongFileKeepsSeekPointsThroughout() throws {
    var recording = Recording()
    let key = try SampleMedia.video()[0]
    let count = 5_000
    for index in 0..<count {
      var frame = key
      frame.milliseconds = Int64(index) * 4_000
      recording.push(.video, frame)
    }
    recording.finish()
    try withFile(recording.bytes) { (path) throws in
      for seconds in [0.0, 9_999, 19_990] {
        let packet = try #require(try MediaInspection.firstPacket(path, seekingTo: seconds))
        // 5,000 key frames thinned out to at most 1,024 points: one in eight.
        #expect(Double(packet.milliseconds) / 1000 <= seconds)
        #expect(Double(packet.milliseconds) / 1000 > seconds - 33)
      }
    }
    #expect(repaired(Array(recording.bytes)).bytes == recording.bytes)
  }
}
