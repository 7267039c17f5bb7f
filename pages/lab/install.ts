/** Makes a static page one that a browser can install, and that opens without its server. */

/** Browsers offer service workers to https and to this machine alone; elsewhere the page needs its server. */
export async function keepOffline(): Promise<void> {
  const manifest = document.createElement("link");
  manifest.rel = "manifest";
  manifest.href = "manifest.webmanifest";
  document.head.append(manifest);
  // A browser that stores nothing, as in a private window, refuses; the page works as before.
  await navigator.serviceWorker?.register("offline.js").catch(() => undefined);
}
