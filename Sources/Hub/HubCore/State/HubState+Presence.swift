public import Signalling

extension HubState {
  // MARK: Event streams

  /// Refuses a further stream before its response has begun.
  public func checkStreamLimit(of userID: String) throws(HubRefusal) {
    try logs.checkStreamLimit(of: userID, atMost: limits.streamsPerUser)
  }

  public mutating func openStream(
    _ streamID: String, for principal: Principal, lastEventID: String?, now: Instant
  ) throws(HubRefusal) -> StreamOpening {
    if logs.hasLostEvents(of: principal.userID, after: lastEventID) { repeatCalls(to: principal, now: now) }
    let opening = try logs.open(streamID: streamID, for: principal, lastEventID: lastEventID, now: now)
    counters.streamsOpened += 1
    setReachable(true, userID: principal.userID, now: now)
    // A page that was opened because the phone rang, whose stream begins behind what was logged before.
    if lastEventID?.isEmpty ?? true {
      publish(sessions.unanswered(by: principal.userID, onlyThoseOnPhones: true), now: now)
    }
    return opening
  }

  /// Before the stream begins, so that a full log makes room for them behind it.
  private mutating func repeatCalls(to principal: Principal, now: Instant) {
    logs.expect(principal, now: now)
    publish(sessions.unanswered(by: principal.userID), now: now)
  }

  public mutating func closeStream(_ streamID: String, of userID: String, now: Instant) {
    refreshStatus(of: userID, without: streamID, now: now)
    logs.close(streamID: streamID, of: userID, now: now)
    directory.renew(userID: userID, now: now)
  }

  /// What a stream reads next; nil when it was too slow and must be closed.
  public mutating func readStream(of userID: String, after cursor: UInt64) -> (events: [LoggedEvent], cursor: UInt64)? {
    guard let read = logs.events(for: userID, after: cursor) else {
      counters.streamsOverrun += 1
      return nil
    }
    return read
  }

  // MARK: Presence

  /// Announces or renews presence.
  public mutating func updatePresence(
    of principal: Principal, _ update: PresenceUpdate, now: Instant
  ) throws(HubRefusal) {
    if let wait = presenceTraffic.updates.take(principal.userID, now: now) {
      counters.presenceRefused += 1
      throw .tooMany("presence updates", retryAfter: wait)
    }
    try update.check(of: principal)
    if let streamID = update.eventStreamID, !logs.isOpen(streamID: streamID, of: principal.userID) {
      throw .eventStreamGone
    }
    counters.presenceUpdates += 1
    let previous = directory[principal.userID]
    let entry = PresenceEntry(
      principal: principal, location: update.location.applied(to: previous?.location),
      locatedAt: locatedAt(update, previous, now: now), status: status(of: principal.userID, update),
      isAudio: update.isAudio, isVideo: update.isVideo, permits: update.permits, renewedAt: now,
      isReachable: logs.isReachable(principal.userID, now: now, grace: limits.reachabilityGrace))
    directory.update(entry)
    let wasReachable = previous?.isReachable ?? false
    if entry.isReachable != wasReachable || entry.isReachable && previous?.status != entry.status {
      announce(entry, isOnline: entry.isReachable, now: now)
    }
    reconcileSessions(of: principal.userID, update, now: now)
  }

  /// A client leaves: sessions end as well.
  ///
  /// - Parameter streamID: the event stream of the client that leaves. While the user has others, only what this client
  ///   held ends, and the user stays.
  public mutating func withdrawPresence(userID: String, streamID: String? = nil, now: Instant) {
    if let streamID, logs.hasStream(besides: streamID, of: userID) {
      return withdraw(streamID, of: userID, now: now)
    }
    publish(sessions.vanish(userID: userID, .left, now: now), now: now)
    remove(userID: userID, now: now)
  }

  private mutating func withdraw(_ streamID: String, of userID: String, now: Instant) {
    if let held = logs.note(heldSessions: [], by: streamID, of: userID) {
      publish(sessions.reconcile(userID: userID, held: held, now: now), now: now)
    }
    refreshStatus(of: userID, without: streamID, now: now)
  }

