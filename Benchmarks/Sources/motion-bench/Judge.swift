/// Compares what was told with what was to be noticed.
struct Verdict {
  var wanted = 0
  var noticed = 0
  var falseAlarms = 0
  var hours = 0.0

  static func + (one: Verdict, other: Verdict) -> Verdict {
    Verdict(
      wanted: one.wanted + other.wanted, noticed: one.noticed + other.noticed,
      falseAlarms: one.falseAlarms + other.falseAlarms, hours: one.hours + other.hours)
  }

  var recall: Double { wanted == 0 ? 1 : Double(noticed) / Double(wanted) }
  var falseAlarmsPerHour: Double { falseAlarms == 0 ? 0 : Double(falseAlarms) / hours }
}

/// An object is noticed when an event overlaps the time in which it is seen. An event is a false alarm when it overlaps
/// none, and so is one that goes on for more than ten seconds after the last object that it overlaps.
func evaluate(_ events: [ClosedRange<Int>], _ truths: [ClosedRange<Int>], frames: Int) -> Verdict {
  var verdict = Verdict()
  verdict.hours = Double(frames) / Double(Frame.rate) / 3_600
  verdict.wanted = truths.count
  verdict.noticed = truths.filter { truth in events.contains { $0.overlaps(truth) } }.count
  for event in events {
    let ends = truths.filter { event.overlaps($0.lowerBound - 10...$0.upperBound + 20) }.map(\.upperBound)
    guard let last = ends.max() else {
      verdict.falseAlarms += 1
      continue
    }
    if event.upperBound > last + 100 { verdict.falseAlarms += 1 }
  }
  return verdict
}
