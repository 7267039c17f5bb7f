/** A switch from its start to its end: program, P4Runtime server, ports, log. */

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Diagnostic, Diagnostics, fail, given, toHex } from "../../base/index.js";
import { DeviceError, type DeviceEvent, type PortAttachment } from "../device/index.js";
import type { P4RuntimeServer } from "../p4runtime/index.js";
import type { Program } from "../program/index.js";
import { Switch, type SwitchOptions } from "../switch/index.js";
import { CODES } from "./codes.js";
import { Log } from "./log.js";
import { checkPcap } from "./pcap-file.js";
import { Ports } from "./ports.js";
import type { SwitchSetup } from "./setup.js";
import { TraceFile } from "./trace-file.js";
import { TraceSocket } from "./trace-socket.js";
import { checkSocketFolder } from "./unix-socket.js";
import { WallClock } from "./wall-clock.js";

/** What a process, or a test, provides to a switch. */
export interface Surroundings {
  /** Takes results and the log. */
  print(text: string): void;
  /** Takes the same while traces are printed instead of results. */
  printAside?(text: string): void;
  report(diagnostics: readonly Diagnostic[]): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after this number of milliseconds, or as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Is aborted to end the switch; its reason is a text for the log. */
  stop: AbortSignal;
  /** Is called when the switch takes controllers and packets, with the address of the server, if there is one. */
  ready?(address: string | undefined): void;
}

/** Maximum time in ms that packets get to leave their queues at the end. */
const DRAIN_MS = 5000;
const DRAIN_STEP_MS = 5;
const AWAKE_MS = 1_000_000_000;

/**
 * Runs until `stop` is aborted or, with `exitWhenDone`, until all packets were forwarded. At the end all packets that
 * were received are sent or written, and all files are complete.
 * @throws DiagnosticError when something that the user gave is wrong, at the start or later
 */
export async function runSwitch(setup: SwitchSetup, surroundings: Surroundings): Promise<void> {
  const run = new Run(setup, surroundings);
  // Signals do not keep a process alive, and there may be neither a server nor files to read.
  const awake = setInterval(() => {}, AWAKE_MS);
  try {
    await run.start();
    await run.ended;
  } finally {
    await run.finish();
    clearInterval(awake);
  }
  run.throwFault();
}

class Run {
  /** Resolves when the switch has to stop. */
  readonly ended: Promise<void>;
  readonly #print: (text: string) => void;
  readonly #log: Log;
  readonly #trace: TraceFile | undefined;
  /** Whether single packets are logged. */
  readonly #logsFrames: boolean;
  readonly #clock = new WallClock((fault) => this.#fault(fault));
  readonly #sentNowhere = new Set<number>();
  #switch: Switch | undefined;
  readonly #ports: Ports;
  #server: P4RuntimeServer | undefined;
  #traceSocket: TraceSocket | undefined;
  #playing: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  #faults: unknown[] = [];

