internal import CALSA

extension AudioDeviceList {
  /// Why one of the cards cannot be inspected, mostly a missing permission; nil if all can, and without cards.
  public static var accessProblem: ALSAError? {
    calsa_silence_errors()
    var card: Int32 = -1
    while snd_card_next(&card) == 0, card >= 0 {
      var control: OpaquePointer?
      let result = snd_ctl_open(&control, "hw:\(card)", 0)
      guard result >= 0 else { return ALSAError("snd_ctl_open", result, "hw:\(card)") }
      snd_ctl_close(control)
    }
    return nil
  }
}