  /// What the user's other clients say, when one leaves; unchanged when it was the only one.
  private mutating func refreshStatus(of userID: String, without streamID: String, now: Instant) {
    guard let status = logs.note(nil, by: streamID, of: userID), var entry = directory[userID], entry.status != status
    else { return }
    entry.status = status
    directory.update(entry)
    announce(entry, isOnline: entry.isReachable, now: now)
  }

  public mutating func nearby(
    _ query: NearbyQuery, asker: Principal, now: Instant
  ) throws(HubRefusal) -> [NearbyUser] {
    if let wait = presenceTraffic.queries.take(asker.userID, now: now) {
      throw .tooMany("lists of users", retryAfter: wait)
    }
    try query.check()
    counters.nearbyQueries += 1
    return directory.nearby(query, asker: asker).map { user in
      var user = user
      user.positionAge = directory[user.userID]?.positionAge(at: now)
      return user
    }
  }

  // MARK: Parts

  /// When the user was at the position that is shown. A client that omits it leaves what another reported.
  private func locatedAt(_ update: PresenceUpdate, _ previous: PresenceEntry?, now: Instant) -> Instant? {
    if let age = update.positionAge { return now - .seconds(age) }
    return update.location == .unchanged ? previous?.locatedAt : nil
  }

  /// Of the user as a whole, who may have several clients.
  private mutating func status(of userID: String, _ update: PresenceUpdate) -> PresenceStatus {
    guard let streamID = update.eventStreamID else { return update.status }
    return logs.note(update.status, by: streamID, of: userID) ?? update.status
  }

  private mutating func reconcileSessions(of userID: String, _ update: PresenceUpdate, now: Instant) {
    guard let list = update.sessions else { return }
    var held: Set<SessionID>? = Set(list)
    if let streamID = update.eventStreamID {
      held = logs.note(heldSessions: Set(list), by: streamID, of: userID)
    }
    guard let held else { return }
    publish(sessions.reconcile(userID: userID, held: held, now: now), now: now)
  }

  /// Ends what hangs on event streams that are gone.
  mutating func dropUnreachable(now: Instant) {
    for userID in logs.userIDs(unreachableFor: limits.reachabilityGrace, now: now) {
      setReachable(false, userID: userID, now: now)
    }
    for userID in sessions.usersInSessions.sorted()
    where !logs.isReachable(userID, now: now, grace: limits.resumeWindow) {
      publish(sessions.vanish(userID: userID, .hasNoStream, now: now), now: now)
    }
  }

  /// Forgets what was announced by those without an event stream; the others' presence is renewed, so that each is
  /// checked once in a lifetime.
  mutating func expirePresence(now: Instant) {
    for userID in directory.userIDs(renewedBefore: now - limits.presenceLifetime) {
      if logs.isOpen(userID) { directory.renew(userID: userID, now: now) } else { remove(userID: userID, now: now) }
    }
  }

  private mutating func setReachable(_ isReachable: Bool, userID: String, now: Instant) {
    guard let entry = directory[userID], entry.isReachable != isReachable else { return }
    directory.setReachable(isReachable, userID: userID)
    announce(entry, isOnline: isReachable, now: now)
  }

  private mutating func remove(userID: String, now: Instant) {
    guard let entry = directory.remove(userID: userID), entry.isReachable else { return }
    announce(entry, isOnline: false, now: now)
  }

  private mutating func announce(_ entry: PresenceEntry, isOnline: Bool, now: Instant) {
    let announcement = PresenceAnnouncement(principal: entry.principal, isOnline: isOnline, status: entry.status)
    if let announcement = presenceTraffic.announcements.admit(announcement, now: now) {
      publish(announcement, now: now)
    }
  }

  /// Announces those who changed again soon after they were announced.
  mutating func announceDue(now: Instant) {
    for announcement in presenceTraffic.announcements.due(now: now) { publish(announcement, now: now) }
  }

  private mutating func publish(_ announcement: PresenceAnnouncement, now: Instant) {
    guard let listeners = logs.listeners(of: announcement.principal, limit: limits.presenceListeners) else { return }
    publish(.presence(announcement.event), to: listeners, now: now)
  }
}

extension LocationUpdate {
  /// The position to be shown after this update of `previous`.
  fileprivate func applied(to previous: UserLocation?) -> UserLocation? {
    switch self {
    case .unchanged: previous
    case .withdrawn: nil
    case .at(let location): location
    }
  }
}
