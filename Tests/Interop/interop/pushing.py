"""Pushes to a page's service worker: Chromium without a network has no push service, so its subscription is a test's own, and
what the service gets is handed to the worker through the DevTools protocol."""
import copy
import json
import shutil

from interop.processes import wait_until

#: In place of what the browser would ask its maker's service for. It outlives the page, as a subscription does.
STUB = """
(() => {
  const json = %s;
  const key = "interop.subscription";
  const octets = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const stored = () => {
    const applicationServerKey = localStorage.getItem(key);
    return applicationServerKey && {
      endpoint: json.endpoint, options: { applicationServerKey: octets(applicationServerKey).buffer }, toJSON: () => json,
      async unsubscribe() { localStorage.removeItem(key); return true; },
    };
  };
  PushManager.prototype.getSubscription = async () => stored();
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly) throw new DOMException("userVisibleOnly", "NotAllowedError");
    localStorage.setItem(key, btoa(String.fromCharCode(...new Uint8Array(applicationServerKey))));
    return stored();
  };
})();
"""


# Seconds after which a hub that is asked for its page has seen a change of a file.
PAGE_CHECK = 1.2


def with_own_web(context):
    """The context with a copy of the page's folder, which a test may change."""
    changed = copy.copy(context)
    changed.web = context.scratch / "web"
    shutil.copytree(context.web, changed.web)
    return changed


def with_subscription(context, subscription):
    """The context with a page whose browser has this subscription (see :class:`push_service.Subscription`)."""
    changed = with_own_web(context)
    (changed.web / "interop-push.js").write_text(STUB % json.dumps(subscription.to_json()))
    index = changed.web / "index.html"
    index.write_text(index.read_text().replace("<script ", '<script src="interop-push.js"></script>\n  <script ', 1))
    return changed


class Worker:
    """The service worker of the page at `url`, seen from any page of the browser."""

    def __init__(self, page, url):
        self._page = page
        self._scope = f"{url}/"
        self.origin = "/".join(url.split("/")[:3])
        page.command("ServiceWorker.enable")

    def allow_notifications(self):
        self._page.command("Browser.grantPermissions", permissions=["notifications"], origin=self.origin)

    def push(self, payload):
        """Hands over what a push service would: a JSON value, or text that is none."""
        data = payload if isinstance(payload, str) else json.dumps(payload)
        self._page.command("ServiceWorker.deliverPushMessage", origin=self.origin, registrationId=self._number(), data=data)

    def _number(self):
        def known():
            self._page.evaluate("0")
            return self._page.registrations.get(self._scope)
        return wait_until(known, f"there is a service worker for {self._scope}")
