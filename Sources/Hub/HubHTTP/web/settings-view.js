// The person's settings in this browser: language, ringing, logins, and what the page has said lately.

import { byID, setText } from "./dom.js";
import { timeText } from "./formats.js";
import { chooseLanguage, chosenLanguage, languages } from "./language.js";
import { messages } from "./messages.js";
import { texts } from "./view-texts.js";

export class SettingsView {
  #loginsView;
  #isBusy;

  /** `isBusy` is whether a call is on, which a reload would end. */
  constructor(loginsView, isBusy) {
    this.#loginsView = loginsView;
    this.#isBusy = isBusy;
    const choices = Object.entries(languages).map(([tag, name]) => new Option(name, tag));
    byID("language").append(...choices);
    byID("language").addEventListener("change", () => this.#choose(byID("language").value));
    messages.addEventListener("added", () => this.#renderMessages());
    this.#renderMessages();
  }

  open(userTitle) {
    byID("settings").hidden = false;
    byID("settings-name").textContent = texts.settings.loggedInAs(userTitle);
    byID("language").value = chosenLanguage() ?? "";
    setText(byID("language-state"), "");
    this.#loginsView.open();
    byID("settings").scrollIntoView({ block: "nearest" });
  }

  close() {
    this.#loginsView.close();
    byID("settings").hidden = true;
  }

  /** All texts are put when the page is loaded. */
  #choose(tag) {
    chooseLanguage(tag || null);
    if (this.#isBusy()) setText(byID("language-state"), texts.settings.languageLater);
    else location.reload();
  }

  #renderMessages() {
    byID("messages").replaceChildren(...messages.all.map(({ text, time }) => {
      const line = document.createElement("li");
      const moment = document.createElement("span");
      moment.className = "time";
      moment.textContent = timeText(time);
      line.append(moment, text);
      return line;
    }));
    byID("messages-none").hidden = messages.all.length > 0;
  }
}
