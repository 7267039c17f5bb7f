/**
 * The forwarding pipeline config (P4Runtime spec 7, 14, 15): the running config, the config that is saved and waits for its
 * commit, and the five actions of SetForwardingPipelineConfig.
 */
import { create } from "@bufbuild/protobuf";
import { DiagnosticError, Diagnostics } from "../../../base/index.js";
import {
  type Device,
  DeviceError,
  Names,
  type NamesOptions,
  type Pace,
  type PreparedProgram,
  typeWidths,
} from "../../device/index.js";
import {
  firstMismatch,
  type P4Info,
  P4InfoIndex,
  type Program,
  validateP4Info,
} from "../../program/index.js";
import { CURRENT_DIALECT } from "../codec/ports.js";
import { makeWire, type Wire } from "../codec/wire.js";
import { readDeviceConfig } from "../device-config.js";
import {
  SetForwardingPipelineConfigRequest_Action as Action,
  type ForwardingPipelineConfig,
  ForwardingPipelineConfig_CookieSchema,
  ForwardingPipelineConfigSchema,
  GetForwardingPipelineConfigRequest_ResponseType as ResponseType,
} from "../generated/p4/v1/p4runtime_pb.js";
import { checkCarryOver, collectState, firstLost } from "./carry-over.js";
import { StagedDevice } from "./staged.js";

/** A config as it was received, and the program read from it. */
export interface Config {
  readonly program: Program;
  readonly wire: Wire;
  readonly deviceConfig: Uint8Array;
  readonly cookie: bigint | undefined;
}

/** Maximum number of errors in one message. */
const MAX_COMPLAINTS = 5;

function complaints(diagnostics: Diagnostics): string {
  const errors = diagnostics.list.filter((d) => d.severity === "error").slice(0, MAX_COMPLAINTS);
  return errors
    .map(({ span, message }) => {
      if (span === undefined) return message;
      const { line, column } = span.file.position(span.start);
      return `${span.file.path}:${line}:${column}: ${message}`;
    })
    .join("; ");
}

/** Limits of v1model: `mcast_grp` and `egress_rid` have 16 bits, ports 9. */
const MAX_GROUPS = 2 ** 16 - 1;
const MAX_REPLICAS_PER_GROUP = 2 ** 25;

/** Checks the properties that the program requires of its platform (P4Runtime spec 6.2). */
function checkPlatform({ pkgInfo }: P4Info): void {
  const wanted = pkgInfo?.platformProperties;
  if (wanted === undefined) return;
  const { multicastGroupTableSize: groups, multicastGroupTableTotalReplicas: total } = wanted;
  const perGroup = wanted.multicastGroupTableMaxReplicasPerEntry;
  const refuse = (why: string): never => {
    throw new DeviceError("INVALID_ARGUMENT", `platform_properties: ${why}`);
  };
  if (groups < 0 || total < 0 || perGroup < 0) refuse("a negative number");
  if (perGroup > total) {
    refuse(`${perGroup} replicas in one multicast group, but ${total} in all of them`);
  }
  if (groups > MAX_GROUPS) refuse(`${groups} multicast groups; v1model has ${MAX_GROUPS}`);
  const replicas = Math.max(perGroup, total / MAX_GROUPS);
  if (replicas > MAX_REPLICAS_PER_GROUP) {
    refuse(`${perGroup} replicas in a multicast group; v1model has ${MAX_REPLICAS_PER_GROUP}`);
  }
}

/** Number of work units after which other tasks run in any case. */
const TURN = 1000;

