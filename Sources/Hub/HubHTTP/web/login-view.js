// The log-in form.

import { clientToken, saveClientToken } from "./credentials.js";
import { byID, setText } from "./dom.js";
import { received } from "./renewal.js";
import { loginText } from "./texts.js";

/** Calls `onLogin` with `{userID, userTitle, role, accessToken, expiresIn, receivedAt}` after a successful login. */
export function bindLogin(hub, onLogin) {
  byID("login-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = byID("log-in");
    button.disabled = true;
    setText(byID("login-error"), "");
    try {
      const userTitle = byID("login-title").value.trim();
      const password = byID("login-password").value;
      const { clientToken: newClientToken, ...login } = await hub.login(userTitle, password, clientToken(userTitle));
      byID("login-password").value = "";
      if (newClientToken) saveClientToken(userTitle, newClientToken);
      onLogin(received({ userTitle, ...login }));
    } catch (error) {
      setText(byID("login-error"), loginText(error));
    } finally {
      button.disabled = false;
    }
  });
  byID("insecure").hidden = window.isSecureContext !== false;
  // Until here a click would be lost.
  byID("log-in").disabled = false;
}
