/** Starts a testbed step by step. The same code removes it after every kind of end. */
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Diagnostics, defined, fail, systemErrorReason } from "../../base/index.js";
import { makeFolders } from "../../toolchain/loading/index.js";
import { CODES } from "./codes.js";
import { bringUpHosts, bringUpSwitches } from "./network/interfaces.js";
import { makeNetwork } from "./network/network.js";
import {
  atSwitch,
  linkName,
  longerDelayLines,
  planShapes,
  type Shape,
  shapeLinks,
  withPortRates,
} from "./network/shape.js";
import type { Network } from "./network/testbed-network.js";
import { Janitor } from "./run/janitor.js";
import { beginRun, hostNamespace, switchNamespace } from "./run/record.js";
import { NamespaceHost } from "./running-host.js";
import { type SwitchMaker, switchMaker, type TestbedSwitchProcess } from "./running-switch.js";
import { captureFolder, logFolder } from "./switches/command-line.js";
import { command, inParallel, NOT_FOUND_STATUS, setUp } from "./system/command.js";
import { probeQdiscs, type Qdiscs } from "./system/qdiscs.js";
import type { RunningHost, RunningSwitch, Testbed, TestbedStartOptions } from "./testbed.js";
import type { TestbedEnd, TestbedSpec } from "./testbed-spec.js";
import { type InterfaceCounters, measureUsage, readCounters, type TestbedUsage } from "./usage/usage.js";

/** Commands of Debian's iproute2 and ethtool that every testbed needs. */
const TOOLS = [
  ["ip", "-V"],
  ["tc", "-V"],
  ["ethtool", "--version"],
] as const;

/**
 * Starts a testbed; resolves when all switches answer and all hosts are set up. After any end of the present
 * process nothing of the testbed remains.
 * @throws DiagnosticError (P431xx) when it cannot be started; then nothing of it remains. The reason of `options.stop`
 * when that was aborted.
 */
export async function startTestbed(given: TestbedSpec, options: TestbedStartOptions): Promise<Testbed> {
  checkSpec(given);
  const spec = withPortRates(given, options.engine);
  const { stop, log } = options;
  stop.throwIfAborted();
  const makeSwitch = await switchMaker(options);
  await checkTools(stop);
  const qdiscs = await probeQdiscs(stop);
  if ("reason" in qdiscs) {
    fail(
      CODES.notPermitted,
      undefined,
      `network namespaces are not permitted: ${qdiscs.reason}`,
      "a testbed needs root: try sudo",
    );
  }
  const shapes = planShapes(spec, qdiscs, options.allowMissing, (line) =>
    (options.leftOut ?? options.log)(line),
  );
  for (const folder of [logFolder(options), ...(options.pcap ? [captureFolder(options)] : [])]) {
    makeFolder(folder);
  }
  const testbed = new StartedTestbed(spec, options, makeSwitch, shapes, qdiscs);
  const steps: [text: string, work: () => Promise<void>][] = [
    [
      `${spec.hosts.length} hosts and ${spec.links.length} links (${options.network})`,
      () => testbed.buildNetwork(),
    ],
    ["interfaces of the switches", () => bringUpSwitches(testbed.id, spec, stop)],
    ["rates and delays", () => shapeLinks(testbed.id, spec, shapes, qdiscs, options)],
    [`${spec.switches.length} switches (${options.engine})`, () => testbed.startSwitches()],
    ["addresses and commands of the hosts", () => bringUpHosts(testbed.id, spec, stop)],
  ];
  try {
    for (const [text, work] of steps) {
      stop.throwIfAborted();
      log(`run ${testbed.id}: ${text}`);
      await work();
    }
    stop.throwIfAborted();
  } catch (error) {
    // the error that ended the start is the one that is reported
    await testbed.close().catch((left: Error) => log(left.message));
    throw error;
  }
  stop.addEventListener("abort", testbed.onStop, { once: true });
  return testbed;
}

async function checkTools(stop: AbortSignal): Promise<void> {
  for (const argv of TOOLS) {
    if ((await command(argv, { stop })).status !== NOT_FOUND_STATUS) continue;
    fail(
      CODES.notInstalled,
      undefined,
      `the command ${argv[0]} is not there`,
      "apt-get install iproute2 ethtool",
    );
  }
}

function makeFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    fail(CODES.cannotWrite, undefined, `cannot make the folder ${path}: ${systemErrorReason(error)}`);
  }
}

