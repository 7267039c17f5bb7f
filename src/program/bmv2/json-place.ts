/** Where a value stands in a JSON text. Only asked for when something is wrong, so it reads the text again. */
import type { SourceFile, Span } from "../../base/index.js";

export type JsonPath = readonly (string | number)[];

/** The span of the value at a path in a text that is known to be JSON; of the deepest part of the path that exists. */
export function jsonPlace(file: SourceFile, path: JsonPath): Span {
  const scanner = new Scanner(file.text);
  let start = scanner.skipBlanks(0);
  let end = scanner.skipValue(start);
  for (const step of path) {
    const found = scanner.member(start, step);
    if (found === undefined) break;
    start = found;
    end = scanner.skipValue(start);
  }
  return { file, start, end };
}

class Scanner {
  constructor(readonly text: string) {}

  skipBlanks(at: number): number {
    let position = at;
    while (position < this.text.length && " \t\r\n".includes(this.text[position]!)) position++;
    return position;
  }

  /** Past a string that starts here. */
  #skipString(at: number): number {
    let position = at + 1;
    while (position < this.text.length && this.text[position] !== '"')
      position += this.text[position] === "\\" ? 2 : 1;
    return position + 1;
  }

  skipValue(at: number): number {
    const first = this.text[at];
    if (first === '"') return this.#skipString(at);
    let position = at;
    if (first !== "{" && first !== "[") {
      while (position < this.text.length && !",]} \t\r\n".includes(this.text[position]!)) position++;
      return position;
    }
    let depth = 0;
    while (position < this.text.length) {
      const character = this.text[position]!;
      if (character === '"') {
        position = this.#skipString(position);
        continue;
      }
      if (character === "{" || character === "[") depth++;
      else if (character === "}" || character === "]") depth--;
      position++;
      if (depth === 0) break;
    }
    return position;
  }

  /** Start of a member of the object or array that starts at `at`. */
  member(at: number, step: string | number): number | undefined {
    const open = this.text[at];
    if (open !== (typeof step === "number" ? "[" : "{")) return undefined;
    let position = this.skipBlanks(at + 1);
    for (let index = 0; position < this.text.length && !"]}".includes(this.text[position]!); index++) {
      let name: string | number = index;
      if (open === "{") {
        const end = this.#skipString(position);
        name = JSON.parse(this.text.slice(position, end)) as string;
        position = this.skipBlanks(this.skipBlanks(end) + 1);
      }
      if (name === step) return position;
      position = this.skipBlanks(this.skipValue(position));
      if (this.text[position] === ",") position = this.skipBlanks(position + 1);
    }
    return undefined;
  }
}
