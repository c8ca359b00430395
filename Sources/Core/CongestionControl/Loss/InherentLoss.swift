/// Learns how much a path loses regardless of the send rate, as radio links do.
///
/// A queue that overflows loses less when less is sent: of the octets beyond its rate nothing arrives. So when what is
/// sent has fallen to 70 % without the loss falling accordingly, the loss is the path's own. To send still less would
/// not help.
struct InherentLoss {
  /// A path with more inherent loss cannot carry video.
  private static var maximum: Double { 0.4 }
  /// Losses from which on the rate is lowered, and so a trial begins.
  private static var tried: Double { 0.08 }
  private static var cut: Double { 0.7 }
  /// How quickly a path is believed to have become better.
  private static var forgetting: Double { 0.1 }

  /// 0 to 1.
  private(set) var fraction = 0.0
  private var trial: (sent: Double, lost: Double)?

  /// Takes the loss of about a second's packets, at `sent` bits a second.
  mutating func note(_ lost: Double, sent: Double) {
    if lost < fraction { fraction += Self.forgetting * (lost - fraction) }
    guard lost > fraction + Self.tried else { return }
    guard let begun = trial, sent <= begun.sent else {
      trial = (sent, lost)
      return
    }
    guard sent <= begun.sent * Self.cut else { return }
    conclude(begun, sent: sent, lost: lost)
    trial = nil
  }

  private mutating func conclude(_ begun: (sent: Double, lost: Double), sent: Double, lost: Double) {
    let arrived = (1 - begun.lost) * begun.sent
    let lostByOverflow = max(0, 1 - arrived / sent)
    guard lost > (begun.lost + lostByOverflow) / 2 else { return }
    fraction = min(max(fraction, min(lost, begun.lost)), Self.maximum)
  }
}
