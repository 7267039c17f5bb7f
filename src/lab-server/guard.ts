/**
 * Who may talk to the server of a lab. It listens on the loopback address alone, but every page that this machine's browser
 * shows can send requests there: so a request must name this server as its host (no other name that was made to point
 * here), must not come from another origin, and must bear the token, which only the URL has that the command printed.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Names by which a browser reaches the server. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** 192 random bits, as they stand in a URL. */
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

  /** Why the request is refused, whatever it asks for; undefined when it comes from a page of this server, or from no page. */
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

  /** Whether the URL bears the token. */
  knows(url: URL): boolean {
    const given = Buffer.from(url.searchParams.get("token") ?? "");
    return given.length === this.#token.length && timingSafeEqual(given, this.#token);
  }
}
