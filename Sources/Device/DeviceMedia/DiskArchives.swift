public import Archive
public import MediaCore
public import MediaPlaneAPI
import RealtimeRuntime
public import Signalling
import SystemSupport

/// The archives on a real disk.
public struct DiskArchives: ArchiveDisk {
  public let store: ArchiveStore
  private let configuration: ArchiveConfiguration
  private let limits: ArchiveLimits
  private let watch: ArchiveFolderWatch
  private let clock: RetentionClock
  private let observe: @Sendable (ArchiveEvent) -> Void

  /// - Parameters:
  ///   - limits: what all archives together may take.
  ///   - clock: by which they become too old.
  ///   - observe: notified of each archive's life, on its thread; must not block.
  public init(
    store: ArchiveStore, configuration: ArchiveConfiguration, limits: ArchiveLimits,
    clock: RetentionClock = RetentionClock(path: nil),
    observe: @escaping @Sendable (ArchiveEvent) -> Void = { _ in }
  ) {
    self.observe = observe
    self.store = store
    self.configuration = configuration
    self.limits = limits
    self.clock = clock
    watch = ArchiveFolderWatch(store: store, minimumFree: configuration.minimumFreeBytes)
  }

  public var root: String { store.root }
  public var problem: String? { watch.problem ?? configuration.waits.problem(of: store.root) }

  /// Makes the folder on a thread of its own: a disk that hangs holds up this recording, and no status or call.
  public func open(
    _ id: ArchiveID, details: ArchiveDetails, isLimited: Bool, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) async throws -> any ArchiveRecording {
    let limits = isLimited ? limits : nil
    return try await Self.onThread { [store, configuration, observe] in
      var configuration = configuration
      configuration.maximumByteCount = limits?.share(in: store)
      configuration.segmentDuration = details.segmentDuration ?? configuration.segmentDuration
      return try ArchiveRecorder(id, in: store, details: details, configuration: configuration) { event in
        observe(event)
        onEvent(event)
      }
    }
  }

  public func makePreRoll(span: TimeSpan, requestKeyFrame: @escaping @Sendable () -> Void) throws -> PreRoll {
    try PreRoll(span: span, requestKeyFrame: requestKeyFrame)
  }

  public func startRetention(_ report: @escaping @Sendable (DeviceNotice) -> Void) throws -> any ArchiveRetaining {
    try RetentionThread(RetentionJob(store: store, limits: limits, clock: clock), watch: watch) { keeping in
      report(keeping.isProblem ? .retentionFailed(line: "\(keeping)") : .retentionDone(line: "\(keeping)"))
    } onFolderChange: { change in
      switch change {
      case .broken(let problem): report(.archiveFolderBroken(problem: problem))
      case .recovered: report(.archiveFolderRecovered)
      }
    }
  }

  private static func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try MediaThread(name: "archive-open") { continuation.resume(with: Swift.Result(catching: work)) }.detach()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
