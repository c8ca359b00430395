import AudioProcessing
import Foundation
import MediaCore
import Testing

@Suite struct EchoControllerTests {
  @Test func silenceStaysSilence() {
    var controller = EchoController()
    let silence = [Float](repeating: 0, count: 96_000)
    #expect(controller.clean(silence, played: silence).allSatisfy { $0 == 0 })
    #expect(controller.statistics.delayMilliseconds == nil)
    #expect(controller.statistics.echoReturnLossEnhancement == nil)
  }

  @Test func nearSpeechAlonePasses() {
    var controller = EchoController()
    let speech = babble(seconds: 4, seed: 3)
    let output = controller.clean(speech, played: [Float](repeating: 0, count: speech.count))
    let kept = decibels(power(output[48_480...]) / power(speech[48_000..<speech.count - 480]))
    #expect(abs(kept) < 1, "\(kept) dB")
  }

  @Test func soundComesOutAsLateAsAnnounced() {
    var settings = EchoControlSettings()
    settings.noiseReduction = 0
    var controller = EchoController(settings)
    let speech = babble(seconds: 2, seed: 3)
    let output = controller.clean(speech, played: [Float](repeating: 0, count: speech.count))
    let late = Int(EchoController.latency.milliseconds) * 48
    let difference = zip(output[(48_000 + late)...], speech[48_000...]).map { $0 - $1 }
    #expect(decibels(power(difference) / power(speech[48_000...])) < -30)
  }

  @Test(arguments: [190]) func farEndAloneDisappears(delay: Int) {
    var controller = EchoController()
    let far = babble(seconds: 6, seed: 1)
    let echo = SyntheticRoom(delayMilliseconds: delay).echo(of: far)
    // What is told is wrong by 40 ms.
    let output = controller.clean(echo, played: far, toldMilliseconds: Int64(delay) + 40)
    let reduction = decibels(power(echo[96_000...]) / power(output[96_000...]))
    #expect(reduction > 35, "\(reduction) dB")
    let statistics = controller.statistics
    #expect(statistics.isConverged)
    #expect(abs(statistics.delayMilliseconds! - Double(delay)) < 0.5)
    #expect(statistics.echoReturnLossEnhancement! > 30)
    #expect(abs(statistics.clockDifferencePartsPerMillion) < 20)
  }

  @Test func doubleTalkKeepsNearSpeech() {
    var controller = EchoController()
    let far = babble(seconds: 9, seed: 1)
    var near = babble(seconds: 9, seed: 2)
    for index in 0..<192_000 { near[index] = 0 }
    let echo = SyntheticRoom(delayMilliseconds: 60).echo(of: far)
    let output = controller.clean(zip(near, echo).map { $0 + $1 }, played: far)
    let said = near[192_000..<near.count - 480]
    let heard = output[192_480...]
    let (ss, hh) = (power(said), power(heard))
    let sh = zip(said, heard).reduce(Float(0)) { $0 + $1.0 * $1.1 } / Float(said.count)
    #expect(decibels(hh / ss) > -3)
    #expect(sh / (ss * hh).squareRoot() > 0.9)
    #expect(controller.statistics.speechLevel! > -40)
  }

  @Test(arguments: [150]) func recoversFromAJumpOfTheDelay(jump: Int) {
    var controller = EchoController()
    let far = babble(seconds: 9, seed: 5)
    var room = SyntheticRoom(delayMilliseconds: 80)
    let before = room.echo(of: far)
    room.delay += jump * 48
    let after = room.echo(of: far)
    let echo = Array(before[..<192_000] + after[192_000...])
    let output = controller.clean(echo, played: far)
    let second = 192_000 + 96_000
    let reduction = decibels(power(echo[second...]) / power(output[second...]))
    #expect(reduction > 35, "\(reduction) dB")
    #expect(abs(controller.statistics.delayMilliseconds! - Double(80 + jump)) < 0.5)
  }

  @Test func followsClocksThatDiffer() {
    var controller = EchoController()
    let far = babble(seconds: 11, seed: 6)
    let echo = SyntheticRoom(delayMilliseconds: 60).echo(of: far)
    // The microphone's clock is faster by 100 ppm.
    let drifted = echo.indices.map { sample(of: echo, at: Double($0) * (1 - 1e-4)) }
    let output = controller.clean(drifted, played: far)
    #expect(abs(controller.statistics.clockDifferencePartsPerMillion - 100) < 20)
    let reduction = decibels(power(drifted[384_000...]) / power(output[384_000...]))
    #expect(reduction > 30, "\(reduction) dB")
  }

  @Test func extremeInputEndsNothing() {
    var controller = EchoController()
    let square = (0..<48_000).map { Float($0 / 50 % 2 == 0 ? 1 : -1) }
    _ = controller.clean(square, played: square)
    _ = controller.clean(square.map { -$0 }, played: [Float](repeating: 1, count: 48_000), toldMilliseconds: .max)
    _ = controller.clean(babble(seconds: 1, seed: 9, level: 100), played: square, toldMilliseconds: .min)
    // And it works again afterwards.
    let far = babble(seconds: 6, seed: 1)
    let echo = SyntheticRoom(delayMilliseconds: 60).echo(of: far)
    let output = controller.clean(echo, played: far)
    #expect(decibels(power(echo[216_000...]) / power(output[216_000...])) > 30)
  }

  @Test func worksAfterAReset() {
    var controller = EchoController()
    let far = babble(seconds: 4, seed: 1)
    _ = controller.clean(SyntheticRoom(delayMilliseconds: 30).echo(of: far), played: far)
    controller.reset()
    #expect(!controller.statistics.isConverged)
    #expect(controller.statistics.delayMilliseconds == nil)
    let echo = SyntheticRoom(delayMilliseconds: 150).echo(of: far)
    let output = controller.clean(echo, played: far)
    #expect(decibels(power(echo[96_000...]) / power(output[96_000...])) > 30)
  }

  @Test func halfDuplexTurnsTheMicrophoneDown() {
    var settings = EchoControlSettings()
    settings.duplex = .half
    var controller = EchoController(settings)
    let far = (0..<96_000).map { Float(0.1 * sin(Double($0) * 0.1)) }
    let near = babble(seconds: 4, seed: 2)
    let silence = [Float](repeating: 0, count: 96_000)
    let during = controller.clean(Array(near[..<96_000]), played: far, toldMilliseconds: 0)
    let after = controller.clean(Array(near[96_000...]), played: silence, toldMilliseconds: 0)
    #expect(decibels(power(during[48_000...]) / power(near[48_000..<96_000])) < -25)
    #expect(decibels(power(after[48_000...]) / power(near[144_000...])) > -3)
  }
}
