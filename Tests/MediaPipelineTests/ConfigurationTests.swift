import Testing

@testable import MediaPipeline

@Suite struct SelectionTests {
  @Test func readsVideoSources() {
    #expect(VideoSourceSelection("auto") == .automatic)
    #expect(VideoSourceSelection("/dev/video2") == .camera(path: "/dev/video2"))
    #expect(VideoSourceSelection("test:bars") == .testBars)
    #expect(VideoSourceSelection("test:street") == .testStreet && VideoSourceSelection.testStreet.name == "test:street")
    #expect(VideoSourceSelection("none") == VideoSourceSelection.none)
    #expect(VideoSourceSelection("test:snow") == nil)
    #expect(VideoSourceSelection("video0") == nil)
    #expect(VideoSourceSelection("file:/a b.y4m") == .file(path: "/a b.y4m", repeats: true))
    #expect(VideoSourceSelection("file:clip.y4m#once") == .file(path: "clip.y4m", repeats: false))
    #expect(VideoSourceSelection("file:") == nil)
    #expect(VideoSourceSelection("file:#once") == nil)
  }

  @Test func namesVideoSources() {
    for name in ["auto", "/dev/video2", "file:/a.y4m", "file:/a.y4m#once", "test:bars", "none"] {
      #expect(VideoSourceSelection(name)?.name == name)
    }
  }

  @Test func readsAudioSources() {
    #expect(AudioSourceSelection("auto") == .automatic)
    #expect(AudioSourceSelection("test:tone") == .testTone(frequency: 1_000))
    #expect(AudioSourceSelection("test:tone:440") == .testTone(frequency: 440))
    #expect(AudioSourceSelection("test:tone:x") == nil)
    #expect(AudioSourceSelection("test:noise") == nil)
    #expect(AudioSourceSelection("") == nil)
    #expect(AudioSourceSelection("file:/a/b.wav") == .file(path: "/a/b.wav", repeats: true))
    #expect(AudioSourceSelection("file:/a/b.wav#once") == .file(path: "/a/b.wav", repeats: false))
    #expect(AudioSourceSelection("file:/a/b.ogg") == nil)
    #expect(AudioSourceSelection("file:.wav") == nil)
    #expect(AudioSourceSelection("plughw:CARD=Device,DEV=0") == .device("plughw:CARD=Device,DEV=0"))
  }

  @Test func readsSpeakers() {
    #expect(SpeakerSelection("auto") == .automatic)
    #expect(SpeakerSelection("none") == SpeakerSelection.none)
    #expect(SpeakerSelection("default") == .device("default"))
    #expect(SpeakerSelection("test:null") == .testNull)
    #expect(SpeakerSelection("test:loud") == nil)
  }
}
