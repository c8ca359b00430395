/// What the device says at one moment about its archive.
public struct EvidenceStatement: Hashable, Sendable {
  /// Why it was said.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// The recording began.
    case opening = 1
    /// Bytes were written.
    case progress = 2
    /// The recording ended, and all files are as they will stay.
    case conclusion = 3
    /// A power cut or a crash had ended the recording, and the device has made the files whole.
    case recovery = 4
    /// A user changed what may be changed, such as the archive's name.
    case amendment = 5
    /// Others confirmed something: a certificate, a time stamp.
    case attachment = 6
  }

  public var kind: Kind
  public var time: EvidenceTime
  public var items: [EvidenceItem]

  /// Takes the values unchecked.
  public init(_ kind: Kind, at time: EvidenceTime, items: [EvidenceItem]) {
    self.kind = kind
    self.time = time
    self.items = items
  }
}

/// When something was said, by the device's clocks.
public struct EvidenceTime: Hashable, Sendable {
  /// Milliseconds since 1970 UTC.
  public var wallClock: Int64
  /// Whether the kernel called the wall clock synchronised.
  public var isSynchronized: Bool
  /// Milliseconds of the monotonic clock, by which the files' times count; it restarts with each boot.
  public var monotonic: Int64

  /// Takes the values unchecked.
  public init(wallClock: Int64, isSynchronized: Bool, monotonic: Int64) {
    self.wallClock = wallClock
    self.isSynchronized = isSynchronized
    self.monotonic = monotonic
  }
}
