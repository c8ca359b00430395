import EventDetection
import MediaCore

/// Edges, found levels and times as octets report: however a button is treated, it acts seldom and its deadlines pass.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let octets = UnsafeBufferPointer(start: data, count: size)
  guard let first = octets.first else { return 0 }
  let timing = ButtonTiming(
    debounce: .milliseconds(Int64(first & 0x3F)), longPress: first & 0x80 == 0 ? nil : .milliseconds(Int64(first) * 4))
  var time = MonotonicInstant(nanoseconds: 1)
  var button = Button(timing, isDown: first & 0x40 != 0, now: time)
  var actions = 0
  for octet in octets.dropFirst() {
    let step = TimeSpan.milliseconds(Int64(octet >> 3) * Int64(octet >> 3) - 8)
    time = octet == 0xFF ? MonotonicInstant(nanoseconds: .max) : time + step
    let events =
      switch octet & 3 {
      case 0, 1: button.take(isDown: octet & 1 == 1, at: time)
      case 2: button.resume(isDown: octet & 4 != 0, at: time)
      default: button.tick(now: time)
      }
    actions += events.count { $0 == .press || $0 == .longPress }
    precondition(events.count <= 8)
    precondition(actions <= size)
  }
  return 0
}
