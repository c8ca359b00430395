internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import Signalling

/// `GET /v1/event-images/{userID}/{eventID}`: the image of a pushed event, for the browser that the message came to. It has a
/// ticket in place of a token, since a page's service worker has no login.
struct EventImageRoutes {
  static let ticket = HTTPField.Name("X-Image-Ticket")!

  let archives: ArchiveRoutes
  /// Nil for a hub without `[push]`.
  let events: EventPushes?
  let connections: ConnectionRegistry

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/event-images/:userID/:eventID") { request, context in
      let deviceID = try context.parameters.require("userID")
      guard let eventID = context.parameters.get("eventID").flatMap({ DetectedEventID($0) }) else {
        throw HubRefusal.invalid(field: "eventID", reason: "not an event's id")
      }
      guard let ticket = request.headers[Self.ticket],
        let holder = try await events?.holder(of: ticket, deviceID: deviceID, eventID: eventID)
      else { throw HubRefusal.notFound("no such image, or the ticket is none for it") }
      connections.noteAuthenticated(context.channel)
      return try await archives.fetch(.eventImage(eventID), of: deviceID, by: holder, context)
    }
  }
}
