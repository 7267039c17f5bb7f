/** Ports of a switch that are Linux network interfaces: frames in and out in batches, links up and down. */
import { fail } from "../base/index.js";
import { ERROR, type Libc, libc } from "./libc.js";
import { LinkWatch } from "./link-watch.js";
import { inNamespace, namespacePath } from "./namespace.js";
import { PacketSocket } from "./packet-socket.js";
import { Readiness } from "./readiness.js";
import { BATCH_FRAMES, ReceiveBatch } from "./receive-batch.js";
import { SendBatch } from "./send-batch.js";

export interface InterfacePort {
  /** Number of the switch's port. */
  port: number;
  /** Name of the interface. */
  name: string;
  /** Path of a network namespace, or a name as `ip netns` has it; absent: the process's own. */
  namespace?: string;
}

/** What is reported while frames pass. All functions are called from the event loop, never from within a call of this room. */
export interface InterfaceEvents {
  /** A frame came in, with VLAN tag and checksums as on a wire. Its memory is used again after the call. */
  frame(port: number, frame: Uint8Array): void;
  /** A port's link went up or down. */
  link?(port: number, up: boolean): void;
  /** Frames of a kind that no wire carries are dropped; reported once for each port. */
  warn?(port: number, message: string, note: string): void;
}

/** Counters of a port since the start. */
export interface InterfaceStatistics {
  port: number;
  name: string;
  received: number;
  sent: number;
  /** Frames that came in and that the kernel dropped because they were not read soon enough. */
  receiveDrops: number;
  /** Frames that came in and were longer than 65,535 bytes, or were joined segments that their sender left to hardware. */
  receiveRefused: number;
  /** Frames that the kernel did not take for sending: link down, queue full, longer than the MTU. */
  sendRefused: number;
}

interface Port {
  readonly number: number;
  readonly name: string;
  /** Identity of its network namespace. */
  readonly namespace: string;
  readonly socket: PacketSocket;
  readonly send: SendBatch;
  up: boolean;
  received: number;
  refused: number;
  warned: boolean;
}

/** Errors after which a socket still works: they concern the state of its link, or a frame that the kernel cannot describe. */
const MAX_ERRORS_A_READ = 16;

export class Interfaces {
  readonly #c: Libc;
  readonly #ports: Port[] = [];
  readonly #byNumber: (Port | undefined)[] = [];
  readonly #links: LinkWatch[] = [];
  readonly #receive: ReceiveBatch;
  readonly #readiness: Readiness;
  readonly #dirty: Port[] = [];
  #flushing = false;
  #state: "opened" | "running" | "stopped" | "closed" = "opened";

