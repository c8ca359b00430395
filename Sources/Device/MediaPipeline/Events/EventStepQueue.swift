public import EventDetection
public import Signalling
internal import SystemSupport
internal import MediaCore
internal import PixelConversion

/// What a source of events has noticed.
public struct EventStep: Sendable {
  /// The source's id, as it was given to the one that watches it.
  public var source: Int
  public var step: EventTrigger<FrameRegion>.Step
  /// Of which kind it is more exactly, such as `covered`.
  public var detail: String?
  /// The frame at a beginning or a peak, as JPEG.
  public var image: [UInt8]?
  /// What becomes ``image`` when the step is taken.
  var scene: SceneFrame?

  public init(
    source: Int, step: EventTrigger<FrameRegion>.Step, detail: String? = nil, image: [UInt8]? = nil
  ) {
    self.source = source
    self.step = step
    self.detail = detail
    self.image = image
  }
}

/// Steps on their way from media threads to the keeper of events, in order.
///
/// Bounded: while too many wait, events that begin are left out as a whole, and peaks of one event replace each other.
/// What has begun always ends.
public final class EventStepQueue: Sendable {
  /// Signals that steps wait; has one reader.
  public let arrivals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  fileprivate struct State {
    var waiting: [EventStep] = []
    /// Sources whose present event was left out.
    var untold: Set<Int> = []
  }

  /// Images wait with the steps.
  private static let maxWaiting = 48
  /// Frames of megabytes that wait to be encoded. Further ones are encoded by the thread that brings them.
  private static let maximumScenes = 4

  public init() { (arrivals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  deinit { signal.finish() }

  /// Adds a step; from any thread.
  public func push(_ step: EventStep) {
    var step = step
    if let scene = step.scene, state.withLock({ $0.waiting.count { $0.scene != nil } }) >= Self.maximumScenes {
      (step.image, step.scene) = (scene.jpeg, nil)
    }
    let isAdded = state.withLock { $0.add(step, maxWaiting: Self.maxWaiting) }
    if isAdded { signal.yield() }
  }

  /// What waits, in order; nothing waits afterwards. Images are encoded here, and not on the media threads.
  public func takeAll() -> [EventStep] {
    var steps = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for index in steps.indices {
      guard let scene = steps[index].scene.take() else { continue }
      steps[index].image = scene.jpeg
    }
    return steps
  }
}

/// A frame of the camera with which something began or peaked; encoded once for all steps that have it.
///
/// Safety: the frame is not changed any more.
final class SceneFrame: @unchecked Sendable {
  private let image: I420Buffer
  private let encoded = Mutex<[UInt8]??>(nil)

  init(_ image: consuming I420Buffer) { self.image = image }

  /// Nil when memory is short.
  var jpeg: [UInt8]? {
    encoded.withLock { encoded in
      if let encoded { return encoded }
      let bytes = JPEGEncoder.encode(image)
      encoded = .some(bytes)
      return bytes
    }
  }
}

extension EventStepQueue.State {
  fileprivate mutating func add(_ step: EventStep, maxWaiting: Int) -> Bool {
    switch step.step {
    case .began:
      guard waiting.count < maxWaiting else {
        untold.insert(step.source)
        return false
      }
      untold.remove(step.source)
      waiting.append(step)
    case .peaked:
      guard !untold.contains(step.source) else { return false }
      addPeak(step)
    case .ended:
      guard untold.remove(step.source) == nil else { return false }
      waiting.append(step)
    }
    return true
  }

  /// In the place of an earlier one of the same event that waits.
  private mutating func addPeak(_ step: EventStep) {
    guard let place = waiting.lastIndex(where: { $0.source == step.source }), waiting[place].isPeak else {
      return waiting.append(step)
    }
    let earlier = waiting[place]
    waiting[place] = step
    guard step.image == nil, step.scene == nil else { return }
    (waiting[place].image, waiting[place].scene) = (earlier.image, earlier.scene)
  }
}

extension EventStep {
  fileprivate var isPeak: Bool { if case .peaked = step { true } else { false } }
}
