import Foundation
import Glibc
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing
import WebM

@testable import Archive

/// Disks on which a file may not become as large as a recording: the recording goes on in the next file, and nothing is lost.
@Suite(.timeLimit(.minutes(3)), .serialized) struct FileSizeLimitTests {
  /// A disk that takes as much of a file as fits, and refuses the rest.
  private static func calls(limit: Int) -> DiskCalls {
    var calls = DiskCalls()
    calls.largestFile = { _ in nil }
    calls.write = { descriptor, bytes, offset in
      let room = limit - Int(offset)
      guard room > 0 else {
        errno = EFBIG
        return -1
      }
      return pwrite(descriptor, bytes.baseAddress, min(room, bytes.count), offset)
    }
    return calls
  }

  private func record(_ stage: RecordingStage, _ calls: DiskCalls) async throws -> ArchiveManifest {
    let recorder = try stage.startRecorder(calls: calls)
    try stage.addStream("device", to: recorder).pushSamples()
    try stage.addStream("caller", to: recorder, hasVideo: false).pushSamples(startingAt: 500, hasVideo: false)
    return await recorder.stop()
  }

  /// All packets of both streams are there, at their times, as an export shows them.
  private func expectEverything(_ stage: RecordingStage, _ manifest: ArchiveManifest) throws {
    #expect(manifest.status == .available, "\(manifest.reason)")
    #expect(try stage.store.verify(RecordingStage.id) == [])
    let remuxer = try ArchiveRemuxer(RecordingStage.id, in: stage.store)
    let path = stage.folder.path + "/out.webm"
    var bytes: [UInt8] = []
    try remuxer.run { output, span in
      if case .write(let offset) = output {
        bytes.replaceSubrange(Int(offset)..<Int(offset) + span.byteCount, with: span.copiedToArray())
      } else {
        bytes += span.copiedToArray()
      }
    }
    #expect(remuxer.problems == [])
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let packets = try MediaInspection.packets(path)
    let (video, audio) = (try SampleMedia.video().count, try SampleMedia.audio().count)
    #expect(packets.count { $0.stream == 0 } == video)
    #expect(packets.count { $0.stream != 0 } == 2 * audio)
    #expect(try MediaInspection.decodeWarnings(path) == "")
  }

  @Test(arguments: [150_000, 220_000, 400_000]) func aLimitThatShowsItselfSplitsTheRecording(limit: Int) async throws {
    let stage = try RecordingStage(isInMemory: true, evidence: .sample(try Ed25519Key()))
    let manifest = try await record(stage, Self.calls(limit: limit))
    #expect(manifest.files.filter { $0.streamId == "device" }.count > 1)
    #expect(manifest.files.allSatisfy { $0.size <= UInt64(limit) })
    try expectEverything(stage, manifest)
    #expect(try EvidenceArchive.verify(try stage.store.path(RecordingStage.id)).verdict == .whole)
  }

  @Test(arguments: [150_000, 220_000, 400_000]) func aKnownLimitIsNeverReached(limit: Int) async throws {
    let stage = try RecordingStage(isInMemory: true)
    var calls = Self.calls(limit: limit)
    calls.largestFile = { _ in UInt64(limit) }
    let write = calls.write
    calls.write = { descriptor, bytes, offset in
      #expect(Int(offset) + bytes.count <= limit)
      return write(descriptor, bytes, offset)
    }
    let manifest = try await record(stage, calls)
    #expect(manifest.files.count > 2)
    try expectEverything(stage, manifest)
  }

  /// The real one, of setrlimit(2), whether it is asked for beforehand or not.
  @Test(arguments: [true, false]) func theProcessesOwnLimit(isAskedFor: Bool) async throws {
    // The program that makes them is not to be limited.
    _ = (try SampleMedia.video(), try SampleMedia.audio())
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var old = rlimit()
    #expect(getrlimit(resource, &old) == 0)
    let handler = signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 200_000, rlim_max: old.rlim_max)
    #expect(setrlimit(resource, &limit) == 0)
    let stage = try RecordingStage()
    let folder = try DirectoryHandle(path: stage.folder.path)
    let known = FileSizeLimit.known(in: folder.descriptor)
    #expect(known == 200_000)
    var calls = DiskCalls()
    if !isAskedFor { calls.largestFile = { _ in nil } }
    let manifest = try? await record(stage, calls)
    #expect(setrlimit(resource, &old) == 0)
    signal(SIGXFSZ, handler)
    try expectEverything(stage, try #require(manifest))
  }

  @Test(arguments: [0x0B31: UInt64?.some(4_294_967_295), 0x0801: nil, 0x0C00_0000_0801: nil, 0x0999: nil])
  func fileSystemsThatAreKnown(device: UInt64, limit: UInt64?) {
    let mounts = """
      23 28 0:22 / /proc rw,nosuid - proc proc rw
      28 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      90 28 11:49 / /mnt/a\\040stick rw,relatime shared:30 - vfat /dev/sdb1 rw,fmask=0022
      """
    #expect(FileSizeLimit.ofFileSystem(device: device, mounts: mounts) == limit)
  }

  /// Where not even one cluster fits, the archive ends and says why.
  @Test func aLimitBelowOneClusterIsNamed() async throws {
    for limit in [10_000, 30_000] {
      let stage = try RecordingStage(isInMemory: true)
      let recorder = try stage.startRecorder(calls: Self.calls(limit: limit))
      try? stage.addStream("device", to: recorder).pushSamples()
      let manifest = await recorder.stop()
      #expect(manifest.status == .failed)
      #expect(manifest.reason == "file size limit reached")
    }
  }

  /// A power cut at any moment of a split leaves what can be recovered.
  @Test func filesOfATornSplitAreRecovered() async throws {
    let stage = try RecordingStage(isInMemory: true)
    let manifest = try await record(stage, Self.calls(limit: 220_000))
    var started = manifest
    started.status = .started
    started.files = [manifest.files[0]]
    started.files[0].size = 0
    try started.json().write(to: URL(fileURLWithPath: try stage.path("archive.json")))
    _ = try stage.store.recover()
    #expect(try stage.store.verify(RecordingStage.id) == [])
    let recovered = try stage.store.manifest(RecordingStage.id)
    #expect(recovered.files.map(\.filename).sorted() == manifest.files.map(\.filename).sorted())
  }
}
