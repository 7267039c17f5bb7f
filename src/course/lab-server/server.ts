/**
 * Serves one lab on the loopback address: the files of the page by HTTP, and requests, replies and events by a WebSocket
 * (`socket`). All input is bounded: headers, messages, and their numbers; bodies of requests are rejected.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { fail, systemErrorReason } from "../../base/index.js";
import type { LabService } from "../lab/index.js";
import { CODES } from "./codes.js";
import { type Place, placeOf } from "./connection.js";
import { Guard, newToken, type PublicAddress } from "./guard.js";

/** Maximum bytes of a message from a page: the largest file of a project, as JSON. */
const MAX_MESSAGE_BYTES = 5 * 2 ** 20;
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum number of pages of a lab that are open at the same time. */
const MAX_PAGES = 16;
/** Connections that a browser may open for a page: that of its messages, and those for its files. */
const CONNECTIONS = 8;
/** Maximum number of requests of a page without a reply; the connection of a page that sends more is closed. */
const MAX_PENDING = 256;
/**
 * Limits of the bytes that wait for a slow page: above the first it gets no frames, above the second its connection
 * is closed.
 */
const SLOW_BYTES = 4 * 2 ** 20;
const STUCK_BYTES = 64 * 2 ** 20;
const REQUEST_TIMEOUT_MS = 10_000;

/** One file of the page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

interface ServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** A file of the page by its name, `index.html` for the page itself; undefined if there is no such file. */
  page(name: string): PageFile | undefined;
}

interface LabServerOptions extends ServerOptions {
  readonly service: LabService;
}

interface PlacesOptions extends ServerOptions {
  readonly places: readonly { readonly token: string; readonly place: Place }[];
  /** The reverse proxy in front of the server. */
  readonly proxy?: PublicAddress;
}

export interface LabServer {
  /** The address of the first place on this machine. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The page may load content from this server only; styles may be inline because the editor and the terminal set them
 * at run time.
 */
const POLICY = (port: number, proxy: PublicAddress | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}${socketsOf(proxy)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const socketsOf = (proxy: PublicAddress | undefined): string =>
  proxy === undefined ? "" : ` ${proxy.origin.replace(/^http/, "ws")}`;

/** Resolves when the server listens. Fails with P46050 when the port is taken. */
export function serveLab({ service, ...options }: LabServerOptions): Promise<LabServer> {
  const places = [{ token: newToken(), place: placeOf(service, MAX_PAGES) }];
  return servePlaces({ ...options, places });
}

/** Serves several labs, each by its token. */
export async function servePlaces(options: PlacesOptions): Promise<LabServer> {
  const { places, proxy } = options;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  const pages = places.reduce((sum, { place }) => sum + (place.kind === "lab" ? place.maxPages : 1), 0);
  server.maxConnections = CONNECTIONS * pages;
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  const handler = new Handler(
    options,
    new Guard(
      places.map(({ token }) => token),
      port,
      proxy,
    ),
    port,
  );
  server.on("request", (request, response) => handler.answer(request, response));
  server.on("upgrade", (request, socket, head) => handler.upgrade(request, socket, head));
  return {
    url: `http://127.0.0.1:${port}/?token=${places[0]?.token ?? ""}`,
    port,
    close: async () => {
      handler.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((error: unknown) =>
    fail(
      CODES.cannotListen,
      undefined,
      `cannot listen on 127.0.0.1:${port}: ${systemErrorReason(error)}`,
      "without --port, a free port is chosen",
    ),
  );
}

/** The state of a room as JSON, for its page. */
const STATUS = "room.json";

/** Files that need a token, and which kind of place it must open. */
const NEEDED: Readonly<Record<string, Place["kind"]>> = {
  "index.html": "lab",
  "room.html": "overview",
  [STATUS]: "overview",
};

class Handler {
  readonly #sockets: WebSocketServer;
  /** Open pages by the index of their place. */
  readonly #open = new Map<number, number>();

  constructor(
    readonly options: PlacesOptions,
    readonly guard: Guard,
    readonly port: number,
  ) {
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const refused = this.guard.refusal(request);
    if (refused === undefined) this.#answerOwn(request, response);
    else this.#refuse(response, 403, refused);
  }

  #answerOwn(request: IncomingMessage, response: ServerResponse): void {
    const { method = "" } = request;
    const hasBody =
      (request.headers["content-length"] ?? "0") !== "0" || "transfer-encoding" in request.headers;
    if ((method !== "GET" && method !== "HEAD") || hasBody) {
      response.setHeader("Connection", "close");
      this.#refuse(
        response,
        hasBody && (method === "GET" || method === "HEAD") ? 413 : 405,
        "only GET without a body",
      );
      request.destroy();
      return;
    }
    const url = urlOf(request, this.port);
    const name = url?.pathname === "/" ? "index.html" : (url?.pathname.slice(1) ?? "");
    const file = this.options.page(name);
    if (url === undefined) {
      this.#refuse(response, 400, "no URL");
      return;
    }
    // only the pages themselves need the token of the URL; their scripts and styles are public files of the package
    const wanted = NEEDED[name];
    const place = wanted === undefined ? undefined : this.#placeOf(url);
    if (wanted !== undefined && place?.kind !== wanted)
      this.#refuse(response, 403, "the token is missing: open the URL that p4loom lab printed");
    else if (name === STATUS && place?.kind === "overview") {
      const bytes = Buffer.from(JSON.stringify(place.status()));
      this.#give(response, method, { type: "application/json", bytes });
    } else if (file === undefined) this.#refuse(response, 404, "there is no such file");
    else this.#give(response, method, file);
  }

  #placeOf(url: URL): Place | undefined {
    const index = this.guard.tokenOf(url);
    return index === undefined ? undefined : this.options.places[index]?.place;
  }

  #give(response: ServerResponse, method: string, { type, bytes }: PageFile): void {
    this.#headers(response);
    response.writeHead(200, { "Content-Type": type, "Content-Length": bytes.length });
    response.end(method === "HEAD" ? undefined : bytes);
  }

