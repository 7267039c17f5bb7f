/** Text to tokens, before preprocessing (P4-16 section 6.4; white space and `#` lines as in C). */
import type { Diagnostics, SourceFile } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { keywordSet, punctuators, Token } from "./token.js";

/** Character classes of ASCII. */
const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(char)) classes[code] = LETTER;
  else if (/[0-9]/.test(char)) classes[code] = DIGIT;
  else if (/[ \t\r\v\f]/.test(char)) classes[code] = SPACE;
}

const punctuatorsByFirst: (readonly string[] | undefined)[] = new Array(128).fill(undefined);
for (const text of punctuators) {
  const first = text.charCodeAt(0);
  punctuatorsByFirst[first] = [...(punctuatorsByFirst[first] ?? []), text];
}

/** What {@link Scanner} joins lines by. */
const SPLICES = /\\[ \t\r\v\f]*\n/g;

const NEWLINE = 10;
const QUOTE = 34;
const STAR = 42;
const SLASH = 47;
const BACKSLASH = 92;

/** Reads one file. The preprocessor may change {@link Scanner.file} to a view of it (`#line`). */
export class Scanner {
  /** What spans refer to; its offsets are those of the text. */
  file: SourceFile;
  /** Inside a directive strings end with the line, and a newline is left for {@link Scanner.next} to flag. */
  inDirective = false;
  /** In a skipped group text need not be P4: nothing is reported, and strings end with the line. */
  quiet = false;
  position = 0;
  /** The token to start with next; its flags depend on the text before it. */
  #rewound: Token | undefined;
  readonly #text: string;
  readonly #start: number;

  constructor(
    file: SourceFile,
    readonly diagnostics: Diagnostics,
  ) {
    this.file = file;
    this.#text = file.text;
    // A byte order mark.
    this.#start = this.#text.charCodeAt(0) === 0xfeff ? 1 : 0;
    this.position = this.#start;
  }

