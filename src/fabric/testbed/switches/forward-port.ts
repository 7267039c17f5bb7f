/** A TCP port of 127.0.0.1 whose connections are forwarded to a Unix socket: for controllers that support only host and port. */
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server } from "node:net";
import { fail, systemErrorReason } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { PortFrom } from "../lab-spec.js";

const LAST_PORT = 65_535;

export interface Forward {
  readonly port: number;
  /** Also closes its connections. */
  close(): Promise<void>;
}

/** Fails with P43110 when the port is taken, or all from the first one on. */
export async function forwardPort(
  wanted: number | PortFrom,
  socket: string,
  what: string,
  log: (line: string) => void,
): Promise<Forward> {
  const open = new Set<{ destroy(): void }>();
  const server: Server = createServer((near) => {
    const far = createConnection(socket);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  await listen(server, wanted, what);
  const { port } = server.address() as AddressInfo;
  // For example too many open files: this connection is lost, and the lab continues.
  server.on("error", (error) => log(`port ${port} of ${what}: ${systemErrorReason(error)}`));
  return {
    port,
    close: () => {
      for (const end of open) end.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

async function listen(server: Server, wanted: number | PortFrom, what: string): Promise<void> {
  const [first, last] = typeof wanted === "number" ? [wanted, wanted] : [wanted.from, LAST_PORT];
  for (let port = first; ; port++) {
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EADDRINUSE" && port < last) continue;
      fail(
        CODES.portTaken,
        undefined,
        `port ${port} of 127.0.0.1, asked for ${what}, is not free: ${systemErrorReason(error)}`,
      );
    }
  }
}