/** Parses and checks a config as far as P4Info and BMv2 JSON go. */
async function parseConfig(
  message: ForwardingPipelineConfig | undefined,
  pace: Pace,
): Promise<Pick<Config, "program" | "deviceConfig" | "cookie">> {
  const invalid = (why: string): DeviceError => new DeviceError("INVALID_ARGUMENT", why);
  if (message === undefined) throw invalid("the config is missing");
  const { p4info } = message;
  if (p4info === undefined) throw invalid("the config has no p4info");
  const diagnostics = new Diagnostics();
  if (!validateP4Info(p4info, diagnostics)) throw invalid(`the p4info is wrong: ${complaints(diagnostics)}`);
  checkPlatform(p4info);
  if (message.p4DeviceConfig.length === 0)
    throw invalid("the config has no p4_device_config, which is BMv2 JSON");
  await pace(TURN);
  const bmv2 = readDeviceConfig(message.p4DeviceConfig, diagnostics);
  if (bmv2 === undefined) throw invalid(`the p4_device_config is wrong: ${complaints(diagnostics)}`);
  await pace(TURN);
  const mismatch = firstMismatch({ bmv2, p4info });
  if (mismatch !== undefined)
    throw invalid(`the p4info is of another program than the p4_device_config: ${mismatch}`);
  return {
    program: { bmv2, p4info },
    deviceConfig: message.p4DeviceConfig,
    cookie: message.cookie?.cookie,
  };
}

/** P4Runtime requires INVALID_ARGUMENT for every program that a device refuses. */
async function realize<T>(task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    if (!(error instanceof DeviceError) && !(error instanceof DiagnosticError)) throw error;
    throw new DeviceError("INVALID_ARGUMENT", error.message);
  }
}

/** The names that the configuration of the switch gives to values (P4Runtime spec 18.1). */
export type Translations = Pick<NamesOptions, "fixed" | "ports">;

export class Pipeline {
  #committed: Config | undefined;
  #saved: { config: Config; device: StagedDevice } | undefined;

  constructor(
    private readonly device: Device,
    private readonly translations: Translations = {},
    private readonly hasPort?: (port: number) => boolean,
  ) {}