  /** The next token; at the end of the file one of kind `end`, again and again. */
  next(): Token {
    const text = this.#text;
    const length = text.length;
    const rewound = this.#rewound?.start === this.position ? this.#rewound : undefined;
    let newline = rewound?.newline ?? this.position === this.#start;
    let space = rewound?.space ?? false;
    let at = this.position;
    this.#rewound = undefined;
    while (at < length) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) {
        newline = true;
        space = true;
        at++;
      } else if (code < 128 && classes[code] === SPACE) {
        space = true;
        at++;
      } else if (code === SLASH && text.charCodeAt(at + 1) === SLASH) {
        space = true;
        at = this.#lineEnd(at);
      } else if (code === SLASH && text.charCodeAt(at + 1) === STAR) {
        space = true;
        at = this.#commentEnd(at);
      } else if (code === BACKSLASH && this.#splice(at) > 0) {
        space = true;
        at += this.#splice(at);
      } else return this.#token(at, code, newline, space);
    }
    this.position = length;
    return new Token("end", this.file, length, length, "", true, space);
  }

  /** Reads `"name"` or `<name>` after white space, unchanged; undefined if there is something else. */
  headerName(): string | undefined {
    const form = /[ \t]*(<[^>\n]+>|"[^"\n]+")/y;
    form.lastIndex = this.position;
    const name = form.exec(this.#text)?.[1];
    if (name !== undefined) this.position = form.lastIndex;
    return name;
  }

  /** Goes back to a token that {@link Scanner.next} gave as the first of its line. */
  rewind(token: Token): void {
    this.position = token.start;
    this.#rewound = token;
  }

  /** The raw rest of the line, continuation lines joined; the next token starts a new line. */
  restOfLine(): string {
    const start = this.position;
    this.position = this.#lineEnd(start);
    return this.#text.slice(start, this.position).replace(SPLICES, "").trim();
  }

  #token(at: number, code: number, newline: boolean, space: boolean): Token {
    const text = this.#text;
    const kind = code < 128 ? classes[code]! : OTHER;
    if (kind === LETTER || kind === DIGIT) {
      let end = at + 1;
      let next = text.charCodeAt(end);
      while (next < 128 && (classes[next] === LETTER || classes[next] === DIGIT))
        next = text.charCodeAt(++end);
      if (next === BACKSLASH && this.#splice(end) > 0) return this.#splicedWord(at, newline, space);
      return this.#word(at, end, text.slice(at, end), newline, space);
    }
    if (code === QUOTE) return this.#string(at, newline, space);
    for (const candidate of (code < 128 && punctuatorsByFirst[code]) || []) {
      if (candidate.length === 1 || text.startsWith(candidate, at)) {
        this.position = at + candidate.length;
        return new Token(candidate, this.file, at, this.position, candidate, newline, space);
      }
    }
    const char = String.fromCodePoint(text.codePointAt(at)!);
    this.position = at + char.length;
    return new Token("other", this.file, at, this.position, char, newline, space);
  }

  #word(start: number, end: number, text: string, newline: boolean, space: boolean): Token {
    this.position = end;
    const first = text.charCodeAt(0);
    const kind = classes[first] === DIGIT ? "integer" : keywordSet.has(text) ? text : "identifier";
    return new Token(kind, this.file, start, end, text, newline, space);
  }

  /** A name or number with a backslash and newline inside: rare enough to be slow. */
  #splicedWord(start: number, newline: boolean, space: boolean): Token {
    const match = /(?:[A-Za-z0-9_]|\\[ \t\r\v\f]*\n(?=[A-Za-z0-9_\\]))+/y;
    match.lastIndex = start;
    const raw = match.exec(this.#text)![0];
    return this.#word(start, start + raw.length, raw.replace(SPLICES, ""), newline, space);
  }

  #string(start: number, newline: boolean, space: boolean): Token {
    const text = this.#text;
    const oneLine = this.inDirective || this.quiet;
    let at = start + 1;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.position = at + 1;
        break;
      }
      if (code === BACKSLASH && at + 1 < text.length) {
        at++;
        continue;
      }
      if (at >= text.length || (oneLine && code === NEWLINE)) {
        // What follows on later lines is more likely code than text.
        at = this.#lineEnd(start);
        this.position = at;
        if (!this.quiet)
          this.diagnostics.error(
            CODES.openString,
            { file: this.file, start, end: at },
            'this string has no closing "',
            'a quotation mark inside a string is written \\"',
          );
        break;
      }
    }
    const raw = text.slice(start + 1, at);
    const value = raw.includes("\\") ? raw.replace(SPLICES, "") : raw;
    return new Token("stringLiteral", this.file, start, this.position, value, newline, space);
  }

  /**
   * Length of a backslash and line end at `at`, which count as nothing; else 0. As the preprocessor that p4c calls, it
   * allows spaces between both.
   */
  #splice(at: number): number {
    const text = this.#text;
    let end = at + 1;
    let code = text.charCodeAt(end);
    while (code < 128 && classes[code] === SPACE) code = text.charCodeAt(++end);
    return code === NEWLINE ? end + 1 - at : 0;
  }

  /** Where the line that holds `at` ends, over continuation lines. */
  #lineEnd(at: number): number {
    const text = this.#text;
    for (;;) {
      const end = text.indexOf("\n", at);
      if (end < 0) return text.length;
      let last = end - 1;
      while (last >= at && classes[text.charCodeAt(last)] === SPACE) last--;
      if (text.charCodeAt(last) !== BACKSLASH || last < at) return end;
      at = end + 1;
    }
  }

  #commentEnd(start: number): number {
    const end = this.#text.indexOf("*/", start + 2);
    if (end >= 0) return end + 2;
    if (!this.quiet)
      this.diagnostics.error(
        CODES.openComment,
        { file: this.file, start, end: start + 2 },
        "this comment has no end",
        "close it with */; comments do not nest",
      );
    return this.#text.length;
  }
}
