public import ConfigFile

/// `[calls]`: how much at once.
public struct CallSettings: SettingGroup, Hashable {
  /// As many as the network thread holds, and the hub for one user.
  public static let maxSessions = 64

  /// Calls at the same time, the last of which is kept for operators.
  public var maximumSessions = 16

  public init() {}

  static let settings = [
    Setting(
      "max_sessions", \CallSettings.maximumSessions, .integer(1...maxSessions),
      """
      Calls at the same time; the last one is kept for operators, and one more is answered "busy". Each costs 0.14 MiB \
      of memory, 0.17 % of a core of an x86-64 server, and the bit rates of video and audio on the network. Video and \
      audio are encoded once for all.
      """)
  ]
}
