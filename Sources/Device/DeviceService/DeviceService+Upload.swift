import Archive
import ArchiveUpload
import CallEngine
import ConfigFile
import ControlMessages
import DeviceConfiguration
import DeviceEvents
import SystemSupport
import Logging
import OpenSSLCrypto
import Signalling

/// What is done with archives that have ended.
struct FinishedArchiveServices: Sendable {
  /// Nil where no store is configured.
  let upload: UploadService?
  /// Nil where no program is.
  let program: FinishedArchives?
  private let calls = CallPresence()

  init(
    _ configuration: DeviceConfiguration, store: ArchiveStore, events: EventCenter, credentialsDirectory: String?,
    logger: Logger
  ) {
    let settings = configuration.upload
    let program = configuration.archive.program.map {
      FinishedArchives(
        $0, archives: store, listPath: "\(configuration.identity.stateDirectory)/on-archive-outstanding",
        destination: settings.destinationText, logger: logger)
    }
    self.program = program
    var surroundings = UploadService.Surroundings(
      hashing: OpenSSLCrypto(), logger: logger, now: { DeviceService.milliseconds },
      readCredentials: { () throws -> String? in
        try settings.credentials(credentialsDirectory: credentialsDirectory)
      })
    surroundings.isInCall = { [calls] in calls.isInCall }
    surroundings.eventPlans = configuration.eventPlans
    surroundings.archivesWithEvents = { since in
      Set(await events.events(since: since, limit: Self.maxEvents).flatMap { $0.archives ?? [] })
    }
    surroundings.uploaded = { _ in program?.wake() }
    upload = UploadService(settings, archives: store, surroundings)
  }

  private static let maxEvents = 10_000

  /// Something has changed that may have kept uploads from working.
  func wake() { upload?.wake() }

  /// Works until the task is cancelled.
  func run(_ engine: CallEngine, _ archives: ArchiveLife) async {
    guard upload != nil || program != nil else { return }
    await withDiscardingTaskGroup { group in
      group.addTask { await follow(engine) }
      group.addTask { await follow(archives) }
      if let upload { group.addTask { await upload.run() } }
      if let program { group.addTask { await program.run() } }
    }
  }

  private func follow(_ engine: CallEngine) async {
    for await event in engine.events() {
      switch event {
      case .incoming, .call: calls.isInCall = !(await engine.currentCalls.isEmpty)
      case .hunt, .chat, .muted, .cameraSwapped, .archiveStarted, .archiveStopped, .hub, .action, .detected, .eventRule,
        .source:
        break
      }
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

/// Reports archives that begin and end, from their threads. For one reader, who loses the oldest when not reading.
final class ArchiveLife: Sendable {
  enum Step: Sendable {
    case started(ArchiveID)
    /// Its files and its manifest are whole.
    case ended(ArchiveID)
  }

  let steps: AsyncStream<Step>
  private let continuation: AsyncStream<Step>.Continuation
  private static let maxUnread = 256

  init() {
    (steps, continuation) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingNewest(Self.maxUnread))
  }

  func note(_ event: ArchiveEvent) {
    switch event {
    case .started(let manifest): continuation.yield(.started(manifest.id))
    case .stopped(let manifest), .failed(let manifest, _): continuation.yield(.ended(manifest.id))
    case .fellBehind, .exceededRate: break
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

extension DeviceService {
  func makeFinishedArchiveServices(_ store: ArchiveStore, _ events: EventCenter) -> FinishedArchiveServices {
    FinishedArchiveServices(
      configuration, store: store, events: events, credentialsDirectory: options.environment["CREDENTIALS_DIRECTORY"],
      logger: logger)
  }
}
