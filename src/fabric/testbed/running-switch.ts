/** A switch of a running testbed: its process, and a device that always controls the current process. */

import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server } from "node:net";
import { defined, fail, systemErrorReason } from "../../base/index.js";
import { type Device, DeviceError } from "../../toolchain/device/index.js";
import { ownCommand } from "../../toolchain/loading/index.js";
import type { RemoteDevice } from "../../toolchain/p4runtime/index.js";
import { CODES } from "./codes.js";
import { Bmv2Device, ThriftCli } from "./switches/bmv2-device.js";
import { argvOf, type Bmv2Files, findBmv2, planSwitch, type SwitchPlan } from "./switches/command-line.js";
import { SwitchProcess } from "./switches/process.js";
import { SharedDevice } from "./switches/shared-device.js";
import { TestbedDevice } from "./switches/testbed-device.js";
import type { RunningSwitch, SwitchProcessState, TestbedStartOptions } from "./testbed.js";
import type { PortFrom, TestbedSwitch } from "./testbed-spec.js";

// A TCP port of 127.0.0.1 whose connections are forwarded to a Unix socket: for controllers that support only host and port.

const LAST_PORT = 65_535;

interface Forward {
  readonly port: number;
  /** Also closes its connections. */
  close(): Promise<void>;
}

