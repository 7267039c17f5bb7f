/**
 * Reads an untrusted BMv2 JSON file: checks its structure, that names refer to objects, that numbers are
 * unique and sizes bounded. Parts that older p4c leaves out are filled in empty.
 */

import type { Diagnostics, SourceFile } from "../../base/index.js";
import { defined } from "../../base/index.js";
import { ArchitectureChecker } from "./bmv2/architecture.js";
import { Checker, type JsonObject } from "./bmv2/checker.js";
import { type JsonPath, jsonPlace, syntaxErrorPlace } from "./bmv2/json-place.js";
import { type Names, ValueChecker } from "./bmv2/values.js";
import type { Bmv2Program } from "./bmv2.js";
import { CODES } from "./codes.js";

/** Longest program text, widest field, largest array that is accepted. */
const MAX_TEXT = 256 << 20;
const MAX_FIELD = 65536;
const MAX_ARRAY = 1 << 26;

/** The names of pipelines in simple_switch and psa_switch, and in pna_nic. */
const PIPELINES = ["ingress", "egress", "main_control", "pre_control"];

/** Lists that a program may leave out. */
const OPTIONAL_LISTS = [
  "header_stacks",
  "header_union_types",
  "header_unions",
  "header_union_stacks",
  "field_lists",
  "errors",
  "enums",
  "parse_vsets",
  "meter_arrays",
  "counter_arrays",
  "register_arrays",
  "calculations",
  "learn_lists",
  "checksums",
  "force_arith",
  "extern_instances",
  "field_aliases",
] as const;

/** The program, or undefined when it has errors (P41011 to P41014, each with its place in the file). */
export function readBmv2(file: SourceFile, diagnostics: Diagnostics): Bmv2Program | undefined {
  const before = diagnostics.errorCount;
  if (file.text.length > MAX_TEXT) {
    diagnostics.error(CODES.bmv2Limit, undefined, `${file.path} is longer than ${MAX_TEXT >> 20} MB`);
    return undefined;
  }
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    const at = syntaxErrorPlace(file.text);
    const span = { file, start: at, end: at + 1 };
    diagnostics.error(CODES.bmv2Syntax, span, `this is no JSON: ${(error as Error).message}`);
    return undefined;
  }
  const checker = new Checker(file, diagnostics);
  const root = checker.object(json, []);
  if (root === undefined) return undefined;
  for (const list of OPTIONAL_LISTS) root[list] ??= [];
  try {
    new ProgramChecker(checker, root).check();
  } catch (error) {
    // Nesting beyond what the stack takes, in a file that passed JSON.parse.
    if (!(error instanceof RangeError)) throw error;
    diagnostics.error(CODES.bmv2Limit, jsonPlace(file, []), "the program is nested too deeply");
  }
  return diagnostics.errorCount === before ? (root as unknown as Bmv2Program) : undefined;
}

class ProgramChecker {
  readonly #values: ValueChecker;
  readonly #actions = new Map<number, string>();
  readonly #actionParameters = new Map<number, number>();

  constructor(
    readonly checker: Checker,
    readonly root: JsonObject,
  ) {
    this.#values = new ValueChecker(checker, this.#names());
  }

