/**
 * STF, the "simple test framework" language of p4c's packet tests: one command in each line. This file reads commands and
 * `run-script.ts` runs them. The language is the grammar of p4c's `tools/stf` with its BMv2 commands. These are commands of
 * simple_switch_CLI; their text is kept.
 */
import { type Diagnostics, defined, type SourceFile, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import { type CommandText, commandTexts } from "./lines.js";

export type StfCommand =
  | {
      kind: "add";
      span: Span;
      table: Word;
      priority: number | undefined;
      match: StfMatch[];
      action: StfAction;
      /** Name that `check_counter` knows the entry by, without its `$`. */
      label: string | undefined;
    }
  | { kind: "setDefault"; span: Span; table: Word; action: StfAction }
  | { kind: "packet"; span: Span; port: number; bytes: Uint8Array }
  /** `pattern` undefined: any packet. */
  | { kind: "expect"; span: Span; port: number; pattern: Pattern | undefined }
  | { kind: "noPacket"; span: Span }
  | { kind: "wait"; span: Span }
  | { kind: "removeAll"; span: Span }
  | {
      kind: "checkCounter";
      span: Span;
      counter: Word;
      index: Word;
      unit: "packets" | "bytes";
      comparison: Comparison;
      value: number;
    }
  | {
      kind: "checkRegister";
      span: Span;
      register: Word;
      index: Word;
      /** Which word of a cell of two. */
      part: "lo" | "hi" | undefined;
      comparison: Comparison;
      value: number;
    }
  /** What the traffic manager tells the ghost thread: lengths of queues. */
  | { kind: "ghost"; span: Span; reports: { queue: number; length: number }[] }
  /** A command of simple_switch_CLI. */
  | { kind: "cli"; span: Span; text: string };

export type Comparison = "==" | "!=" | "<=" | "<" | ">=" | ">";

export interface Word {
  text: string;
  span: Span;
}

/** `field:value`; the value is read when the kind of match is known from the table. */
interface StfMatch {
  field: Word;
  value: Word;
}

export interface StfAction {
  name: Word;
  args: { name: Word; value: Word }[];
}

/** Nibbles of an expected packet, -1 for any value. `exact`: nothing may follow. */
export interface Pattern {
  nibbles: Int8Array;
  exact: boolean;
}

const NUMBER = /^(\d+|0x[0-9a-fA-F]+)$/;

/** Commands of simple_switch_CLI that STF files use. */
const CLI_COMMANDS =
  /^(mc_|mirroring_|register_|counter_|meter_|table_|act_prof_|set_queue_|set_crc|set_expire_time|pvs_|set_egress_queue)/;

/**
 * Reads a whole file, of p4c's grammar or with what the tests of the Tofino compiler write in addition (`lines.ts`; actions without
 * parentheses, `=` for `==`, `check_register`, `ghost run`). A line that cannot be read is reported (P41251, P41252) and left out. */
export function readStf(file: SourceFile, diagnostics: Diagnostics): StfCommand[] {
  const commands: StfCommand[] = [];
  for (const text of commandTexts(file, diagnostics)) {
    const command = new LineReader(text, diagnostics).command();
    if (command !== undefined) commands.push(command);
  }
  return commands;
}

/** The tokens of one line: words and single punctuation marks, without the blanks between them. */
class LineReader {
  readonly #tokens: Word[] = [];
  readonly #line: Span;
  #next = 0;

  constructor(
    readonly text: CommandText,
    readonly diagnostics: Diagnostics,
  ) {
    const { text: source, span, isOwn } = text;
    const { file, start } = span;
    this.#line = span;
    const pattern =
      /\\(?=\s*\n)|"[^"]*"|[\w.$]+\.isValid\(\)|==|!=|<=|>=|[(),:=<>]|(?:(?!->)[^\s(),:=<>!])+(?:->[^\s(),:=<>!]+)?/g;
    for (const match of source.matchAll(pattern)) {
      if (match[0] === "\\") continue;
      const at = start + match.index;
      this.#tokens.push({
        text: match[0],
        span: isOwn ? { file, start: at, end: at + match[0].length } : span,
      });
    }
  }

  command(): StfCommand | undefined {
    const span = this.#line;
    const verb = defined(this.#tokens[this.#next++]);
    switch (verb.text) {
      case "add":
        return this.#add();
      case "setdefault": {
        const table = this.#word("a table");
        const action = table && this.#action();
        return action && { kind: "setDefault", span, table, action };
      }
      case "packet":
        return this.#packet();
      case "expect":
        return this.#expect();
      case "no_packet":
        return { kind: "noPacket", span };
      case "wait":
        return { kind: "wait", span };
      case "remove":
        if (this.#peek() === "all") return { kind: "removeAll", span };
        return this.#wrong("`remove all`");
      case "check_counter":
        return this.#checkCounter();
      case "check_register":
        return this.#checkRegister();
      case "ghost":
        return this.#ghost();
      default:
        if (CLI_COMMANDS.test(verb.text)) return { kind: "cli", span, text: this.text.text };
        this.diagnostics.error(
          CODES.unknownCommand,
          verb.span,
          `no STF command \`${verb.text}\``,
          "there are add, setdefault, packet, expect, no_packet, wait, remove all, check_counter, check_register, ghost and the commands of simple_switch_CLI",
        );
        return undefined;
    }
  }

  #add(): StfCommand | undefined {
    const table = this.#word("a table");
    if (table === undefined) return undefined;
    let priority: number | undefined;
    if (this.#tokens[this.#next + 1]?.text !== ":" && /^\d+$/.test(this.#peek() ?? "")) {
      priority = Number(defined(this.#tokens[this.#next++]).text);
    }
    const match: StfMatch[] = [];
    while (this.#tokens[this.#next + 1]?.text === ":") {
      const field = this.#word("a key field");
      this.#next++;
      const value = this.#word("a value");
      if (field === undefined || value === undefined) return undefined;
      match.push({ field, value });
    }
    const action = this.#action();
    if (action === undefined) return undefined;
    let label: string | undefined;
    if (this.#peek() === "=") {
      this.#next++;
      label = this.#word("a name")?.text.replace(/^\$/, "");
      if (label === undefined) return undefined;
    }
    if (this.#peek() !== undefined) return this.#wrong("the end of the line");
    return { kind: "add", span: this.#line, table, priority, match, action, label };
  }

  #action(): StfAction | undefined {
    const name = this.#word("an action");
    const args: StfAction["args"] = [];
    if (name !== undefined && this.#peek() === undefined) return { name, args };
    if (name === undefined || !this.#mark("(")) return undefined;
    while (this.#peek() !== ")") {
      const arg = this.#word("a parameter");
      if (arg === undefined || !this.#mark(":")) return undefined;
      const value = this.#word("a value");
      if (value === undefined) return undefined;
      args.push({ name: arg, value });
      if (this.#peek() === ",") this.#next++;
    }
    this.#next++;
    return { name, args };
  }

  #packet(): StfCommand | undefined {
    const port = this.#number("a port");
    if (port === undefined) return undefined;
    const digits = this.#restAsDigits(/^[0-9a-fA-F]*$/);
    if (digits === undefined) return undefined;
    if (digits.length % 2 !== 0) {
      const span = { ...this.#line, start: defined(this.#tokens[this.#next]).span.start };
      const message = `a packet is whole bytes; here are ${digits.length} hexadecimal digits`;
      this.diagnostics.error(CODES.lineForm, span, message);
      return undefined;
    }
    const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
      Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
    );
    return { kind: "packet", span: this.#line, port, bytes };
  }

  #expect(): StfCommand | undefined {
    const port = this.#number("a port");
    if (port === undefined) return undefined;
    if (this.#peek() === undefined) return { kind: "expect", span: this.#line, port, pattern: undefined };
    const digits = this.#restAsDigits(/^[0-9a-fA-F*]*\$?$/);
    if (digits === undefined) return undefined;
    const exact = digits.endsWith("$");
    const body = exact ? digits.slice(0, -1) : digits;
    const nibbles = Int8Array.from(body, (digit) => (digit === "*" ? -1 : Number.parseInt(digit, 16)));
    return { kind: "expect", span: this.#line, port, pattern: { nibbles, exact } };
  }

  #checkCounter(): StfCommand | undefined {
    const counter = this.#word("a counter");
    if (counter === undefined || !this.#mark("(")) return undefined;
    const index = this.#word("an index");
    if (index === undefined || !this.#mark(")")) return undefined;
    const unit = this.#peek() === "bytes" ? "bytes" : "packets";
    if (this.#peek() === "bytes" || this.#peek() === "packets") this.#next++;
    // Without a condition p4c's grammar means `== 0`.
    if (this.#peek() === undefined) {
      return { kind: "checkCounter", span: this.#line, counter, index, unit, comparison: "==", value: 0 };
    }
    const compared = this.#comparison();
    return compared && { kind: "checkCounter", span: this.#line, counter, index, unit, ...compared };
  }

  #checkRegister(): StfCommand | undefined {
    const register = this.#word("a register");
    if (register === undefined || !this.#mark("(")) return undefined;
    const index = this.#word("an index");
    if (index === undefined || !this.#mark(")")) return undefined;
    const part = this.#peek();
    const isPart = part === "lo" || part === "hi";
    if (isPart) this.#next++;
    // Numbers of the Tofino compiler's tests are C's: one that begins with 0 is octal.
    const compared = this.#comparison(true);
    return (
      compared && {
        kind: "checkRegister",
        span: this.#line,
        register,
        index,
        part: isPart ? part : undefined,
        ...compared,
      }
    );
  }

  /** `ghost run QUEUE:LENGTH...`: reports of the traffic manager. */
  #ghost(): StfCommand | undefined {
    if (this.#peek() !== "run") return this.#wrong("`run`");
    this.#next++;
    const reports: { queue: number; length: number }[] = [];
    do {
      const queue = this.#number("a queue", NUMBER);
      if (queue === undefined || !this.#mark(":")) return undefined;
      const length = this.#number("a length", NUMBER);
      if (length === undefined) return undefined;
      reports.push({ queue, length });
    } while (this.#peek() !== undefined);
    return { kind: "ghost", span: this.#line, reports };
  }

  #comparison(isC = false): { comparison: Comparison; value: number } | undefined {
    const found = this.#tokens[this.#next++]?.text;
    if (found === undefined || !/^([=!<>]=|[<>=])$/.test(found)) {
      return this.#wrong("one of == != <= < >= >", this.#next - 1);
    }
    const octal = isC ? /^0([0-7]+)$/.exec(this.#peek() ?? "")?.[1] : undefined;
    const value = this.#number("a number", NUMBER);
    if (value === undefined) return undefined;
    return {
      comparison: found === "=" ? "==" : (found as Comparison),
      value: octal === undefined ? value : Number.parseInt(octal, 8),
    };
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next]?.text;
  }

  #restAsDigits(allowed: RegExp): string | undefined {
    let digits = "";
    for (const token of this.#tokens.slice(this.#next)) digits += token.text;
    return allowed.test(digits) ? digits : this.#wrong("hexadecimal digits");
  }

  #word(what: string): Word | undefined {
    const token = this.#tokens[this.#next++];
    if (token === undefined || /^[(),:=<>]$/.test(token.text)) return this.#wrong(what, this.#next - 1);
    if (/^".*"$/.test(token.text)) return { text: token.text.slice(1, -1), span: token.span };
    return token;
  }

  #number(what: string, form = /^\d+$/): number | undefined {
    const token = this.#tokens[this.#next++];
    if (token === undefined || !form.test(token.text)) return this.#wrong(what, this.#next - 1);
    return Number(token.text);
  }

  #mark(mark: string): boolean {
    if (this.#peek() === mark) {
      this.#next++;
      return true;
    }
    this.#wrong(`\`${mark}\``);
    return false;
  }

  #wrong(expected: string, at = this.#next): undefined {
    const token = this.#tokens[at];
    const end = this.#line.end;
    this.diagnostics.error(
      CODES.lineForm,
      token?.span ?? { file: this.#line.file, start: end, end },
      `expected ${expected}${token === undefined ? ", but the line ends" : `, not \`${token.text}\``}`,
    );
    return undefined;
  }
}
