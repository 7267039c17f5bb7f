/** Builds the model of a program's logical tables from its BMv2 JSON and P4Info. */
import { defined } from "../../../base/index.js";
import { type bmv2, bmv2Bits, P4InfoIndex, type Program, type p4info } from "../../program/index.js";
import type { Target } from "../target.js";
import { ActionReader, groupStatements, levelsOf, type Step } from "./actions.js";
import { splitAlgorithmic } from "./algorithmic.js";
import { withAliases } from "./aliases.js";
import { checksumTables } from "./checksums.js";
import { comparedBits, comparedPairs, gatewayCost, gatewayCount, gatewayHashBits } from "./conditions.js";
import { type Expr, formatExpr, readsOf, readValue } from "./expressions.js";
import type { Feature } from "./features.js";
import { makeFlow, type Successors } from "./flow.js";
import { headersMadeTogether, type ParsedTogether } from "./header-states.js";
import { withoutKeyTemporaries } from "./key-temporaries.js";
import { madeUnit } from "./made-unit.js";
import {
  type Attached,
  type FieldInfo,
  type FitModel,
  type Gress,
  type HeaderInfo,
  type Implementation,
  type KeyPart,
  NO_RESOURCES,
  type Thread,
  type Unit,
} from "./model.js";
import { readParser } from "./parser.js";
import { firstName, labelOf, withPingPong } from "./ping-pong.js";
import { ofBlocks, pragmasOf, selectorPragmas, type TablePragmas } from "./pragmas.js";
import { withSentZeros } from "./sent-zeros.js";
import { hashesOf, leavesAll, toAction, uniqueByName } from "./steps.js";
import { findUses } from "./uses.js";

export interface BuiltModel {
  readonly model: FitModel;
  readonly features: readonly Feature[];
}

/** Entries of a table, or members of a profile, without a stated size; p4c's BMv2 back end has the same default. */
const DEFAULT_TABLE_SIZE = 1024;

/** The same for TNA. */
const TNA_TABLE_SIZE = 512;

/** v1model's values for the deparser and the traffic manager. */
const FOR_DEPARSER: ReadonlySet<string> = new Set([
  "standard_metadata.egress_spec",
  "standard_metadata.mcast_grp",
  "$drop",
  "$mirror",
  "$digest",
  "$resubmit",
  "$bridge",
]);

/** What a report of the traffic manager to the ghost thread has, its highest bits first (p4c, p4include/tofino2_base.p4). */
const GHOST_FIELDS = ["ping_pong", "qlength", "qid", "pipe_id"];

/** An exact table has no more entries than its key has values (p4c, mau/table_placement.cpp, "Shrinking"). */
export function mostEntries(key: readonly KeyPart[], { isTernary }: Pick<TablePragmas, "isTernary">): number {
  const isExact = key.length > 0 && !isTernary && key.every(({ kind }) => kind === "exact");
  return isExact ? 2 ** key.reduce((sum, { access }) => sum + access.width, 0) : Number.POSITIVE_INFINITY;
}

/** Architecture metadata that no target has. */
const PRIORITY = "standard_metadata.priority";

/**
 * The model of a program for a target: which constants an instruction holds, whether metadata for egress needs a
 * header of its own, and how tables are divided depend on the target.
 * @param sizes sizes that replace those of tables and action profiles, by full name
 */
export function buildModel(
  program: Program,
  target: Target,
  sizes: ReadonlyMap<string, number> = new Map(),
): BuiltModel {
  const none: ReadonlySet<string> = new Set();
  const built = new Builder(program, { target, sizes, uncleared: none });
  const { model, features } = built.build();
  // A value that stands in a header is not cleared by the parser, so that its first zero stays (p4c, backend.cpp: RemoveMetadataInits after Alias).
  const uncleared = new Set([...model.aliases.keys()].filter((name) => built.zeros.has(name)));
  return uncleared.size === 0
    ? { model, features }
    : new Builder(program, { target, sizes, uncleared }).build();
}

