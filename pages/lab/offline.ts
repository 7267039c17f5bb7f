/**
 * The service worker of a static page: keeps its files, and answers from them where the web server cannot be reached. While it
 * can, its answer counts, so that a page that the teacher has changed is seen at once. `p4loom lab --static` writes the list of
 * the files in front of this script; another list is another script, which a browser installs anew.
 */

/** What the tools' types of pages do not have of a service worker's scope (Service Workers, W3C). */
interface Scope {
  readonly OFFLINE: { readonly version: string; readonly files: readonly string[] };
  readonly registration: { readonly scope: string };
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(name: "fetch", listener: (event: Fetch) => void): void;
}

interface Extendable {
  waitUntil(done: Promise<unknown>): void;
}

interface Fetch {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

const scope = globalThis as unknown as Scope;
/** Several pages may be on one host: each keeps its own. */
const PAGE = `p4loom-lab ${scope.registration.scope} `;
const NAME = PAGE + scope.OFFLINE.version;

scope.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(NAME);
    // The browser may have older copies of the files; those of this list are wanted.
    await cache.addAll(scope.OFFLINE.files.map((file) => new Request(file, { cache: "reload" })));
    await scope.skipWaiting();
  };
  event.waitUntil(keep());
});

scope.addEventListener("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys())
      if (name.startsWith(PAGE) && name !== NAME) await caches.delete(name);
    await scope.clients.claim();
  };
  event.waitUntil(tidy());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope.registration.scope)) return;
  event.respondWith(
    fetch(request).catch(async (error: unknown) => {
      // `?project=NAME` is for the page, not for the server.
      const kept = await (await caches.open(NAME)).match(request, { ignoreSearch: true });
      if (kept === undefined) throw error;
      return kept;
    }),
  );
});
