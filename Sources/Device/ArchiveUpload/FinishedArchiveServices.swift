public import Archive
import ConfigFile
public import DeviceConfiguration
public import Logging
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import SystemSupport
public import TLSClient

/// What is done with archives that have ended.
public struct FinishedArchiveServices: Sendable {
  /// Nil where no store is configured.
  public let upload: UploadService?
  /// Nil where no program is.
  private let program: FinishedArchives?
  private let calls = CallPresence()

  /// - Parameter archivesWithEvents: the ids of archives during which an event began, of those since a time in
  ///   milliseconds since 1970.
  public init(
    _ configuration: DeviceConfiguration, store: ArchiveStore, credentialsDirectory: String?, route: ProxyRoute,
    logger: Logger, archivesWithEvents: @escaping @Sendable (Int64) async -> Set<String>
  ) {
    let settings = configuration.upload
    let program = configuration.archive.program.map {
      FinishedArchives(
        $0, archives: store, listPath: "\(configuration.identity.stateDirectory)/on-archive-outstanding",
        destination: settings.destinationText, logger: logger)
    }
    self.program = program
    var surroundings = UploadService.Surroundings(
      hashing: OpenSSLCrypto(), logger: logger, now: { wallClockMilliseconds() },
      readCredentials: { () throws -> String? in
        try settings.credentials(credentialsDirectory: credentialsDirectory)
      })
    surroundings.route = route
    surroundings.isInCall = { [calls] in calls.isInCall }
    surroundings.eventPlans = configuration.eventPlans
    surroundings.archivesWithEvents = archivesWithEvents
    surroundings.uploaded = { _ in program?.wake() }
    upload = UploadService(settings, archives: store, surroundings)
  }

  /// Whether there is anything to be done.
  public var areNone: Bool { upload == nil && program == nil }

  /// Something has changed that may have kept uploads from working.
  public func wake() { upload?.wake() }

  /// Uploads take less of the path while there is a call.
  public func noteCalls(_ areUp: Bool) { calls.isInCall = areUp }

  /// Works until the task is cancelled.
  public func run(_ archives: ArchiveLife) async {
    guard !areNone else { return }
    await withDiscardingTaskGroup { group in
      group.addTask { await follow(archives) }
      if let upload { group.addTask { await upload.run() } }
      if let program { group.addTask { await program.run() } }
    }
  }

  private func follow(_ archives: ArchiveLife) async {
    for await step in archives.steps {
      switch step {
      case .started(let id): program?.archiveStarted(id)
      case .ended:
        upload?.wake()
        program?.wake()
      }
    }
  }
}

/// Whether there is a call, for the pace of uploads.
private final class CallPresence: Sendable {
  private let state = Mutex(false)

  var isInCall: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension DeviceConfiguration {
  /// The names of recording plans that record because of events.
  fileprivate var eventPlans: Set<String> {
    Set(plans.filter { if case .events = $0.occasion { true } else { false } }.map(\.name))
  }
}
