import Testing

@testable import ALSAAudio

/// What a card's mixer keeps from being heard.
@Suite("Mixers of sound cards") struct AudioMixerTests {
  private typealias Setting = AudioMixerControl.Setting

  private static func playback(_ name: String, isOn: Bool? = true, isAudible: Bool? = true) -> AudioMixerControl {
    AudioMixerControl(name: name, playback: Setting(isOn: isOn, isAudible: isAudible))
  }

  private static func capture(_ name: String, isOn: Bool? = true, isAudible: Bool? = true) -> AudioMixerControl {
    AudioMixerControl(name: name, capture: Setting(isOn: isOn, isAudible: isAudible))
  }

  @Test func aMixerThatLetsEverythingThrough() {
    let controls = [Self.playback("Master"), Self.playback("Headphone", isOn: false), Self.capture("Capture")]
    #expect(AudioMixer.muteProblem(controls, .playback) == nil)
    #expect(AudioMixer.muteProblem(controls, .capture) == nil)
    #expect(AudioMixer.muteProblem([], .playback) == nil)
  }

  @Test func masterAtZeroAndCaptureOff() {
    let controls = [
      Self.playback("Master", isAudible: false), Self.playback("Speaker"), Self.capture("Capture", isOn: false),
    ]
    #expect(AudioMixer.muteProblem(controls, .playback) == "Master is at 0 %")
    #expect(AudioMixer.muteProblem(controls, .capture) == "Capture is off")
  }

  /// As USB devices have them.
  @Test func whereThereIsNoMasterAllOthersDecide() {
    let off = [Self.playback("Speaker", isOn: false), Self.capture("Mic", isOn: false)]
    #expect(AudioMixer.muteProblem(off, .playback) == "Speaker is off")
    #expect(AudioMixer.muteProblem(off, .capture) == "Mic is off")
    let one = [Self.playback("Speaker", isOn: false), Self.playback("Headset")]
    #expect(AudioMixer.muteProblem(one, .playback) == nil)
  }

  @Test(
    "The card of a device",
    arguments: [
      ("hw:CARD=Device,DEV=0", "hw:Device"), ("plughw:1,0", "hw:1"), ("sysdefault:CARD=PCH", "hw:PCH"),
      ("default", "default"), ("hw:2", "hw:2"),
    ])
  func card(device: String, card: String) { #expect(AudioMixer.card(of: device) == card) }

  @Test func aCardThatIsNotThereHasNoProblem() {
    #expect(AudioMixer.muteProblem(of: "hw:CARD=Absent", .playback) == nil)
  }
}
