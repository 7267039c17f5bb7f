/**
 * The ports of a running switch: interfaces and pcap files, those of the start and those that a controller adds. A port that
 * was removed is down: packets to it are dropped, and group members that watch it take no part.
 */

import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { DiagnosticError, defined, given } from "../../base/index.js";
import {
  DeviceError,
  type PortAttachment,
  type PortControl,
  type PortDescription,
  type StatusCode,
} from "../device/index.js";
import { Captures } from "./captures.js";
import { InterfacePorts } from "./interface-ports.js";
import { checkPcap } from "./pcap-file.js";
import { PcapPorts } from "./pcap-ports.js";
import { type Capture, captureOf, filesOf, type PortFiles, type PortInterface } from "./setup.js";

export interface PortEvents {
  frame(port: number, frame: Uint8Array): void;
  /** A port's link went up or down. A port that was added is up or down from here on, one that was removed is down. */
  link(port: number, up: boolean): void;
  warn(message: string, note: string): void;
  /** A file cannot be written any more. */
  error(error: unknown): void;
  /** The first interface is about to be opened. */
  beforeInterfaces(): void;
  added(port: number, attachment: PortAttachment): void;
  removed(port: number): void;
}

export interface PortOptions {
  /** Ports that cannot be attached to anything, with the reason. */
  readonly reserved: ReadonlyMap<number, string>;
  /** Absent: ports that are added are not captured. */
  readonly captureFolder?: string | undefined;
  /** The folder below which files of added ports are. */
  readonly folder: string;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Ports of v1model have 9 bits. */
const MAX_PORT = 511;

/** The P4Runtime status for each error of a port. */
const CODES: Readonly<Record<string, StatusCode>> = {
  P40001: "NOT_FOUND",
  P40003: "FAILED_PRECONDITION",
  P40020: "UNIMPLEMENTED",
  P40021: "NOT_FOUND",
  P40022: "PERMISSION_DENIED",
  P40023: "NOT_FOUND",
  P40024: "ALREADY_EXISTS",
  P40025: "INVALID_ARGUMENT",
};

function asDeviceError(error: unknown): unknown {
  if (!(error instanceof DiagnosticError)) return error;
  const { code, message } = defined(error.diagnostics[0]);
  return new DeviceError(CODES[code] ?? "INVALID_ARGUMENT", message);
}

export class Ports implements PortControl {
  readonly #captures: Captures;
  readonly #files: PcapPorts;
  #interfaces: InterfacePorts | undefined;
  /** The attachment of each port. */
  readonly #attachments = new Map<number, PortAttachment>();
  /** The interface that is being added: its link is reported after the addition. */
  #opening: number | undefined;
  #state: "opened" | "running" | "closed" = "opened";

  constructor(
    readonly options: PortOptions,
    readonly events: PortEvents,
  ) {
    this.#captures = new Captures(options.now, events.error);
    this.#files = new PcapPorts(this.#captures, options.now, events.error);
  }

  /** Opens the interfaces of the start and their captures. Fails with P40003 or P4002x. */
  openInterfaces(ports: readonly PortInterface[]): void {
    if (ports.length === 0) return;
    this.#makeInterfaces(ports);
    for (const port of ports) {
      this.#attachments.set(port.port, attachmentOf(port));
      if (port.capture !== undefined) this.#captures.add(port.port, port.capture);
    }
  }

  #makeInterfaces(ports: readonly PortInterface[]): InterfacePorts {
    this.events.beforeInterfaces();
    const interfaces = new InterfacePorts(ports, this.#captures, {
      frame: this.events.frame,
      warn: this.events.warn,
      link: (port, up) => {
        if (port !== this.#opening) this.events.link(port, up);
      },
    });
    this.#interfaces = interfaces;
    return interfaces;
  }

