import Archive
import Glibc
import MediaCore
import RealtimeRuntime
import WebM

// Measures the recording side alone, without encoders: archive-bench FOLDER [megabytes]
//
// Prints one line a figure. FOLDER has to be on the disk that is to be measured; what is made there goes again.

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
  print("usage: archive-bench FOLDER [megabytes of the file to be repaired, default 1024]")
  exit(2)
}
let megabytes = arguments.count > 2 ? Int(arguments[2]) ?? 1024 : 1024
RingCost.measure()
MuxCost.measure()
try await LiveCost.measure(folder: arguments[1])
try await EvidenceCost.measure(folder: arguments[1])
try RepairCost.measure(folder: arguments[1], megabytes: megabytes)
rmdir(arguments[1] + "/archive-bench")
