/// The `id:` of a server-sent event: `epoch-sequence`.
///
/// The epoch names one run of the hub, so that an id of an earlier run is recognised as lost rather than taken for a
/// later event.
public struct EventID: Sendable {
  public let epoch: String
  public let sequence: UInt64

  public init(epoch: String, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  public init?(_ text: String) {
    guard text.utf8.count <= 64, let dash = text.lastIndex(of: "-"),
      let sequence = UInt64(text[text.index(after: dash)...])
    else { return nil }
    self.init(epoch: String(text[..<dash]), sequence: sequence)
  }

  public var text: String { "\(epoch)-\(sequence)" }
}
