// A button that acts when it has been held: what opens a door is nothing to touch in passing.

/** How long, in milliseconds; actions.css shows it. */
export const holdTime = 1_000;

/**
 * Has `button` call `onHeld` once it has been held by pointer or key for a second, and `onTouched` when it was let go
 * before. Assistive programs, which click and cannot hold, act at once.
 */
export function bindHold(button, onHeld, onTouched) {
  let timer = null;
  /** Whether the click that follows belongs to a pointer's press, which has been dealt with. */
  let wasPressed = false;
  const press = () => {
    if (timer !== null || button.disabled) return;
    button.dataset.held = "";
    timer = setTimeout(() => {
      release();
      onHeld();
    }, holdTime);
  };
  const release = () => {
    if (timer === null) return false;
    clearTimeout(timer);
    timer = null;
    delete button.dataset.held;
    return true;
  };
  const letGo = () => { if (release()) onTouched(); };
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    wasPressed = true;
    press();
  });
  button.addEventListener("pointerup", letGo);
  button.addEventListener("pointerleave", release);
  button.addEventListener("pointercancel", release);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  });
  button.addEventListener("keyup", letGo);
  button.addEventListener("blur", release);
  button.addEventListener("click", () => {
    if (!wasPressed) onHeld();
    wasPressed = false;
  });
}