  /** Opens the files of the start, which were checked, and their captures. Fails with P40001 or P40003. */
  openFiles(ports: readonly PortFiles[]): void {
    for (const port of ports) {
      this.#files.add(port);
      this.#attachments.set(port.port, { kind: "files", name: port.name });
      if (port.capture !== undefined) this.#captures.add(port.port, port.capture);
    }
  }

  /** Takes frames of interfaces from now on; ports can be added and removed. */
  start(): void {
    this.#interfaces?.start();
    this.#state = "running";
  }

  /** Sends a frame; returns false when there is no such port. */
  transmit(port: number, frame: Uint8Array): boolean {
    return (this.#interfaces?.transmit(port, frame) ?? false) || this.#files.transmit(port, frame);
  }

  /** As {@link PcapPorts.play}. */
  play(receive: (port: number, frame: Uint8Array) => void, stopped: () => boolean): Promise<number> {
    return this.#files.play(receive, stopped);
  }

  async add(port: number, attachment: PortAttachment): Promise<void> {
    this.#check(port);
    if (this.#attachments.has(port)) {
      const { name } = defined(this.#attachments.get(port));
      throw new DeviceError("ALREADY_EXISTS", `port ${port} is ${name}; remove it first`);
    }
    // The number is taken meanwhile.
    this.#attachments.set(port, attachment);
    try {
      if (attachment.kind === "files") await this.#addFiles(port, attachment.name);
      else this.#addInterface({ port, ...attachment });
    } catch (error) {
      this.#attachments.delete(port);
      throw asDeviceError(error);
    }
  }

  #check(port: number): void {
    if (this.#state !== "running") throw new DeviceError("UNAVAILABLE", "the switch does not run");
    if (!Number.isInteger(port) || port < 0 || port > MAX_PORT)
      throw new DeviceError("OUT_OF_RANGE", `port ${port}; ports are 0 to ${MAX_PORT}`);
    const why = this.options.reserved.get(port);
    if (why !== undefined) throw new DeviceError("INVALID_ARGUMENT", `port ${port} is ${why}`);
  }

  #addInterface(port: PortInterface): void {
    const capture = this.#startCapture(port.port, port.name);
    this.#opening = port.port;
    try {
      if (this.#interfaces !== undefined) this.#interfaces.add(port);
      else this.#startInterfaces(port);
    } catch (error) {
      if (capture !== undefined) this.#captures.remove(port.port);
      throw error;
    } finally {
      this.#opening = undefined;
    }
    this.events.added(port.port, attachmentOf(port));
    const up = this.statistics.find((counted) => counted.port === port.port)?.up ?? false;
    this.events.link(port.port, up);
  }

  /** The first interface of a switch that was started without. */
  #startInterfaces(port: PortInterface): void {
    const made = this.#makeInterfaces([port]);
    try {
      made.start();
    } catch (error) {
      made.close();
      this.#interfaces = undefined;
      throw error;
    }
  }

  async #addFiles(port: number, name: string): Promise<void> {
    const { input, output } = filesBelow(this.options.folder, name);
    const owner = this.#usersOf([input, output]);
    if (owner !== undefined)
      throw new DeviceError("ALREADY_EXISTS", `the files of ${name} are those of port ${owner}`);
    await checkPcap(input);
    if (this.#state !== "running") throw new DeviceError("UNAVAILABLE", "the switch ends");
    const inPlace =
      this.options.captureFolder !== undefined &&
      sameFile(captureOf(this.options.captureFolder, name).input, input);
    const capture = inPlace ? undefined : this.#startCapture(port, name);
    try {
      this.#files.add({ port, name, input, output });
    } catch (error) {
      if (capture !== undefined) this.#captures.remove(port);
      throw error;
    }
    this.events.link(port, true);
    this.events.added(port, { kind: "files", name });
  }

  /** The port that has one of these files already. */
  #usersOf(paths: readonly string[]): number | undefined {
    for (const [port, { kind, name }] of this.#attachments) {
      if (kind !== "files") continue;
      const { input, output } = filesOf(resolve(this.options.folder, name));
      if (paths.some((path) => sameFile(path, input) || sameFile(path, output))) {
        if (this.#files.statistics.some((file) => file.port === port)) return port;
      }
    }
    return undefined;
  }

  #startCapture(port: number, name: string): Capture | undefined {
    const { captureFolder } = this.options;
    if (captureFolder === undefined) return undefined;
    const capture = captureOf(captureFolder, name);
    this.#captures.add(port, capture);
    return capture;
  }

