/** A TCP port of 127.0.0.1 whose connections lead to a Unix socket: for controllers that know host and port only. */
import { createConnection, createServer, type Server } from "node:net";
import { fail } from "../../base/index.js";

/** Fails with P43110 when the port is taken. Closing the server cuts its connections. */
export async function forwardPort(port: number, socket: string, what: string): Promise<() => Promise<void>> {
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  }).catch((error: Error) => {
    fail("P43110", undefined, `port ${port} of 127.0.0.1, asked for ${what}, is not free: ${error.message}`);
  });
  return () => {
    for (const end of open) end.destroy();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
}
