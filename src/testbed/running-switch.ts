/** A switch of a running lab: its process, and the device that controls whichever process is the current one. */
import type { Device } from "../program/index.js";
import type { LabOptions, LabSwitch, RunningSwitch } from "./lab.js";
import { type Bmv2Files, findBmv2 } from "./switches/bmv2.js";
import { Bmv2Device } from "./switches/bmv2-device.js";
import { planSwitch, type SwitchPlan } from "./switches/command-line.js";
import { forwardPort } from "./switches/forward-port.js";
import { LabDevice } from "./switches/lab-device.js";
import { SwitchProcess } from "./switches/process.js";
import { ThriftCli } from "./switches/thrift-cli.js";
import { ownCommand } from "./system/package.js";

export type SwitchMaker = (id: string, spec: LabSwitch, index: number) => LabSwitchProcess;

/** How the switches of a lab are made. Fails with P43103 when the engine is not there. */
export function switchMaker(options: LabOptions): SwitchMaker {
  const bmv2 = options.engine === "bmv2" ? findBmv2(options.bmv2) : undefined;
  const start = bmv2 === undefined ? [...(options.p4loom ?? ownCommand()), "switch"] : [bmv2.switchGrpc];
  return (id, spec, index) =>
    new LabSwitchProcess(id, planSwitch(id, spec, index, start, options), bmv2, options);
}

export class LabSwitchProcess implements RunningSwitch {
  readonly #device: LabDevice;
  readonly #process: SwitchProcess;
  #unforward: (() => Promise<void>) | undefined;

  constructor(
    readonly id: string,
    readonly plan: SwitchPlan,
    readonly bmv2: Bmv2Files | undefined,
    readonly options: LabOptions,
  ) {
    this.#device = new LabDevice(plan.spec.name);
    this.#process = new SwitchProcess(id, plan, options.folder);
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

  get logFile(): string {
    return this.plan.logFile;
  }

  async start(): Promise<void> {
    const remote = await this.#process.start(this.options.stop);
    this.#device.attach(this.#wrap(remote));
    const { grpcPort } = this.plan.spec;
    if (grpcPort !== undefined) {
      this.#unforward ??= await forwardPort(grpcPort, this.plan.socket, `switch ${this.name}`);
    }
  }

  #wrap(remote: Device): Device {
    if (this.bmv2 === undefined) return remote;
    const { cli } = this.bmv2;
    const thrift = cli === undefined ? undefined : new ThriftCli(cli, this.id, this.plan.thriftPort);
    return new Bmv2Device(remote, thrift, this.options.log);
  }

  async kill(): Promise<void> {
    await this.#device.detach();
    await this.#process.kill();
    this.options.log(`switch ${this.name} is killed`);
  }

  async restart(): Promise<void> {
    await this.#device.detach();
    await this.#process.kill();
    await this.start();
    this.options.log(`switch ${this.name} is started again`);
  }

  /** Lets go of it; the janitor ends the process. */
  async release(): Promise<void> {
    await this.#unforward?.();
    await this.#device.detach();
  }
}
