/** What the commands of one file share: the switch, its output, and lookups that fail with a place. */
import { fail } from "../../base/index.js";
import type { Instance, ProfileControl, TableControl } from "../control/instance.js";
import type { Switch } from "../switch.js";
import { CODES, readInteger, readValue, type Word } from "./values.js";

export class CliContext {
  constructor(
    readonly device: Switch,
    readonly print: (line: string) => void,
  ) {}

  get instance(): Instance {
    return this.device.internals.instance;
  }

  /** By name, or by the only name that ends in `.<name>`. */
  find<T>(kind: string, things: ReadonlyMap<string, T>, word: Word): T {
    const exact = things.get(word.text);
    if (exact !== undefined) return exact;
    const names = [...things.keys()].filter((name) => name.endsWith(`.${word.text}`));
    if (names.length === 1) return things.get(names[0]!)!;
    const known = [...things.keys()];
    fail(
      CODES.argument,
      word.span,
      names.length === 0
        ? `there is no ${kind} \`${word.text}\``
        : `${kind} \`${word.text}\` may be ${names.join(" or ")}`,
      ...(names.length === 0 ? [`the program has ${known.length === 0 ? "none" : known.join(", ")}`] : []),
    );
  }

  table(word: Word): TableControl {
    return this.find("table", this.instance.tables, word);
  }

  profile(word: Word): ProfileControl {
    return this.find("action profile", this.instance.profiles, word);
  }

  /** An action with its parameters from words; those left over are handed back. */
  action(
    actions: TableControl["info"]["actions"],
    name: Word,
    words: readonly Word[],
  ): { action: string; params: Record<string, bigint>; rest: readonly Word[] } {
    const action = this.find("action", actions, name);
    const shape = action.runtime_data;
    if (words.length < shape.length)
      fail(
        CODES.argument,
        words.at(-1)?.span ?? name.span,
        `action ${action.name} takes ${shape.length} parameter${shape.length === 1 ? "" : "s"} (${shape.map((p) => p.name).join(", ")}), not ${words.length}`,
      );
    const params: Record<string, bigint> = {};
    shape.forEach(({ name: parameter, bitwidth }, i) => {
      const what = `parameter ${parameter} of action ${action.name}`;
      params[parameter] = readValue(what, words[i]!.text, bitwidth, words[i]!.span);
    });
    return { action: action.name, params, rest: words.slice(shape.length) };
  }

  integer(what: string, word: Word | undefined, max?: number): number {
    return readInteger(what, word!, max);
  }
}

/** One command of the language. */
export interface Command {
  readonly usage: string;
  /** Fewest and most words behind the name. */
  readonly least: number;
  readonly most: number;
  run(context: CliContext, words: readonly Word[], name: Word): void;
}
