/// The states of the sources of one direction, found by SSRC.
///
/// There are a few at a time, so they are searched one by one. A source gets a state only with an authentic packet;
/// beyond the limit the one that was silent longest loses its state.
struct SSRCStateTable<State> {
  private var entries: [(ssrc: UInt32, lastUse: UInt64, state: State)] = []
  private var uses: UInt64 = 0
  private let limit: Int

  /// Memory is allocated with the sources that come.
  init(limit: Int) { self.limit = limit }

  /// Where the source's state is.
  func position(of ssrc: UInt32) -> Int? { entries.firstIndex { $0.ssrc == ssrc } }

  subscript(_ position: Int) -> State {
    get { entries[position].state }
    _modify { yield &entries[position].state }
  }

  mutating func noteUse(at position: Int) {
    uses += 1
    entries[position].lastUse = uses
  }

  mutating func insert(_ state: State, for ssrc: UInt32) {
    if entries.count == limit, let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse }) {
      entries.remove(at: oldest)
    }
    uses += 1
    entries.append((ssrc, uses, state))
  }
}
