public import Archive
import RealtimeRuntime
public import DeviceConfiguration
import HTTPConnections
import JournalLogging
public import Logging
import MediaCore
public import Signalling

/// Runs a program for each archive that has ended, and has been uploaded where that is configured: once, and again only if the
/// daemon ended before the program did.
public actor FinishedArchives {
  private let program: ProgramSettings
  private let archives: ArchiveStore
  /// Where archives are uploaded to; nil for nowhere.
  private let destination: String?
  private let logger: Logger
  private let outstanding: OutstandingArchives
  private let pause = InterruptiblePause()
  private var saved: [ArchiveID] = []

  private static let rest = Duration.seconds(60)
  private static let longestRest = Duration.seconds(600)

  /// - Parameters:
  ///   - listPath: of the file that holds the ids of archives for which the program has not run.
  ///   - destination: where archives are uploaded to before it runs; nil for nowhere.
  public init(
    _ program: ProgramSettings, archives: ArchiveStore, listPath: String, destination: String?, logger: Logger
  ) {
    self.program = program
    self.archives = archives
    self.destination = destination
    self.logger = logger
    outstanding = OutstandingArchives(path: listPath)
    saved = outstanding.all
    if let fault = outstanding.fault { logger.warning("\(fault)") }
  }

  /// An archive is being recorded. To be noted at its start, so that no crash lets it be forgotten.
  public nonisolated func archiveStarted(_ id: ArchiveID) {
    outstanding.add(id)
    pause.end()
  }

  /// One has ended, or was uploaded.
  public nonisolated func wake() { pause.end() }

  /// Works until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      await attempt()
      _ = await pause.wait(for: outstanding.all.isEmpty ? Self.longestRest : Self.rest)
    }
  }

  /// Runs the program for all that are ready.
  func attempt() async {
    await save()
    for id in outstanding.all where !Task.isCancelled {
      guard await isReady(id) else { continue }
      await runProgram(for: id)
      guard !Task.isCancelled else { return }
      outstanding.remove(id)
      await save()
    }
  }

  /// One that was deleted meanwhile is forgotten.
  private func isReady(_ id: ArchiveID) async -> Bool {
    do {
      return try await UploadDisk.run { [archives, destination] in
        let uploads = ArchiveUploads(archives)
        guard try uploads.hasEnded(id) else { return false }
        return destination == nil || uploads.isUploaded(id)
      }
    } catch ArchiveError.notFound {
      outstanding.remove(id)
      return false
    } catch {
      return false
    }
  }

  private func runProgram(for id: ArchiveID) async {
    do {
      let path = try await UploadDisk.run { [archives] in try archives.path(id) }
      let environment = [
        "PATH=/usr/bin:/bin", "LIVESESSIONS_ARCHIVE=\(id)", "LIVESESSIONS_ARCHIVE_PATH=\(path)",
        "LIVESESSIONS_UPLOADED_TO=\(destination.map { $0 + path.suffix(of: archives.root) } ?? "")",
      ]
      let result = try await ProgramRun(
        command: program.command, environment: environment, timeout: program.timeout
      ).run()
      for line in result.lines { logger.info("on_archive of \(archive: id): \(line)") }
      if let failure = result.outcome.failure { logger.warning("on_archive of \(archive: id): \(failure)") }
    } catch {
      logger.warning("on_archive of \(archive: id): \(error)")
    }
  }

  private func save() async {
    let all = outstanding.all
    guard all != saved else { return }
    do {
      try await UploadDisk.run { [outstanding] in try outstanding.save() }
      saved = all
    } catch {
      logger.warning("\(outstanding.path), the archives for on_archive, cannot be written: \(error)")
    }
  }
}

extension String {
  /// What stands behind the archives' root.
  fileprivate func suffix(of root: String) -> String { String(dropFirst(root.count + (root.hasSuffix("/") ? 0 : 1))) }
}
