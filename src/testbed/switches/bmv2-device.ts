/**
 * BMv2 with all that a `Device` of ours can: its P4Runtime server has neither registers nor target settings, so these
 * go through simple_switch_CLI. The log says so at the first use of either.
 */
import {
  type Atomicity,
  type ControllerPacket,
  type CrcParameters,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Program,
  type QueueSelection,
  type ReadQuery,
  type RegisterEntry,
  type TargetSettings,
  type Update,
  type UpdateStatus,
} from "../../program/index.js";
import type { ThriftCli } from "./thrift-cli.js";

type RegisterQuery = Extract<ReadQuery, { kind: "register" }>;

/** Thrift carries a register's value as i64. */
const MAX_REGISTER_BITS = 64;

export class Bmv2Device implements Device {
  readonly settings: TargetSettings;
  readonly #told = new Set<string>();

  constructor(
    private readonly inner: Device,
    /** Undefined: simple_switch_CLI is not installed. */
    private readonly cli: ThriftCli | undefined,
    private readonly log: (line: string) => void,
  ) {
    this.settings = {
      setQueueDepth: (packets, queues) =>
        this.#set("queues", `set_queue_depth ${packets}${ofQueues(queues)}`),
      setQueueRate: (packets, queues) => this.#set("queues", `set_queue_rate ${packets}${ofQueues(queues)}`),
      setCrcParameters: (name, width, parameters) =>
        this.#set("CRC parameters", `set_crc${width}_parameters ${name} ${crcWords(parameters)}`),
      setToeplitzKey: (name, key) =>
        this.#set("Toeplitz key", `set_toeplitz_hash_key ${name} ${Buffer.from(key).toString("hex")}`),
    };
  }

  get name(): string {
    return this.inner.name;
  }

  get program(): Program | undefined {
    return this.inner.program;
  }

