/** The lab as the page sees it: sends the requests, receives the events, and keeps the state in a store. */
import type {
  EditView,
  ExerciseView,
  FlowView,
  LabConnection,
  LabDiagnostic,
  LabEvent,
  LabReply,
  LabRequestInput,
  PacketView,
  PlaceView,
} from "../../../src/course/lab/index.js";
import { language, t } from "../language/texts.js";
import { keepFile } from "./kept-files.js";
import { type Choice, type LabState, type LogLine, NO_TRAFFIC, type OpenFile, START } from "./lab-state.js";
import { Live } from "./live.js";
import { slowMotion } from "./slow-motion.js";
import { Store } from "./store.js";

/** Minimum time between two updates of lists, in milliseconds of real time. */
const LISTS_MS = 250;
const MOST_PACKETS = 200;
const MOST_LOG = 300;
const MAX_POINTS = 1200;
const MOST_CONSOLE = 100_000;

type Value<Op extends LabRequestInput["op"]> = Extract<LabReply<Op>, { ok: true }>["value"];

export class Lab {
  readonly store = new Store<LabState>(START);
  readonly live = new Live();
  readonly #terminals = new Map<number, (data: string | undefined) => void>();
  #connection: LabConnection | undefined;
  /** The newest last. */
  #packets = new Map<number, PacketView>();
  #flows = new Map<number, FlowView>();
  #listsDue = false;
  /** The file that was chosen last. */
  #wanted: string | undefined;
  #numbers = 0;

  /** `project`: name of the project of a static page. */
  constructor(readonly project: string | undefined) {}