  constructor(
    readonly setup: SwitchSetup,
    readonly surroundings: Surroundings,
  ) {
    const { signal } = this.#stopping;
    this.ended = new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    const { trace } = setup;
    this.#print = trace?.path === "-" ? (surroundings.printAside ?? (() => {})) : surroundings.print;
    this.#log = new Log(setup.log, surroundings.now, this.#print, (error) => this.#fault(error));
    if (trace !== undefined)
      this.#trace = new TraceFile(trace, surroundings.print, (error) => this.#fault(error));
    this.#logsFrames = this.#log.has("debug") || (setup.dumpBytes > 0 && this.#log.has("info"));
    this.#ports = this.#makePorts();
    const { stop } = surroundings;
    if (stop.aborted) this.#stop(String(stop.reason));
    else stop.addEventListener("abort", () => this.#stop(String(stop.reason)), { once: true });
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async start(): Promise<void> {
    const { setup, surroundings } = this;
    const diagnostics = new Diagnostics();
    const device = this.#makeSwitch(setup.program?.program);
    this.#switch = device;
    if (setup.commands !== undefined) {
      const print = (line: string): void => this.#print(`${line}\n`);
      const { runCommands } = await import("../control/index.js");
      await runCommands(device, setup.commands, diagnostics, print);
      diagnostics.throwIfErrors();
    }
    surroundings.report(diagnostics.list.filter(({ severity }) => severity !== "info"));
    // A damaged input is reported before anything is started or written.
    for (const { input } of setup.files) await checkPcap(input);
    device.watch((event) => this.#note(event));
    this.#ports.openInterfaces(setup.interfaces);
    if (setup.traceSocket !== undefined) {
      const epochUs = 1000 * surroundings.now() - this.#clock.now();
      const start = { epochUs, monotonicUs: this.#clock.startUs };
      this.#traceSocket = await TraceSocket.open(setup.traceSocket, device, start, surroundings.now);
    }
    if (setup.address !== undefined) await this.#listen(device, setup.address);
    this.#ports.openFiles(setup.files);
    for (const { port, input, output } of setup.files) {
      this.#log.write("info", `port ${port} takes ${input} and sends to ${output}`);
    }
    for (const { rateBps, ...port } of setup.interfaces) {
      const rate = rateBps === undefined ? "" : `, at ${rateBps} bit/s`;
      const text = attachmentText({ kind: "interface", ...port });
      this.#log.write("info", `port ${port.port} is ${text}${rate}`);
    }
    this.#ports.start();
    this.#log.flush();
    const { address } = this.#server ?? {};
    this.#print(address === undefined ? "Running without a server\n" : `Server listening on ${address}\n`);
    surroundings.ready?.(address);
    if (setup.files.length > 0 || setup.exitWhenDone) {
      this.#playing = this.#play(device).catch((error) => this.#fault(error));
    }
  }

  /** Plays the input of a port that was added, in parallel with or after the other inputs. */
  async #playAdded(before: Promise<void> | undefined): Promise<void> {
    await before;
    const device = this.#switch;
    if (this.#stopped || device === undefined) return;
    try {
      await this.#ports.play(
        (port, frame) => this.#receive(device, port, frame),
        () => this.#stopped,
      );
    } catch (error) {
      this.#fault(error);
    }
  }

  #makePorts(): Ports {
    const { setup, surroundings } = this;
    const reserved = new Map([[setup.dropPort, "the drop port: no packet could leave by it"]]);
    if (setup.cpuPort !== undefined)
      reserved.set(setup.cpuPort, "the CPU port, whose packets go over P4Runtime");
    const { now } = surroundings;
    return new Ports(
      { reserved, captureFolder: setup.captureFolder, folder: process.cwd(), now },
      {
        frame: (port, frame) => {
          try {
            const device = this.#switch!;
            this.#receive(device, port, device.keepsFrames ? frame.slice() : frame);
          } catch (fault) {
            this.#fault(fault);
          }
        },
        link: (port, up) => {
          this.#log.write("info", `port ${port} is ${up ? "up" : "down"}`);
          this.#switch?.setPortState(port, up);
        },
        warn: (message, note) => {
          const diagnostics = new Diagnostics();
          diagnostics.warning(CODES.longFrames, undefined, message, note);
          surroundings.report(diagnostics.list);
          this.#log.write("warn", message);
        },
        error: (error) => this.#fault(error),
        beforeInterfaces: () => this.#clock.refine(),
        added: (port, attachment) => {
          this.#log.write("info", `port ${port} was added: ${attachmentText(attachment)}`);
          if (attachment.kind === "files") this.#playing = this.#playAdded(this.#playing);
        },
        removed: (port) => this.#log.write("info", `port ${port} was removed`),
      },
    );
  }

  #makeSwitch(program: Program | undefined): Switch {
    const { setup } = this;
    const rates = new Map(
      setup.interfaces.flatMap(({ port, rateBps }) => (rateBps === undefined ? [] : [[port, rateBps]])),
    );
    const options: SwitchOptions = {
      name: `device ${setup.deviceId}`,
      clock: this.#clock,
      dropPort: setup.dropPort,
      ...given({ cpuPort: setup.cpuPort }),
      transmit: (port, frame) => this.#transmit(port, frame),
      ports: this.#ports,
      // 64 packets for each queue, as in BMv2.
      queue: {
        depthPackets: 64,
        priorities: setup.priorityQueues,
        // A frame is given to the kernel at once. The next frame waits in the queue for the time that the first needs on
        // the wire.
        ...(rates.size === 0
          ? {}
          : { rateBitsPerSecond: (port: number) => rates.get(port), handOver: "first" }),
      },
      log: (message) => this.#log.write("info", message),
    };
    const trace = this.#trace;
    if (trace !== undefined) options.trace = (packet) => trace.add(packet);
    const path = setup.program?.path;
    const device = new Switch(program, options);
    this.#log.write("info", path === undefined ? "no program yet" : `program ${path} is loaded`);
    return device;
  }

  async #listen(device: Switch, address: string): Promise<void> {
    if (address.startsWith("unix:"))
      checkSocketFolder(`cannot listen on ${address}`, address.slice("unix:".length));
    const { serve } = await import("../p4runtime/index.js");
    const { deviceId, tls } = this.setup;
    const ports = this.#ports;
    const { program } = this.setup;
    const schema = await program?.bfrt?.();
    const bfrt = program && schema && { name: basename(program.path).replace(/\.p4$/, ""), schema };
    // Ports that were added have names from the next load of a program on.
    const translations = {
      get ports() {
        return ports.names;
      },
    };
    try {
      this.#server = await serve(device, {
        address,
        deviceId,
        // The server does not check ports against a list: as in BMv2, a group may name a port that is added later.
        translations,
        ...given({ tls, bfrt }),
      });
    } catch (error) {
      if (error instanceof DeviceError && error.code === "UNAVAILABLE")
        fail(CODES.cannotListen, undefined, error.message);
      if (tls === undefined) throw error;
      fail(CODES.tls, undefined, `certificate or key is not usable: ${(error as Error).message}`);
    }
  }

  async #play(device: Switch): Promise<void> {
    await this.surroundings.wait(this.setup.waitMs, this.#stopping.signal);
    if (this.#stopped) return;
    this.#log.write("debug", "reading the input files");
    const receive = (port: number, frame: Uint8Array): void => this.#receive(device, port, frame);
    const frames = await this.#ports.play(receive, () => this.#stopped);
    this.#log.write(
      "info",
      `${this.#stopped ? "stopped" : "end of all input files"}: ${frames} packets taken`,
    );
    if (this.setup.exitWhenDone) this.#stop("all packets went through");
  }

  #receive(device: Switch, port: number, frame: Uint8Array): void {
    if (this.#logsFrames) this.#logFrame(port, "in", frame);
    device.receive(port, frame);
  }

  #transmit(port: number, frame: Uint8Array): void {
    if (this.#logsFrames) this.#logFrame(port, "out", frame);
    if (this.#ports.transmit(port, frame)) return;
    if (this.#sentNowhere.has(port)) return;
    this.#sentNowhere.add(port);
    this.#log.write("warn", `there is no port ${port}: packets that leave by it are lost`);
  }

  #logFrame(port: number, way: "in" | "out", frame: Uint8Array): void {
    if (this.#log.has("debug")) this.#log.write("debug", `port ${port} ${way}: ${frame.length} bytes`);
    const { dumpBytes } = this.setup;
    if (dumpBytes === 0 || !this.#log.has("info")) return;
    const bytes = toHex(frame.subarray(0, dumpBytes));
    this.#log.write(
      "info",
      `port ${port} ${way}: ${Math.min(dumpBytes, frame.length)} of ${frame.length} bytes: ${bytes}`,
    );
  }

  #note(event: DeviceEvent): void {
    if (!this.#log.has("debug")) return;
    if (event.kind === "packetIn")
      this.#log.write("debug", `packet-in: ${event.packet.payload.length} bytes`);
    else if (event.kind === "digest")
      this.#log.write("debug", `digest ${event.list.digest}: list ${event.list.listId}`);
    else if (event.kind === "idleTimeout")
      this.#log.write("debug", `${event.entries.length} entries are idle`);
  }

  #stop(reason: string): void {
    if (this.#stopped) return;
    this.#log.write("info", `stopping: ${reason}`);
    this.#stopping.abort();
  }

  #fault(error: unknown): void {
    this.#faults.push(error);
    this.#stop("something went wrong");
  }

  throwFault(): void {
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  /** Lets the packets that were received leave, then closes everything. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await this.#playing;
    await this.#ports.stop();
    await this.#server?.close();
    const waiting = (): number => this.#switch?.waiting ?? 0;
    for (let left = DRAIN_MS; waiting() > 0 && left > 0; left -= DRAIN_STEP_MS) await sleep(DRAIN_STEP_MS);
    if (waiting() > 0)
      this.#log.write("warn", `${waiting()} packets are lost that still wait in slow queues`);
    await this.#switch?.close();
    if (this.#switch !== undefined) this.#switch.trace = undefined;
    this.#trace?.close();
    await this.#traceSocket?.close();
    this.#clock.close();
    this.#logInterfaces();
    this.#ports.close();
    const { stats } = this.#switch ?? {};
    if (stats !== undefined) {
      this.#log.write(
        "info",
        `${stats.received} packets came in, ${stats.transmitted} left, ${stats.dropped} were dropped`,
      );
    }
    this.#log.close();
  }

  #logInterfaces(): void {
    for (const counted of this.#ports.statistics) {
      const { port, name, received, sent, receiveDrops, receiveRefused, sendRefused } = counted;
      this.#log.write("info", `port ${port} (${name}): ${received} frames came in, ${sent} left`);
      if (receiveDrops + receiveRefused + sendRefused === 0) continue;
      const lost = `${receiveDrops} were not read soon enough, ${receiveRefused} were not frames that a wire carries, `;
      this.#log.write("warn", `port ${port} (${name}): ${lost}${sendRefused} could not leave`);
    }
  }
}

function attachmentText(attachment: PortAttachment): string {
  if (attachment.kind === "files") return `files ${attachment.name}_in.pcap and ${attachment.name}_out.pcap`;
  const { name, namespace } = attachment;
  return `interface ${name}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}
