import Foundation
import MediaCore
import PixelConversion
import RealtimeRuntime
import SystemSupport
import Testing

@testable import MediaPipeline

/// Programs that everybody has, as cameras.
@Suite("A program's video") struct ProgramSourceTests {
  private static let request = SourceRequest(selection: .none, width: 64, height: 64, frameRate: 30)

  /// What a source does until it fails: the luma of its frames, and why it ended.
  private struct Run {
    var lumas: [UInt8] = []
    var resizes = 0
    var reason = ""
    var printed: [String] = []
  }

  private static func run(_ program: VideoProgram) throws -> Run {
    let printed = Mutex<[String]>([])
    let source = try ProgramSource(program, request)
    source.printed = PrintedLines { line in printed.withLock { $0.append(line) } }
    var run = Run()
    do throws(SourceFailure) { try collect(source, &run) } catch { run.reason = error.reason }
    run.printed = printed.withLock { $0 }
    return run
  }

  private static func collect(_ source: ProgramSource, _ run: inout Run) throws(SourceFailure) {
    guard let stop = try? EventDescriptor() else { return }
    var slot = FrameSlot(width: source.description.width, height: source.description.height)
    let end = MonotonicClock.now() + .seconds(20)
    while MonotonicClock.now() < end {
      switch try source.next(into: slot, until: stop) {
      case .frame: run.lumas.append(Self.luma(slot))
      case .resized:
        run.resizes += 1
        slot = FrameSlot(width: source.description.width, height: source.description.height)
      case .nothing, .damaged, .end: break
      }
    }
  }

  /// Of the upper left corner.
  private static func luma(_ slot: FrameSlot) -> UInt8 {
    let image = slot.image.copy()
    let view = image.view
    return view.luma(x: 0, y: 0)
  }

  /// A program that writes these bytes.
  private static func writing(
    _ bytes: [UInt8], _ format: VideoProgram.Format, width: Int? = nil, height: Int? = nil
  ) throws -> (file: String, program: VideoProgram) {
    let file = FileManager.default.temporaryDirectory.appending(path: "stream-\(UUID())").path
    try Data(bytes).write(to: URL(filePath: file))
    return (
      file, VideoProgram(name: "exec:cat", command: ["cat", file], format: format, width: width, height: height)
    )
  }

  private static func run(
    _ bytes: [UInt8], _ format: VideoProgram.Format, width: Int? = nil, height: Int? = nil
  ) throws -> Run {
    let (file, program) = try writing(bytes, format, width: width, height: height)
    defer { unlink(file) }
    return try run(program)
  }

  private static func planes(_ luma: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
    [UInt8](repeating: luma, count: width * height) + [UInt8](repeating: 128, count: width * height / 2)
  }

  private static let ending = "exec:cat: the program ended; what it printed is in the journal"

  @Test func framesOfY4MAreShownInTheirSize() throws {
    let head = Array("YUV4MPEG2 W128 H64 F25:1\n".utf8)
    let run = try Self.run(head + Array("FRAME\n".utf8) + Self.planes(77, 128, 64), .y4m)
    #expect(run.lumas == [77] && run.resizes == 1 && run.reason == Self.ending)
  }

  /// Both are there when the source looks for the first time.
  @Test(arguments: [VideoProgram.Format.yuv420p, .nv12]) func ofFramesThatWaitTheNewestIsShown(
    format: VideoProgram.Format
  ) throws {
    let (file, program) = try Self.writing(
      (1...4).flatMap { Self.planes($0, 64, 64) }, format, width: 64, height: 64)
    defer { unlink(file) }
    let source = try ProgramSource(program, Self.request)
    let stop = try EventDescriptor()
    usleep(300_000)
    let slot = FrameSlot(width: 64, height: 64)
    guard case .frame = try source.next(into: slot, until: stop) else { return #expect(Bool(false), "no frame") }
    #expect(Self.luma(slot) == 4)
    #expect(source.takeSkippedCount() == 3)
  }

  @Test func framesOfAnotherSizeThanStatedAreRefused() throws {
    let reason =
      "exec:cat: its frames are 128×64 in place of 64×64; write width = 128 and height = 64, or have it send that size"
    let head = Array("YUV4MPEG2 W128 H64 F25:1\n".utf8)
    #expect(try Self.run(head, .y4m, width: 64, height: 64).reason == reason)
    let encoded = JPEGEncoder.encode(I420Buffer(width: 128, height: 64))
    let jpeg = try #require(encoded)
    #expect(try Self.run(jpeg, .mjpeg, width: 64, height: 64).reason == reason)
  }

  @Test func aJPEGThatIsNoneDamagesNothingElse() throws {
    var image = I420Buffer(width: 64, height: 64)
    image.fill(FrameArea(x: 0, y: 0, width: 64, height: 64), with: YUVColour(y: 90))
    let encoded = JPEGEncoder.encode(image)
    let jpeg = try #require(encoded)
    let run = try Self.run([0xFF, 0xD8, 0xFF, 0xD9] + jpeg, .mjpeg, width: 64, height: 64)
    #expect(run.lumas.count == 1 && run.lumas.allSatisfy { (88...92).contains($0) })
  }

  @Test func whatIsNoVideoIsNamed() throws {
    let run = try Self.run(Array("hello\n".utf8), .y4m)
    #expect(
      run.reason == "exec:cat: what it writes to standard output is not y4m: byte 0: no YUV4MPEG2 file;"
        + " have it write that, or name its format")
  }

