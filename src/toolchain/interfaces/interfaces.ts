/** Ports of a switch that are Linux network interfaces: frames in and out in batches, links up and down. */
import { fail } from "../../base/index.js";
import { CODES } from "./codes.js";
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

/** Events while frames pass. All functions are called from the event loop, never from within a call of this room. */
export interface InterfaceEvents {
  /** A frame has arrived, with VLAN tag and checksums as on a wire. Its memory is reused after the call. */
  frame(port: number, frame: Uint8Array): void;
  /** The frames that were read at once have been given to {@link frame}. */
  batch?(): void;
  /** A port's link went up or down. */
  link?(port: number, up: boolean): void;
  /** Frames of a kind that no wire carries are dropped; reported once for each port. */
  warn?(port: number, message: string, note: string): void;
}

/** A port's link, and its counters since it was opened. */
export interface InterfaceStatistics {
  port: number;
  name: string;
  /** As given when the port was opened. */
  namespace?: string;
  up: boolean;
  received: number;
  sent: number;
  /** Received frames that the kernel dropped because they were not read soon enough. */
  receiveDrops: number;
  /** Received frames that were longer than 65,535 bytes, or were joined segments that their sender left to hardware. */
  receiveRefused: number;
  /** Frames that the kernel did not take for sending: link down, queue full, longer than the MTU. */
  sendRefused: number;
}

interface Port {
  readonly number: number;
  readonly name: string;
  /** Its network namespace as given. */
  readonly given: string | undefined;
  /** Identity of the network namespace. */
  readonly namespace: string;
  /** Its key in the set of readable sockets. */
  readonly key: number;
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
  /** By number of the port, in the order in which they were opened. */
  readonly #ports = new Map<number, Port>();
  /** One for each network namespace, by its identity. */
  readonly #links = new Map<string, { readonly watch: LinkWatch; readonly key: number }>();
  /** Readers of sockets, called when a socket is readable, by its key. */
  readonly #readers = new Map<number, () => void>();
  #nextKey = 0;
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
      for (const port of ports) this.#open(port);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Opens one interface, or throws with nothing of it left open. */
  #open({ port: number, name, namespace: given }: InterfacePort): Port {
    const where = given === undefined ? "" : ` in namespace ${namespacePath(given)}`;
    return inNamespace(this.#c, given, (namespace) => {
      const socket = new PacketSocket(this.#c, name, where);
      try {
        const { index } = socket.interface;
        const owner = [...this.#ports.values()].find(
          (port) => port.namespace === namespace && port.socket.interface.index === index,
        );
        if (owner !== undefined || this.#ports.has(number))
          fail(
            CODES.portTwice,
            undefined,
            `interface ${name}${where} is port ${owner?.number ?? number} and port ${number}`,
          );
        if (!this.#links.has(namespace)) this.#watchLinks(namespace);
        const port: Port = {
          number,
          name,
          given,
          namespace,
          key: this.#nextKey++,
          socket,
          send: new SendBatch(this.#c, socket.output),
          up: socket.up(),
          received: 0,
          refused: 0,
          warned: false,
        };
        this.#ports.set(number, port);
        this.#readers.set(port.key, () => this.#read(port));
        return port;
      } catch (error) {
        socket.close();
        throw error;
      }
    });
  }

  /** The watch of links in the current namespace. */
  #watchLinks(namespace: string): void {
    const changed = (index: number, up: boolean): void => {
      for (const port of this.#ports.values()) {
        if (port.namespace === namespace && port.socket.interface.index === index) this.#setUp(port, up);
      }
    };
    const lost = (): void => {
      for (const port of this.#ports.values()) this.#setUp(port, port.socket.up());
    };
    const watch = new LinkWatch(this.#c, { changed, lost });
    const key = this.#nextKey++;
    this.#links.set(namespace, { watch, key });
    this.#readers.set(key, () => watch.read());
    if (this.#state === "running") this.#readiness.add(watch.fd, key);
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
    for (const { watch, key } of this.#links.values()) this.#readiness.add(watch.fd, key);
    for (const port of this.#ports.values()) this.#listen(port);
    this.#readiness.arm();
  }

  #listen(port: Port): void {
    this.#readiness.add(port.socket.input, port.key);
    port.socket.listen();
    port.up = port.socket.up();
    if (!port.up) this.events.link?.(port.number, false);
  }

  /**
   * Opens one more interface, and reads its frames from now on. A link that is down is reported at once. Fails as the
   * constructor does; there is no such port then.
   */
  add(port: InterfacePort): void {
    if (this.#state !== "running") throw new Error("interfaces are added between start and stop");
    const opened = this.#open(port);
    try {
      this.#listen(opened);
    } catch (error) {
      this.#remove(opened);
      throw error;
    }
  }

  /** Sends the frames that wait and closes one interface; returns false when there is no such port. */
  remove(number: number): boolean {
    const port = this.#ports.get(number);
    if (port === undefined || this.#state === "closed") return false;
    this.flush();
    this.#remove(port);
    return true;
  }

  /** Closed sockets leave the set of readable sockets by themselves. */
  #remove(port: Port): void {
    this.#ports.delete(port.number);
    this.#readers.delete(port.key);
    port.socket.close();
    const { namespace } = port;
    if ([...this.#ports.values()].some((other) => other.namespace === namespace)) return;
    const { watch, key } = this.#links.get(namespace)!;
    this.#links.delete(namespace);
    this.#readers.delete(key);
    watch.close();
  }

  /**
   * Sends a frame by a port; returns false when there is no such port. The frame is copied, and handed to the kernel by the
   * end of the turn. Frames that the kernel does not take are counted.
   */
  send(port: number, frame: Uint8Array): boolean {
    const to = this.#ports.get(port);
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
      this.#readers.get(this.#readiness.key(i))?.();
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
    if (count > 0) this.events.batch?.();
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
    return [...this.#ports.values()].map(({ number, name, given, socket, send, up, received, refused }) => ({
      port: number,
      name,
      ...(given === undefined ? {} : { namespace: given }),
      up,
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
    for (const { socket } of this.#ports.values()) socket.deafen();
    for (const port of this.#ports.values()) {
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
    for (const { socket } of this.#ports.values()) socket.close();
    for (const { watch } of this.#links.values()) watch.close();
  }
}