class StartedTestbed implements Testbed {
  readonly id: string;
  readonly switches: ReadonlyMap<string, RunningSwitch>;
  readonly hosts: ReadonlyMap<string, RunningHost>;
  readonly onStop = (): void => void this.close().catch((error: Error) => this.options.log(error.message));
  readonly #processes: readonly TestbedSwitchProcess[];
  readonly #network: Network;
  readonly #janitor: Janitor;
  /** Nanoseconds, by node and interface. */
  readonly #extraDelays = new Map<string, number>();
  #closed: Promise<void> | undefined;

  constructor(
    readonly spec: TestbedSpec,
    readonly options: TestbedStartOptions,
    makeSwitch: SwitchMaker,
    /** Of the links, in their order. */
    readonly shapes: readonly Shape[],
    readonly qdiscs: Qdiscs,
  ) {
    this.id = beginRun((id) => ({
      lab: spec.name,
      folder: options.folder,
      namespaces: [switchNamespace(id), ...spec.hosts.map(({ name }) => hostNamespace(id, name))],
      interfaces: spec.switches.flatMap(({ ports }) => ports.map((port) => port.interface)),
    }));
    this.#janitor = new Janitor(this.id);
    this.#network = makeNetwork(options.network);
    this.#processes = spec.switches.map((one, index) => makeSwitch(this.id, one, index));
    this.switches = new Map(this.#processes.map((one) => [one.name, one]));
    this.hosts = new Map(spec.hosts.map(({ name }) => [name, new NamespaceHost(this.id, name)]));
  }

  async buildNetwork(): Promise<void> {
    await this.#network.build(this.id, this.spec, this.options.stop);
  }

  /** As many at a time as there are processors: more would only wait for each other. */
  async startSwitches(): Promise<void> {
    for (const { logFile } of this.#processes) rmSync(logFile, { force: true });
    await inParallel(this.#processes, availableParallelism(), (one) => one.start());
  }

  async setLink(a: string, b: string, up: boolean): Promise<void> {
    const isAt = ({ node, interface: name }: TestbedEnd, text: string): boolean =>
      node === text || (name === text && this.switches.has(node));
    const links = this.spec.links.filter(
      (link) => (isAt(link.a, a) && isAt(link.b, b)) || (isAt(link.a, b) && isAt(link.b, a)),
    );
    if (links.length === 0) {
      const known = this.spec.links.map(linkName).join(", ");
      fail(CODES.noLink, undefined, `there is no link between ${a} and ${b}`, `links: ${known}`);
    }
    // the switches' ends only: a host whose interface is taken down would lose its routes
    const ends = links.flatMap(({ a, b }) => [a, b]).filter(({ node }) => this.switches.has(node));
    const owner = (node: string) => defined(this.#processes.find(({ name }) => name === node));
    if (!up) await Promise.all(ends.map((end) => owner(end.node).beforeDown(end.interface)));
    const lines = ends.map((end) => `link set dev ${end.interface} ${up ? "up" : "down"}\n`);
    await setUp(`link ${a}-${b}`, ["ip", "-n", switchNamespace(this.id), "-batch", "-"], {
      input: lines.join(""),
    });
    if (up) await Promise.all(ends.map((end) => owner(end.node).afterUp(end.interface)));
    for (const end of ends) owner(end.node).noteCarrier(end.interface, up);
    this.options.log(`link ${a}-${b} is ${up ? "up" : "down"}`);
  }

  async setDelay(node: string, interfaceName: string, extraNs: number): Promise<void> {
    if (!this.qdiscs.netem)
      fail(
        CODES.kernelLacks,
        undefined,
        "this kernel has no netem (sch_netem), so packets cannot be delayed",
      );
    const isHere = (end: TestbedEnd) => end.node === node && end.interface === interfaceName;
    const index = this.spec.links.findIndex(({ a, b }) => isHere(a) || isHere(b));
    if (index < 0) fail(CODES.noLink, undefined, `${node} has no interface ${interfaceName}`);
    const isSwitch = this.switches.has(node);
    const shape = defined(this.shapes[index]);
    const own = isSwitch ? atSwitch(shape, this.options.engine) : shape;
    const key = `${node} ${interfaceName}`;
    const change = { before: this.#extraDelays.get(key) ?? 0, now: extraNs };
    this.#extraDelays.set(key, extraNs);
    const lines = longerDelayLines(interfaceName, own, change, this.qdiscs);
    const namespace = isSwitch ? switchNamespace(this.id) : hostNamespace(this.id, node);
    const input = `${lines.join("\n")}\n`;
    await setUp(`the delay of ${interfaceName}`, ["tc", "-n", namespace, "-batch", "-"], { input });
    this.options.log(`what ${interfaceName} of ${node} sends takes ${extraNs / 1e3} us longer`);
  }

  usage(): Promise<TestbedUsage> {
    const pids = new Map<string, number>();
    for (const { name, pid } of this.#processes) if (pid !== undefined) pids.set(name, pid);
    return measureUsage(this.id, this.spec, this.options.engine, pids);
  }

  counters(): Promise<ReadonlyMap<string, InterfaceCounters>> {
    return readCounters(this.id, this.#processes.find(({ answers }) => answers)?.pid);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.options.stop.removeEventListener("abort", this.onStop);
    // The janitor does its work after each failure; the first error is reported.
    const ends = await Promise.allSettled([
      ...this.#processes.map((one) => one.release()),
      this.#network.end(),
    ]);
    ends.push(...(await Promise.allSettled([this.#janitor.finish()])));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    this.options.log(`run ${this.id}: ended, everything is removed`);
  }
}

// Refuses impossible testbeds before anything is created.

/** IFNAMSIZ of Linux is 16 with the closing zero. */
const MAX_INTERFACE_NAME = 15;
/** v1model ports have 9 bits, and 511 is the drop port. */
const MAX_PORT = 510;
const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const INTERFACE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** @throws DiagnosticError (P43101) with all errors of the spec */
export function checkSpec(spec: TestbedSpec): void {
  const diagnostics = new Diagnostics();
  const wrong = (message: string, ...notes: string[]): void =>
    diagnostics.error(CODES.contradiction, undefined, `testbed ${spec.name}: ${message}`, ...notes);
  /** Node -> its interfaces, each with the number of links that end there. */
  const nodes = new Map<string, Map<string, number>>();
  const addNode = (name: string): Map<string, number> => {
    if (!NODE_NAME.test(name)) {
      wrong(`"${name}" is no name for a node`, "letters, digits, `_`, `.` and `-`, at most 100 of them");
    }
    if (nodes.has(name)) wrong(`two nodes are called "${name}"`);
    const interfaces = new Map<string, number>();
    nodes.set(name, interfaces);
    return interfaces;
  };
  const checkInterface = (node: string, name: string): void => {
    if (name.length > MAX_INTERFACE_NAME || !INTERFACE_NAME.test(name)) {
      wrong(`"${name}" of ${node} is no name for an interface`, `at most ${MAX_INTERFACE_NAME} characters`);
    }
  };
  for (const { name, interfaces } of spec.hosts) {
    const own = addNode(name);
    for (const { name: label } of interfaces) {
      checkInterface(name, label);
      if (label === "lo" || own.has(label)) wrong(`host ${name} has two interfaces called "${label}"`);
      own.set(label, 0);
    }
  }
  const owners = new Map<string, string>();
  const devices = new Map<bigint, string>();
  for (const { name, deviceId, ports, cpuPort } of spec.switches) {
    const own = addNode(name);
    const other = devices.get(deviceId);
    if (other !== undefined) wrong(`switches ${other} and ${name} both have device id ${deviceId}`);
    devices.set(deviceId, name);
    const numbers = new Set<number>();
    for (const { number, interface: label } of ports) {
      checkInterface(name, label);
      if (!Number.isInteger(number) || number < 0 || number > MAX_PORT) {
        wrong(`switch ${name} has a port ${number}`, `ports are 0 to ${MAX_PORT}`);
      }
      if (number === cpuPort) wrong(`port ${number} of switch ${name} is its CPU port too`);
      if (numbers.has(number)) wrong(`switch ${name} has two ports ${number}`);
      numbers.add(number);
      const owner = owners.get(label) ?? (label === "lo" ? "the namespace" : undefined);
      if (owner !== undefined) wrong(`${owner} and switch ${name} both have an interface "${label}"`);
      owners.set(label, `switch ${name}`);
      own.set(label, 0);
    }
  }
  for (const { a, b } of spec.links) {
    for (const { node, interface: label } of [a, b]) {
      const interfaces = nodes.get(node);
      const count = interfaces?.get(label);
      if (count === undefined) wrong(`a link ends at "${label}" of "${node}", which is not there`);
      else defined(interfaces).set(label, count + 1);
    }
  }
  for (const [node, interfaces] of nodes) {
    for (const [label, count] of interfaces) {
      if (count !== 1)
        wrong(`${count === 0 ? "no link ends" : `${count} links end`} at "${label}" of ${node}`);
    }
  }
  diagnostics.throwIfErrors();
}
