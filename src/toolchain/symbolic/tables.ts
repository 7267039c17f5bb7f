/**
 * Tables on one path. Entries are what the path needs: one for each key that it hits, which matches that key alone. A table with entries of the program that no
 * controller can change has these only.
 */
import { defined } from "../../base/index.js";
import { type bmv2, bmv2Number } from "../program/index.js";
import type { Term } from "../solver/index.js";
import type { Way } from "./chooser.js";
import { Expressions } from "./expressions.js";
import type { Pass } from "./pass.js";
import type { Entry } from "./situation.js";
import { Unhandled } from "./unhandled.js";

export interface Lookup {
  readonly hit: boolean;
  /** Undefined: no action runs. */
  readonly action: bmv2.Bmv2Action | undefined;
  readonly parameters: readonly Term[];
  /** Number of the entry in the table; undefined for a miss. */
  readonly number?: number;
}

interface Choice extends Way {
  /** Of the lookup; what it adds to the situation is added when the way is taken. */
  take(): Lookup;
}

export class Tables {
  readonly #expressions: Expressions;

  constructor(readonly pass: Pass) {
    const { memory, chooser } = pass;
    this.#expressions = new Expressions({ memory, chooser });
  }

  /** Whether a controller writes entries. */
  get #areWritten(): boolean {
    return this.pass.shared.environment.entries === "any";
  }

  lookup(table: bmv2.Bmv2Table): Lookup {
    const key = table.key.map((part) => this.#keyOf(part));
    const choices =
      table.key.length === 0 ? this.#defaults(table, this.pass.terms.true) : this.#keyed(table, key);
    return defined(choices[this.pass.chooser.choose(choices)]).take();
  }

  #keyOf({ target, mask }: bmv2.TableKey): Term {
    const { memory, terms } = this.pass;
    const reference: bmv2.FieldRef = typeof target === "string" ? [target, "$valid$"] : target;
    const [header, field] = reference;
    // The key of an invalid header is 0 in simple_switch.
    if (this.pass.looksAtValidity && field !== "$valid$" && !memory.isValid(header))
      return terms.constant(0, memory.field(header, field)?.width ?? 1);
    const value = this.#expressions.numbers.exact(this.#expressions.field(reference));
    return mask === null ? value : terms.and(value, terms.constant(bmv2Number(mask), value.width));
  }

  #keyed(table: bmv2.Bmv2Table, key: readonly Term[]): Choice[] {
    const { terms, situation } = this.pass;
    const rules = this.pass.rulesOf(table);
    const choices: Choice[] = [];
    let before = terms.true;
    const add = (label: string, matches: Term, take: () => Lookup) => {
      choices.push({ label, condition: terms.and(before, matches), take });
      before = terms.and(before, terms.not(matches));
    };
    for (const entry of situation.entries.filter((one) => one.table.name === table.name))
      add(`${table.name} ${entry.action.name}`, this.#same(key, entry.key), () => this.#hit(table, entry));
    // Entries with one action reach the same: only the first of them is something new.
    for (const entry of orderOf(table)) {
      const { name } = this.pass.action(entry.action_entry.action_id);
      add(`${table.name} entry ${name}`, this.#matches(table, key, entry), () => this.#own(table, entry));
    }
    if (!rules.isConst && this.#areWritten) {
      if ((table.entries?.length ?? 0) > 0)
        situation.leftOut.add("changes of entries that a program begins with");
      choices.push(...this.#additions(table, key, before));
    }
    for (const choice of this.#defaults(table, before))
      choices.push({
        ...choice,
        take: () => {
          situation.missed.push({ table, key });
          return choice.take();
        },
      });
    return choices;
  }

  #same(a: readonly Term[], b: readonly Term[]): Term {
    const { terms } = this.pass;
    return terms.all(a.map((part, i) => terms.equal(part, defined(b[i]))));
  }

  /** New entries for a key that no entry matches and that was not missed before. */
  #additions(table: bmv2.Bmv2Table, key: readonly Term[], open: Term): Choice[] {
    const { terms, situation } = this.pass;
    const free = situation.missed
      .filter((one) => one.table.name === table.name)
      .reduce((sum, one) => terms.and(sum, terms.not(this.#same(key, one.key))), open);
    const { entries } = this.pass.rulesOf(table);
    const count = situation.entries.filter((one) => one.table.name === table.name).length;
    if (count >= table.max_size) return [];
    return this.#actionsOf(table, entries).map((action) => ({
      label: `${table.name} ${action.name}`,
      condition: free,
      take: () => {
        const parameters = this.#parameters(`${table.name} entry ${count}`, action);
        const entry: Entry = { table, key, action, parameters };
        situation.entries.push(entry);
        return this.#hit(table, entry);
      },
    }));
  }

  /** An entry may be that of another program's path: then it has this program's action of the same name. */
  #hit(table: bmv2.Bmv2Table, entry: Entry): Lookup {
    const action = this.#ownAction(table, entry.action);
    const written = this.pass.situation.entries.filter((one) => one.table.name === table.name);
    const number = (table.entries?.length ?? 0) + written.indexOf(entry);
    return { hit: true, action, parameters: entry.parameters, number };
  }

  #ownAction(table: bmv2.Bmv2Table, { name }: bmv2.Bmv2Action): bmv2.Bmv2Action {
    const own = table.action_ids.map((id) => this.pass.action(id)).find((one) => one.name === name);
    if (own === undefined) throw new Unhandled(`the action ${name} of table ${table.name}`);
    return own;
  }

  #actionsOf(table: bmv2.Bmv2Table, allowed: ReadonlySet<string>): bmv2.Bmv2Action[] {
    return table.action_ids.map((id) => this.pass.action(id)).filter(({ name }) => allowed.has(name));
  }

  #parameters(what: string, { name, runtime_data }: bmv2.Bmv2Action): Term[] {
    return runtime_data.map((parameter) =>
      this.pass.terms.variable(`${what} ${name} ${parameter.name}`, parameter.bitwidth),
    );
  }

  /** The lookup hits nothing: the program's default action, or one that a controller has set. */
  #defaults(table: bmv2.Bmv2Table, condition: Term): Choice[] {
    const { situation, terms } = this.pass;
    const entry = table.default_entry;
    const own = entry === undefined ? undefined : this.pass.action(entry.action_id);
    const set = situation.defaults.find((one) => one.table.name === table.name);
    if (set !== undefined)
      return [
        {
          label: `${table.name} ${set.action.name}`,
          condition,
          take: () => ({
            hit: false,
            action: this.#ownAction(table, set.action),
            parameters: set.parameters,
          }),
        },
      ];
    const data = own?.runtime_data.map(({ bitwidth }, i) =>
      terms.constant(bmv2Number(entry?.action_data[i] ?? "0x0"), bitwidth),
    );
    const choices: Choice[] = [
      {
        label: own === undefined ? `${table.name} no action` : `${table.name} ${own.name}`,
        condition,
        take: () => ({ hit: false, action: own, parameters: data ?? [] }),
      },
    ];
    if (!this.#areWritten) return choices;
    if (table.type !== "simple") situation.leftOut.add("default members of tables with action profiles");
    const missedBefore = situation.missed.some((one) => one.table.name === table.name);
    if (entry?.action_const || missedBefore || table.type !== "simple") return choices;
    for (const action of this.#actionsOf(table, this.pass.rulesOf(table).defaults)) {
      // A controller may set the program's own default action with other parameters.
      if (action === own && action.runtime_data.length === 0) continue;
      choices.push({
        label: `${table.name} ${action.name}`,
        condition,
        take: () => {
          const parameters = this.#parameters(`${table.name} default`, action);
          situation.defaults.push({ table, action, parameters });
          return { hit: false, action, parameters };
        },
      });
    }
    return choices;
  }

  #own({ entries }: bmv2.Bmv2Table, entry: bmv2.ConstEntry): Lookup {
    const { action_entry } = entry;
    const action = this.pass.action(action_entry.action_id);
    const parameters = action.runtime_data.map(({ bitwidth }, i) =>
      this.pass.terms.constant(bmv2Number(action_entry.action_data[i] ?? "0x0"), bitwidth),
    );
    return { hit: true, action, parameters, number: entries?.indexOf(entry) ?? 0 };
  }

  #matches(table: bmv2.Bmv2Table, key: readonly Term[], { match_key }: bmv2.ConstEntry): Term {
    const { terms } = this.pass;
    return terms.all(
      match_key.map((part, i) => {
        const value = defined(key[i]);
        const number = (text: string) => terms.constant(bmv2Number(text), value.width);
        switch (part.match_type) {
          case "exact":
            return terms.equal(value, number(part.key));
          case "lpm": {
            const low = value.width - part.prefix_length;
            const cut = (term: Term) => terms.slice(term, low, part.prefix_length);
            return part.prefix_length === 0 ? terms.true : terms.equal(cut(value), cut(number(part.key)));
          }
          case "ternary":
          case "optional": {
            const mask = number(part.mask);
            return terms.equal(terms.and(value, mask), terms.and(number(part.key), mask));
          }
          case "range":
            return terms.and(
              terms.not(terms.less(value, number(part.start))),
              terms.not(terms.less(number(part.end), value)),
            );
          default:
            throw new Unhandled(`an entry of table ${table.name}`);
        }
      }),
    );
  }
}

/** The program's entries in the order in which they win. */
function orderOf({ entries = [], match_type }: bmv2.Bmv2Table): bmv2.ConstEntry[] {
  const prefix = ({ match_key }: bmv2.ConstEntry) =>
    match_key.reduce((sum, part) => sum + (part.match_type === "lpm" ? part.prefix_length : 0), 0);
  return [...entries].sort((a, b) =>
    match_type === "lpm" ? prefix(b) - prefix(a) : match_type === "exact" ? 0 : a.priority - b.priority,
  );
}
