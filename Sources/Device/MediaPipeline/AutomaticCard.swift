internal import ALSAAudio

/// Which sound card `auto` means: the most suitable one, and after a failure the next.
struct AutomaticCard {
  /// Those that failed, the one that failed last at the end.
  private var failed: [String] = []

  /// Cards come and go.
  private static let maximumFailed = 16

  /// The cards to try, in this order; those that failed come last, the one whose failure is the longest ago first.
  func names(_ devices: [AudioDeviceDescription], for direction: AudioDirection) -> [String] {
    let names = devices.inPreference(for: direction).map(\.name)
    return names.filter { !failed.contains($0) } + failed.filter { names.contains($0) }
  }

  mutating func noteFailure(of name: String) {
    failed.removeAll { $0 == name }
    failed.append(name)
    if failed.count > Self.maximumFailed { failed.removeFirst() }
  }

  /// Opens the first card that can be opened.
  ///
  /// - Throws: the error of the most suitable one.
  mutating func open<Card: ~Copyable>(
    _ direction: AudioDirection, devices: [AudioDeviceDescription] = AudioDeviceList.current(),
    _ open: (String) throws(ALSAError) -> Card
  ) throws(ALSAError) -> Card {
    var failure: ALSAError?
    for name in names(devices, for: direction) {
      do throws(ALSAError) {
        return try open(name)
      } catch {
        noteFailure(of: name)
        failure = failure ?? error
      }
    }
    throw failure ?? .noCard
  }
}
