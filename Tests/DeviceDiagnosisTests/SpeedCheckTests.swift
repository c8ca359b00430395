import ControlMessages
import DeviceConfiguration
import Foundation
import MediaCore
import MediaPipeline
import Testing

@testable import DeviceDiagnosis

@Suite("What doctor says of the machine's speed")
struct SpeedCheckTests {
  private func check(_ settings: String, isDaemonThere: Bool = false) throws -> SpeedCheck {
    let encodings = [
      SpeedMeasurement.Encoding(width: 640, height: 480, threads: 1, speed: -8, time: .microseconds(2_940)),
      SpeedMeasurement.Encoding(width: 1_920, height: 1_080, threads: 2, speed: -8, time: .milliseconds(17)),
    ]
    let measurement = SpeedMeasurement(
      processors: 2, encodings: encodings, stageSize: (1_920, 1_080), jpegTime: .milliseconds(6),
      conversionTime: .microseconds(640), soundTime: .microseconds(180))
    return SpeedCheck(
      measurement: measurement, configuration: try subject(settings).configuration, isDaemonThere: isDaemonThere)
  }

  @Test("a line a stage, and what to set")
  func lines() throws {
    let findings = try check("").report.findings
    #expect(findings.allSatisfy { $0.part == .speed && $0.verdict == .ok })
    #expect(
      findings.map(\.text) == [
        "2 processors",
        "VP8 640×480: 2.9 ms a frame with 1 thread at libvpx's speed -8, 60/s in real time",
        "VP8 1920×1080: 17.0 ms a frame with 2 threads at libvpx's speed -8, 35/s in real time",
        "MJPEG 1920×1080: 6.0 ms a frame to decode", "YUYV 1920×1080: 0.6 ms a frame to convert",
        "Opus: 0.9 % of a processor",
        "one camera with 1920×1080 at 30/s from MJPEG takes 60 % of all processors while everything moves",
        "[video] asks for 640×480 at 30/s, which comes in time",
      ])
    #expect(
      findings.compactMap(\.remedy) == [
        "in [video]: width = 1920, height = 1080, frame_rate = 30, bitrate = \"3400kbit/s\""
      ])
  }

  @Test("a file that asks for more is a warning")
  func tooMuch() throws {
    let report = try check("[video]\nwidth = 1920\nheight = 1080\nframe_rate = 60", isDaemonThere: true).report
    let last = try #require(report.findings.last)
    #expect(last.verdict == .warning && last.text.hasPrefix("[video] asks for 1920×1080 at 60/s, which is more"))
    #expect(report.findings[0].text == "2 processors; the daemon runs meanwhile, so this is what it leaves")
    #expect(report.isGood)
    let larger = try check("[video]\nwidth = 3840\nheight = 2160").report
    #expect(larger.findings.last?.verdict == .warning)
  }

  @Test("without a camera nothing is compared")
  func noCamera() throws {
    let report = try check("[video]\ncamera = \"none\"").report
    #expect(!report.findings.contains { $0.text.contains("[video] asks") })
  }

  @Test("programs get figures")
  func figures() throws {
    let report = try check("").report
    let text = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    let speed = try #require(try JSONDecoder().decode(DiagnosisReport.self, from: Data(text.utf8)).speed)
    #expect(speed.processors == 2 && speed.soundTime == 0.18)
    #expect(speed.encodings.map(\.frameTime) == [2.94, 17] && speed.encodings.map(\.frameRate) == [60, 35])
    #expect(speed.capture.jpegTime == 6 && speed.capture.conversionTime == 0.64)
    #expect(speed.recommendation?.bitrate == 3_400_000 && speed.recommendation?.width == 1_920)
  }
}
