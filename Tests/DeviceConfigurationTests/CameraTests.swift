import CallPolicy
import ConfigFile
import DeviceConfiguration
import MediaCore
import MotionDetection
import Testing

@Suite("Further cameras in device.toml")
struct CameraTests {
  private func read(_ text: String) throws(ConfigErrors) -> DeviceConfiguration { try GateFile.read(text) }

  private func complaint(_ text: String) -> String { GateFile.complaint(text) }

  private let main = "[video]\ncamera = \"/dev/video0\"\ntemporal_layers = 3\n"

  @Test func `there are none without tables`() throws {
    #expect(try read("").cameras.isEmpty)
    #expect(try read("").viewNames == ["device"])
  }

  @Test func `each has a picture of its own`() throws {
    let cameras = try read(
      main + """
        [[camera]]
        name = "yard"
        path = "/dev/v4l/by-id/usb-Yard-video-index0"
        [[camera]]
        name = "gate_2"
        path = "file:/srv/gate.y4m"
        width = 1280
        height = 720
        frame_rate = 10
        bitrate = "1.5Mbit/s"
        masks = [[[0, 0], [1, 0], [1, 1]]]
        """
    ).cameras
    #expect(cameras.map(\.name) == ["yard", "gate_2"])
    #expect(cameras.map(\.source).first == .device(path: "/dev/v4l/by-id/usb-Yard-video-index0"))
    #expect(cameras[0].video.width == 640 && cameras[0].video.height == 480 && cameras[0].video.frameRate == 30)
    #expect(cameras[0].video.bitrate == .kilobits(800) && cameras[0].video.temporalLayers == 3)
    #expect(cameras[1].video.width == 1_280 && cameras[1].video.frameRate == 10)
    #expect(cameras[1].video.bitrate == .kilobits(1_500))
    #expect(cameras[0].motionMasks.isEmpty && cameras[1].motionMasks.count == 1)
  }

  @Test func `the same test picture may be shown twice`() throws {
    let text = "[video]\ncamera = \"test:bars\"\n[[camera]]\nname = \"a\"\npath = \"test:bars\"\n"
    #expect(try read(text).cameras.count == 1)
    #expect(try read(text).viewNames == ["device", "a", "mosaic"])
  }

  @Test(arguments: [
    "Yard", "yard 2", "../yard", "", "device", "caller", "receiver", "mosaic", "yard-0002", "-yard", "gärten",
  ])
  func `names that files cannot have are refused`(_ name: String) {
    let text = complaint(main + "[[camera]]\nname = \"\(name)\"\npath = \"/dev/video2\"\n")
    #expect(text.contains("device.toml:9:") && text.contains("\"\(name)\""))
  }

  @Test(arguments: ["yard-2", "2", "yard_0002", "a-b-c"])
  func `names that they can have are taken`(_ name: String) {
    #expect(complaint(main + "[[camera]]\nname = \"\(name)\"\npath = \"/dev/video2\"\n") == "")
  }

  @Test func `twins are told with their place`() {
    let yard = "[[camera]]\nname = \"yard\"\npath = \"/dev/video2\"\n"
    let twins = complaint(main + yard + yard)
    #expect(twins.contains("device.toml:12:") && twins.contains("another camera is named \"yard\""))
    #expect(twins.contains("device.toml:13:") && twins.contains("\"yard\" has the same path"))
    let again = complaint(main + "[[camera]]\nname = \"yard\"\npath = \"/dev/video0\"\n")
    #expect(again.contains("device.toml:10:") && again.contains("camera in [video] names the same path"))
    let listed = complaint(
      "[video]\ncamera = [\"/dev/video0\", \"/dev/video2\"]\n[[camera]]\nname = \"yard\"\npath = \"/dev/video2\"\n")
    #expect(listed.contains("camera in [video] names the same path"))
  }

