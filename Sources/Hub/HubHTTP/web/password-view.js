// One's password: another one by the old one, or the first by an operator's one-time code.

import { saveClientToken } from "./credentials.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { received } from "./renewal.js";
import { errorText, loginText, texts } from "./texts.js";

/** The form in the settings; `onLogin` gets the login that takes the place of all others. */
export function bindOwnPassword(hub, onLogin) {
  const form = fromTemplate("own-password-template");
  byID("settings-password").append(form);
  const [old, chosen, state] = ["old", "new", "state"].map((name) => form.querySelector(`[data-part="${name}"]`));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await trying(form.querySelector("button"), async () => {
      setText(state, "");
      const { clientToken, ...login } = await hub.changePassword(old.value, chosen.value);
      [old.value, chosen.value] = ["", ""];
      onLogin(received(login), clientToken);
      setText(state, texts.password.changed);
    }, (error) => setText(state, error.status === 403 ? texts.password.wrongOld : passwordText(error)));
  });
}

/** The form beside the log-in form; `onLogin` as of `bindLogin`. */
export function bindCodeLogin(hub, onLogin) {
  const toggle = (isCode) => {
    byID("login-form").hidden = isCode;
    byID("code-form").hidden = !isCode;
    byID(isCode ? "code-title" : "login-title").focus();
  };
  byID("use-code").addEventListener("click", () => {
    byID("code-title").value = byID("login-title").value;
    toggle(true);
  });
  byID("use-password").addEventListener("click", () => toggle(false));
  byID("code-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await trying(byID("code-submit"), async () => {
      setText(byID("code-error"), "");
      const userTitle = byID("code-title").value.trim();
      const { clientToken, ...login } =
        await hub.choosePassword(userTitle, byID("code").value.trim(), byID("code-password").value);
      [byID("code").value, byID("code-password").value] = ["", ""];
      if (clientToken) saveClientToken(userTitle, clientToken);
      toggle(false);
      onLogin(received({ userTitle, ...login }));
    }, (error) => {
      setText(byID("code-error"), error.type === "bad-credentials" ? texts.password.wrongCode : passwordText(error));
    });
  });
}

async function trying(button, step, onError) {
  button.disabled = true;
  try {
    await step();
  } catch (error) {
    onError(error);
  } finally {
    button.disabled = false;
  }
}

function passwordText(error) {
  if (error.status === 429) return loginText(error);
  return error.type === "invalid-request" ? texts.password.tooShort : errorText(error);
}
