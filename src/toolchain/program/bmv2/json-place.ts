/**
 * Positions of values in a JSON text. An object or array is scanned when a position in it is first requested, and its
 * members' places are kept with the file: asking for all places of a file reads it once for each level of nesting.
 */

import type { SourceFile, Span } from "../../../base/index.js";
import { given } from "../../../base/index.js";

export type JsonPath = readonly (string | number)[];

/** The span of the value at a path in a text that is known to be JSON; of the deepest part of the path that exists. */
export function jsonPlace(file: SourceFile, path: JsonPath): Span {
  const { start, end } = placesOf(file).find(path).place;
  return { file, start, end };
}

/** The span of the name in front of a member of an object; of the value where the path leads to no member. */
export function jsonKeyPlace(file: SourceFile, path: JsonPath): Span {
  const { place, whole } = placesOf(file).find(path);
  const { start, end } = (whole ? place.key : undefined) ?? place;
  return { file, start, end };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Place extends Range {
  /** The name of a member of an object, with its quotes. */
  readonly key?: Range;
}

const known = new WeakMap<SourceFile, Places>();

function placesOf(file: SourceFile): Places {
  let places = known.get(file);
  if (places === undefined) known.set(file, (places = new Places(file.text)));
  return places;
}

type Members = ReadonlyMap<string | number, Place>;

const NO_MEMBERS: Members = new Map();

class Places {
  readonly #root: Place;
  readonly #members = new Map<Place, Members>();

  constructor(readonly text: string) {
    const start = this.#skipBlanks(0);
    this.#root = { start, end: this.#skipValue(start) };
  }

  /** The deepest place of a path; `whole`: all of the path exists. */
  find(path: JsonPath): { place: Place; whole: boolean } {
    let place = this.#root;
    for (const step of path) {
      const found = this.#membersOf(place).get(step);
      if (found === undefined) return { place, whole: false };
      place = found;
    }
    return { place, whole: true };
  }

  #membersOf(place: Place): Members {
    let members = this.#members.get(place);
    if (members === undefined) this.#members.set(place, (members = this.#scan(place.start)));
    return members;
  }

  /** The members of the object or array that starts here; of several with one name the last, as `JSON.parse` does. */
  #scan(at: number): Members {
    const open = this.text[at];
    if (open !== "[" && open !== "{") return NO_MEMBERS;
    const members = new Map<string | number, Place>();
    let position = this.#skipBlanks(at + 1);
    for (let index = 0; position < this.text.length && !"]}".includes(this.text[position]!); index++) {
      let name: string | number = index;
      let key: Range | undefined;
      if (open === "{") {
        key = { start: position, end: this.#skipString(position) };
        name = JSON.parse(this.text.slice(key.start, key.end)) as string;
        position = this.#skipBlanks(this.#skipBlanks(key.end) + 1);
      }
      const end = this.#skipValue(position);
      members.set(name, { start: position, end, ...given({ key }) });
      position = this.#skipBlanks(end);
      if (this.text[position] === ",") position = this.#skipBlanks(position + 1);
    }
    return members;
  }

  #skipBlanks(at: number): number {
    let position = at;
    // a mark of the byte order in front, which readers pass over
    while (position < this.text.length && " \t\r\n\ufeff".includes(this.text[position]!)) position++;
    return position;
  }

  /** Past a string that starts here. */
  #skipString(at: number): number {
    let position = at + 1;
    while (position < this.text.length && this.text[position] !== '"')
      position += this.text[position] === "\\" ? 2 : 1;
    return position + 1;
  }

  #skipValue(at: number): number {
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
}

/** Where a text that is not JSON stops being the beginning of one: the offset of the first character that is wrong, or the end of the text. */
export function syntaxErrorPlace(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (mayContinue(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

/** Whether a text is JSON, or can be continued to be so. Messages of V8, SpiderMonkey and JavaScriptCore. */
function mayContinue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (/end of|EOF|Unterminated/i.test(message)) return true;
    return Number(/at position (\d+)/.exec(message)?.[1]) === text.length;
  }
}