/** Fails with P43110 when the port is taken, or all from the first one on. */
async function forwardPort(
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
  // For example too many open files: this connection is lost, and the testbed continues.
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

export type SwitchMaker = (id: string, spec: TestbedSwitch, index: number) => TestbedSwitchProcess;

/** How the switches of a testbed are made. Fails with P43103 when the engine is not there. */
export async function switchMaker(options: TestbedStartOptions): Promise<SwitchMaker> {
  const bmv2 = options.engine === "bmv2" ? await findBmv2(options.bmv2) : undefined;
  const start = bmv2 === undefined ? [...(options.p4loom ?? ownCommand()), "switch"] : [bmv2.switchGrpc];
  return (id, spec, index) =>
    new TestbedSwitchProcess(id, planSwitch({ id, spec, index, start }, options, bmv2), bmv2, options);
}

export class TestbedSwitchProcess implements RunningSwitch {
  readonly #device: TestbedDevice;
  readonly #process: SwitchProcess;
  /** BMv2 only: its Thrift interface, or why it has none. */
  readonly #thrift: ThriftCli | { readonly reason: string } | undefined;
  /** Interfaces that were removed from a BMv2 while their links are down. */
  readonly #taken = new Set<string>();
  readonly #downPorts = new Set<number>();
  readonly #stateListeners = new Set<() => void>();
  #remote: RemoteDevice | undefined;
  #shared: SharedDevice | undefined;
  #forward: Forward | undefined;
  /** Aborted when the testbed ends its control of the switch: no process is started any more. */
  readonly #released = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  #answers = false;

  constructor(
    readonly id: string,
    readonly plan: SwitchPlan,
    readonly bmv2: Bmv2Files | undefined,
    readonly options: TestbedStartOptions,
  ) {
    this.#device = new TestbedDevice(plan.spec.name);
    if (bmv2 !== undefined) {
      this.#thrift = "path" in bmv2.cli ? new ThriftCli(bmv2.cli.path, id, plan.thriftPort) : bmv2.cli;
    }
    this.#process = new SwitchProcess(id, plan, options.folder, (reason) => this.#gone(reason));
  }

  get name(): string {
    return this.plan.spec.name;
  }

  get device(): Device {
    return this.#device;
  }

  get address(): string {
    return `unix:${this.plan.socket}`;
  }

  get grpcPort(): number | undefined {
    return this.#forward?.port;
  }

  /** Of the present process, if there is one. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether the present process is in the namespace of the switches and has answered. */
  get answers(): boolean {
    return this.#answers && this.#process.isRunning;
  }

  get logFile(): string {
    return this.plan.logFile;
  }

  get traceSocket(): string | undefined {
    return this.plan.traceSocket;
  }

  start(): Promise<void> {
    const started = this.#start();
    this.#starting = started.catch(() => {});
    return started;
  }

  async #start(): Promise<void> {
    const stop = AbortSignal.any([this.options.stop, this.#released.signal]);
    this.#answers = false;
    this.#remote = await this.#process.start(argvOf(this.plan, this.#taken), stop);
    this.#answers = true;
    this.#shared = undefined;
    this.#device.attach(this.#wrap(this.#remote));
    this.#reportState();
    const { grpcPort } = this.plan.spec;
    if (grpcPort === undefined) return;
    const { socket } = this.plan;
    this.#forward ??= await forwardPort(grpcPort, socket, `switch ${this.name}`, this.options.log);
  }

  #wrap(remote: Device): Device {
    return this.#thrift === undefined ? remote : new Bmv2Device(remote, this.#thrift, this.options.log);
  }

  share(): void {
    if (this.#remote === undefined || this.#shared !== undefined) return;
    this.#shared = new SharedDevice(this.#remote, this.options.log);
    this.#device.attach(this.#wrap(this.#shared));
  }

  async refresh(): Promise<void> {
    if (this.#process.isRunning) await this.#shared?.refresh();
  }

  /**
   * Called before the link of an interface goes down. A BMv2 whose interface is taken down stops all work until
   * that port gets a packet again (libpcap waits for it), so the port is removed from it before.
   */
  async beforeDown(name: string): Promise<void> {
    if (this.bmv2 === undefined || this.#taken.has(name)) return;
    await this.#portCommand(`port_remove ${this.#portOf(name)}`);
    this.#taken.add(name);
  }

  /** After the link of an interface came up again. */
  async afterUp(name: string): Promise<void> {
    if (!this.#taken.delete(name)) return;
    await this.#portCommand(`port_add ${name} ${this.#portOf(name)}`);
  }

  #portOf(name: string): number {
    return defined(this.plan.spec.ports.find((port) => port.interface === name)).number;
  }

  /** A switch that is not running needs no change: it starts with the ports whose links are up. */
  async #portCommand(line: string): Promise<void> {
    if (!this.#process.isRunning) return;
    if (!(this.#thrift instanceof ThriftCli)) {
      fail(
        CODES.notInstalled,
        undefined,
        `cannot take a link of ${this.name} down: BMv2 removes a port over Thrift only, with simple_switch_CLI`,
        ...(this.#thrift === undefined ? [] : [this.#thrift.reason]),
      );
    }
    await this.#thrift.run([line]);
    this.options.log(`${this.name}: ${line} by simple_switch_CLI (Thrift)`);
  }

  watchState(listener: (state: SwitchProcessState) => void): () => void {
    let watching = true;
    const report = () => {
      // A listener is never called before the call that makes it known has returned.
      queueMicrotask(() => {
        if (watching) listener({ running: this.#process.isRunning, downPorts: new Set(this.#downPorts) });
      });
    };
    this.#stateListeners.add(report);
    report();
    return () => {
      watching = false;
      this.#stateListeners.delete(report);
    };
  }

  /** The carrier of an interface was removed or restored. */
  noteCarrier(name: string, up: boolean): void {
    if (up) this.#downPorts.delete(this.#portOf(name));
    else this.#downPorts.add(this.#portOf(name));
    this.#reportState();
  }

  #reportState(): void {
    for (const report of [...this.#stateListeners]) report();
  }

  /** The process ended by itself. */
  #gone(reason: string): void {
    this.#reportState();
    this.options.log(`switch ${this.name} has ended: ${reason}; its log is ${this.logFile}`);
    this.#device.detach().catch((error: Error) => this.options.log(error.message));
  }

  async kill(): Promise<void> {
    await this.#process.kill();
    this.#reportState();
    await this.#device.detach();
    this.options.log(`switch ${this.name} is killed`);
  }

  async restart(): Promise<void> {
    await this.#process.kill();
    this.#reportState();
    await this.#device.detach();
    await this.start();
    this.options.log(`switch ${this.name} is started again`);
  }

  /** Ends the control of the process; the janitor ends the process itself. */
  async release(): Promise<void> {
    this.#released.abort(new DeviceError("UNAVAILABLE", `the testbed of switch ${this.name} is closed`));
    await this.#starting;
    this.#process.expectEnd();
    await this.#forward?.close();
    await this.#device.detach();
  }
}
