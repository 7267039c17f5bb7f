/** A lab on real switches and hosts: the same requests as on the simulator, if real machines can carry them out. */
import { DiagnosticError, Diagnostics, fail, given } from "../../../base/index.js";
import {
  type InterfaceCounters,
  startTestbed,
  type Testbed,
  type TestbedSpec,
  type TestbedStartOptions,
} from "../../../fabric/testbed/index.js";
import {
  answer,
  DEFAULT_LINK,
  type Handlers,
  LAB_CODES,
  type LabAnswers,
  type LabEvent,
  type LabPlan,
  type LabProject,
  type LabReply,
  type LabRequest,
  type LabService,
  type LabTests,
  type LabTimers,
  type LabView,
  type LinkLoad,
  type LinkView,
  layOut,
  type NodeView,
  Outbox,
  ProjectFiles,
  planOf,
  SwitchBoard,
  schemeNotes,
  sharedHandlers,
  storyOf,
  useChanged,
  WELL_KNOWN_HEADERS,
} from "../../lab/index.js";
import { TestbedPackets } from "./packets.js";
import { commandsOf, endsOf, InterfaceNames, specOf } from "./spec.js";
import { Terminals } from "./terminals.js";

/** Time between two frames of the page, in milliseconds. */
const FRAME_MS = 100;
/** Number of frames between two readings of the kernel's counters. */
const LOOK_FRAMES = 5;
/** Maximum number of packets that each switch traces in a second. */
const TRACES_PER_SECOND = 50;
/** Maximum time of a command of a host, in milliseconds. */
const COMMAND_MS = 60_000;
const NS_PER_MS = 1e6;

interface TestbedSessionOptions {
  readonly timers: LabTimers;
  /** The machine's monotonic clock in milliseconds when the timers' clock was 0. */
  readonly monotonicMs: number;
  readonly lab: Omit<TestbedStartOptions, "log" | "leftOut" | "stop" | "tracesPerSecond">;
  readonly tests?: LabTests;
  save?(path: string, text: string): Promise<void>;
  /** Receives the lines that describe the start. */
  log(line: string): void;
  readonly stop: AbortSignal;
}

export class TestbedSession implements LabService {
  readonly #project: LabProject;
  readonly #options: Omit<TestbedSessionOptions, "lab" | "stop">;
  readonly #files: ProjectFiles;
  readonly #outbox = new Outbox();
  readonly #terminals: Terminals;
  readonly #watched = new Set<string>();
  readonly #lastStates = new Map<string, string>();
  readonly #handlers: Handlers;
  readonly #plan: LabPlan;
  readonly #names: InterfaceNames;
  readonly #lab: Testbed;
  readonly #board: SwitchBoard;
  readonly #packets: TestbedPackets;
  readonly #startedMs: number;
  readonly #downLinks = new Set<number>();
  readonly #downSwitches = new Set<string>();
  #counters: ReadonlyMap<string, InterfaceCounters> = new Map();
  /** Loads of the links at the last reading. */
  #links: readonly LinkLoad[] = [];
  #frames = 0;
  #countedMs = 0;
  #cancel: () => void = () => {};
  #closed = false;

