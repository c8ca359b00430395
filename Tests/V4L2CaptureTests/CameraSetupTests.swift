import CLinux
import Testing

@testable import V4L2Capture

@Suite("Grabbers") struct CameraSetupTests {
  @Test(
    "Fields of the driver",
    arguments: [
      (V4L2_FIELD_ANY, FieldOrder.progressive), (V4L2_FIELD_NONE, .progressive), (V4L2_FIELD_TOP, .progressive),
      (V4L2_FIELD_BOTTOM, .progressive), (V4L2_FIELD_INTERLACED, .interlaced), (V4L2_FIELD_INTERLACED_TB, .interlaced),
      (V4L2_FIELD_INTERLACED_BT, .interlaced), (V4L2_FIELD_SEQ_TB, .separate), (V4L2_FIELD_SEQ_BT, .separate),
      (V4L2_FIELD_ALTERNATE, .separate),
    ])
  func fields(field: v4l2_field, order: FieldOrder) { #expect(FieldOrder(field.rawValue) == order) }

  @Test func whatIsNotThereIsNamedBesideWhatIs() {
    let inputs = V4L2Error(.inputNotOffered(wanted: "2", offered: ["Composite", "S-Video"]), path: "/dev/video0")
    #expect(inputs.description == #"/dev/video0: has no input "2"; it has 0 "Composite", 1 "S-Video""#)
    let none = V4L2Error(.inputNotOffered(wanted: "2", offered: []), path: "/dev/video0")
    #expect(none.description.hasSuffix("it has none to choose from: remove input"))
    let standard = V4L2Error(.settingNotOffered("the standard PAL"), path: "/dev/video0")
    #expect(standard.description == "/dev/video0: does not take the standard PAL: remove it from the configuration")
  }
}