  /**
   * Opens all interfaces; no frame is read before {@link start}. Fails, with nothing left open, with P40020 (not
   * available here), P40021 (no such interface), P40022 (no permission), P40023 (no such namespace), P40024 (an
   * interface named twice) or P40025 (not Ethernet).
   */
  constructor(
    ports: readonly InterfacePort[],
    readonly events: InterfaceEvents,
  ) {
    this.#c = libc();
    this.#receive = new ReceiveBatch(this.#c);
    this.#readiness = new Readiness(this.#c, () => this.#turn());
    try {
      this.#open(ports);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #open(ports: readonly InterfacePort[]): void {
    const owners = new Map<string, number>();
    const watched = new Set<string>();
    for (const { port: number, name, namespace } of ports) {
      const where = namespace === undefined ? "" : ` in namespace ${namespacePath(namespace)}`;
      inNamespace(this.#c, namespace, (identity) => {
        if (!watched.has(identity)) this.#watchLinks(identity);
        watched.add(identity);
        const socket = new PacketSocket(this.#c, name, where);
        const port: Port = {
          number,
          name,
          namespace: identity,
          socket,
          send: new SendBatch(this.#c, socket.output),
          up: socket.up(),
          received: 0,
          refused: 0,
          warned: false,
        };
        this.#ports.push(port);
        const key = `${identity}:${socket.interface.index}`;
        const owner = owners.get(key);
        if (owner !== undefined || this.#byNumber[number] !== undefined) {
          fail(
            "P40024",
            undefined,
            `interface ${name}${where} is port ${owner ?? number} and port ${number}`,
          );
        }
        owners.set(key, number);
        this.#byNumber[number] = port;
      });
    }
  }

  /** The watch of links in the current namespace. */
  #watchLinks(namespace: string): void {
    const changed = (index: number, up: boolean): void => {
      for (const port of this.#ports) {
        if (port.namespace === namespace && port.socket.interface.index === index) this.#setUp(port, up);
      }
    };
    const lost = (): void => {
      for (const port of this.#ports) this.#setUp(port, port.socket.up());
    };
    this.#links.push(new LinkWatch(this.#c, { changed, lost }));
  }

  #setUp(port: Port, up: boolean): void {
    if (port.up === up) return;
    port.up = up;
    this.events.link?.(port.number, up);
  }

  /** Reads frames from now on. Links that are down are reported at once. */
  start(): void {
    if (this.#state !== "opened") throw new Error("interfaces are started once");
    this.#state = "running";
    this.#ports.forEach((port, i) => {
      this.#readiness.add(port.socket.input, i);
    });
    this.#links.forEach((link, i) => {
      this.#readiness.add(link.fd, this.#ports.length + i);
    });
    for (const port of this.#ports) {
      port.socket.listen();
      port.up = port.socket.up();
      if (!port.up) this.events.link?.(port.number, false);
    }
    this.#readiness.arm();
  }

  /**
   * Sends a frame by a port; returns false when there is no such port. The frame is copied, and handed to the kernel by the
   * end of the turn. Frames that the kernel does not take are counted.
   */
  send(port: number, frame: Uint8Array): boolean {
    const to = this.#byNumber[port];
    if (to === undefined || this.#state === "closed") return false;
    if (to.send.waiting === 0) {
      this.#dirty.push(to);
      if (!this.#flushing) {
        this.#flushing = true;
        queueMicrotask(this.#flushSoon);
      }
    }
    to.send.add(frame);
    return true;
  }

  /** Hands the frames that were sent in this turn to the kernel. */
  flush(): void {
    this.#flushing = false;
    for (const port of this.#dirty) port.send.flush();
    this.#dirty.length = 0;
  }

  readonly #flushSoon = (): void => this.flush();

  /** Serves the ports that are ready, a bounded number of frames; continues in the next turn until no port is ready. */
  #turn(): void {
    if (this.#state !== "running") return;
    const ready = this.#readiness.ready();
    if (ready === 0) {
      this.#readiness.arm();
      return;
    }
    for (let i = 0; i < ready; i++) {
      const key = this.#readiness.key(i);
      const port = this.#ports[key];
      if (port !== undefined) this.#read(port);
      else this.#links[key - this.#ports.length]!.read();
    }
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => this.#turn();

  /** Reads one batch of a port; returns the number of frames. */
  #read(port: Port): number {
    const batch = this.#receive;
    let count = batch.read(port.socket.input);
    for (let errors = 0; count < 0; errors++) {
      const errno = this.#c.errno();
      if (errno === ERROR.EAGAIN || errors === MAX_ERRORS_A_READ) return 0;
      // The kernel could not describe the segments of a frame. ENETDOWN and the like are reported as a state of the link.
      if (errno === ERROR.EINVAL) this.#refuse(port, "segments");
      count = batch.read(port.socket.input);
    }
    for (let i = 0; i < count; i++) {
      const frame = batch.frame(i);
      if (frame === undefined) {
        this.#refuse(port, batch.loss);
        continue;
      }
      port.received++;
      this.events.frame(port.number, frame);
    }
    this.flush();
    return count;
  }

  #refuse(port: Port, loss: "tooLong" | "segments"): void {
    port.refused++;
    if (port.warned) return;
    port.warned = true;
    const what =
      loss === "tooLong" ? "frames longer than 65,535 bytes" : "joined segments, as no wire carries them,";
    this.events.warn?.(
      port.number,
      `${what} come in by ${port.name}: they are dropped`,
      `switch segmentation off where they are sent, and at ${port.name}: ethtool -K INTERFACE tso off gso off gro off`,
    );
  }

  get statistics(): InterfaceStatistics[] {
    return this.#ports.map(({ number, name, socket, send, received, refused }) => ({
      port: number,
      name,
      received,
      sent: send.sent,
      receiveDrops: this.#state === "closed" ? 0 : socket.drops(),
      receiveRefused: refused,
      sendRefused: send.refused,
    }));
  }

  /** Stops reading; frames that came before are still given to `frame`. Frames can still be sent. */
  async stop(): Promise<void> {
    if (this.#state !== "running") return;
    this.flush();
    this.#state = "stopped";
    for (const { socket } of this.#ports) socket.deafen();
    for (const port of this.#ports) {
      while (this.#read(port) === BATCH_FRAMES) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Hands the frames that were sent to the kernel and closes everything. */
  close(): void {
    if (this.#state === "closed") return;
    this.flush();
    this.#state = "closed";
    this.#release();
  }

  #release(): void {
    this.#readiness.close();
    for (const { socket } of this.#ports) socket.close();
    for (const link of this.#links) link.close();
  }
}
