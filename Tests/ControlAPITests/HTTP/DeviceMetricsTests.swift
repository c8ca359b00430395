import ControlMessages
import Foundation
import MediaPlaneAPI
import Testing

@testable import ControlAPI

/// Figures of which every group has something to tell.
func sampleFigures() -> DeviceTelemetry {
  var media = MediaTelemetry()
  (media.video.framesCaptured, media.video.encodeTime, media.video.targetBitrate) = (30, 4.5, 800_000)
  media.cameras = [CameraTelemetry(name: "yard", video: media.video)]
  media.cameras?[0].video.framesDropped = 4
  media.sound = SoundTelemetry(echoReturnLossEnhancement: 21.5, echoDelay: 40, speechLevel: -23)
  media.disk = DiskTelemetry(free: 5, capacity: 10, minimumFree: 1, archives: 3, maximumArchives: nil)
  var good = SessionTelemetry(sessionID: "secret-id", isConnected: true)
  (good.sendBitrate, good.roundTripTime, good.sendLoss, good.sendEstimate) = (800, 20, 0, 4_000)
  var bad = SessionTelemetry(sessionID: "b", isConnected: false)
  (bad.sendBitrate, bad.roundTripTime, bad.sendLoss, bad.sendEstimate) = (1_600, 250, 0.25, 2_400)
  media.sessions = [good, bad]
  var incoming = CallOutcomes()
  incoming.completed = 3
  var system = SystemTelemetry()
  system.temperatures = [.init(zone: "a\"b\\c\nd\u{7}", celsius: 48.25)]
  return DeviceTelemetry(
    calls: CallTelemetry(current: 1, maximum: 16, incoming: incoming, outgoing: CallOutcomes()),
    hub: HubTelemetry(connectedTime: 90, reconnects: 2), media: media, system: system, failingParts: [.camera])
}

@Suite("Prometheus' text")
struct DeviceMetricsTests {
  private let lines = DeviceMetrics.text(sampleFigures()).split(separator: "\n").map(String.init)

  @Test(
    "figures are in base units",
    arguments: [
      "livesessions_calls 1", "livesessions_calls_ended_total{direction=\"incoming\",outcome=\"completed\"} 3.0",
      "livesessions_hub_connected 1", "livesessions_hub_connected_seconds 90.0",
      "livesessions_hub_reconnects_total 2",
      "livesessions_video_frames_captured_total 30.0", "livesessions_video_encode_seconds 0.0045",
      "livesessions_video_frames_captured_total{camera=\"yard\"} 30.0",
      "livesessions_video_frames_dropped_total{camera=\"yard\",reason=\"busy\"} 4.0",
      "livesessions_video_frames_dropped_total{reason=\"busy\"} 0.0",
      "livesessions_camera_failures_total{camera=\"yard\"} 0.0",
      "livesessions_video_target_bytes_per_second 100000.0", "livesessions_sessions_connected 1",
      "livesessions_sessions_send_bytes_per_second 300.0", "livesessions_sessions_round_trip_max_seconds 0.25",
      "livesessions_sessions_send_loss_max_ratio 0.25",
      "livesessions_sessions_send_estimate_min_bytes_per_second 300.0",
      "livesessions_echo_delay_seconds 0.04", "livesessions_disk_free_bytes 5",
      "livesessions_problem{part=\"camera\"} 1.0", "livesessions_problem{part=\"hub\"} 0.0",
      "livesessions_temperature_celsius{index=\"0\",zone=\"a\\\"b\\\\c\\nd\"} 48.25",
    ])
  func values(line: String) { #expect(lines.contains(line)) }

  @Test("what is not known is left out, and no call can be recognised")
  func absent() {
    #expect(!lines.contains { $0.contains("archives_max_bytes") || $0.contains("secret-id") })
  }

  @Test("names follow the conventions, and each family stands once, with its help and type")
  func conventions() throws {
    let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ") }
    #expect(Set(types.map { $0[2] }).count == types.count)
    for type in types {
      #expect(type[2].hasPrefix("livesessions_") && (type[3] == "counter") == type[2].hasSuffix("_total"))
      #expect(lines.contains { $0.hasPrefix("# HELP \(type[2]) ") })
    }
    for line in lines where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+({[a-z]+="[^\n]*"})? -?[0-9.e+-]+/) != nil, "\(line)")
    }
  }
}
