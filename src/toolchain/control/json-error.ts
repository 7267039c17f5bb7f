/**
 * The place of the first error in a JSON text, and the reason. The messages of JavaScript engines differ and seldom name
 * the place.
 */

export interface JsonError {
  readonly at: number;
  readonly message: string;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\n\r]|\\.)*"/y;
const WORD = /true|false|null/y;
/** Maximum nesting; files that people write have less. */
const MAX_DEPTH = 500;

/** The first mistake in a text that `JSON.parse` refused. */
export function findJsonError(text: string): JsonError {
  const scanner = new Scanner(text);
  const whole = scanner.value(0) ?? scanner.end();
  return whole ?? { at: 0, message: "a string has a character that JSON does not allow" };
}

class Scanner {
  #at = 0;

  constructor(readonly text: string) {}

  #skip(): string | undefined {
    while (this.#at < this.text.length && " \t\r\n".includes(this.text[this.#at]!)) this.#at++;
    return this.text[this.#at];
  }

  #eat(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.text);
    this.#at += match?.[0].length ?? 0;
    return match !== null;
  }

  #wanted(what: string): JsonError {
    const { text } = this;
    const at = Math.min(this.#at, Math.max(0, text.length - 1));
    if (this.#at >= text.length) return { at, message: `expected ${what}, but the file ends` };
    if (/^(\/\/|\/\*|#)/.test(text.slice(at, at + 2))) return { at, message: "JSON has no comments" };
    if (text[at] === "'") return { at, message: "a string needs double quotes" };
    if (text[at] === '"') return { at, message: "this string is not closed, or is not allowed here" };
    return { at, message: `expected ${what}, not \`${text[at]}\`` };
  }

  end(): JsonError | undefined {
    return this.#skip() === undefined ? undefined : this.#wanted("the end of the file");
  }

  value(depth: number): JsonError | undefined {
    const first = this.#skip();
    if (depth > MAX_DEPTH) return { at: this.#at, message: `more than ${MAX_DEPTH} brackets are open` };
    if (first === "{" || first === "[") return this.#list(first === "{" ? "}" : "]", depth);
    return this.#eat(STRING) || this.#eat(NUMBER) || this.#eat(WORD) ? undefined : this.#wanted("a value");
  }

  #list(end: "}" | "]", depth: number): JsonError | undefined {
    this.#at++;
    if (this.#skip() === end) {
      this.#at++;
      return undefined;
    }
    for (;;) {
      const wrong = this.#member(end, depth);
      if (wrong !== undefined) return wrong;
      const next = this.#skip();
      const comma = this.#at;
      if (next !== "," && next !== end) return this.#wanted(`\`,\` or \`${end}\``);
      this.#at++;
      if (next === end) return undefined;
      if (this.#skip() === end) return { at: comma, message: `a comma is not allowed before \`${end}\`` };
    }
  }

  #member(end: "}" | "]", depth: number): JsonError | undefined {
    if (end === "}") {
      this.#skip();
      if (!this.#eat(STRING)) return this.#wanted("a name in double quotes");
      if (this.#skip() !== ":") return this.#wanted("`:`");
      this.#at++;
    }
    return this.value(depth + 1);
  }
}
