/// `POST /v1/view-links`: a link by which whoever has it views a device, by WHEP.
public struct ViewLinkRequest: Codable, Sendable {
  /// What the device sees as the viewer's title.
  public var name: String
  public var deviceID: String
  /// Milliseconds since 1970.
  public var until: Int64

  public init(name: String, deviceID: String, until: Int64) {
    (self.name, self.deviceID, self.until) = (name, deviceID, until)
  }
}

/// The answer to it: the only time that the link is shown.
public struct ViewLinkGrant: Codable, Sendable {
  /// By which it is revoked, as an invitation is.
  public var id: String
  /// Relative to the hub's address. Secret: whoever has it views the device until its time is over.
  public var link: String
  /// Milliseconds since 1970.
  public var until: Int64

  public init(id: String, link: String, until: Int64) { (self.id, self.link, self.until) = (id, link, until) }
}
