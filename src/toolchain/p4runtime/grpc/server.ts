/** A gRPC server over HTTP/2: methods by their path, at one address, with or without TLS. */
import { lookup } from "node:dns/promises";
import { createServer, isIP, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { Call, type CallHandler, type CallStatus, CODE, refuseRequest, resetRequest } from "./call.js";
import { Connection, type Later } from "./connection.js";
import type { Header } from "./hpack.js";
import type { Http2Stream } from "./stream.js";
import { timeoutMs } from "./text.js";

/** The handler of a method. A rejected promise ends the call with the status that the server makes from the error. */
export type Method =
  | { readonly kind: "unary"; handle(message: Uint8Array): Promise<Uint8Array> }
  | { readonly kind: "serverStream"; handle(message: Uint8Array, call: Call): Promise<undefined> }
  | { readonly kind: "clientStream"; handle(messages: AsyncIterable<Uint8Array>): Promise<Uint8Array> }
  | { readonly kind: "duplex"; handle(call: Call): CallHandler };

export interface GrpcOptions {
  /** `host:port`, `[address]:port` or `unix:path`; port 0 selects a free port. */
  readonly address: string;
  /** PEM. With `clientCa` clients must show a certificate that it signed. */
  readonly tls?: { certificate: Buffer; privateKey: Buffer; clientCa?: Buffer } | undefined;
  /** Largest message in bytes. */
  readonly maxBytes: number;
  /** Calls of one connection at a time. */
  readonly maxCalls: number;
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  /** Timers of connections, for tests; default: in real time, and without keeping the process alive. */
  readonly later?: Later;
  /** By path, such as `/p4.v1.P4Runtime/Write`. */
  readonly methods: ReadonlyMap<string, Method>;
  statusOf(error: unknown): CallStatus;
}

export interface GrpcServer {
  /** 0 for a Unix socket. */
  readonly port: number;
  /**
   * Refuses new calls, and resolves when all connections are closed; connections with calls are closed after this number of
   * milliseconds.
   */
  close(graceMs: number): Promise<void>;
}

type Place = { readonly path: string } | { readonly host: string; readonly port: number };

/** The places of an address; a name may have several. Throws the system's error for an unknown name. */
async function placesOf(address: string): Promise<Place[]> {
  if (address.startsWith("unix:"))
    return [{ path: address.slice("unix:".length).replace(/^\/\/(?=\/)/, "") }];
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  const port = Number(address.slice(colon + 1));
  if (isIP(host) !== 0) return [{ host, port }];
  const found = await lookup(host, { all: true });
  return found.map(({ address: place }) => ({ host: place, port }));
}

function bind(server: Server, place: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(place, () => {
      server.off("error", reject);
      // An error while a connection is accepted does not stop the server.
      server.on("error", () => {});
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : 0);
    });
  });
}

/**
 * Starts a server. Rejects with the system's error when no place of the address can be bound, or the certificate is
 * wrong.
 */
export async function listen(options: GrpcOptions): Promise<GrpcServer> {
  const connections = new Set<Connection>();
  const accept = (socket: Duplex): void => {
    connections.add(
      new Connection(socket, {
        maxStreams: options.maxCalls,
        keepaliveMs: options.keepaliveMs,
        keepaliveTimeoutMs: options.keepaliveTimeoutMs,
        later: options.later ?? laterInRealTime,
        request: (stream, headers, complete) => serveRequest(options, stream, headers, complete),
        closed: (connection) => connections.delete(connection),
      }),
    );
  };
  const { tls } = options;
  const make = (): Server => {
    if (tls === undefined) return createServer((socket: Socket) => accept(socket));
    const { certificate, privateKey, clientCa } = tls;
    const server = createTlsServer({
      cert: certificate,
      key: privateKey,
      ALPNProtocols: ["h2"],
      ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
    });
    server.on("secureConnection", accept);
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    return server;
  };
  // Certificates are read before names are looked up.
  make().close();
  const servers: Server[] = [];
  let port: number | undefined;
  let failure: unknown;
  for (const place of await placesOf(options.address)) {
    const server = make();
    try {
      port = await bind(server, port === undefined || "path" in place ? place : { ...place, port });
      servers.push(server);
    } catch (error) {
      failure ??= error;
    }
  }
  if (port === undefined) throw failure;
  return {
    port,
    async close(graceMs) {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      for (const connection of [...connections]) connection.leave();
      const timer = setTimeout(() => {
        for (const connection of [...connections]) connection.destroy();
      }, graceMs);
      await Promise.all(closed);
      clearTimeout(timer);
    },
  };
}

