/**
 * BMv2 as a complete `Device`: its P4Runtime server has neither registers nor target settings, so these
 * go through simple_switch_CLI. The log says so at the first use of either.
 */
import { defined } from "../../../base/index.js";
import {
  type Atomicity,
  type ControllerPacket,
  type CrcParameters,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Names,
  type QueueSelection,
  type ReadQuery,
  type RegisterEntry,
  type StatusCode,
  type TargetSettings,
  type Update,
  type UpdateStatus,
} from "../../../toolchain/device/index.js";
import type { P4InfoIndex, Program } from "../../../toolchain/program/index.js";
import { switchNamespace } from "../run/record.js";
import { command } from "../system/command.js";

// Calls simple_switch_CLI, which uses BMv2's Thrift interface: it reads lines and prints a result for each.

const PROMPT = "RuntimeCmd: ";
const TIMEOUT_MS = 60_000;
/** Text that the CLI prints before the reason when it refuses a line. */
const REFUSED = /^(?:Error: |Invalid |\*\*\* )/;

const CODES: readonly [RegExp, StatusCode][] = [
  [/INVALID_INDEX|index/i, "OUT_OF_RANGE"],
  [/Invalid \S+ name|INVALID_\w*NAME|WRONG_RESOURCE_TYPE/, "NOT_FOUND"],
];

export class ThriftCli {
  /** Calls follow each other, because the switch serves one client at a time at full speed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly program: string,
    readonly runId: string,
    readonly port: number,
  ) {}

  /** The output for each line, or why it was refused. Rejects with UNAVAILABLE when the switch does not answer. */
  runEach(lines: readonly string[]): Promise<(string | DeviceError)[]> {
    const answer = this.#last.then(() => this.#run(lines));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** The output for each line. Rejects with DeviceError for the first line that was refused. */
  async run(lines: readonly string[]): Promise<string[]> {
    const answers = await this.runEach(lines);
    return answers.map((answer) => {
      if (answer instanceof DeviceError) throw answer;
      return answer;
    });
  }

  async #run(lines: readonly string[]): Promise<(string | DeviceError)[]> {
    const argv = [
      ...["ip", "netns", "exec", switchNamespace(this.runId)],
      ...[this.program, "--thrift-port", String(this.port)],
    ];
    const options = { input: `${lines.join("\n")}\n`, timeoutMs: TIMEOUT_MS };
    const { status, stdout, stderr } = await command(argv, options);
    const answers = splitAnswers(stdout);
    if (status !== 0 || answers.length < lines.length) {
      const said = `${stderr}\n${stdout}`.trim().split("\n").at(-1);
      throw new DeviceError("UNAVAILABLE", `simple_switch_CLI ended with status ${status}: ${said}`);
    }
    return lines.map((line, i) => {
      const refusal = defined(answers[i])
        .split("\n")
        .find((text) => REFUSED.test(text));
      if (refusal === undefined) return defined(answers[i]);
      const code = CODES.find(([pattern]) => pattern.test(refusal))?.[1] ?? "INVALID_ARGUMENT";
      return new DeviceError(code, `simple_switch_CLI refused "${line}": ${refusal}`);
    });
  }
}

/** The CLI prints its prompt before it reads a line, so what follows the n-th prompt answers the n-th line. */
export function splitAnswers(stdout: string): string[] {
  return stdout
    .split(PROMPT)
    .slice(1)
    .map((text) => text.trim());
}

type RegisterQuery = Extract<ReadQuery, { kind: "register" }>;

/** Thrift carries a register's value as i64; BMv2 answers with this value for all larger ones. */
const MAX_REGISTER_VALUE = (1n << 63n) - 1n;

const OK: UpdateStatus = { code: "OK", message: "" };

export class Bmv2Device implements Device {
  readonly settings: TargetSettings;
  readonly #told = new Set<string>();

  constructor(
    private readonly inner: Device,
    private readonly cli: ThriftCli | { readonly reason: string },
    private readonly log: (line: string) => void,
  ) {
    this.settings = {
      setQueueDepth: async (packets, queues) => {
        await this.#set("queues", `set_queue_depth ${packets}${ofQueues(queues)}`);
      },
      setQueueRate: async (packets, queues) => {
        await this.#set("queues", `set_queue_rate ${packets}${ofQueues(queues)}`);
      },
      setCrcParameters: async (name, width, parameters) => {
        await this.#set("CRC parameters", `set_crc${width}_parameters ${name} ${crcWords(parameters)}`);
      },
      setToeplitzKey: async (name, key) => {
        await this.#set("Toeplitz key", `set_toeplitz_hash_key ${name} ${Buffer.from(key).toString("hex")}`);
      },
    };
  }

  get name(): string {
    return this.inner.name;
  }

  get program(): Program | undefined {
    return this.inner.program;
  }

  get index(): P4InfoIndex | undefined {
    return this.inner.index;
  }

  get names(): Names | undefined {
    return this.inner.names;
  }

