public import ConfigFile
public import MediaCore

/// `[archive]`: where recordings are kept, how long, and how they are cut.
public struct ArchiveSettings: SettingGroup, Hashable {
  /// What all archives together must be allowed at the least: less would delete each as it ends.
  private static let smallestTotal: Int64 = 10 * 1_048_576

  /// What is recorded automatically.
  public enum Record: String, Sendable, Hashable, CaseIterable {
    /// Calls, where the policy says so.
    case calls
    /// The device's own audio and video as well, for as long as the daemon runs.
    case always
  }

  public var record = Record.calls
  public var directory = ""
  /// Bytes of the file system that stay free: old archives go first, then recording stops.
  public var minimumFree: Int64 = 512 << 20
  /// Bytes that all archives together may take before the oldest goes; 0 is no limit.
  public var maximumTotal: Int64 = 0
  /// Older archives are deleted; nil keeps them.
  public var maximumAge: Duration?
  /// How long at most the device records when an operator at the hub starts it.
  public var longestManual = Duration.seconds(3_600)
  /// A recording continues in a new file after this time, at the next key frame; nil makes one file.
  public var segment: Duration?
  /// How much of what came before a recording's start it contains; zero captures nothing beforehand.
  public var preRoll = Duration.zero
  /// The video's bit rate does not fall below this for slow viewers while an archive runs.
  public var minimumBitrate = Bitrate.kilobits(150)
  /// What the other party of a call may bring into an archive on average.
  public var callerMaximumBitrate = Bitrate.kilobits(2_500)
  /// Run for each archive that has ended, and has been uploaded where that is configured; nil for none.
  public var program: ProgramSettings? {
    command.map { ProgramSettings(command: $0, timeout: timeout) }
  }
  private var command: [String]?
  private var timeout = Duration.seconds(60)

  public init() {}

  static let settings: [Setting<ArchiveSettings>] = [
    Setting(
      "record", \.record, .choice(), effect: .reload,
      """
      `"calls"` records calls, where the policy says so. `"always"` records the device's own video and audio as well, \
      from the daemon's start to its end, in archives of an hour; it is the simplest [[plan]].
      """),
    Setting(
      "directory", \.directory, .absolutePath, unset: "\"/var/lib/livesessions/archives\"",
      "Where recordings are; without it the folder archives in `state_directory` of [device]."),
    Setting(
      "min_free", \.minimumFree, .bytes,
      """
      What stays free on the disk: the oldest archives that are not locked are deleted; where that is not enough, \
      recording stops and calls continue.
      """),
    Setting(
      "max_total", \.maximumTotal, .bytes,
      "What all archives together may take, at least 10MiB; the oldest is deleted beyond it. `\"0B\"` is no limit."),
    Setting(
      "max_age", \.maximumAge, .duration(.seconds(60)...(.seconds(10 * 365 * 86_400))), example: "\"30d\"",
      """
      Archives older than this are deleted, but never while the system's clock is not synchronised, nor within an hour \
      after it was set forward. Without it they stay.
      """),
    Setting(
      "segment", \.segment, .duration(.seconds(10)...(.seconds(86_400))), example: "\"15m\"",
      "Start a new file after this time, at the next key frame. Without it a recording is one file."),
    Setting(
      "pre_roll", \.preRoll, .duration(.zero...(.seconds(60))),
      "Record what came before a recording's start, too. It keeps camera and microphone open all the time."),
    Setting(
      "record_now_limit", \.longestManual, .duration(.seconds(10)...(.seconds(86_400))), effect: .reload,
      """
      How long at most the device records when an operator at the hub starts it; [recording] in policy.toml says who \
      may (guides/recording.md).
      """),
    Setting(
      "min_bitrate", \.minimumBitrate, .bitrate(50_000...20_000_000),
      """
      While an archive runs, slow viewers do not bring the video below this, nor below `bitrate` of [video], if that \
      is less.
      """),
    Setting(
      "caller_max_bitrate", \.callerMaximumBitrate, .bitrate(100_000...100_000_000),
      """
      What the other party of a call may bring into an archive, on average over 20s; of more, frames are left out up \
      to a key frame. The call itself is not touched.
      """),
    Setting(
      "on_archive", \.command, .command, example: "[\"/usr/local/bin/archive-ended\"]",
      """
      A program to run for each archive that has ended, and has been uploaded where [upload] says so: without a \
      shell, with no environment but PATH, LIVESESSIONS_ARCHIVE (its id), LIVESESSIONS_ARCHIVE_PATH and \
      LIVESESSIONS_UPLOADED_TO, in the daemon's own sandbox.
      """),
    Setting(
      "on_archive_timeout", \.timeout, .duration(.seconds(1)...(.seconds(3_600))),
      "The program is ended after this time."),
  ]

  static func check(_ table: ConfigTable, _ settings: inout ArchiveSettings) {
    guard settings.maximumTotal != 0, settings.maximumTotal < smallestTotal else { return }
    table.addError(
      "max_total is less than 10 MiB", remedy: "give archives more space, or leave it out for no limit",
      at: "max_total")
  }

  /// Completes what depends on other tables; refuses what `[video]` and `[audio]` leave without effect or contradict.
  mutating func complete(
    _ table: ConfigTable, stateDirectory: String, _ video: VideoSettings, _ audio: AudioSettings
  ) {
    if directory.isEmpty { directory = "\(stateDirectory)/archives" }
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
