// The log-in form.

import { byID, setWords } from "./dom.js";
import { loginWords } from "./words.js";

/** Calls `onLogin` with `{userID, userTitle, role, accessToken, expiresAt}` after a successful login. */
export function bindLogin(hub, onLogin) {
  byID("login-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = byID("log-in");
    button.disabled = true;
    setWords(byID("login-error"), "");
    try {
      const userTitle = byID("login-title").value.trim();
      const response = await hub.login(userTitle, byID("login-password").value);
      byID("login-password").value = "";
      onLogin({ ...response, userTitle });
    } catch (error) {
      setWords(byID("login-error"), loginWords(error));
    } finally {
      button.disabled = false;
    }
  });
  // Until here a click would be lost.
  byID("log-in").disabled = false;
}