class Builder {
  #json: bmv2.Bmv2Program;
  readonly #given: bmv2.Bmv2Program;
  readonly #index: P4InfoIndex;
  readonly #fields = new Map<string, FieldInfo>();
  readonly #headers = new Map<string, HeaderInfo>();
  readonly #features: Feature[] = [];
  readonly #units: Unit[] = [];
  readonly #successors: (number | null)[][] = [];
  /** By unit: what a condition tests. */
  readonly #conditions = new Map<number, Expr>();
  /** By unit and action: the units that run next. */
  readonly #ways = new Map<number, readonly Successors[]>();
  readonly #uses: ReturnType<typeof findUses>;
  /** By the id of an action of a second table: that of the program's action. */
  readonly #firsts: ReadonlyMap<number, number>;
  readonly #counts = new Map<string, Attached["counts"]>();
  readonly #entryNumbers = new Set<string>();

  readonly target: Target;
  readonly sizes: ReadonlyMap<string, number>;
  /** Values of metadata whose first zero is removed. */
  readonly zeros: ReadonlySet<string>;

  constructor(
    program: Program,
    options: {
      readonly target: Target;
      readonly sizes: ReadonlyMap<string, number>;
      /** Values of metadata whose first zero stays. */
      readonly uncleared: ReadonlySet<string>;
    },
  ) {
    const { target, sizes, uncleared } = options;
    this.target = target;
    this.sizes = sizes;
    this.#index = new P4InfoIndex(program.p4info);
    this.#json = program.bmv2;
    this.#given = program.bmv2;
    this.#readFields();
    const { json, zeros } = withoutKeyTemporaries(
      program.bmv2,
      this.#fields,
      (table, action) => this.#isStatement(table, action),
      { hasValidity: target.phv.deparser_validity_shared, uncleared },
    );
    const doubled = withPingPong(json);
    this.#json = doubled.json;
    this.#firsts = doubled.firsts;
    this.zeros = zeros;
    this.#uses = findUses(json, this.#fields);
    for (const counter of this.#index.counters.list) {
      this.#counts.set(counter.name, countsOf(counter.message.spec));
    }
    for (const { tables } of this.#json.pipelines)
      for (const { entry_target: target } of tables)
        if (target !== undefined) this.#entryNumbers.add(target.join("."));
  }

  /** The table and its action stand for bare statements of a control: P4Info has neither. */
  #isStatement(table: bmv2.Bmv2Table, action: bmv2.Bmv2Action): boolean {
    return (
      table.key.length === 0 &&
      this.#index.tables.byName(firstName(table.name)) === undefined &&
      this.#index.actions.byName(action.name) === undefined
    );
  }

