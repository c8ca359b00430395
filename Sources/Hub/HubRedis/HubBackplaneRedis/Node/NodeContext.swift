internal import HubCore

/// What the parts of a node have in common.
struct NodeContext: Sendable {
  let link: RedisLink
  let limits: HubLimits
  let clock = SharedClock()
  let identity: NodeIdentity
  let registry: StreamRegistry
  let counters = NodeCounters()

  /// - Parameter name: what operators call the node.
  init(link: RedisLink, limits: HubLimits, name: String) {
    (self.link, self.limits) = (link, limits)
    identity = NodeIdentity(prefix: name)
    registry = StreamRegistry(limits: limits)
  }
}
