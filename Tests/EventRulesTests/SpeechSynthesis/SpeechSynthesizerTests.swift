import Foundation
import MediaCore
import Testing

@testable import EventRules

@Suite struct SpeechSynthesizerTests {
  private func speech(_ text: String, voice: String = "en") throws -> Announcement.Speech {
    try #require(Announcement.Speech(text, voice: voice))
  }

  @Test(arguments: ["Somebody is at the door", "--help", "-f /etc/hostname", "$(id) `id`"])
  func textBecomesAWAVFile(text: String) throws {
    let file = try SpeechSynthesizer().synthesize(try speech(text))
    let bytes = try Data(contentsOf: URL(filePath: file.path))
    #expect(bytes.starts(with: Data("RIFF".utf8)))
    // A fifth of a second at 22,050 Hz.
    #expect(bytes.count > 8_820)
  }

  @Test func theVoiceIsTaken() throws {
    let english = try bytes(try speech("one two three"))
    #expect(try bytes(try speech("one two three", voice: "de+f2")) != english)
  }

  @Test func aVoiceThatDoesNotExistIsNamed() throws {
    let words = try speech("hello", voice: "nobody")
    let error = failure { () throws(SpeechSynthesisError) in _ = try SpeechSynthesizer().synthesize(words) }
    #expect(error == .failed(voice: "nobody"))
  }

  @Test func aMissingProgramIsNamed() throws {
    let words = try speech("hello")
    let synthesizer = SpeechSynthesizer(program: "/nowhere/espeak-ng")
    #expect(failure { () throws(SpeechSynthesisError) in _ = try synthesizer.synthesize(words) } == .notInstalled)
  }

  @Test func aProgramThatSaysNothingIsAFailure() throws {
    let words = try speech("hello")
    for program in ["/bin/true", "/bin/false"] {
      let synthesizer = SpeechSynthesizer(program: program)
      let error = failure { () throws(SpeechSynthesisError) in _ = try synthesizer.synthesize(words) }
      #expect(error == .failed(voice: "en"))
    }
  }

  @Test(arguments: ["", "  ", "two\nlines", "tab\t", "\u{9B}31m", String(repeating: "x", count: 1_001)])
  func whatIsNoTextIsRefused(text: String) { #expect(Announcement.Speech(text, voice: "en") == nil) }

  @Test(arguments: ["", "-v", "en de", "../en", "+f2", "en\0", String(repeating: "e", count: 33)])
  func whatIsNoVoiceIsRefused(voice: String) { #expect(Announcement.Speech("hello", voice: voice) == nil) }

  private func bytes(_ speech: Announcement.Speech) throws -> Data {
    let file = try SpeechSynthesizer().synthesize(speech)
    return try Data(contentsOf: URL(filePath: file.path))
  }

  private func failure(_ body: () throws(SpeechSynthesisError) -> Void) -> SpeechSynthesisError? {
    do throws(SpeechSynthesisError) { try body() } catch { return error }
    return nil
  }
}
