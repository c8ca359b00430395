import ConfigFile
public import MediaCore

/// `[archive]`: where recordings are kept, how long, and how they are cut.
public struct ArchiveSettings: Sendable, Hashable {
  /// What all archives together must be allowed at the least: less would delete each as it ends.
  private static let smallestTotal: Int64 = 10 * 1_048_576

  /// What is recorded without anybody asking.
  public enum Record: String, Sendable, Hashable, CaseIterable {
    /// Calls, where the policy says so.
    case calls
    /// The device's own sound and pictures as well, for as long as the daemon runs.
    case always
  }

  public var record: Record
  public var directory: String
  /// Bytes of the file system that stay free: old archives go first, then recording stops.
  public var minimumFree: Int64
  /// Bytes that all archives together may take before the oldest goes; 0 is no limit.
  public var maximumTotal: Int64
  /// Older archives are deleted; nil keeps them.
  public var maximumAge: Duration?
  /// How long at most the device records when somebody at the hub has it recorded by hand.
  public var longestByHand: Duration
  /// A recording goes on in a new file after this time, at the next key frame; nil makes one file.
  public var segment: Duration?
  /// How much of what came before a recording's start it contains; zero captures nothing beforehand.
  public var preRoll: Duration
  /// The picture's bit rate does not fall below this for slow viewers while an archive runs.
  public var minimumBitrate: Bitrate
  /// Run for each archive that has ended, and has been uploaded where that is configured; nil for none.
  public var program: ProgramSettings?
  /// What the other party of a call may bring into an archive on average.
  public var callerMaximumBitrate: Bitrate

  init(_ table: ConfigTable, stateDirectory: String) {
    record = table.choice("record") ?? .calls
    directory = table.absolutePath("directory", default: "\(stateDirectory)/archives")
    minimumFree = table.bytes("min_free", default: 536_870_912)
    maximumTotal = table.bytes("max_total", default: 0)
    maximumAge = table.duration("max_age", in: .seconds(60)...(.seconds(10 * 365 * 86_400)))
    segment = table.duration("segment", in: .seconds(10)...(.seconds(86_400)))
    longestByHand = table.duration(
      "record_now_limit", default: .seconds(3_600), in: .seconds(10)...(.seconds(86_400)))
    preRoll = table.duration("pre_roll", default: .zero, in: .zero...(.seconds(60)))
    minimumBitrate = Bitrate(bitsPerSecond: table.bitrate("min_bitrate", default: 150_000, in: 50_000...20_000_000))
    callerMaximumBitrate = Bitrate(
      bitsPerSecond: table.bitrate("caller_max_bitrate", default: 2_500_000, in: 100_000...100_000_000))
    program = table.program(
      "on_archive", timeoutKey: "on_archive_timeout", default: .seconds(60), in: .seconds(1)...(.seconds(3_600)))
    if maximumTotal != 0, maximumTotal < Self.smallestTotal {
      table.addError(
        "max_total is less than 10 MiB", remedy: "give archives more space, or leave it out for no limit",
        at: "max_total")
    }
  }

  /// Refuses what `[video]` and `[audio]` leave without effect or contradict.
  mutating func check(_ table: ConfigTable, _ video: VideoSettings, _ audio: AudioSettings) {
    if preRoll > .zero, !video.hasCamera, audio.microphone == .none {
      table.addError(
        "pre_roll has nothing to keep: camera and microphone are \"none\"", remedy: "remove it", at: "pre_roll")
    }
    if record == .always, !video.hasCamera, audio.microphone == .none {
      table.addError(
        "record has nothing to record: camera and microphone are \"none\"", remedy: "set record = \"calls\"",
        at: "record")
    }
    guard minimumBitrate > video.bitrate else { return }
    if table.contains("min_bitrate") {
      table.addError("min_bitrate is above the bitrate of [video]", remedy: "lower it", at: "min_bitrate")
    }
    minimumBitrate = video.bitrate
  }
}
