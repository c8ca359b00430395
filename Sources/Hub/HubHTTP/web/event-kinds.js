// Kinds of events. Made from the table in Sources/Core/Signalling/DetectedEvents/EventKind.swift:
// LIVESESSIONS_GENERATE=1 swift test --filter EventKindPageTests

/** By its name, what people call a kind and how it is marked: `notice`, `ambient` or `alarm`. */
export const eventKinds = {
  __proto__: null,
  "motion": { label: "Motion", mark: "notice" },
  "tamper": { label: "Tampering", mark: "alarm" },
  "sound": { label: "Sound", mark: "ambient" },
  "smoke-alarm": { label: "Smoke alarm", mark: "alarm" },
  "geofence": { label: "Area", mark: "notice" },
  "speed": { label: "Speed", mark: "notice" },
  "temperature": { label: "Temperature", mark: "notice" },
  "power": { label: "Power", mark: "notice" },
  "input": { label: "Contact", mark: "notice" },
  "dark": { label: "Dark", mark: "notice" },
};