  @Test func aFloodIsEnded() throws {
    let zeros = VideoProgram(
      name: "exec:cat", command: ["cat", "/dev/zero"], format: .yuv420p, width: 64, height: 64)
    #expect(try Self.run(zeros).reason.hasPrefix("exec:cat: more than 120 frames a second come"))
    let jpeg = VideoProgram(name: "exec:cat", command: ["cat", "/dev/zero"], format: .mjpeg)
    #expect(try Self.run(jpeg).reason.contains("no JPEG begins in"))
  }

  @Test func aProgramThatEndsSaysWhy() throws {
    let run = try Self.run(
      VideoProgram(
        name: "exec:sh", command: ["sh", "-c", "echo no camera >&2; exit 3"], format: .yuv420p, width: 64, height: 64))
    #expect(run.reason == "exec:sh: the program ended with status 3; what it printed is in the journal")
    #expect(run.printed == ["exec:sh: no camera"])
  }

  @Test func whatAProgramLeavesBehindDoesNotHideItsEnd() throws {
    let begin = MonotonicClock.now()
    let run = try Self.run(
      VideoProgram(
        name: "exec:sh", command: ["sh", "-c", "sleep 1000 & exit 4"], format: .yuv420p, width: 64, height: 64))
    #expect(run.reason == "exec:sh: the program ended with status 4; what it printed is in the journal")
    #expect(MonotonicClock.now() - begin < .seconds(10))
  }

  @Test(arguments: ["nonesuch-program", "/nonesuch/program"]) func aProgramThatIsNotThereIsNamed(path: String) {
    let program = VideoProgram(name: "exec:x", command: [path], format: .y4m)
    let error = #expect(throws: SourceFailure.self) { try ProgramSource(program, Self.request) }
    #expect(error?.reason.contains(path) == true)
  }
}

@Suite("A program's process") struct StreamingProcessTests {
  /// The lines that a program prints, waiting for so many.
  private static func lines(_ process: StreamingProcess, _ count: Int) -> [String] {
    var text: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    defer { buffer.deallocate() }
    let end = MonotonicClock.now() + .seconds(20)
    while text.count(where: { $0 == 10 }) < count, MonotonicClock.now() < end {
      _ = process.wait(timeout: .milliseconds(100))
      if case .bytes(let count) = process.read(into: buffer) { text += buffer[..<count] }
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func isThere(_ process: String) -> Bool {
    kill(pid_t(process) ?? 0, 0) == 0
      && (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(") Z ") != true
  }

  @Test func itHasNothingOfThisProcess() throws {
    setenv("CREDENTIALS_DIRECTORY", "/run/credentials/x", 1)
    defer { unsetenv("CREDENTIALS_DIRECTORY") }
    let script = "env; pwd; readlink /proc/self/fd/0; ls /proc/self/fd | wc -l; echo $$; ps -o pgid= -p $$ | tr -d ' '"
    let process = try StreamingProcess(command: ["/bin/sh", "-c", script])
    let lines = Self.lines(process, 9).filter { !$0.hasPrefix("_=") }
    #expect(lines.contains { $0.hasPrefix("PATH=") } && !lines.contains { $0.contains("CREDENTIALS") })
    let rest = lines.drop { $0.contains("=") }
    #expect(rest.first == "/" && rest.dropFirst().first == "/dev/null")
    // Three, and the one by which ls reads the folder.
    #expect(rest.dropFirst(2).first == "4")
    #expect(rest.dropFirst(3).first == rest.dropFirst(4).first)
  }

  /// One that ignores SIGTERM, and what it has started.
  @Test func theWholeGroupEndsWithIt() throws {
    var process: StreamingProcess? = try StreamingProcess(
      command: ["/bin/sh", "-c", "trap '' TERM; sleep 1000 & echo $!; echo $$; while :; do sleep 1000; done"])
    let processes = Self.lines(try #require(process), 2)
    #expect(processes.count == 2 && processes.allSatisfy(Self.isThere))
    let begin = MonotonicClock.now()
    process = nil
    #expect(MonotonicClock.now() - begin < .milliseconds(3_000))
    // Those that are not its children are reaped by others.
    let end = MonotonicClock.now() + .seconds(5)
    while processes.contains(where: Self.isThere), MonotonicClock.now() < end { usleep(10_000) }
    #expect(!processes.contains(where: Self.isThere))
  }

  @Test func itEndsWithTheThreadThatStartedIt() throws {
    let found = Mutex<String?>(nil)
    let thread = try MediaThread(name: "starter") {
      guard let process = try? StreamingProcess(command: ["/bin/sh", "-c", "echo $$; exec sleep 1000"]) else { return }
      found.withLock { $0 = Self.lines(process, 1).first }
      // As where a daemon is killed, nothing is released.
      _ = Unmanaged.passRetained(process)
    }
    thread.join()
    let process = try #require(found.withLock { $0 })
    let end = MonotonicClock.now() + .seconds(5)
    while Self.isThere(process), MonotonicClock.now() < end { usleep(10_000) }
    #expect(!Self.isThere(process))
  }
}
