// Puts recordings through EchoController, block by block. Benchmarks/echo makes them and judges what comes out.
//
// usage: echo-bench FAR MIC TOLD OUT [STAGES] [gain] [half] [noisy]
// FAR, MIC and OUT are raw samples of 16 bits at 48 kHz; TOLD has the delay in milliseconds that is told with each block, 16 bits each.
// STAGES receives what the adaptive filter left, 480 floats a block, and after all blocks the suppressor's gains, 481 floats a block.
// Prints the CPU time of the canceller in percent of a core, and what it measured itself.
import AudioProcessing
import Foundation
import MediaCore

func samples(_ path: String) throws -> [Int16] {
  try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
}

func write<Value>(_ values: [Value], to path: String) throws {
  try values.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
}

func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// What the adaptive filter left and the gains, of all blocks.
struct Stages {
  static let gainCount = 481
  var linear: [Float] = []
  var gains: [Float] = []
  private var block = [Float](repeating: 0, count: EchoController.blockFrames)
  private var frame = [Float](repeating: 0, count: Stages.gainCount)

  mutating func append(_ controller: borrowing EchoController) {
    do {
      var left = block.mutableSpan
      controller.copyLinear(into: &left)
    }
    do {
      var factors = frame.mutableSpan
      controller.copyGains(into: &factors)
    }
    linear += block
    gains += frame
  }
}

let paths = CommandLine.arguments.filter { !["gain", "half", "noisy"].contains($0) }
guard paths.count >= 5 else {
  print("usage: echo-bench FAR MIC TOLD OUT [STAGES] [gain] [half] [noisy]")
  exit(2)
}
let (far, near, told) = (try samples(paths[1]), try samples(paths[2]), try samples(paths[3]))
var settings = EchoControlSettings()
if CommandLine.arguments.contains("gain") { settings.speechLevel = -23 }
if CommandLine.arguments.contains("noisy") { settings.noiseReduction = 0 }
if CommandLine.arguments.contains("half") { settings.duplex = .half }

var controller = EchoController(settings)
var output: [Int16] = []
var stages = Stages()
var used = 0.0
let size = EchoController.blockFrames
var block = [Int16](repeating: 0, count: size)
for index in 0..<min(near.count / size, told.count) {
  let place = index * size..<(index + 1) * size
  var cleaned = block.mutableSpan
  let start = threadTime()
  controller.process(
    captured: near.span.extracting(place), played: far.span.extracting(place),
    delay: .milliseconds(Int64(told[index])), into: &cleaned)
  used += threadTime() - start
  output += block
  if paths.count > 5 { stages.append(controller) }
}
try write(output, to: paths[4])
if paths.count > 5 { try write(stages.linear + stages.gains, to: paths[5]) }
let found = controller.statistics
print(
  "cpu=\(100 * used * 100 / Double(output.count / size)) erle=\(found.echoReturnLossEnhancement ?? 0)",
  "delay=\(found.delayMilliseconds ?? 0) ppm=\(found.clockDifferencePartsPerMillion) speech=\(found.speechLevel ?? -100)"
)
