public import ConfigFile
internal import HubStore

/// `[calls]`: the call history.
public struct CallHistoryConfiguration: SettingGroup, Sendable, Equatable {
  /// Zero: no call is kept.
  public var retention: Duration = .seconds(90 * 86_400)

  public init() {}

  static let settings: [Setting<CallHistoryConfiguration>] = [
    Setting(
      "retention", \.retention, .duration(.zero...(.seconds(3_650 * 86_400))),
      """
      How long calls are kept, with who called whom and when; of one account the newest \(CallRecord.maximumPerUser). `"0s"` keeps none and \
      forgets those that are there.
      """)
  ]
}
