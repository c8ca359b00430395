internal import MediaCore
internal import RealtimeRuntime
internal import Synchronization
internal import V4L2Capture
internal import VPXCodec

/// The body of the video thread: source, conversion, encoder, bus.
struct VideoLoop: ~Copyable {
  private let controls: PipelineControls
  private let run: MediaRun
  private var stage: VideoStage
  private var report: FailureReport
  private var retry = RetryDelay()
  private var lastCard: MonotonicInstant?

  /// A camera that delivers nothing for so long is opened anew.
  private static let stallLimit = TimeSpan.seconds(2)

  init(_ controls: PipelineControls, _ run: MediaRun) throws(VPXError) {
    let configuration = controls.configuration
    self.controls = controls
    self.run = run
    report = FailureReport(.video, controls)
    stage = try VideoStage(
      width: configuration.width, height: configuration.height, frameRate: Double(configuration.frameRate),
      controls: controls)
  }

  /// Runs until stopped.
  mutating func callAsFunction() {
    do {
      switch controls.camera.withLock({ $0 }) {
      case .none: return
      case .testBars: try runBars()
      case .camera(let path): try runCamera(path)
      case .automatic: try runAutomatic()
      }
    } catch {
      report.failed("\(error)")
    }
    controls.report(.closed(.video))
  }

  private mutating func runAutomatic() throws(VPXError) {
    guard let camera = CameraList.current().first else { return try runBars() }
    try runCamera(camera.stablePath ?? camera.path)
  }
}

// MARK: - Test picture

extension VideoLoop {
  private mutating func runBars() throws(VPXError) {
    let frameRate = Int64(controls.configuration.frameRate)
    var bars = TestBars(width: stage.width)
    bars.drawBackground(into: &stage.picture)
    report.opened(
      name: "test:bars", description: "test picture \(stage.width)×\(stage.height) at \(frameRate)/s")
    var pace = FramePace(start: MonotonicClock.now(), frameRate: frameRate)
    while true {
      let instant = pace.next(now: MonotonicClock.now())
      MonotonicClock.sleep(until: instant)
      guard !run.isStopped else { return }
      PipelineCounters.count(controls.counters.picturesCaptured)
      if controls.isVideoMuted.load(ordering: .relaxed) {
        try showCard(at: instant)
      } else {
        if lastCard != nil { bars.drawBackground(into: &stage.picture) }
        lastCard = nil
        bars.drawNext(into: &stage.picture, at: instant)
        try stage.publish(at: instant)
      }
    }
  }
}

// MARK: - Camera

extension VideoLoop {
  /// Streams from a camera, opening it anew after every failure; meanwhile the card is shown.
  private mutating func runCamera(_ path: String) throws(VPXError) {
    while !run.isStopped {
      do throws(CameraFailure) {
        try stream(path)
      } catch {
        switch error {
        case .camera(let error): report.failed(error.description)
        case .stalled: report.failed("\(path): no picture for \(Self.stallLimit.milliseconds / 1_000) s")
        case .encoder(let error): throw error
        }
        try showCard(for: retry.next())
      }
    }
  }

  /// Opens the camera, takes pictures until stopped, and closes it.
  private mutating func stream(_ path: String) throws(CameraFailure) {
    let configuration = controls.configuration
    let request = CaptureRequest(
      width: configuration.width, height: configuration.height, frameRate: configuration.frameRate)
    var camera = try CameraFailure.mapping { () throws(V4L2Error) in try V4L2Camera(path: path, request: request) }
    try fitStage(to: camera)
    var lastPicture = MonotonicClock.now()
    var isDelivering = false
    while !run.isStopped {
      guard try takePicture(from: &camera) else {
        guard MonotonicClock.now() - lastPicture < Self.stallLimit else { throw .stalled }
        continue
      }
      lastPicture = MonotonicClock.now()
      if !isDelivering { noteDelivery(from: camera) }
      isDelivering = true
    }
  }

  private mutating func noteDelivery(from camera: borrowing V4L2Camera) {
    retry.reset()
    report.opened(
      name: camera.path,
      description: "\(camera.name), \(camera.format) \(camera.width)×\(camera.height) at \(camera.frameRate)/s")
  }

  /// Makes a new encoder when the camera's pictures have another size.
  private mutating func fitStage(to camera: borrowing V4L2Camera) throws(CameraFailure) {
    guard stage.width != camera.width || stage.height != camera.height else { return }
    do throws(VPXError) {
      stage = try VideoStage(
        width: camera.width, height: camera.height, frameRate: camera.frameRate, controls: controls)
    } catch {
      throw .encoder(error)
    }
  }

  /// Waits for one picture and publishes it. Returns false when none, or a damaged one, came.
  private mutating func takePicture(from camera: inout V4L2Camera) throws(CameraFailure) -> Bool {
    var captured: MonotonicInstant?
    let isMuted = controls.isVideoMuted.load(ordering: .relaxed)
    let outcome: CaptureOutcome
    do throws(V4L2Error) {
      outcome = try camera.nextFrame(
        timeout: Self.stallLimit, interruption: run.interruption.fileDescriptor
      ) { frame, bytes in
        let isUsable = !frame.isDamaged && (isMuted || convert(bytes, frame))
        if isUsable { captured = frame.timestamp }
      }
    } catch {
      throw .camera(error)
    }
    guard outcome == .frame, !run.isStopped else { return false }
    guard let captured else {
      PipelineCounters.count(controls.counters.picturesDamaged)
      return false
    }
    PipelineCounters.count(controls.counters.picturesCaptured)
    try publish(at: captured, isMuted: isMuted)
    return true
  }

  private mutating func convert(_ bytes: RawSpan, _ frame: CapturedFrame) -> Bool {
    do {
      try stage.convert(bytes, format: frame.format, bytesPerLine: frame.bytesPerLine)
      return true
    } catch {
      return false
    }
  }

  private mutating func publish(at captured: MonotonicInstant, isMuted: Bool) throws(CameraFailure) {
    do throws(VPXError) {
      if isMuted {
        try showCard(at: captured)
      } else {
        lastCard = nil
        try stage.publish(at: captured)
      }
    } catch {
      throw .encoder(error)
    }
  }
}

// MARK: - Card

extension VideoLoop {
  /// Publishes the card when its second is over or a key frame is wanted.
  private mutating func showCard(at instant: MonotonicInstant) throws(VPXError) {
    if let lastCard, instant - lastCard < NoVideoCard.interval, !stage.isKeyFrameDue(at: instant) { return }
    lastCard = instant
    NoVideoCard.draw(into: &stage.picture)
    try stage.publish(at: instant, duration: NoVideoCard.interval)
  }

  /// Keeps the card up to date for `duration` or until stopped.
  private mutating func showCard(for duration: TimeSpan) throws(VPXError) {
    let end = MonotonicClock.now() + duration
    while !run.isStopped {
      let now = MonotonicClock.now()
      guard now < end else { return }
      try showCard(at: now)
      run.pause(min(end - now, .milliseconds(100)))
    }
  }
}

/// Why a camera's stream ended.
private enum CameraFailure: Error {
  case camera(V4L2Error)
  case stalled
  case encoder(VPXError)

  static func mapping<Value: ~Copyable>(
    _ body: () throws(V4L2Error) -> Value
  ) throws(CameraFailure) -> Value {
    do throws(V4L2Error) { return try body() } catch { throw .camera(error) }
  }
}
