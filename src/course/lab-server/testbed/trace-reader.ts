/** Reads the traces of our switches: one connection to each; it is opened again after a restart of the switch. */
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { PacketTrace } from "../../lab/index.js";

/** Receives a trace of a switch: a document of docs/trace.md, and the machine's monotonic clock in microseconds when the switch's was 0. */
type TraceListener = (name: string, trace: PacketTrace, monotonicUs: number) => void;

export class TraceReader {
  readonly #sockets = new Map<string, Socket>();

  /** @param paths socket of each switch by its name */
  constructor(
    readonly paths: ReadonlyMap<string, string>,
    readonly listener: TraceListener,
  ) {}

  /**
   * Connects to the running switches that are not connected yet, or closes all connections if `wanted` is false. To
   * be called regularly.
   */
  connect(wanted: boolean): void {
    if (!wanted) this.close();
    else for (const [name, path] of this.paths) if (!this.#sockets.has(name)) this.#connect(name, path);
  }

  #connect(name: string, path: string): void {
    const socket = createConnection(path);
    this.#sockets.set(name, socket);
    // a switch that does not run: the next call tries again
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
    });
    let monotonicUs: number | undefined;
    createInterface({ input: socket.setEncoding("utf8") })
      .on("line", (line) => {
        const document = documentOf(line);
        if (document === undefined) return;
        if (monotonicUs === undefined) monotonicUs = (document as { monotonic_us: number }).monotonic_us;
        else this.listener(name, document as PacketTrace, monotonicUs);
      })
      .on("error", () => {});
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
    this.#sockets.clear();
  }
}

/** The document of a line; undefined for an incomplete last line of a switch that was killed. */
function documentOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
