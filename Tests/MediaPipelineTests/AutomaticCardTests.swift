import ALSAAudio
import Testing

@testable import MediaPipeline

/// Which card `auto` means.
@Suite("Automatic sound cards") struct AutomaticCardTests {
  private static func device(
    _ name: String, _ title: String = "", canCapture: Bool = false, canPlay: Bool = true, deviceName: String = ""
  ) -> AudioDeviceDescription {
    AudioDeviceDescription(
      name: name, title: title, canCapture: canCapture, canPlay: canPlay, deviceName: deviceName)
  }

  /// As a Raspberry Pi has them.
  private static let pi = [
    device("hw:CARD=vc4hdmi0,DEV=0", "vc4-hdmi-0"), device("hw:CARD=vc4hdmi1,DEV=0", "vc4-hdmi-1"),
    device("hw:CARD=Headphones,DEV=0", "bcm2835 Headphones"),
    device("hw:CARD=Device,DEV=0", "USB Audio Device", canCapture: true),
  ]

  @Test func digitalOutputsComeLastAndSpeakerphonesFirst() {
    let names = AutomaticCard().names(Self.pi, for: .playback)
    #expect(
      names == [
        "hw:CARD=Device,DEV=0", "hw:CARD=Headphones,DEV=0", "hw:CARD=vc4hdmi0,DEV=0", "hw:CARD=vc4hdmi1,DEV=0",
      ])
    #expect(AutomaticCard().names(Self.pi, for: .capture) == ["hw:CARD=Device,DEV=0"])
  }

  @Test func aDeviceIsADigitalOutputByItsOwnName() {
    let intel = [
      Self.device("hw:CARD=PCH,DEV=3", "HDA Intel PCH", deviceName: "HDMI 0"),
      Self.device("hw:CARD=PCH,DEV=0", "HDA Intel PCH", deviceName: "ALC257 Analog"),
    ]
    #expect(AutomaticCard().names(intel, for: .playback).first == "hw:CARD=PCH,DEV=0")
  }

  @Test func theOnlyOneIsTakenWhateverItIs() {
    #expect(AutomaticCard().names([Self.pi[0]], for: .playback) == ["hw:CARD=vc4hdmi0,DEV=0"])
  }

  @Test func theNextIsTriedWhereOneDoesNotOpen() throws {
    var card = AutomaticCard()
    var tried: [String] = []
    let opened = try card.open(.playback, devices: Self.pi) { (name) throws(ALSAError) in
      tried.append(name)
      guard name.contains("hdmi1") else { throw .noCard }
      return name
    }
    #expect(opened == "hw:CARD=vc4hdmi1,DEV=0" && tried.count == 4)
    #expect(card.names(Self.pi, for: .playback).first == opened)
  }

  @Test func oneThatFailedWhileItPlayedComesLast() {
    var card = AutomaticCard()
    card.noteFailure(of: "hw:CARD=Device,DEV=0")
    card.noteFailure(of: "hw:CARD=Headphones,DEV=0")
    let names = card.names(Self.pi, for: .playback)
    #expect(names.prefix(2) == ["hw:CARD=vc4hdmi0,DEV=0", "hw:CARD=vc4hdmi1,DEV=0"])
    #expect(names.suffix(2) == ["hw:CARD=Device,DEV=0", "hw:CARD=Headphones,DEV=0"])
  }

  @Test func withoutACardThereIsNone() {
    var card = AutomaticCard()
    #expect(throws: ALSAError.noCard) {
      try card.open(.capture, devices: []) { (name) throws(ALSAError) in name }
    }
  }
}