  private constructor(
    project: LabProject,
    files: ProjectFiles,
    plan: LabPlan,
    lab: Testbed,
    options: Omit<TestbedSessionOptions, "lab" | "stop">,
  ) {
    this.#project = project;
    this.#files = files;
    this.#plan = plan;
    this.#lab = lab;
    this.#options = options;
    this.#names = new InterfaceNames(plan);
    this.#startedMs = options.timers.now();
    const send = (event: LabEvent): void => this.#outbox.send(event);
    this.#board = new SwitchBoard({
      plan,
      files,
      later: (ms, fn) => options.timers.later(ms, fn),
      device: (name) => lab.switches.get(name)!.device,
      isUp: (name) => !this.#downSwitches.has(name),
      send,
    });
    this.#packets = new TestbedPackets({
      plan,
      lab,
      timers: options.timers,
      monotonicUs: (options.monotonicMs + this.#startedMs) * 1000,
      programs: () => this.#board.programs.views,
    });
    this.#terminals = new Terminals({
      data: (terminal, data) => send({ kind: "terminal", terminal, data }),
      ended: (terminal, status) => send({ kind: "terminalEnd", terminal, status }),
    });
    this.#handlers = this.#makeHandlers();
  }

  /**
   * Starts the network of a project; it needs root.
   * @throws DiagnosticError in the cases of LabSession.open and of startTestbed
   */
  static open(project: LabProject, options: TestbedSessionOptions): Promise<TestbedSession> {
    const { log, stop } = options;
    const traces = { tracesPerSecond: TRACES_PER_SECOND };
    return TestbedSession.over(project, options, (spec) =>
      startTestbed(spec, { ...options.lab, ...traces, log, stop }),
    );
  }

  /** As {@link open}, over the network that `start` makes; a session that does not begin closes it. */
  static async over(
    project: LabProject,
    options: Omit<TestbedSessionOptions, "lab" | "stop">,
    start: (spec: TestbedSpec) => Promise<Testbed>,
  ): Promise<TestbedSession> {
    const files = new ProjectFiles(project);
    const diagnostics = new Diagnostics();
    const plan = planOf(project.open, files, diagnostics);
    if (plan === undefined || diagnostics.hasErrors) throw new DiagnosticError(diagnostics.list);
    const lab = await start(specOf(plan));
    try {
      const session = new TestbedSession(project, files, plan, lab, options);
      await session.#prepare();
      return session;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    await this.#board.bootAll();
    for (const running of this.#lab.switches.values()) running.share();
    for (const [name, control] of this.#board.controls)
      control.device.watch((event) => {
        for (const text of control.eventLines(event))
          this.#outbox.sendText({ kind: "switch", switch: name, at: this.#now, text });
      });
    await Promise.all(
      this.#plan.hosts.map(async (host) => {
        for (const line of commandsOf(host)) {
          const { status, stderr } = await this.#lab.hosts.get(host.name)!.exec(["sh", "-c", line]);
          if (status !== 0)
            this.#options.log(`${host.name}: ${line}: ${stderr.trim() || `status ${status}`}`);
        }
      }),
    );
    this.#counters = await this.#lab.counters();
    this.#countedMs = this.#options.timers.now();
    this.#planFrame();
  }

  #planFrame(): void {
    this.#cancel = this.#options.timers.later(FRAME_MS, () => {
      void this.#frame()
        .catch((error: unknown) => this.#options.log(String(error)))
        .then(() => {
          if (!this.#closed) this.#planFrame();
        });
    });
  }

  /** Nanoseconds since the network was started. */
  get #now(): number {
    return Math.round((this.#options.timers.now() - this.#startedMs) * NS_PER_MS);
  }

  get #clock() {
    return { now: this.#now, running: true, speed: 1, skipIdle: false };
  }

  subscribe(listener: (event: LabEvent) => void): () => void {
    return this.#outbox.subscribe(listener);
  }

  apply(request: LabRequest): Promise<LabReply> {
    return answer(this.#handlers, request);
  }

  fileChanged(path: string, text: string): Promise<void> {
    return useChanged(this.#shared, path, text);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    this.#packets.close();
    await this.#terminals.closeAll();
    await this.#lab.close();
  }

  /** Sends the changes since the last frame, with the loads of the last reading. */
  async #frame(): Promise<void> {
    this.#outbox.frame();
    if (this.#closed) return;
    const { hasListeners } = this.#outbox;
    this.#packets.poll(this.#now, hasListeners);
    const isLook = this.#frames++ % LOOK_FRAMES === 0;
    if (!hasListeners) return;
    if (isLook) await this.#readCounters();
    const changes = this.#packets.book.take();
    const isNews = changes.packets.length + changes.motions.length + changes.ends.length > 0;
    if (!isLook && !isNews) return;
    this.#outbox.send({ kind: "frame", clock: this.#clock, links: this.#links, queues: [], ...changes });
  }

  /** Reads the load of the links from the kernel's counters, and the states that are watched. */
  async #readCounters(): Promise<void> {
    const now = this.#options.timers.now();
    const counters = await this.#lab.counters();
    const passedNs = (now - this.#countedMs) * NS_PER_MS;
    this.#links = this.#loads(counters, passedNs);
    this.#counters = counters;
    this.#countedMs = now;
    for (const name of this.#watched) {
      const control = this.#board.control(name);
      if (this.#downSwitches.has(name) || control.device.program === undefined) continue;
      const state = await control.state(control.planned.program ?? "");
      const text = JSON.stringify(state);
      if (this.#lastStates.get(name) === text) continue;
      this.#lastStates.set(name, text);
      this.#outbox.send({ kind: "state", state });
    }
  }

  /** The load of each link since the last reading, counted at the interface of a switch at one of its ends. */
  #loads(counters: ReadonlyMap<string, InterfaceCounters>, passedNs: number): LinkLoad[] {
    const ends = endsOf(this.#plan, this.#names);
    return this.#plan.links.flatMap(({ a, rateBps = DEFAULT_LINK.rateBps }, link): LinkLoad[] => {
      const isHost = this.#names.isHost(a.node);
      const name = ends[link]![isHost ? "b" : "a"].interface;
      const [now, before] = [counters.get(name), this.#counters.get(name)];
      if (now === undefined || before === undefined) return [];
      const sent = [now.sentFrames - before.sentFrames, now.sentBytes - before.sentBytes] as const;
      const received = [
        now.receivedFrames - before.receivedFrames,
        now.receivedBytes - before.receivedBytes,
      ] as const;
      // a switch at end a sends the traffic from a to b; a switch at end b receives it
      const [there, back] = isHost ? [received, sent] : [sent, received];
      if (there[0] + back[0] <= 0) return [];
      const share = (bytes: number): number =>
        Number(Math.min(1, (bytes * 8e9) / (rateBps * passedNs)).toFixed(4));
      return [{ link, share: [share(there[1]), share(back[1])], packets: [there[0], back[0]] }];
    });
  }

  get #shared() {
    const { save } = this.#options;
    return {
      files: this.#files,
      board: () => this.#board,
      ...(save === undefined ? {} : { save: (path: string, text: string) => save(path, text) }),
      send: (event: LabEvent) => this.#outbox.send(event),
    };
  }

  #makeHandlers(): Handlers {
    return {
      ...sharedHandlers(this.#shared),
      describe: () => this.#describe(),
      restart: () => this.#restart(),
      "clock.set": () => this.#unable("real time cannot be paused and has a fixed speed"),
      "clock.step": () => this.#unable("real time cannot advance in steps"),
      "link.set": (request) => this.#setLink(request),
      "switch.set": (request) => this.#setSwitch(request),
      "packet.build": ({ packet, from }) => this.#packets.build(packet, from).built,
      "packet.send": (request) => this.#packets.send(request),
      "packet.list": ({ limit }) => ({ packets: this.#packets.book.latest(limit) }),
      "packet.story": ({ packet }) => storyOf(this.#packets.book, packet, this.#files),
      "packet.outcomes": () =>
        this.#unable("a switch with a process of its own tells what a packet did, not what it can do"),
      "traffic.start": () => this.#unable("use programs on the hosts for traffic: ping, iperf3"),
      "traffic.stop": () => ({ flows: [] }),
      "host.command": (request) => this.#command(request),
      "terminal.open": ({ host, columns, rows }) => ({
        terminal: this.#terminals.open(this.#host(host), columns, rows),
      }),
      "terminal.input": ({ terminal, data }) => {
        this.#terminals.input(terminal, data);
        return {};
      },
      "terminal.resize": async ({ terminal, columns, rows }) => {
        await this.#terminals.resize(terminal, columns, rows);
        return {};
      },
      "terminal.close": async ({ terminal }) => {
        await this.#terminals.close(terminal);
        return {};
      },
      "state.watch": ({ switch: name, on }) => {
        this.#board.control(name);
        if (on) this.#watched.add(name);
        else this.#watched.delete(name);
        this.#lastStates.delete(name);
        return { watched: [...this.#watched] };
      },
      "exercise.read": ({ language }) =>
        this.#options.tests?.read(this.#files.all(), language) ??
        this.#unable("this project is not an exercise"),
      "exercise.test": async ({ tests }) => {
        const runner = this.#options.tests ?? this.#unable("this lab cannot run tests of exercises");
        const results = await runner.run(this.#files.all(), tests, (result) =>
          this.#outbox.send({ kind: "test", result }),
        );
        return { results };
      },
    };
  }

  #unable(why: string): never {
    return fail(LAB_CODES.notHere, undefined, why, "the simulator can: p4loom lab without --engine testbed");
  }

  #host(name: string) {
    return (
      this.#lab.hosts.get(name) ??
      fail(
        LAB_CODES.noNode,
        undefined,
        `there is no host ${name}`,
        `there are: ${[...this.#lab.hosts.keys()].join(", ")}`,
      )
    );
  }

  #describe(): LabView {
    const places = layOut(this.#plan);
    const nodes = [
      ...this.#plan.hosts.map((host): NodeView => {
        const { name, mac, ipv4, ipv6, prefixLength } = host;
        return {
          name,
          kind: "host",
          ...places.get(name)!,
          up: true,
          ipv4: `${ipv4}/${prefixLength}`,
          ...given({ ipv6 }),
          mac,
        };
      }),
      ...this.#plan.switches.map(({ name }) => this.#switchView(name, places.get(name)!)),
    ];
    return {
      title: this.#project.title,
      engine: "testbed",
      source: this.#project.open.kind === "plan" ? "experiment" : this.#project.open.kind,
      can: {
        clock: false,
        consoles: true,
        terminals: true,
        tests: this.#options.tests?.has(this.#files.all()) ?? false,
        saving: true,
        outcomes: false,
      },
      clock: this.#clock,
      nodes,
      links: this.#plan.links.map((_, id) => this.#linkView(id)),
      headers: WELL_KNOWN_HEADERS,
      programs: this.#board.programs.views,
      flows: [],
      watched: [...this.#watched],
      notes: schemeNotes(this.#project.scheme, false, "They run with p4loom run --engine switch."),
      diagnostics: this.#board.problems,
    };
  }

  #switchView(name: string, { x, y } = layOut(this.#plan).get(name)!): NodeView {
    const { program, tier } = this.#board.control(name).planned;
    return {
      name,
      kind: "switch",
      x,
      y,
      up: !this.#downSwitches.has(name),
      ...given({ program, tier }),
    };
  }

  #linkView(id: number): LinkView {
    const { a, b, rateBps = DEFAULT_LINK.rateBps, delayNs = 0 } = this.#plan.links[id]!;
    return { id, a, b, rateBps, delayNs, up: !this.#downLinks.has(id) };
  }

  async #setLink({ link, up, signalled }: Extract<LabRequest, { op: "link.set" }>): Promise<LinkView> {
    const ends = endsOf(this.#plan, this.#names)[link];
    if (ends === undefined)
      return fail(
        LAB_CODES.noNode,
        undefined,
        `there is no link ${link}`,
        `there are 0 to ${this.#plan.links.length - 1}`,
      );
    if (!signalled) this.#unable("both ends of a real link see that it is broken");
    const [one, other] = [ends.a, ends.b].map((end) =>
      this.#names.isHost(end.node) ? end.node : end.interface,
    );
    await this.#lab.setLink(one!, other!, up);
    if (up) this.#downLinks.delete(link);
    else this.#downLinks.add(link);
    const view = this.#linkView(link);
    this.#outbox.send({ kind: "link", link: view });
    return view;
  }

  async #setSwitch({ switch: name, up }: Extract<LabRequest, { op: "switch.set" }>): Promise<NodeView> {
    this.#board.control(name);
    const running = this.#lab.switches.get(name)!;
    if (up) {
      await running.restart();
      this.#downSwitches.delete(name);
      await this.#board.boot(name, new Diagnostics());
      running.share();
    } else {
      this.#downSwitches.add(name);
      await running.kill();
    }
    const node = this.#switchView(name);
    this.#outbox.send({ kind: "node", node });
    return node;
  }

  /** Loads programs and entries of all switches from the files again; processes and hosts continue. */
  async #restart(): Promise<LabView> {
    for (const name of [...this.#downSwitches])
      await this.#setSwitch({ op: "switch.set", switch: name, up: true });
    for (const link of [...this.#downLinks])
      await this.#setLink({ op: "link.set", link, up: true, signalled: true });
    await this.#board.bootAll();
    this.#outbox.send({ kind: "restarted" });
    return this.#describe();
  }

  /** Runs a shell command at a host, with names of hosts replaced by their addresses; its output comes as events `console`. */
  #command({ host, line }: Extract<LabRequest, { op: "host.command" }>): LabAnswers["host.command"] {
    const running = this.#host(host);
    const text = line.replace(
      /\S+/g,
      (word) => this.#plan.hosts.find(({ name }) => name === word)?.ipv4 ?? word,
    );
    const process = running.spawn(["sh", "-c", `${text} 2>&1`]);
    const stop = process.onLine((said) => this.#outbox.sendText({ kind: "console", host, text: said }));
    const cancel = this.#options.timers.later(COMMAND_MS, () => void process.kill());
    void process.exited.then((status) => {
      cancel();
      stop();
      if (status !== 0) this.#outbox.sendText({ kind: "console", host, text: `(status ${status})` });
    });
    return {};
  }
}
