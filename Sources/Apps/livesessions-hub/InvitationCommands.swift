public import ArgumentParser
import CommandSuggestions
import Foundation
import HubCore
import HubHTTP
import HubStore
public import Signalling

struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make a link by which a guest without an account may call a device.",
    discussion: """
      The link holds for the browser that uses it first. Its secret stands behind the #, which browsers send to no \
      server; pass it on by a way that others do not read.
      """)

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The title or id of the device to call.") var device: String?
  @Option(help: "A group, all of whose devices may be called.") var group: String?
  @Option(parsing: .unconditional, help: "What the device sees as the guest's title.") var name = "Guest"
  @Option(help: "What the guest may send and receive.") var media: GuestMedia = .video
  @Option(help: "From when on, for example \"2026-12-24 08:00\". (default: now)") var from: String?
  @Option(help: "Until when.") var to: String?
  @Option(name: .customLong("for"), help: "How long, for example 2h or 1d. (default: 1d)") var length: String?
  @Option(help: "The hub's address in the link, such as https://hub.example.org.") var url: String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (device != nil) != (group != nil) else { throw ValidationError("give --device or --group") }
    guard to == nil || length == nil else { throw ValidationError("give --to or --for, not both") }
  }

  func run() async throws {
    try await reportingFailures {
      let hosts = try options.loadConfiguration().allowedHosts
      try await options.withStore { store in
        let request = try await request(in: store)
        let (record, code) = try await changingAccounts {
          try await Invitations(store: store).make(
            request, by: .localAdministrator(LocalAudit.userName), id: makeUserID(), now: currentTime())
        }
        await LocalAudit.record(.made(record, by: LocalAudit.actor), in: store, of: options)
        let base = url ?? hosts.first.map { "https://\($0)" } ?? "https://HUB"
        let link = "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/#/guest/\(code.text)"
        if json { return try printJSON(ListedInvitation(record, link: link)) }
        printError("invited \"\(record.name)\" to \"\(record.targetTitle)\" until \(TableHeading.time(record.until))")
        StandardOutput.printLine(link)
      }
    }
  }

  private func request(in store: any HubStore) async throws -> InvitationRequest {
    let start = try from.map { try Self.time($0, option: "--from") }
    let end: Int64
    if let to {
      end = try Self.time(to, option: "--to")
    } else {
      end = (start ?? currentTime()) + (try milliseconds(of: length ?? "1d", option: "--for"))
    }
    var deviceID = device
    if let device, let known = try await changingAccounts({ try await store.user(title: device) }) {
      deviceID = known.id
    }
    return InvitationRequest(
      name: name, deviceID: deviceID, group: group, media: media, from: start, until: end)
  }

  /// Milliseconds since 1970 of an ISO 8601 time, or of a local one.
  private static func time(_ text: String, option: String) throws -> Int64 {
    guard let date = date(text), let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) else {
      throw Failure("\(option): \"\(text)\" is not a time; write for example \"2026-12-24 08:00\"")
    }
    return milliseconds
  }

  private static func date(_ text: String) -> Date? {
    if let date = try? Date(text, strategy: .iso8601) { return date }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    for format in ["yyyy-MM-dd HH:mm", "yyyy-MM-dd'T'HH:mm"] {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}

struct ListInvitationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list-invitations", abstract: "List invitations of guests, the newest first.")

  @OptionGroup var options: HubOptions
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let records = try await changingAccounts { try await store.invitations() }
        let listed = records.sorted { $0.createdAt > $1.createdAt }.map { ListedInvitation($0) }
        if json { return try printJSON(listed) }
        ListedInvitation.heading.printTable(listed.map(\.row), shortened: [7, 6])
      }
    }
  }
}

struct RevokeInvitationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke-invitation", abstract: "End an invitation and its guest's call; takes effect within seconds.")

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The invitation, as list-invitations names it.") var id: String

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let revoked = try await changingAccounts {
          try await Invitations(store: store).revoke(id, now: currentTime())
        }
        guard let revoked else { throw Failure("there is no such invitation that can still be used") }
        await LocalAudit.record(
          .invitationRevoked, on: revoked.auditSubject, groups: Set(revoked.groups), in: store, of: options)
        printError("revoked the invitation of \"\(revoked.name)\"")
      }
    }
  }
}

extension GuestMedia: ExpressibleByArgument {}

/// What `list-invitations --json` shows of an invitation: nothing secret but the link of a new one.
private struct ListedInvitation: Encodable {
  var entry: InvitationEntry
  var link: String?

  private enum CodingKeys: CodingKey { case link }

  init(_ record: InvitationRecord, link: String? = nil) {
    entry = record.entry(at: currentTime())
    self.link = link
  }

  func encode(to encoder: any Encoder) throws {
    try entry.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(link, forKey: .link)
  }

  static let heading = TableHeading(["ID", "STATE", "GUEST", "FOR", "MEDIA", "FROM", "UNTIL", "MADE BY"])

  var row: [String] {
    [
      entry.id, entry.state.rawValue, entry.name, entry.deviceTitle ?? entry.group.map { "group \($0)" } ?? "-",
      entry.media.rawValue, TableHeading.time(entry.from), TableHeading.time(entry.until), entry.madeBy,
    ]
  }
}
