/** Small choices of a user that the browser stores, where it stores any. */

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // The browser does not store data for this page.
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice is lost when the page is closed.
  }
}
