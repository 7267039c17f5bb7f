/** A simulated network from its start to the next restart: creates its parts from the files and connects them. */
import { Diagnostics, fail, fromHex, given, Random } from "../../base/index.js";
import { NS_PER_S } from "../../fabric/sim/packet/index.js";
import type { PacketTrace } from "../../toolchain/switch/index.js";
import type { FrameSender } from "../exercises/index.js";
import { CODES } from "./codes.js";
import type { ProjectFiles } from "./files.js";
import { traceAt } from "./follow/story-book.js";
import { Tracker } from "./follow/tracker.js";
import { FrameMeter } from "./frame-meter.js";
import { layOut } from "./layout.js";
import { LabNetwork } from "./network.js";
import type { Outbox } from "./outbox.js";
import { type LabTimers, Pacer } from "./pacer.js";
import { buildPacket } from "./packets/build.js";
import { formatsOf } from "./packets/formats.js";
import type { LabPlan } from "./project.js";
import type { BuiltPacket, ClockView, NodeView, PacketInput, PacketSource, RequestOf } from "./protocol.js";
import type { LabScheme, SchemeControl } from "./scheme.js";
import { SwitchBoard } from "./switch-board.js";
import { type ConsoleContext, runHostLine } from "./traffic/console.js";
import type { Flow } from "./traffic/flow.js";
import { Flows } from "./traffic/flows.js";

/** Number of frames of the page between two samples of flows and of watched states. */
const SAMPLE_FRAMES = 6;
/** Maximum simulated time until controllers must be ready, in nanoseconds. */
const PREPARATION_NS = 60 * NS_PER_S;
/** Maximum number of runs for all outcomes of a packet: about a tenth of a second. */
const OUTCOME_RUNS = 1000;

interface RunningOptions {
  readonly plan: LabPlan;
  readonly files: ProjectFiles;
  readonly timers: LabTimers;
  readonly seed: number;
  readonly scheme?: LabScheme;
  readonly outbox: Outbox;
  /** Names of switches whose state is watched; a restart keeps this set. */
  readonly watched: Set<string>;
}

export class Running {
  readonly plan: LabPlan;
  readonly lab: LabNetwork;
  readonly board: SwitchBoard;
  readonly pacer: Pacer;
  readonly tracker: Tracker;
  readonly flows: Flows;
  readonly #options: RunningOptions;
  readonly #meter: FrameMeter;
  readonly #consoles = new Map<string, ConsoleContext>();
  /** The arrival that a step waits for. */
  #awaited: ((node: string, packet: number | undefined) => boolean) | undefined;
  #isThere = false;
  #frames = 0;
  #lastStates = new Map<string, string>();
  #lastNow = -1;
  #closed = false;
  #control: SchemeControl | undefined;

