import DeviceConfiguration
import DeviceEvents
import FoundationEssentials
import HubClient
import Logging
import Signalling

/// What the device has noticed, for operators at the hub.
struct HubTimeline: TimelineProviding {
  private let events: EventCenter
  private let logger: Logger

  /// Nil where the configuration does not allow that.
  init?(_ events: EventCenter, _ settings: HubSettings, _ logger: Logger) {
    guard settings.showsTimeline else { return nil }
    self.events = events
    self.logger = logger
  }

  func events(in span: TimelineSpan) async throws -> [UInt8] {
    let page = await events.page(in: span)
    logger.info("an operator at the hub was shown \(page.items.count) events")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(page))
  }

  func picture(of id: DetectedEventID, most: Int64) async -> [UInt8]? { await events.picture(of: id, most: most) }
}
