public import Archive
public import DeviceEvents
import FoundationEssentials
public import HubClient
import MediaCore
import RealtimeRuntime
public import Signalling
import SystemSupport

/// Hands archives to the hub's askers: list, manifests, files, clips and thumbnails, read on threads of their own.
public struct ArchiveProvider: ArchiveProviding {
  let store: ArchiveStore
  private let title: String
  private let events: EventCenter?
  /// A JPEG of a key frame.
  private let makeImage: @Sendable ([UInt8]) -> [UInt8]?
  private let thumbnails = ThumbnailCache()

  /// - Parameters:
  ///   - title: of the device, for the names of copies.
  ///   - events: with whose events lists name causes, and whose images are thumbnails; nil for neither.
  ///   - makeImage: decodes a VP8 key frame, and encodes it as a small JPEG.
  public init(
    store: ArchiveStore, title: String = "", events: EventCenter? = nil,
    makeImage: @escaping @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }
  ) {
    self.store = store
    self.title = title
    self.events = events
    self.makeImage = makeImage
  }

  /// Newer archives than this are listed; a page shows no more at once.
  private static let listLimit = 200
  /// Events that are searched for those of the listed archives.
  private static let eventLimit = 4_000
  /// What began a recording may have begun before it, in milliseconds.
  private static let eventMargin: Int64 = 60_000
  private static let largestImage: Int64 = 1 << 20

  public func archiveList() async throws -> [UInt8] {
    let (listed, total) = try await BlockingWork.run(.archives) {
      let listings = try store.listings(limit: Self.listLimit)
      return (listings, listings.count < Self.listLimit ? listings.count : try store.ids().count)
    }
    let oldest = listed.map(\.manifest.createdAt).min()
    let causes = if let oldest { await firstEvents(since: oldest) } else { [String: DetectedEvent]() }
    let items = listed.map { listing in
      var manifest = listing.manifest
      manifest.isLocked = listing.isLocked
      manifest.event = causes[manifest.id.text].map { ArchivedEvent($0) }
      return manifest
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return Array(try encoder.encode(ArchiveList(count: total, items: items)))
  }

  public func archiveManifest(_ id: ArchiveID) async throws -> [UInt8]? {
    try await BlockingWork.run(.archives) { try Self.found { Array(try store.manifest(id).json()) } }
  }

  public func openArchiveFile(_ id: ArchiveID, name: String) async throws -> (any ArchiveFileReading)? {
    try await BlockingWork.run(.recordings) {
      try Self.found {
        ProvidedFile(file: try store.openFile(id, name: name), fileName: try fileName(id, of: name, at: nil))
      }
    }
  }

  public func openClip(
    _ id: ArchiveID, of name: String, _ span: ArchiveSpan
  ) async throws(RequestRefusal) -> any ArchiveFileReading {
    do {
      return try await BlockingWork.run(.wholeArchives) {
        let clip = try ArchiveClip(id, file: name, span: span, in: store)
        return ProvidedClip(clip, fileName: try fileName(id, of: name, at: span.start))
      }
    } catch let error as ArchiveError {
      throw RequestRefusal(error)
    } catch {
      throw .notPossible("\(error)")
    }
  }

  /// - Parameter start: milliseconds from the archive's start; nil for that of the file.
  private func fileName(_ id: ArchiveID, of name: String, at start: Int64?) throws -> String? {
    let manifest = try store.manifest(id)
    guard let file = manifest.files.first(where: { $0.filename == name }) else { return nil }
    let (moment, isOutside) = manifest.createdAt.addingReportingOverflow(start ?? file.startTimeOffset)
    return isOutside ? nil : RecordingFileName.text(title: title, start: moment, file)
  }

  public func archiveThumbnail(_ id: ArchiveID) async throws -> [UInt8]? {
    let manifest = try await BlockingWork.run(.archives) { try Self.found { try store.manifest(id) } }
    // What has been deleted is seen no longer.
    guard let manifest else {
      thumbnails.drop(id)
      return nil
    }
    if let known = thumbnails[id] { return known }
    guard let image = try await thumbnail(of: manifest) else { return nil }
    if manifest.status != .started { thumbnails.keep(image, of: id) }
    return image
  }

  /// The image of the first event, which shows why there is a recording; else a frame from its middle.
  private func thumbnail(of manifest: ArchiveManifest) async throws -> [UInt8]? {
    let end = manifest.status == .started ? .max : manifest.endedAt.saturatingAdding(Self.eventMargin)
    let event = await firstEvents(since: manifest.createdAt, before: end)[manifest.id.text]
    if let id = event.flatMap({ DetectedEventID($0.id) }),
      let image = await events?.image(of: id, limit: Self.largestImage)
    {
      return image
    }
    return try await BlockingWork.run(.recordings) { (try? store.middleKeyFrame(manifest.id)).flatMap(makeImage) }
  }

  /// The first event by the ids of the archives that were recorded meanwhile.
  private func firstEvents(since: Int64, before end: Int64 = .max) async -> [String: DetectedEvent] {
    guard let events else { return [:] }
    let found = await events.events(
      since: since.saturatingSubtracting(Self.eventMargin), before: EventPosition(start: end), limit: Self.eventLimit)
    var first: [String: DetectedEvent] = [:]
    for event in found { for archive in event.archives ?? [] { first[archive] = event } }
    return first
  }

  /// Nil for an invalid or unknown name: the requester's mistake, not a failure of this device.
  private static func found<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch ArchiveError.notFound, ArchiveError.invalidName {
      return nil
    }
  }
}

/// One open file of an archive.
private struct ProvidedFile: ArchiveFileReading {
  let file: ArchiveFileReader
  let fileName: String?

  var size: Int64 { Int64(clamping: file.byteCount) }
  var contentType: String { file.contentType }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await BlockingWork.run(.recordings) { [file] in try file.read(at: UInt64(clamping: offset), count: count) }
  }
}

/// One clip, which one reader at a time reads.
private final class ProvidedClip: ArchiveFileReading {
  let size: Int64
  let contentType = "video/webm"
  let fileName: String?
  private let clip: Mutex<ArchiveClip>

  init(_ clip: sending ArchiveClip, fileName: String?) {
    self.fileName = fileName
    size = Int64(clamping: clip.byteCount)
    self.clip = Mutex(clip)
  }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await BlockingWork.run(.recordings) { [self] in
      try clip.withLock { try $0.read(at: UInt64(clamping: offset), count: count) }
    }
  }
}

/// Thumbnails that were asked for lately, the last ones only: a finished archive's does not change, an image is small, and a
/// page of the list asks for some dozens.
private final class ThumbnailCache: Sendable {
  private static let capacity = 64

  private let images = Mutex<[(id: ArchiveID, jpeg: [UInt8])]>([])

  subscript(_ id: ArchiveID) -> [UInt8]? { images.withLock { $0.first { $0.id == id }?.jpeg } }

  func drop(_ id: ArchiveID) { images.withLock { $0.removeAll { $0.id == id } } }

  func keep(_ jpeg: [UInt8], of id: ArchiveID) {
    images.withLock { images in
      images.removeAll { $0.id == id }
      images = images.suffix(Self.capacity - 1) + [(id, jpeg)]
    }
  }
}
