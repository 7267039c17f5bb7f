/**
 * A lab on the simulator: the network of a project, which pages show and change. It does not depend on where it runs: clock and
 * timers are passed in, files are texts, and all messages are plain JSON (`protocol.ts`).
 */
import { DiagnosticError, Diagnostics, fail, given } from "../../base/index.js";
import { CODES } from "./codes.js";
import { diagnosticViews } from "./diagnostics.js";
import { ProjectFiles } from "./files.js";
import { storyOf } from "./follow/story-book.js";
import type { Handlers } from "./handler-types.js";
import { answer, sharedHandlers, useChanged } from "./handlers.js";
import { Outbox } from "./outbox.js";
import type { LabTimers } from "./pacer.js";
import { WELL_KNOWN_HEADERS } from "./packets/formats.js";
import { planOf } from "./plan.js";
import type { LabProject } from "./project.js";
import type { LabEvent, LabReply, LabRequest, LabView } from "./protocol.js";
import { Running } from "./running.js";
import { type LabScheme, schemeNotes } from "./scheme.js";
import type { LabService } from "./service.js";
import type { LabTests } from "./tests.js";

/** Where the parts of a scheme run that this lab does not run. */
const ELSEWHERE = "They run in a lab that p4loom lab serves, and in p4loom run.";

export interface LabSessionOptions {
  readonly timers: LabTimers;
  readonly seed: number;
  /** Stores a file that a page has written; absent: it is kept in memory only. Rejects with a DiagnosticError. */
  save?(path: string, text: string): Promise<void>;
  readonly tests?: LabTests;
  /** The scheme of the project, if this lab can run it. */
  readonly scheme?: LabScheme;
}

export class LabSession implements LabService {
  readonly #project: LabProject;
  readonly #options: LabSessionOptions;
  readonly #files: ProjectFiles;
  readonly #outbox = new Outbox();
  readonly #watched = new Set<string>();
  readonly #handlers: Handlers;
  #current: Running | undefined;

  private constructor(project: LabProject, options: LabSessionOptions) {
    this.#project = project;
    this.#options = options;
    this.#files = new ProjectFiles(project);
    this.#handlers = this.#makeHandlers();
  }

  /**
   * Opens a project, with its clock paused. The reply to `describe` lists the errors of programs and entries; their switches run
   * without them.
   * @throws DiagnosticError if there is no network to show: the errors of `topology.json`, or of the files that it names
   */
  static async open(project: LabProject, options: LabSessionOptions): Promise<LabSession> {
    const session = new LabSession(project, options);
    session.#current = await session.#begin();
    return session;
  }

  async #begin(): Promise<Running> {
    const diagnostics = new Diagnostics();
    const plan = planOf(this.#project.open, this.#files, diagnostics);
    if (plan === undefined || diagnostics.hasErrors) throw new DiagnosticError(diagnostics.list);
    const { timers, seed, scheme } = this.#options;
    const running = await Running.start({
      plan,
      ...given({ scheme }),
      files: this.#files,
      timers,
      seed,
      outbox: this.#outbox,
      watched: this.#watched,
    });
    running.board.problems.unshift(...diagnosticViews(diagnostics.list));
    return running;
  }

  get #running(): Running {
    if (this.#current === undefined) throw new Error("the session is not open");
    return this.#current;
  }

  subscribe(listener: (event: LabEvent) => void): () => void {
    return this.#outbox.subscribe(listener);
  }

  async close(): Promise<void> {
    this.#running.close();
  }