  get connection(): LabConnection {
    if (this.#connection === undefined) throw new Error("the page has no lab yet");
    return this.#connection;
  }

  async open(connection: LabConnection): Promise<void> {
    this.#connection = connection;
    connection.subscribe((event) => this.#listener(event));
    await this.#describe();
    const files = await this.ask({ op: "files.list" });
    const exercise = await this.#exercise();
    this.store.set({ files: files?.files ?? [], exercise, connection: "open" });
    language.watch(() => void this.#translate());
    await this.#slowDown();
    const { notes = [] } = this.store.value.lab ?? {};
    if (notes.length > 0) this.say(notes.join("\n"));
    const programs = this.store.value.lab?.programs ?? [];
    const start =
      exercise?.start ?? programs[0]?.path ?? files?.files.find(({ kind }) => kind === "program")?.path;
    if (start !== undefined) await this.openFile(start);
  }

  /** Its text and its tests, where the project is an exercise that has them. */
  async #exercise(): Promise<ExerciseView | undefined> {
    if (this.store.value.lab?.source !== "exercise") return undefined;
    const reply = await this.connection.request({ op: "exercise.read", language: language.value.code });
    return reply.ok ? reply.value : undefined;
  }

  /** Reads the exercise in the present language of the page; the results of its tests are kept. */
  async #translate(): Promise<void> {
    const { code } = language.value;
    const next = await this.#exercise();
    const before = this.store.value.exercise;
    if (next === undefined || before === undefined || language.value.code !== code) return;
    const results = new Map(before.tests.map(({ name, result }) => [name, result]));
    const tests = next.tests.map((test) => {
      const result = results.get(test.name);
      return result === undefined ? test : { ...test, result };
    });
    this.store.set({ exercise: { ...next, tests } });
  }

  /** Selects slow motion in a network without traffic so far, so that packets can be seen in flight. */
  async #slowDown(): Promise<void> {
    const { lab } = this.store.value;
    if (lab === undefined || !lab.can.clock || this.#packets.size > 0 || lab.clock.speed !== 1) return;
    await this.setClock({ running: true, skipIdle: true, speed: slowMotion(lab) });
  }

  lost(reason: string): void {
    this.store.set({ connection: "lost", reason });
  }

  /** Sends a request and shows its errors to the user; undefined if it failed. */
  async ask<Request extends LabRequestInput>(request: Request): Promise<Value<Request["op"]> | undefined> {
    const reply = await this.connection.request(request);
    if (reply.ok) return reply.value as Value<Request["op"]>;
    this.say(reply.diagnostics.map(diagnosticText).join("\n") || t("lab.rejected"), true);
    return undefined;
  }

  say(text: string, bad = false): void {
    this.store.set({ message: { id: ++this.#numbers, text, bad } });
    if (bad) this.#log("error", text);
  }

  // ------------------------------------------------------------------ clock, faults, choices

  async setClock(change: { running?: boolean; speed?: number; skipIdle?: boolean }): Promise<void> {
    const clock = await this.ask({ op: "clock.set", ...change });
    if (clock !== undefined) this.#clock(clock);
  }

  async step(): Promise<void> {
    if (this.store.value.lab?.clock.running) await this.setClock({ running: false });
    const packet = this.store.value.story;
    const follow = packet?.end.kind === "moving" ? { packet: packet.id } : {};
    const clock = await this.ask({ op: "clock.step", until: { kind: "arrival", ...follow } });
    if (clock !== undefined) this.#clock(clock);
    if (packet !== undefined) await this.showStory(packet.id);
  }

  async setLink(link: number, up: boolean, signalled = true): Promise<void> {
    const view = await this.ask({ op: "link.set", link, up, signalled });
    if (view === undefined) return;
    this.#link(view);
    this.say(t(up ? "lab.linkRepaired" : "lab.linkBroken", { a: view.a.node, b: view.b.node }));
  }

  async setSwitch(name: string, up: boolean): Promise<void> {
    const view = await this.ask({ op: "switch.set", switch: name, up });
    if (view === undefined) return;
    this.#node(view);
    this.say(t(up ? "lab.switchRepaired" : "lab.switchBroken", { name }));
  }

  choose(choice: Choice | undefined): void {
    this.store.set({ choice });
  }

  async showStory(packet: number): Promise<void> {
    const story = await this.ask({ op: "packet.story", packet });
    if (story !== undefined) this.store.set({ story });
  }

  async restart(): Promise<void> {
    const lab = await this.ask({ op: "restart" });
    if (lab !== undefined) this.say(t("lab.restarted"));
  }

  // ------------------------------------------------------------------ files

  async openFile(path: string): Promise<void> {
    this.#wanted = path;
    const isOpen = () => this.store.value.open.some((file) => file.path === path);
    if (!isOpen()) {
      const file = await this.ask({ op: "files.read", path });
      if (file !== undefined && !isOpen()) this.#add(path, file.text, file.readOnly === true);
    }
    // Another file may have been chosen while this one was read: the last choice is shown.
    if (this.#wanted === path && isOpen()) this.store.set({ shown: path });
  }

  #add(path: string, whole: string, readOnly: boolean): void {
    const text = whole.replaceAll("\r\n", "\n");
    const opened = { path, saved: text, text, readOnly, crlf: text !== whole };
    this.store.set({ open: [...this.store.value.open, opened] });
  }

  /** Shows a place of a file; a file of the compiler comes with its text and is read-only. */
  async goTo(place: PlaceView): Promise<void> {
    const isOpen = this.store.value.open.some(({ path }) => path === place.path);
    if (place.text !== undefined && !isOpen) this.#add(place.path, place.text, true);
    await this.openFile(place.path);
    this.store.set({ place });
  }

  /**
   * Applies edits in the editor and saves nothing. False if another file has unsaved changes, which the edits do not
   * take into account.
   */
  async applyEdits(from: string, edits: readonly EditView[]): Promise<boolean> {
    const paths = [...new Set(edits.map(({ path }) => path))];
    const isStale = ({ path, text, saved }: OpenFile) =>
      path !== from && paths.includes(path) && text !== saved;
    const stale = this.store.value.open.filter(isStale).map(({ path }) => path);
    if (stale.length > 0) {
      this.say(t("lab.unsaved", { paths: stale.join(", ") }), true);
      return false;
    }
    for (const path of paths) {
      if (path !== from) await this.openFile(path);
      const file = this.store.value.open.find((one) => one.path === path);
      if (file === undefined || file.readOnly) continue;
      this.edit(
        path,
        edited(
          file.text,
          edits.filter((edit) => edit.path === path),
        ),
      );
    }
    this.store.set({ shown: from });
    return true;
  }

  closeFile(path: string): void {
    const open = this.store.value.open.filter((file) => file.path !== path);
    const shown = this.store.value.shown === path ? open.at(-1)?.path : this.store.value.shown;
    this.store.set({ open, shown });
  }

  /** To be called when the text of a file in the editor has changed. */
  edit(path: string, text: string): void {
    this.store.set({
      open: this.store.value.open.map((file) => (file.path === path ? { ...file, text } : file)),
    });
  }

  /** Saves a file; a program is compiled and loaded into its switches. True if there were no errors. */
  async save(path: string): Promise<boolean> {
    const file = this.store.value.open.find((one) => one.path === path);
    if (file === undefined || file.readOnly) return false;
    const { text } = file;
    const whole = file.crlf ? text.replaceAll("\n", "\r\n") : text;
    const reply = await this.connection.request({ op: "files.save", path, text: whole });
    this.showDiagnostics(path, reply.diagnostics);
    const errors = reply.diagnostics.filter(({ severity }) => severity === "error");
    if (!reply.ok) {
      this.say(t("lab.notSaved", { path, errors: errors.map(diagnosticText).join("; ") }), true);
      return false;
    }
    this.store.set({
      open: this.store.value.open.map((one) => (one.path === path ? { ...one, saved: text } : one)),
    });
    if (this.project !== undefined && !keepFile(this.project, path, whole))
      this.say(t("lab.notStored"), true);
    if (errors.length > 0) {
      const error = diagnosticText(errors[0]!);
      this.say(t("lab.savedWithErrors", { path, count: errors.length, error }), true);
      return false;
    }
    const { swaps } = reply.value;
    const lost = swaps.flatMap((swap) =>
      swap.lost.map(({ statement, reason }) => `${swap.switch}: ${statement} (${reason})`),
    );
    const switches = swaps.map((swap) => swap.switch).join(", ");
    this.say(
      swaps.length === 0
        ? t("lab.saved", { path })
        : lost.length === 0
          ? t("lab.runs", { path, switches })
          : t("lab.runsWithLosses", { path, switches, lost: lost.join("; ") }),
    );
    return true;
  }

  showDiagnostics(path: string, list: readonly LabDiagnostic[]): void {
    this.store.set({ diagnostics: { ...this.store.value.diagnostics, [path]: list } });
  }

  // ------------------------------------------------------------------ state of switches

  async readState(name: string): Promise<void> {
    const state = await this.ask({ op: "state.read", switch: name });
    if (state !== undefined) this.store.set({ states: { ...this.store.value.states, [name]: state } });
  }

  async watch(name: string, on: boolean): Promise<void> {
    await this.ask({ op: "state.watch", switch: name, on });
  }

  /** Runs statements of the shell at a switch; errors are part of the result. */
  async control(
    name: string,
    text: string,
  ): Promise<{ lines: readonly string[]; diagnostics: readonly LabDiagnostic[] }> {
    const reply = await this.connection.request({ op: "control.run", switch: name, text });
    await this.readState(name);
    return { lines: reply.ok ? reply.value.lines : [], diagnostics: reply.diagnostics };
  }

  async undo(name: string): Promise<void> {
    const answer = await this.ask({ op: "control.undo", switch: name });
    if (answer !== undefined) this.say(t("lab.undone", { name, statements: answer.statements.join("; ") }));
    await this.readState(name);
  }

  // ------------------------------------------------------------------ hosts, tests

  async hostCommand(host: string, line: string): Promise<void> {
    this.#print(host, `$ ${line}\n`);
    await this.ask({ op: "host.command", host, line });
  }

  /** `listener` gets the output of the terminal, and undefined at its end. */
  onTerminal(terminal: number, listener: (data: string | undefined) => void): () => void {
    this.#terminals.set(terminal, listener);
    return () => this.#terminals.delete(terminal);
  }

  async runTests(tests?: readonly string[]): Promise<void> {
    const answer = await this.ask({
      op: "exercise.test",
      ...(tests === undefined ? {} : { tests: [...tests] }),
    });
    if (answer === undefined) return;
    const passed = answer.results.filter(({ state }) => state === "passed").length;
    this.say(t("tests.pass", { passed, count: answer.results.length }));
  }

  // ------------------------------------------------------------------ events

  async #describe(): Promise<void> {
    const lab = await this.ask({ op: "describe" });
    if (lab === undefined) return;
    this.#packets = new Map();
    this.#flows = new Map(lab.flows.map((flow) => [flow.id, flow]));
    this.live.reset(lab);
    this.live.motions.clock(lab.clock, performance.now());
    const diagnostics: Record<string, LabDiagnostic[]> = {};
    for (const one of lab.diagnostics) (diagnostics[one.file ?? ""] ??= []).push(one);
    this.store.set({ ...NO_TRAFFIC, lab, flows: lab.flows, diagnostics });
    for (const note of [...lab.notes].reverse()) this.#log("info", note);
    for (const one of lab.diagnostics) this.#log(one.severity, diagnosticText(one));
    const packets = await this.ask({ op: "packet.list", limit: MOST_PACKETS });
    for (const packet of [...(packets?.packets ?? [])].reverse()) this.#packets.set(packet.id, packet);
    this.#lists();
  }

  #listener(event: LabEvent): void {
    switch (event.kind) {
      case "frame":
        this.#frame(event);
        break;
      case "clock":
        this.#clock(event.clock);
        break;
      case "link":
        this.#link(event.link);
        break;
      case "node":
        this.#node(event.node);
        break;
      case "program":
        this.#changeLab((lab) => ({
          programs: [...lab.programs.filter(({ path }) => path !== event.program.path), event.program],
        }));
        this.store.set({ states: {} });
        break;
      case "flow":
        this.#flow(event.flow);
        break;
      case "state":
        this.store.set({ states: { ...this.store.value.states, [event.state.switch]: event.state } });
        break;
      case "console":
        this.#print(event.host, `${event.text}\n`);
        break;
      case "terminal":
        this.#terminals.get(event.terminal)?.(event.data);
        break;
      case "terminalEnd":
        this.#terminals.get(event.terminal)?.(undefined);
        break;
      case "switch":
        this.#log("switch", `${event.switch}: ${event.text}`, event.at);
        break;
      case "file":
        void this.#fileChanged(event.path);
        break;
      case "test":
        this.#test(event.result);
        break;
      case "restarted":
        void this.#describe();
        break;
      case "notice":
        this.#log(event.severity, event.text);
        if (event.severity === "error") this.say(event.text, true);
        break;
    }
  }

  #frame(event: Extract<LabEvent, { kind: "frame" }>): void {
    this.live.frame(event, performance.now());
    for (const packet of event.packets) this.#packets.set(packet.id, packet);
    for (const { packet, end } of event.ends) {
      const view = this.#packets.get(packet);
      if (view !== undefined) this.#packets.set(packet, { ...view, end });
    }
    let spare = this.#packets.size - MOST_PACKETS;
    for (const id of this.#packets.keys()) {
      if (spare-- <= 0) break;
      this.#packets.delete(id);
    }
    const chosen = this.store.value.story;
    if (chosen !== undefined && event.ends.some(({ packet }) => packet === chosen.id))
      void this.showStory(chosen.id);
    this.#changeLab(() => ({ clock: event.clock }), false);
    this.#drawLists();
  }

  #drawLists(): void {
    if (this.#listsDue) return;
    this.#listsDue = true;
    setTimeout(() => this.#lists(), LISTS_MS);
  }

  /** Updates the lists with the frames since the last update. */
  #lists(): void {
    this.#listsDue = false;
    this.store.set({
      packets: [...this.#packets.values()].reverse(),
      flows: [...this.#flows.values()],
      drops: this.live.totals,
      history: this.live.history,
    });
  }

  #clock(clock: LabViewClock): void {
    this.live.motions.clock(clock, performance.now());
    this.#changeLab(() => ({ clock }));
  }

  #link(link: LabViewOf<"links">): void {
    this.#changeLab((lab) => ({ links: lab.links.map((one) => (one.id === link.id ? link : one)) }));
  }

  #node(node: LabViewOf<"nodes">): void {
    this.#changeLab((lab) => ({ nodes: lab.nodes.map((one) => (one.name === node.name ? node : one)) }));
  }

  /** `notify`: false for the clock of frames, which the drawing reads from the store without being notified. */
  #changeLab(change: (lab: LabViewIs) => Partial<LabViewIs>, notify = true): void {
    const { lab } = this.store.value;
    if (lab === undefined) return;
    const next = { ...lab, ...change(lab) };
    this.live.update(next);
    if (notify) this.store.set({ lab: next });
    else this.store.replaceQuietly({ lab: next });
  }

  #flow(flow: FlowView): void {
    const points = [...(this.#flows.get(flow.id)?.points ?? []), ...flow.points].slice(-MAX_POINTS);
    this.#flows.set(flow.id, { ...flow, points });
    this.#drawLists();
  }

  #test(result: NonNullable<LabTest["result"]>): void {
    const { exercise } = this.store.value;
    if (exercise === undefined) return;
    const tests = exercise.tests.map((test) => (test.name === result.name ? { ...test, result } : test));
    this.store.set({ exercise: { ...exercise, tests } });
  }

  /** Reads a file that was written elsewhere again, unless it has unsaved changes in the editor. */
  async #fileChanged(path: string): Promise<void> {
    const { open } = this.store.value;
    const file = open.find((one) => one.path === path);
    if (file !== undefined) {
      const read = await this.ask({ op: "files.read", path });
      const text = read?.text.replaceAll("\r\n", "\n");
      if (text === undefined || text === file.saved) return;
      const clean = file.text === file.saved;
      const next = { ...file, saved: text, text: clean ? text : file.text, crlf: text !== read!.text };
      this.store.set({ open: this.store.value.open.map((one) => (one.path === path ? next : one)) });
    } else if (!this.store.value.files.some((one) => one.path === path)) {
      const list = await this.ask({ op: "files.list" });
      if (list !== undefined) this.store.set({ files: list.files });
    }
  }

  #print(host: string, text: string): void {
    const { consoles } = this.store.value;
    const all = ((consoles[host] ?? "") + text).slice(-MOST_CONSOLE);
    this.store.set({ consoles: { ...consoles, [host]: all } });
  }

  #log(kind: LogLine["kind"], text: string, at = this.store.value.lab?.clock.now ?? 0): void {
    const line = { id: ++this.#numbers, at, kind, text };
    this.store.set({ log: [line, ...this.store.value.log].slice(0, MOST_LOG) });
  }
}

type LabViewIs = NonNullable<LabState["lab"]>;
type LabViewClock = LabViewIs["clock"];
type LabViewOf<Key extends "links" | "nodes"> = LabViewIs[Key][number];
type LabTest = NonNullable<LabState["exercise"]>["tests"][number];

/** The text after edits, which do not overlap. */
function edited(text: string, edits: readonly EditView[]): string {
  let result = text;
  for (const { from, to, text: put } of [...edits].sort((a, b) => b.from - a.from))
    result = result.slice(0, from) + put + result.slice(to);
  return result;
}

/** A diagnostic on one line, as a compiler prints it. */
function diagnosticText({ file, start, code, message }: LabDiagnostic): string {
  const place = start === undefined ? (file ?? "") : `${file ?? ""}:${start.line}:${start.column}`;
  return `${place === "" ? "" : `${place}: `}${code === "" ? "" : `[${code}] `}${message}`;
}
