// What notifications of pushed calls and events say, in the language of the subscription or of the browser.

const notificationTexts = {
  __proto__: null,
  en: {
    incoming: (who) => `${who} is calling you.`,
    video: "Video call",
    audio: "Audio call",
    answer: "Answer",
    decline: "Decline",
    missed: (who) => `Missed call from ${who}`,
    answered: (who) => `The call from ${who} was answered.`,
    ended: (who) => `The call from ${who} is over.`,
    unknownCaller: "An unknown caller",
    unknownPush: "The page has something new. Open it to see what.",
    unknownDevice: "a device",
    unknownKind: "Event",
    mute: "Mute for a day",
    kinds: {
      "motion": "Motion", "tamper": "Tampering", "sound": "Sound", "smoke-alarm": "Smoke alarm", "geofence": "Area",
      "speed": "Speed", "temperature": "Temperature", "power": "Power", "input": "Contact", "dark": "Dark",
    },
  },
  de: {
    incoming: (who) => `${who} ruft an.`,
    video: "Videoanruf",
    audio: "Sprachanruf",
    answer: "Annehmen",
    decline: "Ablehnen",
    missed: (who) => `Verpasster Anruf von ${who}`,
    answered: (who) => `Der Anruf von ${who} wurde angenommen.`,
    ended: (who) => `Der Anruf von ${who} ist beendet.`,
    unknownCaller: "Ein unbekannter Anrufer",
    unknownPush: "Auf der Seite gibt es etwas Neues. Öffne sie, um es zu sehen.",
    unknownDevice: "ein Gerät",
    unknownKind: "Ereignis",
    mute: "Einen Tag stumm",
    kinds: {
      "motion": "Bewegung", "tamper": "Manipulation", "sound": "Geräusch", "smoke-alarm": "Rauchmelder",
      "geofence": "Bereich", "speed": "Geschwindigkeit", "temperature": "Temperatur", "power": "Strom",
      "input": "Kontakt", "dark": "Dunkelheit",
    },
  },
};

/** `language` is a language tag such as `de-AT`, or nothing. */
function textsIn(language) {
  const tag = typeof language === "string" && language ? language : navigator.language;
  return notificationTexts[tag.toLowerCase().split("-")[0]] ?? notificationTexts.en;
}
