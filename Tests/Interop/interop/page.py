"""The hub's web page, used the way a person uses it."""
import json

from interop.processes import wait_until


class CallPage:
    """The page in one tab of a browser."""

    def __init__(self, page, url, title, password):
        """Opens the page; without a `url` it is open already."""
        self.page = page
        self._title, self._password = title, password
        # Sound processing would eat a steady tone.
        if url:
            page.open(f"{url}/?audio=raw")

    def log_in(self, password=None):
        self.page.type_into("#login-title", self._title)
        self.page.type_into("#login-password", password or self._password)
        self.page.click("#log-in")

    def log_in_and_wait(self):
        self.log_in()
        self.wait_until_online()

    def wait_until_online(self):
        self.page.wait_for("document.querySelector('#hub-state').dataset.state === 'online'", "the page is online")

    def choose(self, title, action):
        """Does something (`video`, `audio`, `watch`, `snapshot`, `events`, `archives`) with somebody on the list: by the button
        of the line, or by its menu."""
        line = f".user[data-title={json.dumps(title)}]"
        button = f'{line} [data-action="{action}"]'
        self.page.wait_for(f"document.querySelector({json.dumps(line)})", f"{title} is on the list")
        if not self.page.evaluate(f"!!document.querySelector({json.dumps(button)})"):
            self.page.click(f'{line} [data-action="menu"]')
            button = f'#menu [data-action="{action}"]'
        self.page.click(button)

    def show_day_of(self, event):
        """Of the events that show: a scenario that began before midnight looks for yesterday's."""
        day = f"{event['id'][:4]}-{event['id'][4:6]}-{event['id'][6:8]}"
        self.page.evaluate(f"""(() => {{
          const day = document.querySelector("#day");
          if (day.value === "{day}") return;
          day.value = "{day}";
          day.dispatchEvent(new Event("change"));
        }})()""")

    def wait_for_state(self, state, limit=20.0):
        """Waits for a state of the call; a call that ends instead is an error that quotes the page's words."""
        def reached():
            now = self.state
            if now == "ended" and state != "ended":
                raise AssertionError(f"the call ended: {self.words}")
            return now == state
        wait_until(reached, f"the call is {state} (it is {self.state})", limit)

    @property
    def state(self):
        return self.page.evaluate("document.querySelector('#call').dataset.state")

    @property
    def words(self):
        """What the page says about the call."""
        return self.page.text("#call-state")

    @property
    def session(self):
        return self.page.evaluate("document.querySelector('#call').dataset.sessionId")

    def say(self, text):
        self.page.type_into("#chat-text", text)
        self.page.click("#chat-send")

    def wait_for_chat(self, text):
        self.page.wait_for(f"[...document.querySelectorAll('#chat-lines .theirs .text')]"
                           f".some((line) => line.textContent === {json.dumps(text)})", f"the chat shows {text!r}")

    def require_no_complaints(self):
        if self.page.complaints:
            raise AssertionError(f"the console complains: {self.page.complaints}")