  @Test func `what cannot be is told`() {
    let yard = "[[camera]]\nname = \"yard\"\npath = \"/dev/video2\"\n"
    #expect(complaint(yard).contains("camera in [video] is \"auto\", which may take this one"))
    #expect(complaint("[video]\ncamera = \"none\"\n" + yard).contains("the camera of [video] is \"none\""))
    #expect(complaint(main + "[[camera]]\nname = \"yard\"\n").contains("path is missing in [[camera]]"))
    #expect(complaint(main + "[[camera]]\npath = \"/dev/video2\"\n").contains("name is missing in [[camera]]"))
    for path in ["auto", "none", "video2"] {
      let text = complaint(main + "[[camera]]\nname = \"yard\"\npath = \"\(path)\"\n")
      #expect(text.contains("device.toml:10:") && text.contains("\"\(path)\""))
    }
    let four = (1...4).map { "[[camera]]\nname = \"c\($0)\"\npath = \"/dev/video\($0)\"\n" }.joined()
    #expect(complaint(main + four).contains("there are 4 further cameras, more than 3"))
    #expect(complaint(main + yard + "width = 641\n").contains("width must be even"))
    #expect(complaint(main + yard + "temporal_layers = 2\n").contains("temporal_layers"))
  }

  @Test func `sources of events look at one of them, with masks of its own`() throws {
    let yard = "[[camera]]\nname = \"yard\"\npath = \"/dev/video2\"\nmasks = [[[0, 0], [1, 0], [1, 1]]]\n"
    let configuration = try read(
      main + yard + """
        [[event]]
        name = "walk"
        kind = "motion"
        camera = "yard"
        zone = [[0, 0], [1, 0], [1, 1]]
        [[event]]
        name = "door"
        kind = "motion"
        camera = "device"
        [[event]]
        name = "covered"
        kind = "tamper"
        camera = "yard"
        [[event_rule]]
        name = "by night"
        camera = ["yard", "device"]
        webhook = true
        """)
    let events = configuration.events
    #expect(events.sources.map(\.camera) == ["yard", nil, "yard"])
    let motion = events.motion(of: configuration.cameras[0])
    let zones = events.sources.map { ($0.source as? MotionSource)?.zone.area?.corners.count }
    #expect(zones == [3, nil, nil] && motion.masks.count == 1 && events.motion(of: nil).masks.isEmpty)
    #expect(configuration.eventRules.first?.rule.cameras == ["yard", "device"])
  }

  @Test func `cameras of events that there are not are told`() {
    let yard = "[[camera]]\nname = \"yard\"\npath = \"/dev/video2\"\n"
    let event = "[[event]]\nname = \"walk\"\nkind = \"motion\"\n"
    let unknown = complaint(main + yard + event + "camera = \"yart\"\n")
    #expect(unknown.contains("device.toml:14:") && unknown.contains("no [[camera]] named \"yart\""))
    #expect(unknown.contains("did you mean \"yard\"?"))
    let sound = complaint(main + yard + "[[event]]\nname = \"glass\"\nkind = \"sound\"\ncamera = \"yard\"\n")
    #expect(sound.contains("camera does nothing with kind = \"sound\""))
    let rule = complaint(main + yard + event + "[[event_rule]]\nname = \"r\"\nignore = true\ncamera = [\"gate\"]\n")
    #expect(rule.contains("no [[camera]] named \"gate\""))
    let zones = (0..<9).map { "[[event]]\nname = \"z\($0)\"\nkind = \"motion\"\ncamera = \"yard\"\n" }.joined()
    #expect(complaint(main + yard + zones).contains("9 sources detect motion with the same camera"))
    let divided = zones.replacing("\"z8\"\nkind = \"motion\"\ncamera = \"yard\"", with: "\"z8\"\nkind = \"motion\"")
    #expect(complaint(main + yard + divided) == "")
  }

  @Test func `masks may be for one of them`() throws {
    let yard = "[[camera]]\nname = \"yard\"\npath = \"/dev/video2\"\n"
    let triangle = "[[privacy_mask]]\nzone = [[0, 0], [1, 0], [1, 1]]\n"
    let masks = try read(
      main + yard + triangle + triangle + "camera = \"yard\"\n" + triangle + "camera = \"/dev/video0\"\n"
    ).privacyMasks
    #expect(masks.map(\.camera) == [nil, .further("yard"), .main(.device(path: "/dev/video0"))])
    #expect(complaint(main + yard + triangle + "camera = \"cellar\"\n").contains("and no [[camera]]"))
  }
}
