/**
 * The packet generator of a Tofino: applications that make batches of packets when a timer ends, when a port goes down, or when a packet
 * recirculates that has a pattern in its first 32 bits. A packet has a header of six bytes in front (`pktgen_..._header_t` of the architecture
 * files), then the bytes of its application, and comes in by a port of its pipe.
 */
import type { PacketApp } from "../../device/index.js";
import type { SwitchClock } from "../options.js";

const HEADER_BYTES = 6;
const PORTS_OF_PIPE = 128;
const RECIRCULATION_US = 1;
/** Triggers whose packets are being made. */
const MOST_RUNS = 4096;
/** Packets that are made in one turn. */
const MOST_AT_ONCE = 256;

/** What the header has beside the numbers of the pipe, of the application and of the packet. */
interface Cause {
  /** Bits 8 to 31 of the header: the number of the batch where it is undefined. */
  readonly middle: number | undefined;
}

/** The packets of one trigger. */
interface Run {
  readonly app: PacketApp;
  readonly cause: Cause;
  readonly start: number;
}

export class PacketApps {
  /** Applications whose packets are not all made. */
  readonly #busy = new Set<PacketApp>();
  #runs = 0;
  #apps: readonly PacketApp[] = [];
  #cancels: (() => void)[] = [];

  constructor(
    readonly clock: SwitchClock,
    readonly receive: (port: number, frame: Uint8Array) => void,
    /** Bits of the number of an application in a header: 3, or 4 on Tofino 2. */
    readonly appBits: () => number,
  ) {}

  /** Replaces all applications; timers count from now. */
  set(apps: readonly PacketApp[]): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#busy.clear();
    this.#runs = 0;
    this.#apps = apps.map((app) => ({ ...app, bytes: app.bytes.slice() }));
    for (const app of this.#apps)
      if (app.trigger.kind === "timer") this.#wait(app, app.trigger, this.clock.now());
  }

  /** Times of a periodic timer do not depend on how late the clock is, but periods that have passed are skipped: they never come in a burst. */
  #wait(app: PacketApp, trigger: PacketApp["trigger"] & { kind: "timer" }, from: number): void {
    const period = trigger.nanoseconds / 1000;
    const due = from + period;
    this.#at(due, () => {
      if (trigger.isPeriodic) this.#wait(app, trigger, Math.max(due, this.clock.now() - period));
      this.#start(app, { middle: undefined });
    });
  }

  #at(time: number, run: () => void): void {
    const cancel = this.clock.at(time, () => {
      this.#cancels.splice(this.#cancels.indexOf(cancel), 1);
      run();
    });
    this.#cancels.push(cancel);
  }

  portDown(port: number): void {
    for (const app of this.#apps)
      if (app.trigger.kind === "portDown") this.#start(app, { middle: port & 0x1ff });
  }

  recirculated(frame: Uint8Array): void {
    if (this.#apps.length === 0) return;
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    const first = frame.length < 4 ? 0 : view.getUint32(0);
    for (const app of this.#apps) {
      const { trigger } = app;
      if (trigger.kind !== "recirculation" || ((first ^ trigger.value) & trigger.mask) !== 0) continue;
      this.#start(app, { middle: this.appBits() === 3 ? first & 0xffffff : undefined });
    }
  }

  #start(app: PacketApp, cause: Cause): void {
    // A timer that ends before its packets are made makes no more; there are at most so many other triggers at once.
    if (app.trigger.kind === "timer" ? this.#busy.has(app) : this.#runs >= MOST_RUNS) return;
    // What recirculates may start itself again: time has to pass.
    const now = this.clock.now() + (app.trigger.kind === "recirculation" ? RECIRCULATION_US : 0);
    this.#busy.add(app);
    this.#runs++;
    this.#make({ app, cause, start: now }, 0);
  }

  /** Makes the packets of a trigger from this one on, as far as they are due; one alarm waits for the next. */
  #make(run: Run, first: number): void {
    const { app, cause, start } = run;
    const { batches = 1, packets = 1, batchGapNs = 0, packetGapNs = 0 } = app;
    const dueOf = (n: number): number => {
      const batch = Math.floor(n / packets);
      return start + (batch * batchGapNs + (n - batch) * packetGapNs) / 1000;
    };
    const due = dueOf(first);
    this.#at(due, () => {
      const now = Math.max(due, this.clock.now());
      let next = first;
      // A clock whose timers are late has other work between two bursts.
      while (next < batches * packets && next < first + MOST_AT_ONCE && dueOf(next) <= now) {
        const batch = Math.floor(next / packets);
        this.receive(app.port, this.#frame(app, cause.middle ?? batch, next - batch * packets));
        next++;
      }
      if (next < batches * packets) this.#make(run, next);
      else {
        this.#runs--;
        this.#busy.delete(app);
      }
    });
  }

  #frame({ app, port, bytes }: PacketApp, middle: number, packet: number): Uint8Array {
    const frame = new Uint8Array(HEADER_BYTES + bytes.length);
    const view = new DataView(frame.buffer);
    view.setUint8(0, (Math.floor(port / PORTS_OF_PIPE) << this.appBits()) | app);
    view.setUint8(1, middle >>> 16);
    view.setUint16(2, middle & 0xffff);
    view.setUint16(4, packet);
    frame.set(bytes, HEADER_BYTES);
    return frame;
  }
}