  async #thrift(what: string, lines: readonly string[]): Promise<string[]> {
    if (this.cli === undefined) {
      throw new DeviceError(
        "UNIMPLEMENTED",
        `${what} of BMv2 need simple_switch_CLI, which is neither beside simple_switch_grpc nor on PATH`,
      );
    }
    if (!this.#told.has(what)) {
      this.#told.add(what);
      this.log(`${this.name}: ${what} by simple_switch_CLI (Thrift), P4Runtime of BMv2 has none`);
    }
    return await this.cli.run(lines);
  }

  async #set(what: string, line: string): Promise<void> {
    await this.#thrift(what, [line]);
  }

  async load(program: Program): Promise<void> {
    await this.inner.load(program);
  }

  async verify(program: Program): Promise<void> {
    await this.inner.verify?.(program);
  }

  async write(updates: readonly Update[], atomicity: Atomicity = "continueOnError"): Promise<void> {
    if (!updates.some(isRegister)) {
      await this.inner.write(updates, atomicity);
      return;
    }
    if (atomicity !== "continueOnError") {
      throw new DeviceError("UNIMPLEMENTED", `BMv2 has no ${atomicity} writes with registers among them`);
    }
    // in the order given, so in stretches of registers and of everything else
    const statuses: UpdateStatus[] = [];
    let failed: DeviceError | undefined;
    for (const stretch of stretches(updates, isRegister)) {
      try {
        if (isRegister(stretch[0]!)) await this.#writeRegisters(stretch);
        else await this.inner.write(stretch, atomicity);
        statuses.push(...stretch.map((): UpdateStatus => ({ code: "OK", message: "" })));
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        failed ??= error;
        const { code, message } = error;
        statuses.push(...(error.updates ?? stretch.map((): UpdateStatus => ({ code, message }))));
      }
    }
    if (failed !== undefined) throw new DeviceError(failed.code, failed.message, statuses);
  }

  async #writeRegisters(updates: readonly Update[]): Promise<void> {
    const lines = updates.map(({ type, entity }) => {
      if (type !== "modify") throw new DeviceError("INVALID_ARGUMENT", "a register can only be modified");
      const { register, index, value } = entity as RegisterEntry;
      const width = this.#register(register).bitwidth;
      if (value < 0n || value >> BigInt(width) !== 0n) {
        throw new DeviceError(
          "OUT_OF_RANGE",
          `register ${register}[${index}]: ${value} has more than ${width} bits`,
        );
      }
      return `register_write ${register} ${index} ${BigInt.asIntN(MAX_REGISTER_BITS, value)}`;
    });
    await this.#thrift("registers", lines);
  }

  /** Its declaration; refused when it is not there or too wide for Thrift. */
  #register(name: string) {
    const found = this.program?.bmv2.register_arrays.find((array) => array.name === name);
    if (found === undefined) throw new DeviceError("NOT_FOUND", `the program has no register ${name}`);
    if (found.bitwidth > MAX_REGISTER_BITS) {
      throw new DeviceError(
        "UNIMPLEMENTED",
        `register ${name} has ${found.bitwidth} bits; BMv2 shows its control plane at most ${MAX_REGISTER_BITS}`,
      );
    }
    return found;
  }

  async read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    const entities: Entity[] = [];
    for (const stretch of stretches(queries, ({ kind }) => kind === "register")) {
      if (stretch[0]!.kind !== "register") entities.push(...(await this.inner.read(stretch)));
      else
        for (const query of stretch as RegisterQuery[]) entities.push(...(await this.#readRegisters(query)));
    }
    return entities;
  }

  async #readRegisters({ register, index }: RegisterQuery): Promise<RegisterEntry[]> {
    const names =
      register === undefined
        ? (this.program?.bmv2.register_arrays ?? []).map(({ name }) => name)
        : [register];
    const arrays = names.map((name) => this.#register(name));
    if (arrays.length === 0) return [];
    const lines = arrays.map(({ name }) => `register_read ${name}${index === undefined ? "" : ` ${index}`}`);
    const answers = await this.#thrift("registers", lines);
    return arrays.flatMap(({ name, bitwidth }, i) =>
      registerValues(answers[i]!, bitwidth).map((value, k) => {
        return { kind: "register" as const, register: name, index: index ?? k, value };
      }),
    );
  }

  async packetOut(packet: ControllerPacket): Promise<void> {
    await this.inner.packetOut(packet);
  }

  async acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    await this.inner.acknowledgeDigest(digest, listId);
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    return this.inner.watch(listener);
  }

  async close(): Promise<void> {
    await this.inner.close();
  }
}

function isRegister({ entity }: Update): boolean {
  return entity.kind === "register";
}

/** Cuts a list where the answer of `test` changes. */
export function* stretches<T>(items: readonly T[], test: (item: T) => boolean): Generator<readonly T[]> {
  let start = 0;
  for (let end = 1; end <= items.length; end++) {
    if (end < items.length && test(items[end]!) === test(items[start]!)) continue;
    yield items.slice(start, end);
    start = end;
  }
}

/** The values in `NAME[3]= 7` or `NAME= 7, 8, 9`; Thrift shows the highest of 64 bits as a sign. */
export function registerValues(text: string, bitwidth: number): bigint[] {
  const values = text.slice(text.lastIndexOf("= ") + 2).split(", ");
  return values.map((value) => BigInt.asUintN(bitwidth, BigInt(value)));
}

function ofQueues({ port, priority }: QueueSelection = {}): string {
  if (port === undefined && priority !== undefined) {
    throw new DeviceError("INVALID_ARGUMENT", `priority ${priority} of which port?`);
  }
  return [port, priority].map((word) => (word === undefined ? "" : ` ${word}`)).join("");
}

function crcWords(parameters: CrcParameters): string {
  const { polynomial, initial, finalXor, reflectData, reflectRemainder } = parameters;
  const numbers = [polynomial, initial, finalXor].map((value) => `0x${value.toString(16)}`);
  return [...numbers, reflectData, reflectRemainder].join(" ");
}
