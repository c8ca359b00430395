import CallEngine
import ControlMessages
import DeviceConfiguration
import EngineControl
import HostSystem

/// Keeps the line of `systemctl status` true: after each event, and every few seconds, since problems are no events. The time
/// zone, too.
struct ServiceStatusLine: Sendable {
  let engine: CallEngine
  let control: EngineControl
  let notifier: SystemdNotifier

  private static let interval = Duration.seconds(5)

  /// Works until the task is cancelled.
  func run() async {
    let (moments, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await _ in engine.events() { signal.yield() }
        signal.finish()
      }
      group.addTask { while (try? await Task.sleep(for: Self.interval)) != nil { signal.yield() } }
      var shown = ""
      for await _ in moments {
        DeviceTimeZone.refresh()
        guard let line = try? await control.status().serviceLine, line != shown else { continue }
        notifier.status(line)
        shown = line
      }
      group.cancelAll()
    }
  }
}