  apply(request: LabRequest): Promise<LabReply> {
    return answer(this.#handlers, request);
  }

  /** Applies a change of a file that no page made, as if a page had saved the file. */
  fileChanged(path: string, text: string): Promise<void> {
    return useChanged(this.#shared, path, text);
  }

  get #shared() {
    const { save } = this.#options;
    return {
      files: this.#files,
      board: () => this.#running.board,
      ...(save === undefined ? {} : { save: (path: string, text: string) => save(path, text) }),
      send: (event: LabEvent) => this.#outbox.send(event),
    };
  }

  #makeHandlers(): Handlers {
    return {
      ...sharedHandlers(this.#shared),
      describe: () => this.#describe(),
      restart: () => this.#restart(),
      "clock.set": ({ running, speed, skipIdle }) => {
        const { pacer } = this.#running;
        pacer.set({
          ...given({ running, speed, skipIdle }),
        });
        this.#outbox.send({ kind: "clock", clock: pacer.view });
        return pacer.view;
      },
      "clock.step": (request) => this.#running.step(request),
      "link.set": ({ link, up, signalled }) => {
        const view = this.#running.lab.setLink(link, up, signalled);
        this.#outbox.send({ kind: "link", link: view });
        return view;
      },
      "switch.set": async ({ switch: name, up }) => {
        const node = await this.#running.setSwitch(name, up);
        this.#outbox.send({ kind: "node", node });
        for (const { index } of this.#running.lab.network.linksOf(this.#running.lab.switch(name)))
          this.#outbox.send({ kind: "link", link: this.#running.lab.linkView(index) });
        return node;
      },
      "packet.build": ({ packet, from }) => this.#running.build(packet, from).built,
      "packet.send": (request) => {
        const { frame, built } = this.#running.build(request.packet, request.from);
        return { ...built, packet: this.#running.send(frame, request) };
      },
      "packet.list": ({ limit }) => ({ packets: this.#running.tracker.book.latest(limit) }),
      "packet.story": ({ packet }) => storyOf(this.#running.tracker.book, packet, this.#files),
      "packet.outcomes": (request) => ({ trace: this.#running.outcomes(request) }),
      "traffic.start": (request) => this.#running.startTraffic(request).view,
      "traffic.stop": ({ flow }) => ({ flows: this.#running.flows.stop(flow).map(({ view }) => view) }),
      "host.command": (request) => {
        this.#running.hostLine(request);
        return {};
      },
      "terminal.open": () => this.#noTerminal(),
      "terminal.input": () => this.#noTerminal(),
      "terminal.resize": () => this.#noTerminal(),
      "terminal.close": () => this.#noTerminal(),
      "state.watch": ({ switch: name, on }) => {
        this.#running.board.control(name);
        if (on) this.#watched.add(name);
        else this.#watched.delete(name);
        this.#running.resendState(name);
        return { watched: [...this.#watched] };
      },
      "exercise.read": ({ language }) => {
        const found = this.#options.tests?.read(this.#files.all(), language);
        return found ?? fail(CODES.notHere, undefined, "this project has no tests: it is not an exercise");
      },
      "exercise.test": async ({ tests }) => {
        const runner =
          this.#options.tests ?? fail(CODES.notHere, undefined, "this lab cannot run tests of exercises");
        const tell = (result: Parameters<Parameters<LabTests["run"]>[2]>[0]) =>
          this.#outbox.send({ kind: "test", result });
        return { results: await runner.run(this.#files.all(), tests, tell) };
      },
    };
  }

  #noTerminal(): never {
    return fail(
      CODES.notHere,
      undefined,
      "hosts of the simulator have no shell",
      "use their command line, or start the lab with --engine testbed",
    );
  }

  #describe(): LabView {
    const { lab, pacer, board, flows, plan } = this.#running;
    const { programs, problems } = board;
    return {
      title: this.#project.title,
      engine: "sim",
      source: this.#project.open.kind === "plan" ? "experiment" : this.#project.open.kind,
      can: {
        clock: true,
        consoles: true,
        terminals: false,
        tests: this.#options.tests?.has(this.#files.all()) ?? false,
        saving: true,
        outcomes: true,
      },
      clock: pacer.view,
      nodes: [...plan.hosts, ...plan.switches].map(({ name }) => lab.nodeView(name)),
      links: plan.links.map((_, id) => lab.linkView(id)),
      programs: programs.views,
      headers: WELL_KNOWN_HEADERS,
      flows: flows.views,
      watched: [...this.#watched],
      notes: schemeNotes(this.#project.scheme, this.#options.scheme !== undefined, ELSEWHERE),
      diagnostics: problems,
    };
  }

  async #restart(): Promise<LabView> {
    const before = this.#running;
    const { running, speed, skipIdle } = before.pacer.view;
    const next = await this.#begin();
    before.close();
    this.#current = next;
    for (const name of [...this.#watched]) if (!next.board.controls.has(name)) this.#watched.delete(name);
    next.pacer.set({ running, speed, skipIdle });
    this.#outbox.send({ kind: "restarted" });
    return this.#describe();
  }
}