  #headers(response: ServerResponse): void {
    response.setHeader("Content-Security-Policy", POLICY(this.port, this.options.proxy));
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.setHeader("Cache-Control", "no-store");
  }

  #refuse(response: ServerResponse, status: number, why: string): void {
    this.#headers(response);
    response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
    response.end(`${why}\n`);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const url = urlOf(request, this.port);
    const index = url === undefined ? undefined : this.guard.tokenOf(url);
    const place = index === undefined ? undefined : this.options.places[index]?.place;
    const lab = place?.kind === "lab" ? place : undefined;
    const refused =
      this.guard.refusal(request) ??
      (url?.pathname !== "/socket" ? "there is no such socket" : undefined) ??
      (lab === undefined ? "the token is missing or wrong" : undefined) ??
      ((this.#open.get(index ?? -1) ?? 0) >= (lab?.maxPages ?? 0) ? "too many pages are open" : undefined);
    if (refused !== undefined || lab === undefined || index === undefined) {
      socket.end(
        `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n${refused}\n`,
      );
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (page) => this.#serve(page, lab, index));
  }

  #serve(page: WebSocket, lab: Extract<Place, { kind: "lab" }>, index: number): void {
    let pending = 0;
    this.#open.set(index, (this.#open.get(index) ?? 0) + 1);
    const source = lab.join({
      send: (text, { reply, frame }) => {
        if (reply) pending--;
        if (page.readyState !== page.OPEN) return;
        if (page.bufferedAmount > STUCK_BYTES) page.terminate();
        else if (!frame || page.bufferedAmount < SLOW_BYTES) page.send(text);
      },
      // a reason has at most 123 bytes (RFC 6455, section 5.5)
      close: (code, reason) => page.close(code, Buffer.from(reason).subarray(0, 120).toString()),
    });
    page.on("close", () => {
      this.#open.set(index, (this.#open.get(index) ?? 1) - 1);
      source.leave();
    });
    // for a message that is too large or is not UTF-8, ws closes the connection with the standard code
    page.on("error", () => page.terminate());
    page.on("message", (data, isBinary) => {
      if (isBinary || pending >= MAX_PENDING) {
        page.close(
          isBinary ? 1003 : 1013,
          isBinary ? "only text messages are allowed" : "too many requests without a reply",
        );
        return;
      }
      pending++;
      source.receive(String(data));
    });
  }

  close(): void {
    for (const page of this.#sockets.clients) page.terminate();
    this.#sockets.close();
  }
}

function urlOf(request: IncomingMessage, port: number): URL | undefined {
  try {
    return new URL(request.url ?? "", `http://127.0.0.1:${port}`);
  } catch {
    return undefined;
  }
}