  /** The Thrift interface; the first use for `what` is logged. */
  #thrift(what: string): ThriftCli {
    if (!(this.cli instanceof ThriftCli)) {
      throw new DeviceError(
        "UNIMPLEMENTED",
        `${what}: BMv2 sets and reads these over Thrift only: ${this.cli.reason}`,
      );
    }
    if (!this.#told.has(what)) {
      this.#told.add(what);
      this.log(`${this.name}: ${what} by simple_switch_CLI (Thrift), P4Runtime of BMv2 has none`);
    }
    return this.cli;
  }

  async #set(what: string, line: string): Promise<void> {
    await this.#thrift(what).run([line]);
  }

  async load(program: Program): Promise<void> {
    const { architecture } = program.bmv2;
    if (architecture !== undefined)
      throw new DeviceError(
        "UNIMPLEMENTED",
        `BMv2 runs programs for v1model; this one is for ${architecture.name}, which our own switch runs`,
      );
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
    for (const stretch of stretches(updates, isRegister)) {
      if (isRegister(defined(stretch[0]))) statuses.push(...(await this.#writeRegisters(stretch)));
      else statuses.push(...(await this.#writeOthers(stretch)));
    }
    const failures = statuses.filter(({ code }) => code !== "OK");
    if (failures.length === 0) return;
    const { code, message } = defined(failures[0]);
    const count = failures.length === 1 ? "" : `${failures.length} of ${updates.length} updates failed: `;
    throw new DeviceError(updates.length === 1 ? code : "UNKNOWN", count + message, statuses);
  }

  async #writeOthers(updates: readonly Update[]): Promise<readonly UpdateStatus[]> {
    try {
      await this.inner.write(updates);
      return updates.map(() => OK);
    } catch (error) {
      if (error instanceof DeviceError && error.updates !== undefined) return error.updates;
      throw error;
    }
  }

  async #writeRegisters(updates: readonly Update[]): Promise<UpdateStatus[]> {
    const lines = updates.map((update) => this.#registerLine(update));
    const good = lines.filter((line) => typeof line === "string");
    const answers = good.length === 0 ? [] : await this.#thrift("registers").runEach(good);
    let next = 0;
    return lines.map((line) => {
      const outcome = typeof line === "string" ? defined(answers[next++]) : line;
      return outcome instanceof DeviceError ? { code: outcome.code, message: outcome.message } : OK;
    });
  }

  /** The command for one update, or why there is none. */
  #registerLine({ type, entity }: Update): string | DeviceError {
    const { register, index, value } = entity as RegisterEntry;
    const place = `register ${register}[${index}]`;
    if (type !== "modify") return new DeviceError("INVALID_ARGUMENT", `${place} can only be modified`);
    const width = this.#declared(register)?.bitwidth;
    if (width === undefined) return new DeviceError("NOT_FOUND", `the program has no register ${register}`);
    if (value < 0n || value >> BigInt(width) !== 0n) {
      return new DeviceError("OUT_OF_RANGE", `${place}: ${value} has more than ${width} bits`);
    }
    if (value <= MAX_REGISTER_VALUE) return `register_write ${register} ${index} ${value}`;
    return new DeviceError(
      "UNIMPLEMENTED",
      `${place}: BMv2 takes values up to 2^63 - 1 from its control plane, not ${value}`,
    );
  }

  #declared(register: string) {
    return this.program?.bmv2.register_arrays.find(({ name }) => name === register);
  }

  async read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    const entities: Entity[] = [];
    for (const stretch of stretches(queries, ({ kind }) => kind === "register")) {
      if (defined(stretch[0]).kind !== "register") entities.push(...(await this.inner.read(stretch)));
      else
        for (const query of stretch as RegisterQuery[]) entities.push(...(await this.#readRegisters(query)));
    }
    return entities;
  }

  async #readRegisters({ register, index }: RegisterQuery): Promise<RegisterEntry[]> {
    const all = (this.program?.bmv2.register_arrays ?? []).map(({ name }) => name);
    const names = register === undefined ? all : [register];
    for (const name of names) {
      if (!all.includes(name)) throw new DeviceError("NOT_FOUND", `the program has no register ${name}`);
    }
    if (names.length === 0) return [];
    const lines = names.map((name) => `register_read ${name}${index === undefined ? "" : ` ${index}`}`);
    const answers = await this.#thrift("registers").run(lines);
    return names.flatMap((name, i) =>
      registerValues(defined(answers[i])).map((value, k) => {
        const entry = { kind: "register" as const, register: name, index: index ?? k, value };
        if (value < MAX_REGISTER_VALUE) return entry;
        throw new DeviceError(
          "UNIMPLEMENTED",
          `register ${name}[${entry.index}] holds 2^63 - 1 or more, which BMv2 cannot report to its control plane`,
        );
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
    if (end < items.length && test(defined(items[end])) === test(defined(items[start]))) continue;
    yield items.slice(start, end);
    start = end;
  }
}

/** The values in `NAME[3]= 7` or `NAME= 7, 8, 9`. */
export function registerValues(text: string): bigint[] {
  return text
    .slice(text.lastIndexOf("= ") + 2)
    .split(", ")
    .map(BigInt);
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
