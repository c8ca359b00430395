import MediaCore
import RealtimeRuntime
import Synchronization
import Testing

@testable import MediaPipeline

/// A stage in virtual time, which encodes a clip for one consumer.
private struct Watched: ~Copyable {
  var clip: StillSceneClip
  let controls: PipelineControls
  private let inbox: FrameInbox
  private var stage: VideoStage
  private var index: Int64 = 0
  private(set) var headers: [EncodedFrameHeader] = []

  init(layers: Int = 1, findsStillness: Bool = true) throws {
    let (_, continuation) = AsyncStream.makeStream(of: MediaPipelineEvent.self)
    var configuration = MediaPipelineConfiguration(
      cameras: [.testBars], width: StillSceneClip.width, height: StillSceneClip.height, frameRate: 30,
      videoBitrate: .kilobits(150), temporalLayers: layers)
    configuration.findsStillness = findsStillness
    let bus = FrameBus()
    let controls = PipelineControls(configuration: configuration, bus: bus, events: continuation)
    let inbox = try FrameInbox()
    bus.attach(inbox)
    // After all that may fail, as those that cannot be copied have to be.
    clip = StillSceneClip()
    self.controls = controls
    self.inbox = inbox
    stage = VideoStage(controls, processors: 1) { MonotonicInstant(nanoseconds: 0) }
  }

  var status: VideoStatus { stage.status }
  var counters: MediaPipelineStatistics { controls.counters.snapshot }

  mutating func run(_ frames: Int) throws {
    for _ in 0..<frames {
      clip.draw()
      index += 1
      try stage.publish(&clip.frame, at: MonotonicInstant(nanoseconds: index * 33_333_333), frameRate: 30)
      var found: [EncodedFrameHeader] = []
      while inbox.video.popFirst({ header, _ in found.append(header) }) != nil {}
      headers += found
    }
  }
}

@Suite struct StillSceneStageTests {
  /// Whoever counts frames finds all of them, repeated ones included.
  @Test(arguments: 1...3) func repeatedFramesCountAsEncoded(layers: Int) throws {
    var watched = try Watched(layers: layers)
    try watched.run(120)
    let (counters, headers, share) = (watched.counters, watched.headers, watched.status.stillShare)
    #expect(counters.framesEncoded == 120 && counters.framesSkipped == 0 && counters.framesThinned == 0)
    #expect(counters.framesRepeated > 60)
    #expect(counters.videoBytesSaved > 40_000)
    #expect(share == 1)
    #expect(headers.map(\.number) == Array(0..<120))
    #expect(zip(headers, headers.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    #expect(headers.filter(\.isKeyFrame).count == 1)
    #expect(Set(headers.map(\.temporalLayer)).count == layers)
  }

  @Test func aViewerWhoComesLateIsAnsweredAtOnce() throws {
    var watched = try Watched()
    try watched.run(90)
    watched.controls.video.isKeyFrameRequested.store(true, ordering: .relaxed)
    try watched.run(1)
    let isAnswered = watched.headers.last?.isKeyFrame
    #expect(isAnswered == true)
    try watched.run(30)
    let keyFrames = watched.counters.keyFrames
    #expect(keyFrames == 2)
  }

  @Test func whereItIsOffNothingIsRepeated() throws {
    var watched = try Watched(findsStillness: false)
    try watched.run(60)
    let (counters, share) = (watched.counters, watched.status.stillShare)
    #expect(counters.framesRepeated == 0 && counters.videoBytesSaved == 0 && share == 0)
    #expect(counters.framesEncoded + counters.framesSkipped == 60)
  }
}