  #wire(program: Program, names: Names): Wire {
    const wire = makeWire(new P4InfoIndex(program.p4info), CURRENT_DIALECT, false, names);
    return this.hasPort === undefined ? wire : { ...wire, hasPort: this.hasPort };
  }

  #names(program: Program): Names {
    return new Names(program.p4info, {
      ...this.translations,
      widths: typeWidths(program),
      closedPorts: true,
    });
  }

  /**
   * The config with the names of its values. A name of the former config keeps its number with `keep`, and where the
   * device has names of its own.
   */
  async #parse(message: ForwardingPipelineConfig | undefined, keep: boolean, pace: Pace): Promise<Config> {
    const parsed = await parseConfig(message, pace);
    const names = this.#names(parsed.program);
    const before = this.device.names ?? (keep ? this.committed?.wire.names : undefined);
    if (before !== undefined) names.adopt(before);
    const config = { ...parsed, wire: this.#wire(parsed.program, names) };
    await pace(TURN);
    return config;
  }

  /** The config that runs on the device, even if it was loaded by other means. */
  get committed(): Config | undefined {
    const { program } = this.device;
    if (program !== this.#committed?.program) {
      this.#committed =
        program === undefined
          ? undefined
          : {
              program,
              wire: this.#wire(program, this.device.names ?? this.#names(program)),
              deviceConfig: new TextEncoder().encode(JSON.stringify(program.bmv2)),
              cookie: undefined,
            };
    }
    return this.#committed;
  }

  /** What Write and Read refer to: the saved config while there is one (14, VERIFY_AND_SAVE). */
  target(): { wire: Wire; device: Device } | undefined {
    if (this.#saved !== undefined) return { wire: this.#saved.config.wire, device: this.#saved.device };
    const { committed } = this;
    return committed === undefined ? undefined : { wire: committed.wire, device: this.device };
  }

  /**
   * Executes an action; with `pace`, packets are forwarded meanwhile: by the former program until the new one is
   * complete.
   */
  async set(action: Action, message: ForwardingPipelineConfig | undefined, pace: Pace): Promise<void> {
    switch (action) {
      case Action.VERIFY:
        await this.#verify(await this.#parse(message, false, pace), pace);
        break;
      case Action.VERIFY_AND_SAVE: {
        const config = await this.#parse(message, false, pace);
        await this.#verify(config, pace);
        this.#saved = { config, device: new StagedDevice(config.program) };
        break;
      }
      case Action.VERIFY_AND_COMMIT: {
        const config = await this.#parse(message, false, pace);
        await this.#load(config, pace);
        this.#saved = undefined;
        break;
      }
      case Action.COMMIT:
        if (message !== undefined) throw new DeviceError("INVALID_ARGUMENT", "COMMIT takes no config");
        await this.#commit(pace);
        break;
      case Action.RECONCILE_AND_COMMIT:
        await this.#reconcile(await this.#parse(message, true, pace), pace);
        this.#saved = undefined;
        break;
      default:
        throw new DeviceError("INVALID_ARGUMENT", `the action ${action} is unknown`);
    }
  }

  async #verify(config: Config, pace: Pace): Promise<void> {
    await realize(this.device.verify?.(config.program, pace) ?? Promise.resolve());
  }

  async #load(config: Config, pace: Pace): Promise<void> {
    await realize(this.device.load(config.program, pace));
    this.#adopt(config);
  }

  /** The device may keep another object for the program; from now on that object identifies the config. */
  #adopt(config: Config): void {
    const { program } = this.device;
    if (program === undefined) {
      this.#committed = undefined;
      return;
    }
    const { names } = this.device;
    names?.adopt(config.wire.names);
    const wire = names === undefined ? config.wire : this.#wire(program, names);
    this.#committed = { ...config, program, wire };
  }

  /** A device that cannot prepare a program loads it at once: packets then meet its state while it is written. */
  async #prepare(config: Config, pace: Pace): Promise<Pick<PreparedProgram, "write" | "commit" | "discard">> {
    if (this.device.prepare === undefined) {
      await this.#load(config, pace);
      return {
        write: (updates) => this.device.write(updates),
        commit: () => {},
        discard: () => {},
      };
    }
    const prepared = await realize(this.device.prepare(config.program, pace));
    return {
      write: (updates, pace) => prepared.write(updates, pace),
      commit: () => {
        prepared.commit();
        this.#adopt(config);
      },
      discard: () => prepared.discard(),
    };
  }

  async #commit(pace: Pace): Promise<void> {
    const saved = this.#saved;
    if (saved === undefined) throw new DeviceError("NOT_FOUND", "no config was saved before this COMMIT");
    const prepared = await this.#prepare(saved.config, pace);
    const { updates } = saved.device;
    let failure: DeviceError | undefined;
    try {
      if (updates.length > 0) await prepared.write(updates, pace);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      failure = error;
    }
    prepared.commit();
    this.#saved = undefined;
    if (failure === undefined) return;
    const failed = (failure.updates ?? []).filter((status) => status.code !== "OK");
    const first = failed[0]?.message ?? failure.message;
    throw new DeviceError(
      "FAILED_PRECONDITION",
      `the config runs, but ${failed.length} of ${updates.length} updates since it was saved failed: ${first}`,
    );
  }

  /** Keeps the state over the change of the program, or leaves everything as it was. */
  async #reconcile(config: Config, pace: Pace): Promise<void> {
    const { committed } = this;
    await this.#verify(config, pace);
    if (committed === undefined) return this.#load(config, pace);
    const state = await collectState(this.device, pace);
    await checkCarryOver(config.wire, state, pace);
    const prepared = await this.#prepare(config, pace);
    const lost = await firstLost(state, (updates) => prepared.write(updates, pace));
    if (lost === undefined) {
      prepared.commit();
      return;
    }
    prepared.discard();
    if (this.device.prepare === undefined) {
      await this.#load(committed, pace);
      const broken = await firstLost(state, (updates) => this.device.write(updates));
      if (broken !== undefined)
        throw new DeviceError("INTERNAL", `the former state cannot be restored: ${broken}`);
    }
    throw new DeviceError("INVALID_ARGUMENT", `the state cannot be kept: ${lost}`);
  }

  get(type: ResponseType): ForwardingPipelineConfig | undefined {
    const config = this.committed;
    if (config === undefined) return undefined;
    const message = create(ForwardingPipelineConfigSchema);
    if (config.cookie !== undefined) {
      message.cookie = create(ForwardingPipelineConfig_CookieSchema, { cookie: config.cookie });
    }
    if (type === ResponseType.ALL || type === ResponseType.P4INFO_AND_COOKIE) {
      message.p4info = config.program.p4info;
    }
    if (type === ResponseType.ALL || type === ResponseType.DEVICE_CONFIG_AND_COOKIE) {
      message.p4DeviceConfig = config.deviceConfig;
    }
    return message;
  }
}
