/**
 * Linux network interfaces as ports: raw Ethernet frames in and out in batches, in any network namespace.
 * Open `interfaces.ts` first. `packet-socket.ts` opens one interface. `receive-batch.ts` and `send-batch.ts` hold the
 * memory that the kernel reads and writes. `readiness.ts` and `loop-alarm.ts` connect the sockets to Node's event loop.
 * `link-watch.ts` reports links that go up and down. `fine-timer.ts` is a timer in microseconds. Only `libc.ts` uses
 * koffi.
 *
 * For the agent on a host also functions that Node does not offer: `tun.ts` (packets from and to the kernel of the host),
 * `tcp-socket.ts` with `socket-watch.ts` (TCP with the kernel's figures of each connection).
 */

import { DiagnosticError } from "../../base/index.js";
import { libc, missing } from "./libc.js";
import { PacketSocket } from "./packet-socket.js";

export { FineTimer } from "./fine-timer.js";
export type { InterfaceStatistics } from "./interfaces.js";
export { Interfaces } from "./interfaces.js";
export { SocketWatch } from "./socket-watch.js";
export { TcpSocket } from "./tcp-socket.js";
export { TUN_HEADROOM, TunDevice } from "./tun.js";

/** Whether this process can open interfaces: it runs on Linux, with koffi and with permission. */
export function interfacesAvailable(): { ok: true } | { ok: false; reason: string } {
  const why = missing();
  if (why !== undefined) return { ok: false, reason: why.reason };
  try {
    PacketSocket.try(libc());
    return { ok: true };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { ok: false, reason: error.diagnostics[0]!.message };
  }
}
