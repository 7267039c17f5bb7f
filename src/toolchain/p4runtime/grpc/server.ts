/** A gRPC server over HTTP/2: methods by their path, at one address, with or without TLS. */
import { lookup } from "node:dns/promises";
import { createServer, isIP, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { type Calls, serveRequest } from "./calls.js";
import { Connection, type Later } from "./connection.js";

export interface GrpcOptions extends Calls {
  /** `host:port`, `[address]:port` or `unix:path`; port 0 selects a free port. */
  readonly address: string;
  /** PEM. With `clientCa` clients must show a certificate that it signed. */
  readonly tls?: { certificate: Buffer; privateKey: Buffer; clientCa?: Buffer } | undefined;
  /** Calls of one connection at a time. */
  readonly maxCalls: number;
  /** Connections of one place at a time; further ones are closed as soon as they are accepted. */
  readonly maxConnections: number;
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  /** Timers of connections, for tests; default: in real time, and without keeping the process alive. */
  readonly later?: Later;
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

/** Messages of the largest size that one connection may have in progress. */
const MESSAGES_HELD = 2;

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
        maxHeldBytes: MESSAGES_HELD * options.maxBytes,
        later: options.later ?? laterInRealTime,
        request: (stream, headers, complete) => serveRequest(options, stream, headers, complete),
        closed: (connection) => connections.delete(connection),
      }),
    );
  };
  const { tls } = options;
  const make = (): Server => {
    const server = makeServer();
    server.maxConnections = options.maxConnections;
    return server;
  };
  const makeServer = (): Server => {
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
