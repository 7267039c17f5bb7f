/** The agent of one host: handles its requests, and restores the host at its end. */

import { type ChildProcess, spawn } from "node:child_process";
import { DiagnosticError, Random, systemErrorReason } from "../../base/index.js";
import { Interfaces, SocketWatch, TUN_HEADROOM, TunDevice } from "../../toolchain/interfaces/index.js";
import type { HostContext, HostPolicy } from "../hosts/index.js";
import { hostPolicyOf } from "../schemes/index.js";
import { monotonicNs } from "./clock.js";
import { DataPath } from "./data-path.js";
import { contextOf, DirectAgent } from "./direct-agent.js";
import type { AgentEvent, AgentStatistics } from "./events.js";
import { Flows } from "./flows.js";
import { HostSetup, KERNEL_RTO_MIN_MS } from "./host-setup.js";
import { ECHO_LENGTH } from "./marking.js";
import { Probes } from "./probes.js";
import { checkSelectors, type Request, RequestError, readRequest, type StartRequest } from "./requests.js";
import { Sinks } from "./sinks.js";
import { Timers } from "./timers.js";
import { Transfers } from "./transfers.js";

// Reports when a NIC of this host loses its carrier or gets it back, from the output of `ip monitor link` (rtnetlink).

/** `3: eth0@if4: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 ...`, optionally after a word such as `Deleted`. */
const LINE = /^(?:\[LINK\]\s*)?\d+: ([^:@\s]+)(?:@[^:\s]+)?: <([^>]*)>/;

/** The NIC that a line is about, and whether it has a carrier; undefined for other lines. */
export function carrierOf(line: string): { readonly name: string; readonly up: boolean } | undefined {
  const found = LINE.exec(line);
  return found === null ? undefined : { name: found[1]!, up: found[2]!.split(",").includes("LOWER_UP") };
}

class CarrierWatch {
  readonly #process: ChildProcess;
  readonly #up: boolean[];
  #rest = "";

  /** @param names of the NICs, whose carriers are assumed to be up; `changed` is called with the number of a NIC */
  constructor(
    readonly names: readonly string[],
    readonly changed: (nic: number, up: boolean) => void,
  ) {
    this.#up = names.map(() => true);
    this.#process = spawn("ip", ["-o", "monitor", "link"], { stdio: ["ignore", "pipe", "ignore"] });
    this.#process.on("error", () => {});
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => this.#take(text));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) {
      const state = carrierOf(line);
      const nic = state === undefined ? -1 : this.names.indexOf(state.name);
      if (state === undefined || nic < 0 || this.#up[nic] === state.up) continue;
      this.#up[nic] = state.up;
      this.changed(nic, state.up);
    }
  }

  close(): void {
    this.#process.kill();
  }
}

export class Agent {
  readonly #setup = new HostSetup();
  #running: RunningAgent | DirectAgent | undefined;
  /** Lines that wait until the module of the policy is loaded. */
  #queue: string[] | undefined;

  /** @param onEnd called when a request ends the agent, or when it cannot start: then with its exit status */
  constructor(
    readonly tell: (event: AgentEvent) => void,
    readonly onEnd: (status: number) => void,
  ) {}

