/**
 * Serves one lab on the loopback address: the files of the page by HTTP, and requests, answers and events by a WebSocket
 * (`socket`). All that comes in is bounded: headers, bodies (there are none), messages, and the number of each.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { fail, systemErrorReason } from "../base/index.js";
import { answerCall, type LabEvent, type LabMessage, type LabService } from "../lab/index.js";
import { CODES } from "./codes.js";
import { Guard, newToken } from "./guard.js";

/** Bytes of a message from a page: the largest file of a project, and its JSON. */
const MAX_MESSAGE_BYTES = 5 * 2 ** 20;
const MAX_HEADER_BYTES = 16 * 1024;
/** Pages at a time. */
const MAX_PAGES = 16;
/** Requests of a page that wait for their answers; a page that sends more is closed. */
const MAX_PENDING = 256;
/** Bytes that wait for a page that reads too slowly: beyond the first bound it gets no frames, beyond the second it is closed. */
const SLOW_BYTES = 4 * 2 ** 20;
const STUCK_BYTES = 64 * 2 ** 20;
const REQUEST_TIMEOUT_MS = 10_000;

/** One file of the page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface LabServerOptions {
  readonly service: LabService;
  /** 0: any free one. */
  readonly port: number;
  /** A file of the page by its name, `index.html` for the page itself; undefined when there is none. */
  page(name: string): PageFile | undefined;
}

export interface LabServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Nothing comes from any network but this server; styles are set by the editor and the terminal at run time. */
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
      "leave --port out: a free port is taken then",
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
    // the page itself shows what only the URL of the command opens; its scripts and styles are those of the package
    if (url === undefined) this.#refuse(response, 400, "no URL");
    else if (name === "index.html" && !this.guard.knows(url))
      this.#refuse(response, 403, "the token is missing: open the URL that p4loom lab has printed");
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
      (url !== undefined && this.guard.knows(url) ? undefined : "the token is missing or wrong") ??
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
    // a message that is too large, or no text of UTF-8: ws closes the connection with the code for it
    page.on("error", () => page.terminate());
    page.on("message", (data, isBinary) => {
      if (isBinary || pending >= MAX_PENDING) {
        page.close(isBinary ? 1003 : 1013, isBinary ? "texts only" : "too many requests wait");
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

/** Text that is no JSON is answered like any other value that is no call. */
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
