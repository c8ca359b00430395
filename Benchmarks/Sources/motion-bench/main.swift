// Judges the motion detector on synthetic clips, of which it is known what is to be noticed.
//
// usage: motion-bench judge KINDS FIRST LAST MINUTES [-v]   KINDS: all, or some of Clip.Kind, with commas
//        motion-bench clip KIND SEED MINUTES                 writes the clip as raw 8-bit grey pictures of 640 by 480
//        motion-bench truths KIND SEED MINUTES               prints first and last frame of each object
//        motion-bench score KIND SEED MINUTES                judges events that are given as lines of first and last frame
import Foundation

let arguments = CommandLine.arguments.filter { $0 != "-v" }
let isVerbose = CommandLine.arguments.contains("-v")

func kinds(_ text: String) -> [Clip.Kind] {
  text == "all" ? Clip.Kind.allCases : text.split(separator: ",").compactMap { Clip.Kind(rawValue: String($0)) }
}

func line(_ name: String, _ verdict: Verdict) -> String {
  let (recall, rate) = (String(format: "%.3f", verdict.recall), String(format: "%.2f", verdict.falseAlarmsPerHour))
  return "\(name): recall \(recall) (\(verdict.noticed)/\(verdict.wanted)), "
    + "false alarms an hour \(rate) (\(verdict.falseAlarms) in \(String(format: "%.2f", verdict.hours)) h)"
}

func evaluateAll(_ kinds: [Clip.Kind], _ seeds: ClosedRange<UInt64>, minutes: Int) {
  var (run, all) = (DetectorRun(isVerbose: isVerbose), Verdict())
  for kind in kinds {
    var sum = Verdict()
    for seed in seeds {
      if isVerbose { print(kind, seed) }
      sum = sum + run(Clip(kind, seed: seed, minutes: minutes))
    }
    print(line(kind.rawValue, sum))
    all = all + sum
  }
  print(line("all", all))
  let (mean, worst) = (run.used / Double(run.looks) * 1e6, run.slowest * 1e6)
  print(String(format: "CPU: %.0f us a look, %.2f %% of a core; the slowest %.0f us", mean, mean / 1_000, worst))
}

func write(_ clip: Clip) {
  for frame in 0..<clip.frames {
    clip.draw(frame)
    FileHandle.standardOutput.write(Data(bytes: clip.picture.bytes, count: Frame.count))
  }
}

func score(_ clip: Clip) {
  var events: [ClosedRange<Int>] = []
  while let text = readLine() {
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    if numbers.count == 2, numbers[0] <= numbers[1] { events.append(numbers[0]...numbers[1]) }
  }
  let verdict = evaluate(events, clip.truths, frames: clip.frames)
  print(verdict.noticed, verdict.wanted, verdict.falseAlarms, verdict.hours)
}

if arguments.count == 6, arguments[1] == "judge", let first = UInt64(arguments[3]), let last = UInt64(arguments[4]),
  let minutes = Int(arguments[5]), first <= last
{
  evaluateAll(kinds(arguments[2]), first...last, minutes: minutes)
} else if arguments.count == 5, let kind = Clip.Kind(rawValue: arguments[2]), let seed = UInt64(arguments[3]),
  let minutes = Int(arguments[4])
{
  let clip = Clip(kind, seed: seed, minutes: minutes)
  switch arguments[1] {
  case "clip": write(clip)
  case "truths": for truth in clip.truths { print(truth.lowerBound, truth.upperBound) }
  case "score": score(clip)
  default: exit(2)
  }
} else {
  print("usage: see the head of Benchmarks/Sources/motion-bench/main.swift")
  exit(2)
}