  #readFields(): void {
    const types = new Map(this.#json.header_types.map((type) => [type.name, type]));
    for (const header of this.#json.headers) {
      const type = defined(types.get(header.header_type));
      let offset = 0;
      const names: string[] = [];
      for (const [name, width] of type.fields) {
        const bits = width === "*" ? 0 : width;
        const full = `${header.name}.${name}`;
        this.#fields.set(full, {
          name: full,
          header: header.name,
          width: bits,
          offset,
          metadata: header.metadata,
          intrinsic: header.name === "standard_metadata",
        });
        names.push(full);
        offset += bits;
      }
      this.#headers.set(header.name, {
        name: header.name,
        bits: offset,
        metadata: header.metadata,
        fields: names,
      });
      const valid = `${header.name}.$valid$`;
      this.#fields.set(valid, {
        name: valid,
        header: header.name,
        width: 1,
        offset: 0,
        metadata: true,
        intrinsic: true,
      });
    }
  }

  build(): BuiltModel {
    const threads: Thread[] = [];
    for (const thread of ["ingress", "egress", "ghost"] as const) {
      const pipeline = this.#json.pipelines.find((p) => p.name === thread);
      if (thread === "ingress" && this.target.phv.packs_fields) this.#addBridge();
      if (pipeline !== undefined) this.#readPipeline(pipeline, thread);
      while (threads.length < this.#units.length) threads.push(thread);
    }
    if (this.#uses.used.has(PRIORITY)) {
      this.#features.push({ kind: "intrinsic", field: PRIORITY, source: this.#uses.places.get(PRIORITY) });
    }
    const madeTogether =
      this.#json.architecture === undefined
        ? undefined
        : (parser: ParsedTogether) =>
            headersMadeTogether(this.#units, this.#conditions, this.#successors, this.#ways, parser);
    return {
      model: withSentZeros(
        withAliases(
          {
            name: this.#json.program ?? "program",
            fields: this.#fields,
            headers: this.#headers,
            units: this.#units,
            flow: makeFlow(this.#successors, threads, this.#ways),
            parser: readParser(this.#json, this.#headers, this.#madeValid(), madeTogether),
            ghostFields: this.#ghostFields(),
            forDeparser: this.#forDeparser(),
            firstZeros: this.zeros,
            hasEgressParser: this.#json.architecture !== undefined,
            program: this.#given,
            phvPragmas: this.#json.architecture?.pragmas ?? [],
          },
          this.#json,
        ),
      ),
      features: this.#features,
    };
  }

  #readPipeline(pipeline: bmv2.Pipeline, thread: Thread): void {
    const gress = thread === "egress" ? "egress" : "ingress";
    const tables = new Map(pipeline.tables.map((table) => [table.name, table]));
    const conditions = new Map(pipeline.conditionals.map((condition) => [condition.name, condition]));
    const nextOf = (name: string): (string | null)[] => {
      const table = tables.get(name);
      if (table !== undefined) {
        const nexts = Object.values(table.next_tables);
        if (table.base_default_next !== undefined) nexts.push(table.base_default_next);
        return nexts.length === 0 ? [null] : [...new Set(nexts)];
      }
      const condition = defined(conditions.get(name));
      return [condition.true_next, condition.false_next];
    };

    const { order, again } = flowOrder(pipeline.init_table, nextOf);
    for (const { from, to } of again) {
      const named = this.#index.tables.byName(firstName(to)) !== undefined;
      this.#features.push({ kind: "again", node: to, table: named, source: this.#sourceOf(from, pipeline) });
    }
    const isAgain = (from: string, to: string) => again.some((edge) => edge.from === from && edge.to === to);

    if (thread === "ghost" && order.length > 0) this.#startGhost();
    const parts = new Map<string, Omit<Unit, "id">[]>();
    for (const name of order) {
      const table = tables.get(name);
      parts.set(
        name,
        table === undefined
          ? [this.#readCondition(defined(conditions.get(name)), gress)]
          : this.#readTable(table, pipeline, gress),
      );
    }
    const first = new Map<string, number>();
    let id = this.#units.length;
    for (const name of order) {
      first.set(name, id);
      id += defined(parts.get(name)).length;
    }
    const hasDeparser = this.#json.architecture !== undefined && thread === gress;
    const last = hasDeparser ? this.#checksums(gress) : [];
    const end = last.length === 0 ? null : id;
    for (const name of order) {
      const units = defined(parts.get(name));
      const idOf = (next: string | null) =>
        next === null || isAgain(name, next) ? end : defined(first.get(next));
      const table = tables.get(name);
      const ways = table === undefined ? undefined : this.#waysOf(table).map((list) => list.map(idOf));
      for (const [index, unit] of units.entries()) {
        const id = this.#units.length;
        const later = units.slice(index + 1).map((_, i) => id + 1 + i);
        if (ways?.length === unit.actions.length)
          this.#ways.set(
            id,
            ways.map((list) => [...later, ...list]),
          );
        this.#units.push({ ...unit, id, ...(thread === "ghost" && { isGhost: true }) });
        const condition = conditions.get(name);
        if (condition !== undefined)
          this.#conditions.set(id, readValue(condition.expression, { fields: this.#fields, parameters: [] }));
        this.#successors.push(later.length > 0 ? later.slice(0, 1) : nextOf(name).map(idOf));
      }
    }
    for (const [index, unit] of last.entries()) {
      this.#units.push({ ...unit, id: this.#units.length });
      this.#successors.push([index + 1 < last.length ? this.#units.length : null]);
    }
  }

  /** The compiler puts a table before those of the ghost thread that does nothing (p4c, phv/init_in_mau.h). */
  #startGhost(): void {
    const id = this.#units.length;
    this.#units.push({ ...madeUnit("$ghost", "the table before the ghost thread", []), id, isGhost: true });
    this.#successors.push([id + 1]);
  }

  #ghostFields(): readonly string[] {
    const { fields } = this.#json.architecture?.pipes[0]?.ghost ?? {};
    return fields === undefined ? [] : GHOST_FIELDS.flatMap((name) => fields[name]?.join(".") ?? []);
  }

  #forDeparser(): ReadonlySet<string> {
    const pipe = this.#json.architecture?.pipes[0];
    if (pipe === undefined) return FOR_DEPARSER;
    const named = [pipe.ingress, pipe.egress].flatMap(({ fields }) => Object.entries(fields));
    return new Set(named.filter(([role]) => !role.startsWith("parser.")).map(([, field]) => field.join(".")));
  }

  /** The validity of headers that some action sets or copies; that an action takes it away keeps headers exclusive. */
  #madeValid(): ReadonlySet<string> {
    const names = this.#json.actions
      .flatMap(({ primitives }) => primitives)
      .filter(({ op }) => op !== "remove_header")
      .flatMap(({ parameters }) => parameters.flatMap((value) => this.#headersNamed(value)));
    return new Set(names.map((name) => `${name}.$valid$`));
  }

  #headersNamed(value: bmv2.Value): readonly string[] {
    if (value.type === "header") return [value.value];
    if (value.type !== "header_stack") return [];
    const ids = new Set(this.#json.header_stacks.find(({ name }) => name === value.value)?.header_ids);
    return this.#json.headers.filter(({ id }) => ids.has(id)).map(({ name }) => name);
  }

  #checksums(gress: Gress): Omit<Unit, "id">[] {
    const deparser = this.#json.deparsers[gress === "ingress" ? 0 : 1];
    return checksumTables(deparser, gress, this.#fields);
  }

  /** By action of a table: the nodes that a packet which ran it passes next. */
  #waysOf(table: bmv2.Bmv2Table): (string | null)[][] {
    const { next_tables: next, default_entry: entry } = table;
    const { __HIT__: hit, __MISS__: miss } = next;
    const uses = this.#index.tables.byName(firstName(table.name))?.actions;
    // Tofino 1 has such actions; for later chips the compiler makes a variable of `exit` (p4c, backends/tofino/bf-p4c/midend.cpp).
    const isDirect = this.#json.architecture !== undefined && !this.target.phv.deparser_validity_shared;
    return this.#actionsOf(table).map(({ id, name, primitives }) => {
      if (isDirect && leavesAll(primitives)) return [];
      if (hit === undefined || miss === undefined) return [next[name] ?? table.base_default_next ?? null];
      const action = this.#index.actions.byName(name);
      const scope = action === undefined ? undefined : uses?.get(action.id)?.scope;
      // A constant default is the only action of a miss.
      const onMiss = entry?.action_const === true ? entry.action_id === id : scope !== TABLE_ONLY;
      return [...(scope === DEFAULT_ONLY ? [] : [hit]), ...(onMiss ? [miss] : [])];
    });
  }

  /** Place of a node of the JSON in the source: its own place, or that of its first statement. */
  #sourceOf(node: string, pipeline: bmv2.Pipeline): bmv2.SourceInfo | undefined {
    const condition = pipeline.conditionals.find((entry) => entry.name === node);
    if (condition !== undefined) return condition.source_info;
    const table = defined(pipeline.tables.find((entry) => entry.name === node));
    if (this.#index.tables.byName(firstName(node)) !== undefined) return table.source_info;
    return this.#actionsOf(table)[0]?.primitives[0]?.source_info ?? table.source_info;
  }

  /**
   * User metadata that egress reads is carried in a header before the packet. A bare action at the start of ingress
   * makes that header valid.
   */
  #addBridge(): void {
    const ingress = this.#uses.writtenIn("ingress");
    const crossing = [...this.#uses.readIn("egress")].filter((name) => {
      const field = this.#fields.get(name);
      return field?.metadata === true && !field.intrinsic && ingress.has(name);
    });
    if (crossing.length === 0) return;
    const write = { field: "$bridge", lo: 0, width: 1 };
    this.#units.push({ ...madeUnit("$bridge", "metadata that egress reads", [write]), id: 0 });
    this.#successors.push([1]);
  }

  #readCondition(condition: bmv2.Conditional, gress: Gress): Omit<Unit, "id"> {
    const expr = readValue(condition.expression, { fields: this.#fields, parameters: [] });
    this.#features.push({ kind: "condition", name: condition.name, expr, source: condition.source_info });
    const gateways = gatewayCount(expr, this.target.gateway) ?? 1;
    return {
      name: condition.name,
      label: `if (${fragmentOf(condition.source_info) ?? formatExpr(expr)})`,
      gress,
      kind: "condition",
      table: undefined,
      key: [],
      actions: [],
      size: 0,
      ...NO_RESOURCES,
      condition: {
        reads: readsOf(expr),
        compared: comparedBits(expr),
        pairs: comparedPairs(expr),
        tests: gateways === 1 ? gatewayCost(expr) : undefined,
        hashBits: gatewayHashBits(expr, this.target.gateway),
        gateways,
        text: formatExpr(expr),
      },
      source: condition.source_info,
    };
  }

  #readTable(table: bmv2.Bmv2Table, pipeline: bmv2.Pipeline, gress: Gress): Omit<Unit, "id">[] {
    const info = this.#index.tables.byName(firstName(table.name));
    const key = table.key.flatMap((part) => this.#readKey(part));
    const actions = this.#actionsOf(table);
    const keyless = key.length === 0;
    const readers = actions.map(
      (action) =>
        new ActionReader(
          action,
          {
            program: this.#json,
            fields: this.#fields,
            headerFields: new Map([...this.#headers].map(([name, header]) => [name, header.fields])),
            locals: this.#uses.localsOf(this.#firsts.get(action.id) ?? action.id),
            onlyHashed: this.#uses.onlyHashed,
            live: this.#uses.live,
            counts: this.#counts,
            entryNumbers: this.#entryNumbers,
            features: this.#features,
            gress,
            constants: { min: this.target.action.min_constant, max: this.target.action.max_constant },
          },
          table.name,
          this.#isStatement(table, action),
        ),
    );
    const scopeOf = ({ id, name }: bmv2.Bmv2Action) => {
      const action = this.#index.actions.byName(name);
      const scope = action === undefined ? undefined : info?.actions.get(action.id)?.scope;
      const { default_entry: entry } = table;
      return {
        hit: scope !== DEFAULT_ONLY,
        isDefault: entry?.action_const === true ? entry.action_id === id : scope !== TABLE_ONLY,
      };
    };
    const pragmas = ofBlocks(pragmasOf(info?.message.preamble?.annotations ?? []), table.pragmas);
    const asked =
      this.sizes.get(firstName(table.name)) ?? (table.max_size > 0 ? table.max_size : DEFAULT_TABLE_SIZE);
    const most = mostEntries(key, pragmas);
    const size = Math.min(asked, most);
    const unstated = this.#json.architecture === undefined ? DEFAULT_TABLE_SIZE : TNA_TABLE_SIZE;
    this.#passOver(table, pragmas.passedOver);
    const common = {
      gress,
      table: table.name,
      pragmas,
      size,
      condition: undefined,
      source: table.source_info,
    };
    const [first, ...others] = readers;
    if (first?.statement && others.length === 0) {
      const groups = groupStatements(first.steps, this.#json.architecture !== undefined);
      return groups.length === 0
        ? [this.#action(table.name, common, first, [])]
        : groups.map((steps, index) => this.#action(partName(table.name, index), common, first, steps));
    }
    // Level 0 of all actions is part of the match table; each later level is a bare action after it.
    const levels = readers.map((reader) => levelsOf(reader.steps));
    const depth = Math.max(1, ...levels.flat().map((level) => level + 1));
    for (const [index, reader] of readers.entries()) {
      const own = Math.max(0, ...defined(levels[index])) + 1;
      if (own > 1) {
        this.#features.push({
          kind: "spread",
          action: reader.action.name,
          levels: own,
          source: reader.steps[0]?.source ?? table.source_info,
        });
      }
    }
    const units: Omit<Unit, "id">[] = [];
    for (let level = 0; level < depth; level++) {
      const chosen = readers.map((reader, index) =>
        reader.steps.filter((_, i) => defined(levels[index])[i] === level),
      );
      const attached = uniqueByName(chosen.flat().flatMap((step) => step.attached));
      const models = readers.map((reader, index) =>
        toAction(reader, defined(chosen[index]), scopeOf(reader.action)),
      );
      units.push({
        ...common,
        name: partName(table.name, level),
        label: stepLabel(
          keyless && info === undefined ? callLabel(actions, table.name) : labelOf(table.name),
          level,
        ),
        kind: keyless || level > 0 ? "action" : "match",
        key: level === 0 ? key : [],
        constEntries: level === 0 && table.entries !== undefined ? table.entries.length : undefined,
        hasEveryKey: level === 0 && asked === most && asked !== unstated,
        actions: models,
        algorithmic: undefined,
        implementation: level === 0 ? this.#implementation(table, pipeline, info) : undefined,
        attached: level === 0 ? [...attached, ...this.#direct(table, info)] : attached,
        hashes: hashesOf(chosen.flat()),
        usesRandom: chosen.flat().some((step) => step.random),
      });
    }
    const meterTarget = this.#json.meter_arrays.find((m) => m.name === table.direct_meters)?.result_target;
    if (meterTarget !== undefined) {
      const field = `${meterTarget[0]}.${meterTarget[1]}`;
      const write = { field, lo: 0, width: this.#fields.get(field)?.width ?? 8 };
      const match = defined(units[0]);
      const actions = match.actions.map((action) => ({ ...action, writes: [...action.writes, write] }));
      units[0] = { ...match, actions };
    }
    const names = (info?.message.matchFields ?? []).map(({ name }) => name ?? "");
    const split = splitAlgorithmic(units, {
      pragmas,
      names,
      addMetadata: (header, name, width) => this.#addMetadata(header, name, width),
      target: this.target,
    });
    this.#passOver(table, split.unused);
    return [...split.units];
  }

  /** A value that a table of ours leaves for another one: metadata of `width` bits that no packet brings. */
  #addMetadata(header: string, name: string, width: number): void {
    const { bits, fields } = this.#headers.get(header) ?? { bits: 0, fields: [] };
    this.#fields.set(name, { name, header, width, offset: bits, metadata: true, intrinsic: false });
    this.#headers.set(header, {
      name: header,
      bits: bits + width,
      metadata: true,
      fields: [...fields, name],
    });
  }

  #passOver(table: bmv2.Bmv2Table, pragmas: readonly string[]): void {
    for (const text of pragmas)
      this.#features.push({ kind: "pragma", owner: table.name, text, source: table.source_info });
  }

  #actionsOf(table: bmv2.Bmv2Table): bmv2.Bmv2Action[] {
    return table.action_ids.map((id) => defined(this.#json.actions.find((action) => action.id === id)));
  }

  #action(
    name: string,
    common: Pick<Unit, "gress" | "table" | "pragmas" | "size" | "condition" | "source">,
    reader: ActionReader,
    steps: readonly Step[],
  ): Omit<Unit, "id"> {
    const source = steps[0]?.source ?? common.source;
    return {
      ...common,
      name,
      label: fragmentOf(source) ?? name,
      kind: "action",
      key: [],
      actions: [toAction(reader, steps, { hit: true, isDefault: true })],
      constEntries: undefined,
      implementation: undefined,
      algorithmic: undefined,
      attached: uniqueByName(steps.flatMap((step) => step.attached)),
      hashes: hashesOf(steps),
      usesRandom: steps.some((step) => step.random),
      source,
    };
  }

  #readKey(part: bmv2.TableKey): KeyPart[] {
    const kind = part.match_type === "valid" ? "exact" : part.match_type;
    const name = typeof part.target === "string" ? `${part.target}.$valid$` : part.target.join(".");
    const width = this.#fields.get(name)?.width ?? 1;
    let lo = 0;
    let bits = width;
    if (part.mask !== null) {
      let mask = bmv2Bits(part.mask, width);
      if (mask > 0n) {
        while ((mask & 1n) === 0n) {
          mask >>= 1n;
          lo++;
        }
        bits = mask.toString(2).length;
      }
    }
    return [{ access: { field: name, lo, width: bits }, kind }];
  }

  #implementation(
    table: bmv2.Bmv2Table,
    pipeline: bmv2.Pipeline,
    info: { message: p4info.Table } | undefined,
  ): Implementation | undefined {
    if (table.type === "simple") return undefined;
    const profile = defined(pipeline.action_profiles.find((p) => p.name === table.action_profile));
    const declared = this.#index.actionProfiles.byName(profile.name);
    const stated = selectorPragmas([
      ...(info?.message.preamble?.annotations ?? []),
      ...(declared?.message.preamble?.annotations ?? []),
    ]);
    const usual = this.target.selector;
    const scope = { fields: this.#fields, parameters: [] };
    return {
      name: profile.name,
      named: declared !== undefined && !GENERATED_NAME.test(profile.name),
      members: this.sizes.get(profile.name) ?? (profile.max_size > 0 ? profile.max_size : DEFAULT_TABLE_SIZE),
      selector:
        profile.selector === undefined
          ? undefined
          : {
              name: stated.name,
              inputs: profile.selector.input.flatMap((value) => readsOf(readValue(value, scope))),
              // A group of one word, where the program states no size.
              maxGroup: stated.maxGroup ?? (declared?.message.maxGroupSize || (usual.members_per_word ?? 1)),
              groups: stated.groups ?? usual.default_groups ?? 1,
              isResilient: stated.isResilient,
            },
    };
  }

  /** Direct counters and meters: the JSON states that there are some, P4Info states what they count. */
  #direct(
    table: bmv2.Bmv2Table,
    info: { directCounter: { message: p4info.DirectCounter } | undefined } | undefined,
  ): Attached[] {
    const list: Attached[] = [];
    const common = {
      index: "direct" as const,
      address: { bits: 0, inputs: [] },
      operands: [],
      resultBytes: 0,
      results: [],
      size: 0,
      width: 0,
      updatesAndReturns: false,
    };
    if (table.with_counters) {
      const counter = this.#json.counter_arrays.find((array) => array.binding === firstName(table.name));
      list.push({
        ...common,
        kind: "counter",
        name: counter?.name ?? `${table.name}$counter`,
        counts: countsOf(info?.directCounter?.message.spec),
        width: counter?.bitwidth ?? 0,
        source: counter?.source_info,
      });
    }
    if (table.direct_meters !== null) {
      const meter = defined(this.#json.meter_arrays.find((array) => array.name === table.direct_meters));
      list.push({
        ...common,
        kind: "meter",
        name: table.direct_meters,
        counts: "both",
        source: meter.source_info,
      });
    }
    if (table.support_timeout) {
      list.push({
        ...common,
        kind: "idle",
        name: `${table.name}$idle`,
        counts: "both",
        source: table.source_info,
      });
    }
    return list;
  }
}

