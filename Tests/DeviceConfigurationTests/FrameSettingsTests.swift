import ConfigFile
import DeviceConfiguration
import MediaCore
import VideoOverlay
import Testing

@Suite struct FrameSettingsTests {
  private func read(_ text: String) throws(ConfigErrors) -> DeviceConfiguration { try GateFile.read(text) }

  private func complaint(_ text: String) -> String { GateFile.complaint(text) }

  @Test func withoutThemPicturesStayAsTheyAre() throws {
    let configuration = try read("")
    #expect(configuration.privacyMasks.isEmpty)
    #expect(configuration.overlay == nil)
  }

  @Test func masksForAllCamerasAndForOne() throws {
    let masks = try read(
      """
      [video]
      camera = ["/dev/video0", "/dev/video2"]
      [[privacy_mask]]
      zone = [[0, 0], [1, 0], [0.5, 0.5]]
      [[privacy_mask]]
      camera = "/dev/video2"
      zone = [[0.5, 0.5], [1, 0.5], [1, 1], [0.5, 1]]
      """
    ).privacyMasks
    #expect(masks.map(\.camera) == [nil, .main(.device(path: "/dev/video2"))])
    #expect(masks.map(\.zone.corners.count) == [3, 4])
  }

  @Test func mistakesInMasksAreToldWithTheirPlace() {
    let triangle = "zone = [[0, 0], [1, 0], [1, 1]]"
    #expect(complaint("[[privacy_mask]]\n").contains("device.toml:5:1: zone is missing in [[privacy_mask]]"))
    let outside = complaint("[[privacy_mask]]\nzone = [[0, 0], [1, 0], [1, 1.5]]")
    #expect(outside.contains("device.toml:6:") && outside.contains("zone has a polygon that is none"))
    #expect(
      complaint("[[privacy_mask]]\n\(triangle)\ncamera = \"/dev/video0\"").contains("device.toml:7:")
        && complaint("[[privacy_mask]]\n\(triangle)\ncamera = \"/dev/video0\"").contains("there is only one"))
    #expect(
      complaint(
        "[video]\ncamera = [\"/dev/video0\", \"/dev/video2\"]\n[[privacy_mask]]\n\(triangle)\ncamera = \"/dev/video1\""
      ).contains("\"/dev/video1\" is none of the cameras in [video]"))
    let none = complaint("[video]\ncamera = \"none\"\n[[privacy_mask]]\n\(triangle)")
    #expect(none.contains("there is nothing to cover"))
    let many = String(repeating: "[[privacy_mask]]\n\(triangle)\n", count: 17)
    #expect(complaint(many).contains("there are 17 privacy masks, more than 16"))
    #expect(complaint("[[privacy_mask]]\nzoen = 1\n\(triangle)").contains("zoen"))
  }

  @Test func everythingOfAnOverlay() throws {
    let overlay = try #require(
      try read(
        """
        [overlay]
        title = "Gate, 5 °C"
        time = true
        position = true
        corner = "bottom-right"
        size = "large"
        """
      ).overlay)
    #expect(overlay.showsTime && overlay.showsPosition)
    #expect((overlay.corner, overlay.size) == (.bottomRight, .large))
    #expect(overlay.titleCodes == Array("Gate, 5 ".utf8) + [BitmapFont.degree] + Array("C".utf8))
  }

  @Test func mistakesInAnOverlayAreToldWithTheirPlace() {
    let umlaut = complaint("[overlay]\ntitle = \"Haust\u{FC}r\"")
    #expect(umlaut.contains("device.toml:6:") && umlaut.contains("cannot be drawn into frames: \\u{00FC}"))
    #expect(complaint("[overlay]\ntime = false").contains("the overlay shows nothing"))
    #expect(complaint("[overlay]\ntitle = \"\"").contains("title must have 1 to 64 characters"))
    #expect(complaint("[overlay]\ntime = true\ncorner = \"left\"").contains("corner cannot be \"left\""))
    #expect(complaint("[overlay]\ntime = true\n[video]\ncamera = \"none\"").contains("there is no video to draw into"))
    #expect(complaint("[overlay]\nposition = true\n[location]\nenabled = false").contains("position = true shows"))
  }
}