  /** Elements of a top-level list that are objects, with their paths. */
  *#list(name: string, of: JsonObject = this.root, path: JsonPath = []): Generator<[JsonObject, JsonPath]> {
    const elements = this.checker.array(of[name], [...path, name]);
    for (let i = 0; i < elements.length; i++) {
      const at = [...path, name, i];
      const object = this.checker.object(elements[i], at);
      if (object !== undefined) yield [object, at];
    }
  }

  /** Names of a list's elements; reports missing and repeated names, and repeated ids. */
  #named(list: string, of?: JsonObject, path?: JsonPath, unique = true): Set<string> {
    const names = new Set<string>();
    const ids = new Set<number>();
    for (const [object, at] of this.#list(list, of, path)) {
      const name = this.checker.string(object.name, [...at, "name"]);
      if (name !== undefined && unique && names.has(name))
        this.checker.complain(CODES.bmv2Shape, [...at, "name"], `the name ${name} is used twice in ${list}`);
      if (name !== undefined) names.add(name);
      if (object.id === undefined) continue;
      const id = this.checker.integer(object.id, [...at, "id"], 0, 2 ** 31 - 1);
      if (id !== undefined && ids.has(id))
        this.checker.complain(CODES.bmv2Shape, [...at, "id"], `the id ${id} is used twice in ${list}`);
      if (id !== undefined) ids.add(id);
    }
    return names;
  }

  #names(): Names {
    const typeFields = new Map<string, Set<string>>();
    const { checker } = this;
    this.#named("header_types");
    for (const [type, at] of this.#list("header_types"))
      typeFields.set(String(type.name), this.#headerType(type, at));
    const fields = new Map<string, Set<string>>();
    const headers = this.#named("headers");
    const headerIds = new Set<unknown>();
    for (const [header, at] of this.#list("headers")) {
      headerIds.add(header.id);
      checker.integer(header.id, [...at, "id"], 0, 2 ** 31 - 1);
      checker.boolean(header.metadata, [...at, "metadata"]);
      if (!checker.reference(header.header_type, [...at, "header_type"], "header type", typeFields)) continue;
      fields.set(String(header.name), defined(typeFields.get(String(header.header_type))));
    }
    const idsOf = (
      object: JsonObject,
      at: JsonPath,
      key: string,
      known: ReadonlySet<unknown>,
      what: string,
    ) => {
      const ids = checker.array(object[key], [...at, key]);
      if (ids.length === 0) checker.complain(CODES.bmv2Shape, at, `a ${what} needs at least one element`);
      ids.forEach((id, i) => {
        checker.reference(id, [...at, key, i], "id", known);
      });
      if (new Set(ids).size !== ids.length) checker.complain(CODES.bmv2Shape, at, "one id comes twice");
    };
    const stacks = this.#named("header_stacks");
    const typeOf = new Map<unknown, unknown>();
    for (const [header] of this.#list("headers")) typeOf.set(header.id, header.header_type);
    for (const [stack, at] of this.#list("header_stacks")) {
      idsOf(stack, at, "header_ids", headerIds, "header stack");
      const ids = checker.array(stack.header_ids, [...at, "header_ids"]);
      if (new Set(ids.map((id) => typeOf.get(id))).size > 1)
        checker.complain(CODES.bmv2Shape, at, "the headers of a stack are of different types");
    }
    const unionTypes = this.#named("header_union_types");
    const unions = this.#named("header_unions");
    const unionIds = new Set<unknown>();
    for (const [union, at] of this.#list("header_unions")) {
      unionIds.add(union.id);
      checker.reference(union.union_type, [...at, "union_type"], "header union type", unionTypes);
      idsOf(union, at, "header_ids", headerIds, "header union");
      fields.set(String(union.name), new Set(["$valid$"]));
    }
    const unionStacks = this.#named("header_union_stacks");
    for (const [stack, at] of this.#list("header_union_stacks")) {
      checker.reference(stack.union_type, [...at, "union_type"], "header union type", unionTypes);
      idsOf(stack, at, "header_union_ids", unionIds, "stack of header unions");
    }
    checker.array(this.root.field_aliases, ["field_aliases"]).forEach((pair, i) => {
      const at = ["field_aliases", i];
      const [alias, field] = checker.array(pair, at);
      const name = checker.string(alias, [...at, 0]);
      const target = checker.array(field, [...at, 1]);
      if (name === undefined || !fields.get(String(target[0]))?.has(String(target[1]))) {
        checker.complain(CODES.bmv2Reference, at, "an alias of no field");
        return;
      }
      const dot = name.indexOf(".");
      const header = name.slice(0, dot);
      if (!fields.has(header)) fields.set(header, new Set());
      defined(fields.get(header)).add(name.slice(dot + 1));
    });
    return {
      fields,
      headers,
      stacks,
      unions,
      unionStacks,
      counters: this.#named("counter_arrays"),
      meters: this.#named("meter_arrays"),
      registers: this.#named("register_arrays"),
      calculations: this.#named("calculations"),
    };
  }

  #headerType(type: JsonObject, at: JsonPath): Set<string> {
    const { checker } = this;
    const names = new Set(["$valid$"]);
    let varbits = 0;
    checker.array(type.fields, [...at, "fields"]).forEach((field, i) => {
      const path = [...at, "fields", i];
      const [name, width] = checker.array(field, path);
      const text = checker.string(name, [...path, 0]);
      if (text !== undefined && names.has(text))
        checker.complain(CODES.bmv2Shape, path, `the field ${text} comes twice`);
      if (text !== undefined) names.add(text);
      if (width === "*") varbits++;
      else checker.integer(width, [...path, 1], 1, MAX_FIELD);
    });
    if (varbits > 1)
      checker.complain(CODES.bmv2Shape, at, "a header has more than one field of variable length");
    if (varbits > 0) checker.integer(type.max_length, [...at, "max_length"], 0, MAX_FIELD / 8);
    return names;
  }

  check(): void {
    this.#arrays();
    this.#actionList();
    this.#parsers();
    this.#pipelines();
    const { checker } = this;
    this.#architecture();
    for (const [deparser, at] of this.#list("deparsers")) {
      checker.array(deparser.order, [...at, "order"]).forEach((header, i) => {
        checker.reference(header, [...at, "order", i], "header", this.#values.names.headers);
      });
      this.#primitives(deparser.primitives ?? [], [...at, "primitives"]);
    }
    for (const [checksum, at] of this.#list("checksums")) {
      this.#values.field(checksum.target, [...at, "target"]);
      checker.reference(
        checksum.calculation,
        [...at, "calculation"],
        "calculation",
        this.#values.names.calculations,
      );
      checksum.if_cond ??= null;
      if (checksum.if_cond !== null) this.#values.value(checksum.if_cond, [...at, "if_cond"]);
    }
  }

  #architecture(): void {
    const { architecture, parsers, pipelines, deparsers, portable } = this.root;
    // The switch makes it of PSA and PNA programs, and trusts it.
    if (portable !== undefined)
      this.checker.complain(
        CODES.bmv2Shape,
        ["portable"],
        "the switch itself adds the part `portable`; leave it out",
      );
    if (architecture === undefined) return;
    const length = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
    const lengths = {
      parsers: length(parsers),
      pipelines: length(pipelines),
      deparsers: length(deparsers),
    };
    new ArchitectureChecker(this.checker, this.#values, lengths).check(architecture);
  }

  #arrays(): void {
    const { checker } = this;
    for (const list of ["counter_arrays", "meter_arrays"])
      for (const [array, at] of this.#list(list)) {
        checker.boolean(array.is_direct, [...at, "is_direct"]);
        if (array.is_direct === false) checker.integer(array.size, [...at, "size"], 0, MAX_ARRAY);
        if (array.bitwidth !== undefined) checker.integer(array.bitwidth, [...at, "bitwidth"], 1, MAX_FIELD);
        if (list === "meter_arrays") checker.oneOf(array.type, [...at, "type"], ["bytes", "packets"]);
        if (array.result_target !== undefined)
          this.#values.field(array.result_target, [...at, "result_target"]);
      }
    for (const [register, at] of this.#list("register_arrays")) {
      checker.integer(register.size, [...at, "size"], 0, MAX_ARRAY);
      checker.integer(register.bitwidth, [...at, "bitwidth"], 1, MAX_FIELD);
    }
    for (const [calculation, at] of this.#list("calculations")) {
      checker.string(calculation.algo, [...at, "algo"]);
      this.#elements(calculation.input, [...at, "input"]);
    }
    for (const list of ["field_lists", "learn_lists"])
      for (const [fields, at] of this.#list(list)) {
        checker.integer(fields.id, [...at, "id"], 0, 65535);
        this.#elements(fields.elements, [...at, "elements"]);
      }
    for (const [set, at] of this.#list("parse_vsets"))
      checker.integer(set.compressed_bitwidth, [...at, "compressed_bitwidth"], 1, MAX_FIELD);
    checker.array(this.root.errors, ["errors"]).forEach((pair, i) => {
      const [name, value] = checker.array(pair, ["errors", i]);
      checker.string(name, ["errors", i, 0]);
      checker.integer(value, ["errors", i, 1], 0, 2 ** 31 - 1);
    });
  }

  #elements(value: unknown, path: JsonPath): void {
    this.checker.array(value, path).forEach((element, i) => {
      this.#values.value(element, [...path, i]);
    });
  }

  #primitives(value: unknown, path: JsonPath): void {
    this.checker.array(value, path).forEach((primitive, i) => {
      const at = [...path, i];
      const object = this.checker.object(primitive, at);
      if (object === undefined) return;
      this.checker.string(object.op, [...at, "op"]);
      this.#elements(object.parameters, [...at, "parameters"]);
    });
  }

  #actionList(): void {
    const { checker } = this;
    this.#named("actions", undefined, undefined, false);
    for (const [action, at] of this.#list("actions")) {
      const id = checker.integer(action.id, [...at, "id"], 0, 2 ** 31 - 1);
      let count = 0;
      for (const [parameter, path] of this.#list("runtime_data", action, at)) {
        checker.string(parameter.name, [...path, "name"]);
        checker.integer(parameter.bitwidth, [...path, "bitwidth"], 1, MAX_FIELD);
        count++;
      }
      this.#primitives(action.primitives, [...at, "primitives"]);
      if (id === undefined) continue;
      this.#actions.set(id, String(action.name));
      this.#actionParameters.set(id, count);
    }
  }

  #parsers(): void {
    const { checker } = this;
    const valueSets = this.#named("parse_vsets");
    for (const [parser, at] of this.#list("parsers")) {
      const states = this.#named("parse_states", parser, at);
      checker.reference(parser.init_state, [...at, "init_state"], "parser state", states);
      for (const [state, path] of this.#list("parse_states", parser, at)) {
        for (const [op, place] of this.#list("parser_ops", state, path)) this.#parserOp(op, place);
        this.#elements(state.transition_key, [...path, "transition_key"]);
        for (const [transition, place] of this.#list("transitions", state, path)) {
          checker.name(transition.next_state, [...place, "next_state"]);
          if (transition.next_state !== null)
            checker.reference(transition.next_state, [...place, "next_state"], "parser state", states);
          // p4c before 2018 wrote no type
          transition.type ??= transition.value === "default" ? "default" : "hexstr";
          const type = checker.oneOf(
            transition.type,
            [...place, "type"],
            ["default", "hexstr", "parse_vset"],
          );
          transition.mask ??= null;
          if (transition.mask !== null) checker.hex(transition.mask, [...place, "mask"]);
          if (type === "hexstr") checker.hex(transition.value, [...place, "value"]);
          if (type === "parse_vset")
            checker.reference(transition.value, [...place, "value"], "value set", valueSets);
        }
      }
    }
  }

  #parserOp(op: JsonObject, at: JsonPath): void {
    const { checker } = this;
    const names = ["extract", "extract_VL", "set", "verify", "advance", "shift", "primitive"];
    const name = checker.oneOf(op.op, [...at, "op"], names);
    const path = [...at, "parameters"];
    const parameters = checker.array(op.parameters, path);
    if (name === undefined) return;
    const wanted =
      name === "extract" || name === "advance" || name === "shift" || name === "primitive" ? 1 : 2;
    if (parameters.length !== wanted) {
      checker.complain(CODES.bmv2Shape, path, `${name} has ${parameters.length} parameters, not ${wanted}`);
      return;
    }
    if (name === "primitive") {
      this.#primitives(parameters, path);
      return;
    }
    if (name !== "extract" && name !== "extract_VL") {
      this.#elements(parameters, path);
      return;
    }
    const target = checker.object(parameters[0], [...path, 0]);
    if (target === undefined) return;
    const { headers, stacks, unionStacks } = this.#values.names;
    const type = checker.oneOf(target.type, [...path, 0, "type"], ["regular", "stack", "union_stack"]);
    const value = [...path, 0, "value"];
    if (type === "regular") checker.reference(target.value, value, "header", headers);
    if (type === "stack") checker.reference(target.value, value, "header stack", stacks);
    if (type === "union_stack") {
      const [stack, member] = checker.array(target.value, value);
      checker.reference(stack, [...value, 0], "stack of header unions", unionStacks);
      checker.string(member, [...value, 1]);
    }
    if (name === "extract_VL") this.#values.value(parameters[1], [...path, 1]);
  }

  #pipelines(): void {
    const { checker } = this;
    for (const [pipeline, at] of this.#list("pipelines")) {
      if (this.root.architecture === undefined) checker.oneOf(pipeline.name, [...at, "name"], PIPELINES);
      pipeline.action_profiles ??= [];
      pipeline.conditionals ??= [];
      const nodes = new Set([
        ...this.#named("tables", pipeline, at),
        ...this.#named("conditionals", pipeline, at),
      ]);
      const profiles = this.#named("action_profiles", pipeline, at);
      const next = (value: unknown, path: JsonPath) => {
        if (value !== null && value !== undefined)
          checker.reference(value, path, "table or condition", nodes);
      };
      next(pipeline.init_table, [...at, "init_table"]);
      for (const [profile, path] of this.#list("action_profiles", pipeline, at)) {
        checker.integer(profile.max_size, [...path, "max_size"], 0, MAX_ARRAY);
        if (profile.selector === undefined) continue;
        const selector = checker.object(profile.selector, [...path, "selector"]);
        if (selector === undefined) continue;
        checker.string(selector.algo, [...path, "selector", "algo"]);
        this.#elements(selector.input, [...path, "selector", "input"]);
      }
      for (const [conditional, path] of this.#list("conditionals", pipeline, at)) {
        this.#values.value(conditional.expression, [...path, "expression"]);
        next(conditional.true_next, [...path, "true_next"]);
        next(conditional.false_next, [...path, "false_next"]);
      }
      for (const [table, path] of this.#list("tables", pipeline, at)) {
        this.#table(table, path, profiles);
        const targets = checker.object(table.next_tables, [...path, "next_tables"]) ?? {};
        for (const [name, target] of Object.entries(targets)) next(target, [...path, "next_tables", name]);
        next(table.base_default_next, [...path, "base_default_next"]);
      }
    }
  }

  #table(table: JsonObject, at: JsonPath, profiles: ReadonlySet<string>): void {
    const { checker } = this;
    const kinds = ["exact", "lpm", "ternary", "range", "optional", "valid"];
    let prefixes = 0;
    for (const [key, path] of this.#list("key", table, at)) {
      const kind = checker.oneOf(key.match_type, [...path, "match_type"], kinds);
      if (kind === "lpm" && ++prefixes > 1)
        checker.complain(CODES.bmv2Shape, path, "a table has more than one lpm field in its key");
      key.mask ??= null;
      if (key.mask !== null) checker.hex(key.mask, [...path, "mask"]);
      if (typeof key.target === "string") this.#values.field([key.target, "$valid$"], [...path, "target"]);
      else this.#values.field(key.target, [...path, "target"]);
    }
    checker.integer(table.max_size, [...at, "max_size"], 0, MAX_ARRAY);
    const type = checker.oneOf(table.type, [...at, "type"], ["simple", "indirect", "indirect_ws"]);
    if (type !== "simple" && type !== undefined)
      checker.reference(table.action_profile, [...at, "action_profile"], "action profile", profiles);
    table.direct_meters ??= null;
    if (table.direct_meters !== null)
      checker.reference(table.direct_meters, [...at, "direct_meters"], "meter", this.#values.names.meters);
    const ids = new Set(checker.array(table.action_ids, [...at, "action_ids"]));
    [...ids].forEach((id, i) => {
      checker.reference(id, [...at, "action_ids", i], "action", this.#actions);
    });
    const action = (entry: JsonObject | undefined, path: JsonPath) => {
      if (entry === undefined) return;
      if (!checker.reference(entry.action_id, [...path, "action_id"], "action of the table", ids)) return;
      const data = checker.array(entry.action_data, [...path, "action_data"]);
      data.forEach((value, i) => {
        checker.hex(value, [...path, "action_data", i]);
      });
      const wanted = this.#actionParameters.get(entry.action_id as number);
      if (wanted !== undefined && data.length !== wanted)
        checker.complain(CODES.bmv2Shape, path, `the action takes ${wanted} parameters, not ${data.length}`);
    };
    if (table.default_entry !== undefined)
      action(checker.object(table.default_entry, [...at, "default_entry"]), [...at, "default_entry"]);
    const width = checker.array(table.key, [...at, "key"]).length;
    // Not filled in: to BMv2 a table with this key, even an empty one, is a constant table.
    if (table.entries === undefined) return;
    for (const [entry, path] of this.#list("entries", table, at)) {
      action(checker.object(entry.action_entry, [...path, "action_entry"]), [...path, "action_entry"]);
      entry.priority ??= 0;
      checker.integer(entry.priority, [...path, "priority"], 0, 2 ** 31 - 1);
      let parts = 0;
      for (const [key, place] of this.#list("match_key", entry, path)) {
        parts++;
        const kind = checker.oneOf(key.match_type, [...place, "match_type"], kinds);
        if (kind === "range") {
          checker.hex(key.start, [...place, "start"]);
          checker.hex(key.end, [...place, "end"]);
        } else checker.hex(key.key, [...place, "key"]);
        if (kind === "ternary" || kind === "optional") checker.hex(key.mask, [...place, "mask"]);
        if (kind === "lpm") checker.integer(key.prefix_length, [...place, "prefix_length"], 0, MAX_FIELD);
      }
      if (parts !== width)
        checker.complain(CODES.bmv2Shape, path, `the entry has ${parts} key parts, the table ${width}`);
    }
  }
}