/** The name of an instance without a declaration, in the JSON of p4c and of our compiler; p4c's P4Info leaves it out. */
const GENERATED_NAME = /^action_profile_\d+$/;

/** Scopes of an action in P4Info. */
const TABLE_ONLY = 1;
const DEFAULT_ONLY = 2;

/** Longest piece of source text in a label. */
const MAX_FRAGMENT = 48;

/** First line of the source text of a node, shortened; undefined where the program has none. */
function fragmentOf(source: bmv2.SourceInfo | undefined): string | undefined {
  const line = source?.source_fragment
    .split("\n")[0]
    ?.trim()
    .replace(/[;{]+$/, "");
  if (line === undefined || line === "") return undefined;
  return line.length > MAX_FRAGMENT ? `${line.slice(0, MAX_FRAGMENT - 1)}…` : line;
}

/** A call of an action outside tables reaches the JSON as a keyless table of that action. */
function callLabel(actions: readonly bmv2.Bmv2Action[], table: string): string {
  const [only] = actions;
  return only === undefined ? table : `${only.name}()`;
}

function stepLabel(label: string, level: number): string {
  return level === 0 ? label : `${label}, step ${level + 1}`;
}

function partName(name: string, index: number): string {
  return index === 0 ? name : `${name}#${index + 1}`;
}

interface FlowOrder {
  /** Nodes in an order in which each comes before those that it leads to. */
  readonly order: readonly string[];
  /** Edges that lead back to a node that ran before; the order leaves them out. */
  readonly again: readonly { readonly from: string; readonly to: string }[];
}

/** Topological order of the nodes that `init` leads to. */
function flowOrder(init: string | null, nextOf: (name: string) => readonly (string | null)[]): FlowOrder {
  const order: string[] = [];
  const again: FlowOrder["again"][number][] = [];
  const state = new Map<string, "open" | "done">();
  // An explicit stack: pipelines of generated programs can be long.
  const stack: { name: string; nexts: (string | null)[]; at: number }[] = [];
  const enter = (name: string | null, from: string | undefined) => {
    if (name === null) return;
    if (state.get(name) === "open") again.push({ from: from!, to: name });
    if (state.has(name)) return;
    state.set(name, "open");
    stack.push({ name, nexts: [...nextOf(name)].reverse(), at: 0 });
  };
  enter(init, undefined);
  while (stack.length > 0) {
    const top = defined(stack[stack.length - 1]);
    if (top.at < top.nexts.length) enter(defined(top.nexts[top.at++]), top.name);
    else {
      state.set(top.name, "done");
      order.push(top.name);
      stack.pop();
    }
  }
  return { order: order.reverse(), again };
}

function countsOf(spec: p4info.CounterSpec | undefined): Attached["counts"] {
  if (spec?.unit === 1) return "bytes";
  return spec?.unit === 2 ? "packets" : "both";
}