  private constructor(options: RunningOptions) {
    const { plan, files, timers, seed, outbox, scheme } = options;
    this.plan = plan;
    this.#options = options;
    const log = (name: string, text: string): void => this.#say(name, text);
    const tell: SchemeControl["tell"] = (host, message) => this.#control?.tell(host, message);
    this.lab = new LabNetwork({ plan, seed, places: layOut(plan), log, scheme, tell });
    this.board = new SwitchBoard({
      plan,
      files,
      later: (ms, fn) => timers.later(ms, fn),
      device: (name) => this.lab.switch(name).device,
      isUp: (name) => this.lab.isUp(name),
      scheme,
      send: (event) => outbox.send(event),
    });
    const { simulation } = this.lab;
    this.pacer = new Pacer({
      simulation,
      timers,
      controlled: scheme !== undefined,
      isBusy: () => this.#isBusy(),
      onFrame: () => this.#frame(),
    });
    this.flows = new Flows(this.lab, new Random(seed), () => {});
    this.tracker = new Tracker({
      lab: this.lab,
      flowOf: (key) => this.flows.of(key),
      programOf: (name) => plan.switches.find((one) => one.name === name)?.program ?? "",
      onSent: () => this.pacer.wake(),
      onArrival: (node, packet) => {
        if (this.#awaited?.(node, packet) !== true) return;
        this.#isThere = true;
        simulation.stop();
      },
    });
    this.#meter = new FrameMeter(this.lab);
    for (const [name, control] of this.board.controls)
      control.device.watch((event) => {
        for (const line of control.eventLines(event)) this.#say(name, line);
      });
    for (const { name } of plan.hosts)
      this.#consoles.set(name, {
        lab: this.lab,
        host: name,
        flows: new Set(),
        print: (text) => outbox.sendText({ kind: "console", host: name, text }),
        start: (traffic) => this.#start(traffic, name),
      });
  }

  /** Creates the network with programs and entries from the files. */
  static async start(options: RunningOptions): Promise<Running> {
    const running = new Running(options);
    await running.board.bootAll();
    await running.#startControl();
    running.pacer.start();
    return running;
  }

  /** Starts the controllers and advances the clock until they are ready, before users can control the clock. */
  async #startControl(): Promise<void> {
    const { scheme, seed, outbox } = this.#options;
    const { simulation } = this.lab;
    const failed = (message: string): void =>
      outbox.send({ kind: "notice", severity: "error", text: `A controller has failed: ${message}` });
    this.#control = scheme?.control({
      simulation,
      seed,
      switch: (name) => this.lab.switch(name),
      host: (name) => this.lab.host(name).transport,
      log: (line) => outbox.sendText({ kind: "notice", severity: "info", text: line }),
      failed,
    });
    if (this.#control === undefined) return;
    let isReady = false;
    void this.#control.ready.then(() => {
      isReady = true;
    });
    await simulation.runAsync(simulation.now + PREPARATION_NS, () => isReady);
  }

  close(): void {
    this.#closed = true;
    this.pacer.stop();
    this.#control?.close();
  }

  #say(name: string, text: string): void {
    const at = this.lab.simulation.now;
    this.#options.outbox.sendText({ kind: "switch", switch: name, at, text });
  }

  #isBusy(): boolean {
    if (this.tracker.onWires > 0) return true;
    for (const { device } of this.lab.switches.values()) if (device.waiting > 0) return true;
    return false;
  }

  /** Sends the changes since the last frame to the pages, if there are any. */
  #frame(): void {
    const { outbox } = this.#options;
    this.#frames++;
    this.tracker.addCredit();
    const isSample = this.#frames % SAMPLE_FRAMES === 0;
    if (isSample) {
      this.flows.sample();
      for (const flow of this.flows.news) outbox.send({ kind: "flow", flow });
      void this.#sendStates();
    }
    outbox.frame();
    const changes = this.tracker.take();
    const clock = this.pacer.view;
    const isChanged =
      changes.packets.length + changes.motions.length + changes.ends.length + changes.drops.length > 0;
    if (!isChanged && clock.now === this.#lastNow) return;
    this.#lastNow = clock.now;
    outbox.send({ kind: "frame", clock, ...this.#meter.take(), ...changes });
  }

  async #sendStates(): Promise<void> {
    for (const name of this.#options.watched) {
      const control = this.board.controls.get(name);
      if (control?.device.program === undefined) continue;
      const state = await control.state(control.planned.program ?? "");
      const text = JSON.stringify(state);
      if (this.#closed || this.#lastStates.get(name) === text) continue;
      this.#lastStates.set(name, text);
      this.#options.outbox.send({ kind: "state", state });
    }
  }

  /** Makes the next sample send an event `state`, even if the state has not changed. */
  resendState(name: string): void {
    this.#lastStates.delete(name);
  }

  async step({ until }: RequestOf<"clock.step">): Promise<ClockView> {
    const { simulation } = this.lab;
    this.pacer.set({ running: false });
    this.#isThere = false;
    if (until.kind === "time") {
      await this.pacer.step(simulation.now + until.ns, () => false);
      return this.pacer.view;
    }
    if (until.node !== undefined && !this.lab.hosts.has(until.node)) this.lab.switch(until.node);
    this.#awaited = (node, packet) =>
      (until.node === undefined || until.node === node) &&
      (until.packet === undefined || until.packet === packet);
    await this.pacer.step(undefined, () => this.#isThere);
    this.#awaited = undefined;
    return this.pacer.view;
  }

  /** Stops a switch, or starts it again with its program and the entries of its files. */
  async setSwitch(name: string, up: boolean): Promise<NodeView> {
    const view = this.lab.setSwitch(name, up);
    if (!up) this.#control?.switchRuns(name, false);
    else {
      await this.board.boot(name, new Diagnostics());
      this.#control?.switchRuns(name, true);
    }
    return view;
  }

  build(packet: PacketInput, from: PacketSource): { frame: Uint8Array; built: BuiltPacket } {
    return buildPacket(packet, formatsOf(this.board.programs.views), this.#senderOf(from));
  }

  #senderOf(from: PacketSource): FrameSender {
    if (!("host" in from)) {
      this.lab.switch(from.switch);
      return {};
    }
    const { options, arp } = this.lab.host(from.host);
    const { mac, ipv4, ipv6, gateways } = options;
    return {
      mac,
      ipv4,
      ...given({ ipv6 }),
      macTowards: (destination) => {
        if (gateways?.[0] !== undefined) return gateways[0];
        const next = destination === undefined ? undefined : options.nextHop(destination);
        return next === undefined ? undefined : arp.lookUp(next);
      },
    };
  }

  /** Sends the frame now and at each interval. Returns the number of the first packet. */
  send(frame: Uint8Array, { from, count, intervalNs }: RequestOf<"packet.send">): number {
    const { simulation } = this.lab;
    const start = simulation.now;
    const where = "host" in from ? from.host : from.switch;
    const first = this.tracker.follow(frame, where);
    for (let i = 0; i < count; i++) {
      const copy = i === 0 ? frame : frame.slice();
      simulation.at(start + Math.round(i * intervalNs), () => {
        if ("host" in from) this.lab.host(from.host).sendFrame(copy);
        else this.lab.switch(from.switch).receive(from.port, copy);
      });
    }
    return first.id;
  }

  /** Every outcome that a packet could have if it came to the switch of a hop again, now. */
  outcomes({ packet, hop }: RequestOf<"packet.outcomes">): PacketTrace {
    const { node, trace } = traceAt(this.tracker.book, packet, hop);
    const { device } = this.lab.switch(node);
    const { ingress_port, bytes } = trace.input;
    return { ...device.outcomes(ingress_port, fromHex(bytes)!, { runs: OUTCOME_RUNS }), device: node };
  }

  #start(traffic: Parameters<Flows["start"]>[0], console: string | undefined): Flow {
    const print =
      console === undefined
        ? undefined
        : (text: string) => this.#options.outbox.sendText({ kind: "console", host: console, text });
    return this.flows.start(traffic, print);
  }

  startTraffic({ traffic }: RequestOf<"traffic.start">): Flow {
    if (traffic.from === traffic.to)
      fail(
        CODES.noNode,
        undefined,
        `${traffic.from} cannot send to itself: its packets would not enter the network`,
      );
    return this.#start(traffic, undefined);
  }

  hostLine({ host, line }: RequestOf<"host.command">): void {
    this.lab.host(host);
    runHostLine(line, this.#consoles.get(host)!);
  }
}
