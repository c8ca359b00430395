import Evidence
import TestSupport
import OpenSSLCrypto
import Testing
import TransportCrypto

/// A chain as a device writes it, and what is made of it.
struct ChainSample {
  let crypto = OpenSSLCrypto()
  let key: Ed25519Key
  private var chain = EvidenceChain()
  private var wallOffset: Int64 = 1_795_262_400_000
  /// Each statement's record.
  private(set) var records: [[UInt8]] = []

  init(key: Ed25519Key? = nil, progress: Int = 4, isConcluded: Bool = true) throws {
    self.key = try key ?? Ed25519Key()
    let file = EvidenceFile(number: 0, start: 500_000, name: "device.webm")
    try say(
      .opening, at: 500_100,
      [.archive(id: "a1"), .deviceKey(self.key.publicKey), .file(file), range(0)])
    for index in 1...progress { try say(.progress, at: 500_000 + 1_000 * Int64(index), [range(UInt32(index))]) }
    guard isConcluded else { return }
    let document = EvidenceDocument(name: "archive.json", byteCount: 12, digest: digest("{}"))
    try say(
      .conclusion, at: 510_000,
      [
        .completed(EvidenceCompletion(file: 0, byteCount: 1_000, headerByteCount: 100, digest: digest("h"))),
        .document(document),
      ])
  }

  /// - Parameter step: milliseconds by which the wall clock is set before.
  mutating func say(
    _ kind: EvidenceStatement.Kind, at monotonic: Int64, _ items: [EvidenceItem], step: Int64 = 0
  ) throws {
    wallOffset += step
    let time = EvidenceTime(wallClock: wallOffset + monotonic, isSynchronized: true, monotonic: monotonic)
    let pending = try chain.makeRecord(EvidenceStatement(kind, at: time, items: items), crypto, signer: key)
    chain.advance(past: pending)
    records.append(pending.bytes)
  }

  func range(_ index: UInt32) -> EvidenceItem {
    .range(
      EvidenceRange(
        file: 0, offset: 100 + 100 * UInt64(index), byteCount: 100, from: index * 1_000, to: (index + 1) * 1_000,
        digest: digest("cluster \(index)")))
  }

  func digest(_ text: String) -> EvidenceDigest {
    let bytes = Array(text.utf8)
    return EvidenceDigest(.content, of: bytes.span.bytes, crypto)
  }

  static func audit(_ records: [[UInt8]]) -> EvidenceAudit { audit(records.flatMap { $0 }) }

  static func audit(_ bytes: [UInt8]) -> EvidenceAudit {
    let crypto = OpenSSLCrypto()
    var source = MemorySource(bytes)
    var reader = EvidenceReader(crypto)
    var audit = EvidenceAudit(crypto, crypto)
    while let element = reader.next(&source) { audit.take(element) }
    audit.finish()
    return audit
  }
}

@Suite struct EvidenceTests {
  @Test func aWholeChainSaysWhatWasSaid() throws {
    let sample = try ChainSample()
    let audit = ChainSample.audit(sample.records)
    #expect(audit.faults == [])
    #expect(audit.archiveID == "a1")
    #expect(audit.deviceKey == sample.key.publicKey)
    #expect(audit.ranges.count == 5)
    #expect(audit.ranges.last?.statement == 4)
    #expect(audit.files[0]?.name == "device.webm")
    #expect(audit.documents["archive.json"]?.first?.byteCount == 12)
    #expect(audit.completions[0]?.headerByteCount == 100)
    guard case .concluded(let time) = audit.ending else {
      Issue.record("not concluded")
      return
    }
    #expect(time.monotonic == 510_000)
    #expect(audit.lastRecording == 4)
  }

  @Test func aStepOfTheWallClockIsSeenByTheOther() throws {
    var sample = try ChainSample(isConcluded: false)
    try sample.say(.progress, at: 505_000, [sample.range(5)], step: 86_400_000)
    try sample.say(.progress, at: 506_000, [sample.range(6)], step: 400)
    try sample.say(.progress, at: 507_000, [sample.range(7)], step: -3_600_000)
    let steps = ChainSample.audit(sample.records).clockSteps
    #expect(steps.map(\.span) == [86_400_000, -3_600_000])
    #expect(steps.map(\.after) == [504_000, 506_000])
    #expect(steps.map(\.before) == [505_000, 507_000])
    #expect(ChainSample.audit(try ChainSample().records).clockSteps == [])
  }

