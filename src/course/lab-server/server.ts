/**
 * Serves one lab on the loopback address: the files of the page by HTTP, and requests, replies and events by a WebSocket
 * (`socket`). All input is bounded: headers, messages, and their numbers; bodies of requests are rejected.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { fail, systemErrorReason } from "../../base/index.js";
import { answerCall, type LabEvent, type LabMessage, type LabService } from "../lab/index.js";
import { CODES } from "./codes.js";
import { Guard, newToken } from "./guard.js";

/** Maximum bytes of a message from a page: the largest file of a project, as JSON. */
const MAX_MESSAGE_BYTES = 5 * 2 ** 20;
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum number of pages that are open at the same time. */
const MAX_PAGES = 16;
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

interface LabServerOptions {
  readonly service: LabService;
  /** 0: any free port. */
  readonly port: number;
  /** A file of the page by its name, `index.html` for the page itself; undefined if there is no such file. */
  page(name: string): PageFile | undefined;
}

export interface LabServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The page may load content from this server only; styles may be inline because the editor and the terminal set them
 * at run time.
 */
const POLICY = (port: number): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Resolves when the server listens. Fails with P46050 when the port is taken. */
export async function serveLab(options: LabServerOptions): Promise<LabServer> {
  const token = newToken();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  server.maxConnections = 8 * MAX_PAGES;
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  const handler = new Handler(options, new Guard(token, port), port);
  server.on("request", (request, response) => handler.answer(request, response));
  server.on("upgrade", (request, socket, head) => handler.upgrade(request, socket, head));
  return {
    url: `http://127.0.0.1:${port}/?token=${token}`,
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

class Handler {
  readonly #sockets: WebSocketServer;

  constructor(
    readonly options: LabServerOptions,
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
    // only the page itself needs the token of the URL; its scripts and styles are public files of the package
    if (url === undefined) this.#refuse(response, 400, "no URL");
    else if (name === "index.html" && !this.guard.hasToken(url))
      this.#refuse(response, 403, "the token is missing: open the URL that p4loom lab printed");
    else if (file === undefined) this.#refuse(response, 404, "there is no such file");
    else {
      this.#headers(response);
      response.writeHead(200, { "Content-Type": file.type, "Content-Length": file.bytes.length });
      response.end(method === "HEAD" ? undefined : file.bytes);
    }
  }

  #headers(response: ServerResponse): void {
    response.setHeader("Content-Security-Policy", POLICY(this.port));
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
    const refused =
      this.guard.refusal(request) ??
      (url?.pathname !== "/socket" ? "there is no such socket" : undefined) ??
      (url !== undefined && this.guard.hasToken(url) ? undefined : "the token is missing or wrong") ??
      (this.#sockets.clients.size >= MAX_PAGES ? "too many pages are open" : undefined);
    if (refused !== undefined) {
      socket.end(
        `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n${refused}\n`,
      );
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (page) => this.#serve(page));
  }

  #serve(page: WebSocket): void {
    const { service } = this.options;
    let pending = 0;
    const send = (message: LabMessage): void => {
      if (page.readyState === page.OPEN) page.send(JSON.stringify(message));
    };
    const stop = service.subscribe((event: LabEvent) => {
      if (page.bufferedAmount > STUCK_BYTES) page.terminate();
      else if (event.kind !== "frame" || page.bufferedAmount < SLOW_BYTES) send({ event });
    });
    page.on("close", stop);
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
      void answerCall(service, parsed(String(data))).then((message) => {
        pending--;
        send(message);
      });
    });
  }

  close(): void {
    for (const page of this.#sockets.clients) page.terminate();
    this.#sockets.close();
  }
}

/** Parses JSON; a text that is not JSON is treated as any other value that is not a call. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function urlOf(request: IncomingMessage, port: number): URL | undefined {
  try {
    return new URL(request.url ?? "", `http://127.0.0.1:${port}`);
  } catch {
    return undefined;
  }
}
