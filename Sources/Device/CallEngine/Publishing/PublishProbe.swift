/// Finds out whether a server could be published to, without a session.
public enum PublishProbe {
  /// - Returns: what is wrong, and what to do about it; nil if the endpoint answers and takes the token.
  public static func problem(_ target: PublishTarget) async -> PublishFailure? {
    do throws(PublishFailure) {
      try await WHIPEndpoint(target: target).probe()
      return nil
    } catch {
      return error
    }
  }
}
