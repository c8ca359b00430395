// Who is logged in: kept for this tab only, gone when the tab closes.

const key = "livesessions.login";

/** The stored login `{userID, userTitle, role, accessToken, expiresAt}`, unless it has expired. */
export function restore() {
  try {
    const login = JSON.parse(sessionStorage.getItem(key));
    return login && login.expiresAt > Date.now() ? login : null;
  } catch {
    return null;
  }
}

export function save(login) {
  sessionStorage.setItem(key, JSON.stringify(login));
}

export function clear() {
  sessionStorage.removeItem(key);
}
