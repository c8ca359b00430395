internal import RedisClient

/// What Redis itself decides, as a library of Redis Functions: every function touches keys of one hash tag alone, so that it
/// works in a cluster, and takes its time from Redis, so that no node's clock matters. The text is `Functions/*.lua`.
///
/// Functions are named by their text, so that nodes of two versions have each their own while they are exchanged one by
/// one. The records of both are the same, or carry the number of their form.
enum FunctionLibrary {
  /// What the functions' names begin with.
  static let prefix = "ls_\(digest)_"

  static let library = RedisFunctionLibrary(
    name: "livesessions_\(digest)",
    code: "#!lua name=livesessions_\(digest)\n"
      + body.replacing("register_function('", with: "register_function('\(prefix)"))

  private static let body = [
    PackageResources.shared_lua, PackageResources.streams_lua, PackageResources.presence_lua,
    PackageResources.sessions_lua, PackageResources.limits_lua, PackageResources.nodes_lua,
  ].map { String(decoding: $0, as: UTF8.self) }.joined()

  private static let digest = String(RedisKeys.hash(body) >> 32, radix: 36)
}
