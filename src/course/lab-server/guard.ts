/**
 * Access control of the lab's server. The server listens on the loopback address only, but every page in a browser of this
 * machine can send requests to it. So a request must name this server as its host (not another name that resolves to this
 * address), must not come from another origin, and must contain the token, which is only in the URL that the command printed.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Names by which a browser reaches the server. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** Returns 192 random bits in the form for a URL. */
export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

export class Guard {
  readonly #token: Buffer;
  readonly #hosts: ReadonlySet<string>;

  constructor(
    token: string,
    readonly port: number,
  ) {
    this.#token = Buffer.from(token);
    this.#hosts = new Set(NAMES.map((name) => `${name}:${port}`));
  }

  /**
   * The reason to reject a request because of its host or origin; undefined if it comes from a page of this server,
   * or not from a page.
   */
  refusal({ headers }: IncomingMessage): string | undefined {
    if (!this.#hosts.has(headers.host ?? "")) return "the request names another host";
    const { origin } = headers;
    if (origin !== undefined && !this.#isOwn(origin)) return "the request comes from another origin";
    const site = headers["sec-fetch-site"];
    if (site === "cross-site" || site === "same-site") return "the request comes from another site";
    return undefined;
  }

  #isOwn(origin: string): boolean {
    return [...this.#hosts].some((host) => origin === `http://${host}`);
  }

  /** Whether the URL contains the token. */
  hasToken(url: URL): boolean {
    const given = Buffer.from(url.searchParams.get("token") ?? "");
    return given.length === this.#token.length && timingSafeEqual(given, this.#token);
  }
}
