/**
 * Plays a packet test against the embedded switch: commands and packets in the order of the file, on a clock that
 * the test moves; at the end each port's packets are compared with what the test expects of it.
 */
import {
  DiagnosticError,
  type Diagnostics,
  defined,
  fail,
  given,
  SourceFile,
  type Span,
} from "../../base/index.js";
import { Interpreter } from "../control/index.js";
import { type CounterData, DeviceError, type Entity, type TableEntry } from "../device/index.js";
import { type Bmv2Program, createP4Info, describeBmv2, type P4Info, P4InfoIndex } from "../program/index.js";
import {
  type CoverageCounts,
  isRecirculation,
  Switch,
  type SwitchClock,
  type TraceSink,
} from "../switch/index.js";
import { CODES } from "./codes.js";
import { entryOf, type TofinoKeys, tofinoKeys } from "./entries.js";
import { compareOutputs, type Expect, type Output, warnOfOthers } from "./expectations.js";
import { findByName } from "./names.js";
import type { Comparison, StfCommand, Word } from "./script.js";

export interface StfOptions {
  /** For the `random` extern. */
  seed?: number;
  /** Takes what commands of simple_switch_CLI print, and the texts of `log_msg`. */
  print?: (text: string) => void;
  /** Takes a trace of every packet. */
  trace?: TraceSink;
  /** Counts what the packets reach of the program. */
  coverage?: CoverageCounts;
}

export interface StfResult {
  /** Number of expectations that held: lines `expect` and `check_counter`. */
  passed: number;
  /** Number of expectations that did not hold, of packets that no line expects, and of commands that could not be carried out. */
  failed: number;
}

/** Time between two packets in microseconds; p4c's runner sends them as fast as it can. */
const PACKET_GAP_US = 1000;
const WAIT_US = 1_000_000;
/** Time for which a test listens after its last line, as p4c's runner does. */
const LAST_WAIT_US = 2_000_000;

const COMPARE: Readonly<Record<Comparison, (left: bigint, right: bigint) => boolean>> = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<=": (left, right) => left <= right,
  "<": (left, right) => left < right,
  ">=": (left, right) => left >= right,
  ">": (left, right) => left > right,
};

/**
 * Reports every failing expectation (P41255 to P41258), every wrong name or value (P41253, P41254) and every
 * command that the switch refuses (P41259, P43201 to P43207), each at its line. A port that no line names is not
 * connected, as with p4c's runner: packets that leave there are reported as a warning (P41250).
 * @param program its P4Info says which fields are optional; without one, names are those of the BMv2 program
 * @throws DiagnosticError when the switch cannot run the program at all
 */
export async function runStf(
  commands: readonly StfCommand[],
  program: { bmv2: Bmv2Program; p4info?: P4Info },
  diagnostics: Diagnostics,
  options: StfOptions = {},
): Promise<StfResult> {
  return new Player(program, diagnostics, options).play(commands);
}

class Player {
  readonly #clock = new ManualClock();
  readonly #outputs: Output[] = [];
  readonly #switch: Switch;
  readonly #interpreter: Interpreter;
  readonly #index: P4InfoIndex;
  readonly #tofino: TofinoKeys | undefined;
  /** All that the program has, where P4Info leaves something out. */
  #hidden: P4InfoIndex | undefined;
  readonly #result: StfResult = { passed: 0, failed: 0 };
  /** Entries that were given a name with `add ... = NAME`. */
  readonly #labels = new Map<string, TableEntry>();
  /** Ports at which the test expects packets. */
  readonly #expected = new Set<number>();
  /** The last line so far that sends a packet or advances the clock. */
  #cause: Span | undefined;

