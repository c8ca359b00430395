import MediaCore
import TestSupport
import Testing
import WebM

@Suite struct WebMWriterTests {
  @Test func otherProgramsReadTheFile() throws {
    let recording = try Recording.ofSamples()
    try withFile(recording.bytes) { (path) throws in
      #expect(try MediaInspection.probeWarnings(path) == "")
      #expect(try MediaInspection.decodeWarnings(path) == "")
      let identity = try MediaInspection.identify(path)
      #expect(identity.isSupported)
      #expect(identity.codecs == ["VP8", "Opus"])
      #expect(identity.warnings == [])
    }
  }

  @Test func packetsKeepTheirTimesSizesAndOrder() throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    let recording = Recording.ofSamples(video: video, audio: audio)
    let packets = try withFile(recording.bytes) { try MediaInspection.packets($0) }
    let pictures = packets.filter { $0.stream == 0 }
    #expect(pictures.map(\.milliseconds) == video.map(\.milliseconds))
    #expect(pictures.map(\.byteCount) == video.map(\.payload.count))
    #expect(pictures.map(\.isKeyFrame) == video.map(\.isKeyFrame))
    let sounds = packets.filter { $0.stream == 1 }
    // Readers subtract the codec delay of 6.5 ms, rounded to milliseconds.
    #expect(sounds.map { $0.milliseconds + 7 } == audio.map(\.milliseconds))
    #expect(sounds.map(\.byteCount) == audio.map(\.payload.count))
    let times = packets.map { $0.milliseconds + ($0.stream == 1 ? 7 : 0) }
    #expect(times == times.sorted())
  }

  @Test func durationIsThatOfTheMedia() throws {
    let recording = try Recording.ofSamples()
    let duration = try withFile(recording.bytes) { try MediaInspection.duration($0) }
    #expect(abs((duration ?? 0) - Double(SampleMedia.duration) / 1000) < 0.05)
    #expect(recording.writer.fileByteCount == UInt64(recording.bytes.count))
  }

  @Test(arguments: [0.5, 2, 3.9, 4, 7.3, 11.9]) func seekingFindsTheKeyFrameBefore(seconds: Double) throws {
    let recording = try Recording.ofSamples()
    let packet = try withFile(recording.bytes) { try MediaInspection.firstPacket($0, seekingTo: seconds) }
    let expected = try SampleMedia.video().last { $0.isKeyFrame && Double($0.milliseconds) <= seconds * 1000 }
    #expect(packet?.isKeyFrame == true)
    #expect(packet?.milliseconds == expected?.milliseconds)
  }

  @Test func fileIsPlayableAfterEveryCluster() throws {
    let recording = try Recording.ofSamples(isFinished: false)
    #expect(recording.clusterEnds.count > 12)
    for end in recording.clusterEnds {
      try withFile(Array(recording.bytes.prefix(end))) { (path) throws in
        #expect(try MediaInspection.probeWarnings(path) == "", "cut at \(end)")
      }
    }
    try withFile(Array(recording.bytes.prefix(recording.clusterEnds[5]))) { (path) throws in
      #expect(try MediaInspection.decodeWarnings(path) == "")
    }
  }

  @Test func soundAloneAndFramesAlone() throws {
    var sound = Recording()
    for frame in try SampleMedia.audio() { sound.push(.audio, frame) }
    sound.finish()
    var pictures = Recording()
    for frame in try SampleMedia.video() { pictures.push(.video, frame) }
    pictures.finish()
    for (recording, codec) in [(sound, "Opus"), (pictures, "VP8")] {
      try withFile(recording.bytes) { (path) throws in
        #expect(try MediaInspection.probeWarnings(path) == "")
        #expect(try MediaInspection.decodeWarnings(path) == "")
        #expect(try MediaInspection.identify(path).codecs == [codec])
      }
    }
  }

  @Test func lateCameraGetsItsTrackInPlace() throws {
    var recording = Recording()
    let video = try SampleMedia.video()
    let start = Int64(5_000)
    for sound in try SampleMedia.audio() {
      recording.push(.audio, sound)
      for var picture in video
      where (sound.milliseconds..<sound.milliseconds + 20).contains(picture.milliseconds + start) {
        picture.milliseconds += start
        recording.push(.video, picture)
      }
    }
    #expect(recording.patchOffsets == [0])
    recording.finish()
    try withFile(recording.bytes) { (path) throws in
      #expect(try MediaInspection.probeWarnings(path) == "")
      #expect(try MediaInspection.decodeWarnings(path) == "")
      #expect(Set(try MediaInspection.identify(path).codecs) == ["VP8", "Opus"])
      let first = try MediaInspection.packets(path).first { $0.isKeyFrame && $0.byteCount == video[0].payload.count }
      #expect(first?.milliseconds == start)
    }
  }

  @Test func changedPictureSizeKeepsTheFileWhole() throws {
    var recording = Recording()
    for frame in try SampleMedia.video() { recording.push(.video, frame) }
    for var frame in try SampleMedia.largerVideo() {
      frame.milliseconds += SampleMedia.duration
      recording.push(.video, frame)
    }
    recording.finish()
    try withFile(recording.bytes) { (path) throws in
      #expect(try MediaInspection.probeWarnings(path) == "")
      let count = try MediaInspection.packets(path).count
      #expect(try count == SampleMedia.video().count + SampleMedia.largerVideo().count)
      let complaints = try MediaInspection.decodeWarnings(path)
      #expect(complaints.split(separator: "\n").allSatisfy { $0.contains("Changing video frame properties") })
    }
  }

  @Test func soundThatComesLateIsSortedIn() throws {
    var recording = Recording()
    let video = try SampleMedia.video()
    var sounds = try SampleMedia.audio()[...]
    for picture in video {
      recording.push(.video, picture)
      while let sound = sounds.first, sound.milliseconds <= picture.milliseconds - 120 {
        recording.push(.audio, sound, now: picture.milliseconds)
        sounds = sounds.dropFirst()
      }
    }
    recording.finish()
    let packets = try withFile(recording.bytes) { try MediaInspection.packets($0) }
    let times = packets.map { $0.milliseconds + ($0.stream == 1 ? 7 : 0) }
    #expect(times == times.sorted())
  }

  @Test func timesThatDoNotIncreaseAreMoved() throws {
    var recording = Recording()
    let audio = try SampleMedia.audio()
    for (frame, time) in zip(audio, [0, 20, 20, 10, 60] as [Int64]) {
      var frame = frame
      frame.milliseconds = time
      recording.push(.audio, frame)
    }
    recording.finish()
    let packets = try withFile(recording.bytes) { try MediaInspection.packets($0) }
    #expect(packets.map { $0.milliseconds + 7 } == [0, 20, 21, 22, 60])
  }

  @Test func frameIsHandedOutWithinTheHoldTime() throws {
    var recording = Recording()
    let frame = try SampleMedia.audio()[0]
    recording.push(.audio, frame)
    recording.store(now: MonotonicInstant(nanoseconds: Recording.origin + 899_000_000))
    #expect(recording.clusterEnds.isEmpty)
    recording.store(now: MonotonicInstant(nanoseconds: Recording.origin + 900_000_000))
    #expect(recording.clusterEnds.count == 1)
  }

  @Test func clustersAreShortAndStartWithKeyFrames() throws {
    let recording = try Recording.ofSamples()
    var source = MemorySource(recording.bytes)
    let scan = WebMScanner.scan(&source, depth: .full)
    #expect(scan.findings == [])
    // 12 s in stretches of 750 ms that key frames every 2 s interrupt: three each.
    #expect(scan.clusters == 18)
    #expect(scan.videoFrames == (try SampleMedia.video().count))
    #expect(scan.audioFrames == (try SampleMedia.audio().count))
  }

  @Test func refusesWhatCannotBeDecodedOrWritten() throws {
    var writer = WebMWriter()
    let picture = try SampleMedia.video()[0].payload
    let now = MonotonicInstant(nanoseconds: 0)
    func push(_ payload: [UInt8], isKeyFrame: Bool = true, nanoseconds: Int64 = 1) -> Bool {
      let header = EncodedFrameHeader(
        kind: .video, timestamp: MonotonicInstant(nanoseconds: nanoseconds), duration: .milliseconds(33),
        isKeyFrame: isKeyFrame, number: 0)
      return writer.push(header, payload: payload.span.bytes, now: now)
    }
    let accepted = [push(picture, isKeyFrame: false), push([]), push(picture, nanoseconds: .min)]
    #expect(accepted == [false, false, false])
    #expect(writer.statistics.refused == 3)
    writer.finish()
    #expect(writer.nextOutput(now: now) == .nothing)
    #expect(writer.fileByteCount == 0)
  }
}