  /** Handles one line of the input. An error is reported in an `error` event; a started agent then continues. */
  take(line: string): void {
    if (this.#queue !== undefined) {
      this.#queue.push(line);
      return;
    }
    let id: number | null = null;
    try {
      const json: unknown = parseJson(line);
      id = idOf(json);
      this.#handle(readRequest(json));
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #refuse(id: number | null, error: unknown): void {
    if (!isRefusal(error)) throw error;
    this.tell({ event: "error", id, text: reasonOf(error) });
    if (this.#running === undefined) this.onEnd(1);
  }

  #handle(request: Request): void {
    const running = this.#running;
    if (request.op === "start") {
      if (running !== undefined) throw new RequestError("op: the agent is started already");
      if (namesModule(request.policy)) void this.#startLater(request);
      else this.#start(request, (context) => hostPolicyOf(request.policy, context));
    } else if (running === undefined) {
      throw new RequestError(`op: the first request must be start, got ${JSON.stringify(request.op)}`);
    } else if (request.op === "stop") this.onEnd(0);
    else running.handle(request);
  }

  #start(request: StartRequest, policy: MakePolicy): void {
    const { direct } = request;
    this.#running = direct
      ? new DirectAgent(request, policy, this.#setup, this.tell)
      : new RunningAgent(request, policy, this.#setup, this.tell);
    this.tell({ event: "ready", tun: request.tun, settings: this.#setup.settings });
  }

  /** Starts with a policy that is code of a user, in a module that must be loaded first. */
  async #startLater(request: StartRequest): Promise<void> {
    const queue: string[] = [];
    this.#queue = queue;
    try {
      const { hostPolicyFrom } = await import("../own-schemes/index.js");
      this.#start(request, await hostPolicyFrom(request.policy));
    } catch (error) {
      this.#refuse(null, error);
    } finally {
      this.#queue = undefined;
    }
    for (const line of queue) this.take(line);
  }

  /** Restores the host, and reports the last figures. */
  close(): void {
    let problems: readonly string[] = [];
    try {
      this.#running?.close();
    } finally {
      problems = this.#setup.undo();
    }
    for (const problem of problems) this.tell({ event: "error", id: null, text: `not restored: ${problem}` });
    if (this.#running !== undefined) this.tell({ event: "stopped", ...this.#running.statistics() });
  }
}

/** Whether the description of a policy is one of a module. */
function namesModule(policy: unknown): boolean {
  return typeof (policy as { module?: unknown } | null | undefined)?.module === "string";
}

type MakePolicy = (context: HostContext) => HostPolicy;

/** An agent whose host is set up. */
class RunningAgent {
  readonly #policy: HostPolicy;
  #carriers: CarrierWatch | undefined;
  readonly #interfaces: Interfaces;
  readonly #tun: TunDevice;
  readonly #flows: Flows;
  readonly #dataPath: DataPath;
  readonly #watch = new SocketWatch();
  readonly #timers = new Timers(monotonicNs);
  readonly #transfers: Transfers;
  readonly #sinks: Sinks;
  readonly #probes: Probes;

  constructor(
    readonly config: StartRequest,
    makePolicy: MakePolicy,
    setup: HostSetup,
    readonly tell: (event: AgentEvent) => void,
  ) {
    const { nics, field, ipv4, ipv6, mtu } = config;
    const addresses = [ipv4, ipv6].filter((address) => address !== undefined);
    const policy = makePolicy(contextOf(config, this.#timers, tell));
    this.#policy = policy;
    const host = { addresses, nics, field, policy };
    for (const { name } of nics) {
      const most = setup.takeNic(name);
      if (most < mtu + ECHO_LENGTH) {
        const what = `packets of ${mtu} bytes and the echo's ${ECHO_LENGTH} do not fit the MTU of ${name}, ${most}`;
        throw new RequestError(`mtu: ${what}`);
      }
    }
    this.#interfaces = new Interfaces(
      nics.map(({ name }, port) => ({ port, name })),
      {
        frame: (port, frame) => this.#dataPath.fromWire(port, frame),
        // The kernel answers several segments together.
        batch: () => void this.#tun.read(),
      },
    );
    this.#tun = new TunDevice(config.tun, (bytes, end) =>
      this.#dataPath.fromKernel(bytes, TUN_HEADROOM, end),
    );
    setup.tuneTcp(config, policy.ecn === true);
    setup.addressTun(config);
    setup.paceTun(config);
    const leastRtoNs = (config.rtoMinMs ?? KERNEL_RTO_MIN_MS) * 1e6;
    this.#flows = new Flows(host, new Random(config.seed), leastRtoNs);
    const devices = {
      toWire: (nic: number, frame: Uint8Array) => void this.#interfaces.send(nic, frame),
      toKernel: (packet: Uint8Array) => this.#tun.write(packet),
      now: monotonicNs,
    };
    // The kernel's timers count in ticks and may be one tick early.
    const quietNs = leastRtoNs / 2;
    this.#dataPath = new DataPath(this.#flows, devices, quietNs);
    const parts = {
      dataPath: this.#dataPath,
      flows: this.#flows,
      watch: this.#watch,
      timers: this.#timers,
      now: monotonicNs,
      tell,
    };
    this.#transfers = new Transfers(config, parts);
    this.#sinks = new Sinks(parts);
    this.#probes = new Probes(config, parts);
    this.#dataPath.takeProbe = (family, packet, header, selector) =>
      this.#probes.take(family, packet, header, selector);
    if (policy.onCarrier !== undefined)
      this.#carriers = new CarrierWatch(
        nics.map(({ name }) => name),
        (nic, up) => policy.onCarrier!(nic, up),
      );
    this.#interfaces.start();
    this.#tun.start();
  }

  handle(request: Exclude<Request, { op: "start" | "stop" }>): void {
    switch (request.op) {
      case "listen": {
        const { id, port, congestion } = request;
        for (const own of this.#flows.host.addresses) this.#sinks.listen(own, port, congestion);
        this.tell({ event: "listening", id, port });
        break;
      }
      case "flow":
        this.#transfers.add(request);
        break;
      case "stop-flow":
        this.#transfers.stop(request.id);
        break;
      case "receiving":
        this.tell({ event: "receiving", id: request.id, connections: this.#sinks.arriving() });
        break;
      case "probe":
        checkSelectors(request, this.config.field);
        this.#probes.add(request);
        break;
      case "message": {
        const { id, message } = request;
        if (this.#policy.onMessage === undefined)
          throw new RequestError("message: the host policy takes no messages");
        this.tell({ event: "answer", id, message: this.#policy.onMessage(message) });
        break;
      }
      case "statistics":
        this.tell({ event: "statistics", id: request.id, ...this.statistics() });
        break;
    }
  }

  statistics(): AgentStatistics {
    const { counts } = this.#dataPath;
    const nics = this.#interfaces.statistics;
    const { user, system } = process.cpuUsage();
    return {
      ...counts,
      rejected: nics.reduce((sum, { receiveRefused }) => sum + receiveRefused, counts.rejected),
      lost: nics.reduce((sum, { sendRefused }) => sum + sendRefused, 0),
      flows: this.#flows.count,
      cpuNs: 1000 * (user + system),
    };
  }

  /** Resets the connections, without further events about them. */
  close(): void {
    this.#transfers.close();
    this.#sinks.close();
    this.#carriers?.close();
    this.#timers.close();
    this.#watch.close();
    this.#interfaces.close();
    this.#tun.close();
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new RequestError(`no JSON: ${(error as Error).message}`);
  }
}

/** The id of the request for an `error` event; null where it has none. */
function idOf(json: unknown): number | null {
  const id = typeof json === "object" && json !== null && "id" in json ? json.id : undefined;
  return typeof id === "number" ? id : null;
}

/** Whether it is a wrong request, or one that the system refuses; any other error is a defect of the agent. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof RequestError ||
    error instanceof DiagnosticError ||
    (error as { code?: unknown }).code !== undefined
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof DiagnosticError) return error.diagnostics[0]!.message;
  return systemErrorReason(error);
}