  constructor(
    readonly program: { bmv2: Bmv2Program; p4info?: P4Info },
    readonly diagnostics: Diagnostics,
    readonly options: StfOptions,
  ) {
    const { bmv2, p4info } = program;
    const { seed, print, trace, coverage } = options;
    this.#index = new P4InfoIndex(p4info ?? describeBmv2(bmv2));
    this.#tofino = tofinoKeys(bmv2);
    this.#switch = new Switch(
      { bmv2, p4info: p4info ?? createP4Info() },
      {
        clock: this.#clock,
        // A port at which the test expects packets leads out of the switch.
        recirculates: (port) => !this.#expected.has(port) && isRecirculation(port),
        transmit: (port, frame) => this.#outputs.push({ port, frame, cause: this.#cause }),
        ...given({ seed, log: print, trace, coverage }),
      },
    );
    this.#interpreter = new Interpreter(this.#switch);
  }

  async play(commands: readonly StfCommand[]): Promise<StfResult> {
    const expects: Expect[] = [];
    const ports = new Set<number>();
    for (const command of commands) if (command.kind === "expect") this.#expected.add(command.port);
    for (const command of commands) {
      if (command.kind === "packet" || command.kind === "expect") ports.add(command.port);
      if (command.kind === "expect") expects.push(command);
      else await this.#do(command);
    }
    this.#clock.advance(LAST_WAIT_US);
    const connected = this.#outputs.filter(({ port }) => ports.has(port));
    warnOfOthers(
      this.#outputs.filter(({ port }) => !ports.has(port)),
      this.diagnostics,
    );
    const tally = compareOutputs(expects, connected, this.diagnostics);
    return { passed: this.#result.passed + tally.passed, failed: this.#result.failed + tally.failed };
  }

  async #do(command: Exclude<StfCommand, Expect>): Promise<void> {
    switch (command.kind) {
      case "packet":
        this.#cause = command.span;
        this.#switch.receive(command.port, command.bytes);
        this.#clock.advance(PACKET_GAP_US);
        break;
      case "wait":
        this.#cause = command.span;
        this.#clock.advance(WAIT_US);
        break;
      case "noPacket":
        // Any packet that no line expects is a failure in any case.
        break;
      case "cli":
        await this.#runCli(command);
        break;
      default:
        this.#attempt(command.span, () => this.#control(command));
    }
  }

  #control(
    command: StfCommand & {
      kind: "add" | "setDefault" | "removeAll" | "checkCounter" | "checkRegister" | "ghost";
    },
  ): void {
    switch (command.kind) {
      case "add":
      case "setDefault": {
        const entity = entryOf(command, this.#indexFor(command.table), this.#tofino);
        this.#put(command.kind, entity);
        if (command.kind === "add" && command.label !== undefined) this.#labels.set(command.label, entity);
        break;
      }
      case "removeAll":
        this.#removeAll();
        break;
      case "checkCounter":
        this.#checkCounter(command);
        break;
      case "checkRegister":
        this.#checkRegister(command);
        break;
      case "ghost":
        for (const { queue, length } of command.reports) this.#switch.reportQueue(0, queue, length);
    }
  }

  /** The tests of the Tofino compiler name tables that controllers do not see. */
  #indexFor({ text }: Word): P4InfoIndex {
    const { tables } = this.#index;
    if (this.#tofino === undefined || tables.list.some(({ name }) => name.endsWith(text))) return this.#index;
    this.#hidden ??= new P4InfoIndex(describeBmv2(this.program.bmv2));
    return this.#hidden;
  }

  /** In the tests of the Tofino compiler a second `add` of a key replaces the entry; elsewhere it is refused. */
  #put(kind: "add" | "setDefault", entity: TableEntry): void {
    try {
      this.#switch.apply([{ type: kind === "add" ? "insert" : "modify", entity }]);
    } catch (error) {
      const replaces = error instanceof DeviceError && error.code === "ALREADY_EXISTS";
      if (!replaces || this.program.bmv2.architecture === undefined) throw error;
      this.#switch.apply([{ type: "modify", entity }]);
    }
  }

  /** Counts a command that cannot be carried out, and reports why. */
  #attempt(span: Span, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (error instanceof DiagnosticError) for (const each of error.diagnostics) this.diagnostics.add(each);
      else if (error instanceof DeviceError) {
        this.diagnostics.error(
          CODES.refusedEntry,
          span,
          `the switch refuses: ${error.message} (${error.code})`,
        );
      } else throw error;
      this.#result.failed++;
    }
  }

  #removeAll(): void {
    const entries = this.#switch
      .query([{ kind: "tableEntry" }])
      .filter(
        (entity) => entity.kind === "tableEntry" && !entity.isConst && !entity.isDefault,
      ) as TableEntry[];
    this.#switch.apply(
      entries.map(({ kind, table, match, priority }) => ({
        type: "delete",
        entity: { kind, table, match, priority },
      })),
    );
  }

  /** The command as a separate file at its original position, so that messages show its place. */
  async #runCli({ text, span: { file, start } }: StfCommand & { kind: "cli" }): Promise<void> {
    const { line, column } = file.position(start);
    const alone = new SourceFile(file.path, "\n".repeat(line - 1) + " ".repeat(column - 1) + text);
    const before = this.diagnostics.errorCount;
    const { print = () => {} } = this.options;
    await this.#interpreter.run(alone, this.diagnostics, { print });
    if (this.diagnostics.errorCount > before) this.#result.failed++;
  }

  /** The index of an element of an array; for a direct counter, the entry of that number in the table, from 0, or of that name. */
  #counter({ counter, index }: StfCommand & { kind: "checkCounter" }): CounterData {
    const {
      name,
      is_direct,
      binding = "",
      size = 0,
    } = findByName(this.program.bmv2.counter_arrays, "counter", counter);
    const label = index.text.startsWith("$") ? index.text.slice(1) : undefined;
    const entry = label === undefined ? undefined : this.#labels.get(label);
    const number = indexOf(index.text);
    let found: Entity | undefined;
    if (!is_direct && number < size) {
      found = this.#switch.query([{ kind: "counter", counter: name, index: number }])[0];
    } else if (is_direct && entry !== undefined) {
      const { match, priority } = entry;
      found = this.#switch.query([{ kind: "directCounter", table: binding, match, priority }])[0];
    } else if (is_direct) {
      found = this.#switch.query([{ kind: "directCounter", table: binding }])[number];
    }
    if (found?.kind === "counter" || found?.kind === "directCounter") return found.data;
    fail(CODES.value, index.span, `counter ${name} has no element ${index.text}`);
  }

  #checkCounter(command: StfCommand & { kind: "checkCounter" }): void {
    const { counter, index, unit, comparison, value, span } = command;
    const found = this.#counter(command)[unit];
    if (!COMPARE[comparison](found, BigInt(value))) {
      const wanted = `expected ${comparison} ${value}`;
      fail(CODES.counter, span, `counter ${counter.text}(${index.text}) has ${found} ${unit}; ${wanted}`);
    }
    this.#result.passed++;
  }

  /** A cell of two words has the first one, `lo`, in its high half. */
  #checkRegister({
    register,
    index,
    part,
    comparison,
    value,
    span,
  }: StfCommand & { kind: "checkRegister" }): void {
    const { register_arrays } = this.program.bmv2;
    const { name, size, bitwidth, words = 1 } = findByName(register_arrays, "register", register);
    const number = indexOf(index.text);
    if (!(number < size)) fail(CODES.value, index.span, `register ${name} has no cell ${index.text}`);
    const cell = this.#switch.query([{ kind: "register", register: name, index: number }])[0];
    const whole = cell?.kind === "register" ? cell.value : 0n;
    const half = BigInt(bitwidth / 2);
    const found =
      words === 1 || part === undefined
        ? whole
        : part === "lo"
          ? whole >> half
          : BigInt.asUintN(Number(half), whole);
    if (!COMPARE[comparison](found, BigInt(value)))
      fail(
        CODES.counter,
        span,
        `register ${name}(${index.text}) is ${found}; expected ${comparison} ${value}`,
      );
    this.#result.passed++;
  }
}

/** NaN for what is no index. */
function indexOf(text: string): number {
  return /^(\d+|0x[0-9a-fA-F]+)$/.test(text) ? Number(text) : Number.NaN;
}

/** The clock of a packet test, in microseconds. It advances only when the test says so. */
class ManualClock implements SwitchClock {
  #now = 0;
  /** Ascending by time; timers of one time in the order in which they were set. */
  readonly #due: { time: number; fn: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  at(time: number, fn: () => void): () => void {
    const event = { time: Math.max(time, this.#now), fn };
    let place = this.#due.length;
    while (place > 0 && defined(this.#due[place - 1]).time > event.time) place--;
    this.#due.splice(place, 0, event);
    return () => {
      const index = this.#due.indexOf(event);
      if (index >= 0) this.#due.splice(index, 1);
    };
  }

  /** Advances the clock and runs the timers that are due by then, in order. */
  advance(microseconds: number): void {
    const end = this.#now + microseconds;
    while (this.#due.length > 0 && defined(this.#due[0]).time <= end) {
      const { time, fn } = defined(this.#due.shift());
      this.#now = time;
      fn();
    }
    this.#now = end;
  }
}
