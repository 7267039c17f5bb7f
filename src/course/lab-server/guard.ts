/**
 * Access control of the lab's server. The server listens on the loopback address only, but every page in a browser of this
 * machine can send requests to it. So a request must name this server as its host (not another name that resolves to this
 * address), must not come from another origin, and must contain the token, which is only in the URL that the command printed.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Names by which a browser reaches the server. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** The address by which browsers reach the server through a reverse proxy. */
export interface PublicAddress {
  /** As browsers write it: `https://labs.example.org`. */
  readonly origin: string;
  readonly host: string;
}

/** Returns 192 random bits in the form for a URL. */
export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

export class Guard {
  readonly #tokens: readonly Buffer[];
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #behindProxy: boolean;

  constructor(
    tokens: readonly string[],
    readonly port: number,
    proxy?: PublicAddress,
  ) {
    this.#tokens = tokens.map((token) => Buffer.from(token));
    this.#behindProxy = proxy !== undefined;
    const own = NAMES.map((name) => `${name}:${port}`);
    this.#hosts = new Set([...own, ...(proxy === undefined ? [] : [proxy.host])]);
    this.#origins = new Set([
      ...own.map((host) => `http://${host}`),
      ...(proxy === undefined ? [] : [proxy.origin]),
    ]);
  }

  /**
   * The reason to reject a request because of its host or origin; undefined if it comes from a page of this server,
   * or not from a page.
   */
  refusal({ headers }: IncomingMessage): string | undefined {
    if (!this.#hosts.has(headers.host ?? "")) return "the request names another host";
    const { origin } = headers;
    if (origin !== undefined && !this.#origins.has(origin)) return "the request comes from another origin";
    const site = headers["sec-fetch-site"];
    // A link on a course's site leads to a room: the student's own browser opens it, with the token.
    const byLink =
      this.#behindProxy &&
      headers["sec-fetch-mode"] === "navigate" &&
      headers["sec-fetch-dest"] === "document";
    if ((site === "cross-site" || site === "same-site") && !byLink)
      return "the request comes from another site";
    return undefined;
  }

  /** The index of the token that the URL contains; undefined if it is none of them. The time does not tell which is similar. */
  tokenOf(url: URL): number | undefined {
    const given = Buffer.from(url.searchParams.get("token") ?? "");
    let found: number | undefined;
    for (const [index, token] of this.#tokens.entries())
      if (given.length === token.length && timingSafeEqual(given, token)) found = index;
    return found;
  }
}