  async remove(port: number): Promise<void> {
    this.#check(port);
    if (!this.#attachments.has(port)) throw new DeviceError("NOT_FOUND", `there is no port ${port}`);
    if (!(this.#interfaces?.remove(port) ?? false) && !this.#files.remove(port))
      throw new DeviceError("FAILED_PRECONDITION", `port ${port} is being added`);
    this.#attachments.delete(port);
    this.#captures.remove(port);
    this.events.removed(port);
    this.events.link(port, false);
  }

  /** Ports by the names of their interfaces and files. A name of two ports, in two namespaces, is left out. */
  get names(): Record<string, bigint> {
    const given = [...this.#attachments];
    const named = given.filter(
      ([, { name }]) => given.filter(([, other]) => other.name === name).length === 1,
    );
    return Object.fromEntries(named.map(([port, { name }]) => [name, BigInt(port)]));
  }

  async list(): Promise<PortDescription[]> {
    const interfaces = (this.#interfaces?.statistics ?? []).map((counted): PortDescription => {
      const { port, up, received, sent, receiveDrops, receiveRefused, sendRefused } = counted;
      return {
        port,
        attachment: attachmentOf(counted),
        up,
        received,
        sent,
        receiveDrops: receiveDrops + receiveRefused,
        sendDrops: sendRefused,
      };
    });
    const files = this.#files.statistics.map(
      ({ port, name, received, sent }): PortDescription => ({
        port,
        attachment: { kind: "files", name },
        up: true,
        received,
        sent,
        receiveDrops: 0,
        sendDrops: 0,
      }),
    );
    return [...interfaces, ...files].sort((a, b) => a.port - b.port);
  }

  /** Counters of the interfaces that are open. */
  get statistics(): InterfacePorts["statistics"] {
    return this.#interfaces?.statistics ?? [];
  }

  /** Stops reading; frames that came before are still given to `frame`. */
  async stop(): Promise<void> {
    this.#state = "closed";
    await this.#interfaces?.stop();
  }

  /** Sends the frames that wait and closes everything. Captures and output files are complete then. */
  close(): void {
    this.#state = "closed";
    this.#interfaces?.close();
    this.#files.close();
    this.#captures.close();
  }
}

function attachmentOf({ name, namespace }: { name: string; namespace?: string }): PortAttachment {
  return { kind: "interface", name, ...given({ namespace }) };
}

function sameFile(one: string, other: string): boolean {
  return resolve(one) === resolve(other);
}

/**
 * The files of a port below a folder: a controller may be another user of the machine, and must not read and write with the
 * rights of the switch elsewhere.
 */
function filesBelow(folder: string, name: string): Capture {
  const refuse = (why: string): never => {
    throw new DeviceError(
      "INVALID_ARGUMENT",
      `the files of a port are below the folder of the switch: ${name} ${why}`,
    );
  };
  if (isAbsolute(name)) refuse("is absolute");
  const path = normalize(name);
  if (path.split("/").includes("..")) refuse("is outside of it");
  const files = filesOf(join(folder, path));
  for (const file of [files.input, files.output]) {
    let place: string;
    try {
      place = realpathSync(dirname(file));
    } catch {
      throw new DeviceError("NOT_FOUND", `there is no folder ${dirname(path)}`);
    }
    if (relative(realpathSync(folder), place).split("/").includes(".."))
      refuse("leads outside of it by a link");
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) refuse(`(${file}) is a link`);
  }
  return files;
}
