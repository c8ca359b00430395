import Archive
import ArchiveUpload
import CallEngine
import DeviceConfiguration
import DeviceEvents
import EventDetection
import EventRules
import Signalling

/// What connects the device's own events, its archives and its calls.
extension DeviceService {
  func makeEventCenter(_ events: EventService, _ engine: CallEngine, _ rules: EventRuleEvaluator) -> EventCenter {
    events.makeCenter(logger: logger) {
      engine.note(.detected($0))
    } evaluate: { event, image in
      guard let effects = rules.take(event.event, image: image)?.effects, !effects.plans.isEmpty else { return }
      engine.record(event, for: Set(effects.plans))
    }
  }

  func makeFinishedArchiveServices(_ store: ArchiveStore, _ events: EventCenter) -> FinishedArchiveServices {
    FinishedArchiveServices(
      configuration, store: store, credentialsDirectory: options.credentialsDirectory, route: route,
      logger: logger
    ) { since in
      Set(await events.events(since: since, limit: Self.maxEvents).flatMap { $0.archives ?? [] })
    }
  }

  private static let maxEvents = 10_000

  /// Lets uploads know whether there are calls, until the task is cancelled.
  func noteCalls(of engine: CallEngine, _ finished: FinishedArchiveServices) async {
    guard !finished.areNone else { return }
    for await event in engine.events() {
      switch event {
      case .incoming, .call: finished.noteCalls(!(await engine.currentCalls.isEmpty))
      case .hunt, .chat, .muted, .cameraSwapped, .archiveStarted, .archiveStopped, .hub, .action, .detected, .eventRule,
        .source:
        break
      }
    }
  }
}

extension EventCenter {
  /// Names what is recorded in the events that go on meanwhile, until the task is cancelled.
  func noteArchives(of engine: CallEngine) async {
    for await event in engine.events() {
      switch event {
      case .archiveStarted(archiveID: let id, sessionID: _): noteArchive(id.text, isRecording: true)
      case .archiveStopped(archiveID: let id, sessionID: _, status: _): noteArchive(id.text, isRecording: false)
      case .incoming, .call, .hunt, .chat, .muted, .cameraSwapped, .hub, .action, .detected, .eventRule, .source: break
      }
    }
  }
}
