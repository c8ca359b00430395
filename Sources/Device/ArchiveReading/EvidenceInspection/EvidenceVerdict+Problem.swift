import Archive
import Evidence

extension EvidenceVerdict.Problem {
  init(text: String) { self.text = text }

  init(_ finding: EvidenceFinding) {
    let (file, stretch, text) = finding.parts
    self.file = file
    from = stretch?.from
    to = stretch?.to
    self.text = text
  }
}

extension EvidenceFinding {
  /// The file, milliseconds from the archive's start, and what people read.
  fileprivate var parts: (file: String?, stretch: (from: Int64?, to: Int64?)?, text: String) {
    switch self {
    case .statements(let fault, let from, let to): (nil, (from?.offset, to?.offset), fault.sentence)
    case .otherArchive(let id): (nil, nil, "the evidence belongs to archive \(id)")
    case .unconcluded:
      (nil, nil, "the manifest calls the recording complete, and the device's last statement of that is not there")
    case .changed(let name, let stretch): (name, stretch.offsets, "is not what the device wrote")
    case .moved(let name, let stretch, let source, let origin):
      (name, stretch.offsets, "holds what the device wrote into \(source) at \(origin.from.offset) ms")
    case .header(let name): (name, nil, "what stands before the first cluster (duration, index, tracks) was changed")
    case .document(let name): (name, nil, "was changed")
    case .missingFile(let name): (name, nil, "is missing")
    case .replacedFile(let name): (name, nil, "has a link, a pipe or the like in its place")
    case .addedFile(let name): (name, nil, "was not made by the device")
    case .truncated(let name, let stretch): (name, stretch.offsets, "ends before what the device wrote")
    case .extended(let name, let byteCount): (name, nil, "has \(byteCount) bytes behind what the device wrote")
    case .lost(let name, let stretch): (name, stretch.offsets, "had not reached the disk when the power went")
    case .unproven(let name, let byteCount):
      (name, nil, "has \(byteCount) bytes behind the last statement, without proof")
    case .recovered(let name, let stretch):
      (name, stretch.offsets, "was found by the device when it recovered the archive, without proof from before")
    }
  }
}

extension EvidenceStretch {
  fileprivate var offsets: (from: Int64?, to: Int64?) { (from.offset, to.offset) }
}

extension EvidenceFault {
  fileprivate var sentence: String {
    switch self {
    case .noOpening: "the evidence does not begin with the device's first statement"
    case .changed: "the evidence of this time was changed"
    case .missing: "the evidence of this time was taken out"
    case .outOfOrder: "the evidence of this time stands in another place"
    case .tornTail(let byteCount): "\(byteCount) bytes at the end of the evidence are no statement"
    case .otherVersion(let version): "the evidence has format \(version), which this program does not know"
    }
  }
}
