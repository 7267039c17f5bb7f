/** A running exercise: its lab, with every switch programmed as its files say. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError, Diagnostics, fail, given, SourceFile } from "../../base/index.js";
import { ipv4Text } from "../../base/packets/index.js";
import {
  startTestbed,
  type Testbed,
  type TestbedEnd,
  type TestbedSpec,
  type TestbedStartOptions,
} from "../../fabric/testbed/index.js";
import { Interpreter, type Surroundings } from "../../toolchain/control/index.js";
import { DeviceError } from "../../toolchain/device/index.js";
import { writeUpdates } from "../../toolchain/p4runtime/index.js";
import { P4InfoIndex, type Program, readBmv2, readP4Info } from "../../toolchain/program/index.js";
import type {
  ExerciseEnd,
  ExerciseProgram,
  ExerciseSetup,
  ExerciseTopology,
  SwitchSetup,
} from "../exercises/index.js";
import { inIproute2 } from "../exercises/index.js";
import { CODES } from "./codes.js";

/** First port, as in the tutorials' Mininet. */
const FIRST_GRPC_PORT = 50051;
const HOST_INTERFACE = "eth0";

export class RunningExercise {
  readonly #down = new Set<string>();

  /** @param interpreters one for each switch; they know the handles of entries */
  constructor(
    readonly setup: ExerciseSetup,
    readonly lab: Testbed,
    readonly grpcPorts: ReadonlyMap<string, number>,
    readonly interpreters: ReadonlyMap<string, Interpreter>,
  ) {}

  /** A command with names of hosts replaced by their addresses. */
  withAddresses(command: string): string {
    const { hosts } = this.setup.topology;
    return command.replace(/\S+/g, (word) => {
      const host = hosts.find(({ name }) => name === word);
      return host === undefined ? word : ipv4Text(host.ipv4);
    });
  }

  /** Runs a statement at a switch, until `stop` at the latest; status 1 when it failed. */
  async command(
    name: string,
    text: string,
    print: (line: string) => void,
    stop: AbortSignal,
  ): Promise<number> {
    const diagnostics = new Diagnostics();
    const source = new SourceFile(name, `${text}\n`);
    await this.lab.switches.get(name)!.refresh();
    await this.interpreters.get(name)!.run(source, diagnostics, { print }, stop);
    for (const { message, notes } of diagnostics.list)
      for (const line of [message, ...notes.map((note) => note.message)]) print(`*** ${line}`);
    return diagnostics.hasErrors ? 1 : 0;
  }

  /** The P4Info index of a switch's program. */
  indexOf(name: string): P4InfoIndex | undefined {
    return this.interpreters.get(name)?.index;
  }

  linked(a: string, b: string): boolean {
    return this.setup.topology.links.some((link) => joins(link, a, b));
  }

  isDown(a: string, b: string): boolean {
    return this.#down.has([a, b].sort().join(" "));
  }

  async setLink(a: string, b: string, up: boolean): Promise<void> {
    await this.lab.setLink(a, b, up);
    const key = [a, b].sort().join(" ");
    if (up) this.#down.delete(key);
    else this.#down.add(key);
  }

  async stopSwitch(name: string): Promise<void> {
    await this.lab.switches.get(name)!.kill();
  }

  /** Starts a switch's process again, with the program and the entries that it had at first. */
  async startSwitch(name: string): Promise<void> {
    await this.lab.switches.get(name)!.restart();
    const entry = this.setup.switches.find((one) => one.name === name)!;
    await program(this.interpreters.get(name)!, this.setup, entry, readProgram);
    this.lab.switches.get(name)!.share();
  }
}

function joins({ a, b }: { a: ExerciseEnd; b: ExerciseEnd }, one: string, other: string): boolean {
  return (a.node === one && b.node === other) || (a.node === other && b.node === one);
}

/** The options of `startExercise` in addition to those of every lab. */
interface ExerciseOptions extends Omit<TestbedStartOptions, "folder"> {
  /** Functions of this machine that statements at a switch may use. */
  readonly surroundings?: Surroundings;
}

/**
 * Starts the network of an exercise whose programs are compiled, and writes its runtime and command files.
 * Fails as startTestbed does, and with the errors of these files.
 */
export async function startExercise(
  setup: ExerciseSetup,
  options: ExerciseOptions,
): Promise<RunningExercise> {
  const { folder } = setup;
  const programs = new Map<string, Program>();
  const read = (of: ExerciseProgram): Program => {
    let found = programs.get(of.json);
    if (found === undefined) {
      found = readProgram(of);
      programs.set(of.json, found);
    }
    return found;
  };
  // All errors of files are found before anything is started.
  for (const { runs, runtime } of setup.switches) {
    if (runs === undefined) continue;
    const diagnostics = new Diagnostics();
    runtime?.updates(new P4InfoIndex(read(runs).p4info), diagnostics);
    diagnostics.throwIfErrors();
  }
  const spec = labOfExercise(setup.topology);
  const lab = await startTestbed(spec, { ...options, folder });
  const { surroundings = {} } = options;
  const interpreters = new Map(
    [...lab.switches].map(([name, { device }]) => [name, new Interpreter(device, surroundings)]),
  );
  try {
    mkdirSync(join(folder, "logs"), { recursive: true });
    const { switches } = setup;
    await Promise.all(switches.map((entry) => program(interpreters.get(entry.name)!, setup, entry, read)));
    // As the tutorials' own scripts do: their controllers claim the switches with election id 1.
    for (const running of lab.switches.values()) running.share();
    await prepareHosts(lab, setup, options.log);
  } catch (error) {
    await lab.close();
    throw error;
  }
  const ports = [...lab.switches].map(([name, { grpcPort }]) => [name, grpcPort!] as const);
  return new RunningExercise(setup, lab, new Map(ports), interpreters);
}