  @Test func itemsOfEveryKindComeBack() throws {
    var sample = try ChainSample()
    let range = EvidenceRange(
      file: 7, offset: .max, byteCount: .max, from: .max, to: 1, digest: sample.digest("x"))
    let items: [EvidenceItem] = [
      .certificate("a.b.c"), .found(range), .timeStamp(EvidenceTimeStamp(statement: 5, response: [1, 2, 3])),
    ]
    try sample.say(.attachment, at: -5, items)
    let bytes = try #require(sample.records.last)
    let record = try EvidenceRecord(decoding: bytes.span.bytes, sample.crypto)
    #expect(record.statement.items == items)
    #expect(record.statement.time.monotonic == -5)
    #expect(range.end == .max)
    let audit = ChainSample.audit(sample.records)
    #expect(audit.timeStamps.first?.digest != nil)
    #expect(audit.certificates == ["a.b.c"])
  }

  /// Each byte of each statement, one bit of it: found every time, and placed between the statements around.
  @Test func aChangedBitAnywhereIsFound() throws {
    let sample = try ChainSample(progress: 2)
    let bytes = sample.records.flatMap { $0 }
    var offset = 0
    for (number, record) in sample.records.enumerated() {
      for index in offset..<offset + record.count {
        var changed = bytes
        changed[index] ^= 1 << UInt8(index % 8)
        let audit = ChainSample.audit(changed)
        #expect(!audit.faults.isEmpty, "byte \(index)")
        #expect(audit.faults.count == 1 || number == 0, "byte \(index): \(audit.faults)")
        guard number > 0, number < 3 else { continue }
        let time = (after: 499_100 + 1_000 * Int64(number), before: 500_000 + 1_000 * Int64(number + 1))
        guard case .changed(let gap) = audit.faults[0] else {
          Issue.record("byte \(index): \(audit.faults)")
          continue
        }
        #expect(
          gap.after ?? 0 >= time.after - 100 && gap.before ?? .max <= max(time.before, 510_000), "byte \(index): \(gap)"
        )
      }
      offset += record.count
    }
  }

  @Test func statementsThatAreTakenOutSwappedOrRepeatedAreFound() throws {
    let records = try ChainSample().records
    for index in 1..<records.count - 1 {
      var (less, more, swapped) = (records, records, records)
      less.remove(at: index)
      more.insert(records[index], at: index)
      swapped.swapAt(index, index - 1)
      for changed in [less, more, swapped] { #expect(!ChainSample.audit(changed).faults.isEmpty) }
    }
    #expect(ChainSample.audit(Array(records.dropFirst())).faults.contains(.noOpening))
  }

  /// A power cut leaves any beginning of the file: what is whole of it stands.
  @Test func everyBeginningIsSoundUpToItsLastWholeStatement() throws {
    let records = try ChainSample(progress: 1).records
    let bytes = records.flatMap { $0 }
    let ends = records.indices.map { records[...$0].reduce(0) { $0 + $1.count } }
    for count in ends[0]...bytes.count {
      let audit = ChainSample.audit(Array(bytes[..<count]))
      let whole = ends.last { $0 <= count }!
      #expect(audit.faults == (whole == count ? [] : [.tornTail(byteCount: UInt64(count - whole))]), "\(count) bytes")
      #expect(audit.statementCount == ends.count { $0 <= count })
    }
  }

  @Test func anotherKeySignsNothingInThisChain() throws {
    let (sample, other) = (try ChainSample(), try ChainSample())
    var records = sample.records
    records[2] = other.records[2]
    #expect(ChainSample.audit(records).faults.count == 1)
    let foreign = ChainSample.audit(other.records)
    #expect(foreign.faults == [])
    #expect(foreign.deviceKey != sample.key.publicKey)
  }

  @Test func aRecordThatCouldNotBeWrittenIsForgotten() throws {
    let (crypto, key) = (OpenSSLCrypto(), try Ed25519Key())
    var chain = EvidenceChain()
    let time = EvidenceTime(wallClock: 0, isSynchronized: false, monotonic: 0)
    let opening = try chain.makeRecord(
      EvidenceStatement(.opening, at: time, items: [.deviceKey(key.publicKey)]), crypto, signer: key)
    chain.advance(past: opening)
    _ = try chain.makeRecord(EvidenceStatement(.progress, at: time, items: []), crypto, signer: key)
    let next = try chain.makeRecord(EvidenceStatement(.conclusion, at: time, items: []), crypto, signer: key)
    #expect(ChainSample.audit([opening.bytes, next.bytes]).faults == [])
  }

  @Test func badFormsAreTold() throws {
    let crypto = OpenSSLCrypto()
    var record = try ChainSample().records[1]
    record[8] = 2
    #expect(throws: EvidenceRecordError.otherVersion(2)) {
      try EvidenceRecord(decoding: record.span.bytes, crypto)
    }
    let (short, late) = (Array(record.dropLast()), Array(record.dropFirst()))
    #expect(throws: EvidenceRecordError.incomplete) { try EvidenceRecord(decoding: short.span.bytes, crypto) }
    #expect(throws: EvidenceRecordError.noMagic) { try EvidenceRecord(decoding: late.span.bytes, crypto) }
  }
}