const laterInRealTime: Later = (ms, task) => {
  const timer = setTimeout(task, ms).unref();
  return () => clearTimeout(timer);
};

function serveRequest(
  options: GrpcOptions,
  stream: Http2Stream,
  headers: readonly Header[],
  complete: boolean,
): void {
  let [verb, path, type, timeout] = ["", "", "", undefined as string | undefined];
  let encoding = "identity";
  for (const [name, value] of headers) {
    if (name === ":method") verb = value;
    else if (name === ":path") path = value;
    else if (name === "content-type") type = value;
    else if (name === "grpc-timeout") timeout = value;
    else if (name === "grpc-encoding") encoding = value;
  }
  if (verb === "" || path === "") {
    resetRequest(stream);
    return;
  }
  if (verb !== "POST" || !type.startsWith("application/grpc")) {
    refuseRequest(stream, verb === "POST" ? 415 : 405);
    return;
  }
  const limit = timeout === undefined ? undefined : timeoutMs(timeout);
  const call = new Call(stream, { maxBytes: options.maxBytes, encoding, timeoutMs: limit });
  stream.receiver = call;
  const method = options.methods.get(path);
  const refused = !complete
    ? { code: CODE.RESOURCE_EXHAUSTED, details: "the headers of the request are too long" }
    : timeout !== undefined && limit === undefined
      ? { code: CODE.INTERNAL, details: `grpc-timeout is "${timeout}"` }
      : method === undefined
        ? { code: CODE.UNIMPLEMENTED, details: `there is no method ${path}` }
        : undefined;
  if (refused !== undefined || method === undefined) {
    call.fail(refused!);
    call.settle();
    return;
  }
  serveCall(method, call, options.statusOf);
}

function serveCall(method: Method, call: Call, statusOf: GrpcOptions["statusOf"]): void {
  const run = (start: () => Promise<Uint8Array | undefined>): void => {
    let task: Promise<Uint8Array | undefined>;
    try {
      task = start();
    } catch (error) {
      task = Promise.reject(error);
    }
    task.then(
      (message) => {
        if (message !== undefined) call.write(message);
        call.succeed();
        call.settle();
      },
      (error) => {
        call.fail(statusOf(error));
        call.settle();
      },
    );
  };
  switch (method.kind) {
    case "unary":
      call.handler = single(call, (message) => run(() => method.handle(message)));
      break;
    case "serverStream":
      call.handler = single(call, (message) => run(() => method.handle(message, call)));
      break;
    case "clientStream": {
      const messages = new MessageQueue();
      call.handler = messages;
      run(() => method.handle(messages));
      break;
    }
    case "duplex":
      call.settlesAtEnd = true;
      call.handler = method.handle(call);
  }
}

/** A request of one message. */
function single(call: Call, start: (message: Uint8Array) => void): CallHandler {
  let request: Uint8Array | undefined;
  let started = false;
  const refuse = (details: string): void => {
    call.fail({ code: CODE.INTERNAL, details });
    call.settle();
  };
  return {
    message(bytes) {
      if (request === undefined) request = bytes;
      else refuse("a request of more than one message");
    },
    ended() {
      if (request === undefined) {
        refuse("a request without a message");
        return;
      }
      started = true;
      start(request);
    },
    cancel() {
      if (!started) call.settle();
    },
  };
}

class Cancelled extends Error {}

/** The messages of a request, for one reader. */
class MessageQueue implements CallHandler, AsyncIterable<Uint8Array> {
  readonly #messages: Uint8Array[] = [];
  #state: "open" | "ended" | "cancelled" = "open";
  #wake: () => void = () => {};

  message(bytes: Uint8Array): void {
    this.#messages.push(bytes);
    this.#wake();
  }

  ended(): void {
    this.#state = "ended";
    this.#wake();
  }

  cancel(): void {
    this.#state = "cancelled";
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#messages.shift();
      if (this.#state === "cancelled") throw new Cancelled("the client cancelled the call");
      if (next !== undefined) yield next;
      else if (this.#state === "ended") return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