/** Runs the hosts' commands. As in Mininet, a command may fail: some set values that are already set. */
async function prepareHosts(
  lab: Testbed,
  { topology }: ExerciseSetup,
  log: TestbedStartOptions["log"],
): Promise<void> {
  await Promise.all(
    topology.hosts.map(async ({ name, commands }) => {
      for (const command of commands) {
        const line = inIproute2(command) ?? command;
        const { status, stderr } = await lab.hosts.get(name)!.exec(["sh", "-c", line]);
        if (status !== 0) log(`${name}: ${line}: ${stderr.trim() || `status ${status}`}`, "warning");
      }
    }),
  );
}

/** Programs one switch: loads its program, then writes its runtime file, then its command file. */
async function program(
  interpreter: Interpreter,
  { folder }: ExerciseSetup,
  { name, runs, runtime, commandFile }: SwitchSetup,
  read: (of: ExerciseProgram) => Program,
): Promise<void> {
  const { device } = interpreter;
  const logs = join(folder, "logs");
  const diagnostics = new Diagnostics();
  const refused = (what: string, error: unknown): never => {
    if (!(error instanceof DeviceError)) throw error;
    const reasons = (error.updates ?? []).filter(({ code }) => code !== "OK").map(({ message }) => message);
    fail(
      CODES.refusedEntry,
      undefined,
      `switch ${name} refused ${what}: ${error.message}`,
      ...reasons.slice(0, 10),
    );
  };
  if (runs !== undefined) {
    const loaded = read(runs);
    await device.load(loaded).catch((error) => refused(runs.json, error));
    const updates = runtime?.updates(new P4InfoIndex(loaded.p4info), diagnostics, device.names) ?? [];
    diagnostics.throwIfErrors();
    if (updates.length > 0) {
      writeFileSync(join(logs, `${name}-p4runtime-requests.txt`), writeUpdates(loaded, updates, "text"));
      await device.write(updates).catch((error) => refused("what its runtime file says", error));
    }
  }
  if (commandFile !== undefined) {
    const path = resolve(folder, commandFile);
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(`${line}\n`);
    await interpreter.run(new SourceFile(path, readFileSync(path, "utf8")), diagnostics, { print });
    writeFileSync(join(logs, `${name}_cli_output.log`), lines.join(""));
    diagnostics.throwIfErrors();
  }
}

/** Reads the compiled files of a program. */
function readProgram({ json, p4info }: ExerciseProgram): Program {
  const diagnostics = new Diagnostics();
  const read = (path: string): SourceFile => {
    try {
      return new SourceFile(path, readFileSync(path, "utf8"));
    } catch {
      fail(
        CODES.missingFile,
        undefined,
        `cannot read ${path}`,
        "compile the exercise's program first, or keep its source there",
      );
    }
  };
  const bmv2 = readBmv2(read(json), diagnostics);
  const info = readP4Info(read(p4info), undefined, diagnostics);
  diagnostics.throwIfErrors();
  if (bmv2 === undefined || info === undefined) throw new DiagnosticError(diagnostics.list);
  return { bmv2, p4info: info };
}

/** Hosts have one interface, `eth0`; port P of switch sN is `sN-ethP`. */
export function labOfExercise(topology: ExerciseTopology): TestbedSpec {
  const ends = topology.links.flatMap(({ a, b }) => [a, b]);
  const interfaceName = ({ node, port }: ExerciseEnd, host: boolean): string =>
    host ? HOST_INTERFACE : `${node}-eth${port}`;
  const hosts = new Set(topology.hosts.map(({ name }) => name));
  const end = (of: ExerciseEnd): TestbedEnd => ({
    node: of.node,
    interface: interfaceName(of, hosts.has(of.node)),
  });
  return {
    name: "exercise",
    hosts: topology.hosts.map(({ name, ipv4, prefixLength, mac }) => ({
      name,
      interfaces: [{ name: HOST_INTERFACE, mac, ipv4: { address: ipv4, length: prefixLength } }],
      // They run in prepareHosts: one that fails must not stop an exercise.
      commands: [],
    })),
    switches: topology.switches.map(({ name, cpuPort, priorityQueues }, index) => ({
      name,
      deviceId: BigInt(index),
      grpcPort: { from: FIRST_GRPC_PORT + index },
      ports: ends
        .filter(({ node }) => node === name)
        .map((of) => ({ number: of.port, interface: interfaceName(of, false) }))
        .sort((one, other) => one.number - other.number),
      ...given({ cpuPort, priorityQueues }),
    })),
    links: topology.links.map(({ a, b, delayNs, rateBps }) => ({
      a: end(a),
      b: end(b),
      ...given({ delayNs, rateBps }),
    })),
  };
}
