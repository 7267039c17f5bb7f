/** From a program (BMv2 JSON and P4Info) to the model of its logical tables. */
import { type bmv2, P4InfoIndex, type Program, type p4info } from "../../program/index.js";
import { ActionReader, groupStatements, levelsOf, type Step } from "./actions.js";
import { gatewayCost } from "./conditions.js";
import { formatExpr, readsOf, readValue } from "./expressions.js";
import type { Feature } from "./features.js";
import { makeFlow } from "./flow.js";
import { withoutKeyTemporaries } from "./key-temporaries.js";
import type {
  ActionModel,
  Attached,
  FieldInfo,
  FitModel,
  Gress,
  HeaderInfo,
  Implementation,
  KeyPart,
  Unit,
} from "./model.js";
import { readParser } from "./parser.js";
import { findUses } from "./uses.js";

export interface BuildOptions {
  /** Constants that are part of an instruction; others become action data. */
  readonly constants: { readonly min: number; readonly max: number };
  /** Metadata that egress reads is carried by a header of its own. */
  readonly bridges: boolean;
  /** Replaces the sizes of tables, by name. */
  readonly sizes?: ReadonlyMap<string, number>;
}

export interface BuiltModel {
  readonly model: FitModel;
  readonly features: readonly Feature[];
}

/** Members a group may have when the program does not say. */
const DEFAULT_GROUP_SIZE = 120;
const DEFAULT_TABLE_SIZE = 1024;

export function buildModel(program: Program, options: BuildOptions): BuiltModel {
  return new Builder(program, options).build();
}

class Builder {
  #json: bmv2.Bmv2Program;
  readonly #index: P4InfoIndex;
  readonly #fields = new Map<string, FieldInfo>();
  readonly #headers = new Map<string, HeaderInfo>();
  readonly #features: Feature[] = [];
  readonly #units: Unit[] = [];
  readonly #successors: (number | null)[][] = [];
  readonly #uses: ReturnType<typeof findUses>;
  readonly #counts = new Map<string, Attached["counts"]>();

  constructor(
    program: Program,
    readonly options: BuildOptions,
  ) {
    this.#index = new P4InfoIndex(program.p4info);
    this.#json = program.bmv2;
    this.#readFields();
    this.#json = withoutKeyTemporaries(program.bmv2, this.#fields, (table, action) =>
      this.#isStatement(table, action),
    );
    this.#uses = findUses(this.#json, this.#fields);
    for (const counter of this.#index.counters.list) {
      this.#counts.set(counter.name, countsOf(counter.message.spec));
    }
  }

  /** Bare statements of a control: neither table nor action is the program's own. */
  #isStatement(table: bmv2.Bmv2Table, action: bmv2.Bmv2Action): boolean {
    return (
      table.key.length === 0 &&
      this.#index.tables.byName(table.name) === undefined &&
      this.#index.actions.byName(action.name) === undefined
    );
  }

  #readFields(): void {
    const types = new Map(this.#json.header_types.map((type) => [type.name, type]));
    for (const header of this.#json.headers) {
      const type = types.get(header.header_type);
      let offset = 0;
      const names: string[] = [];
      for (const [name, width] of type?.fields ?? []) {
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
    const gresses: Gress[] = [];
    for (const gress of ["ingress", "egress"] as const) {
      const pipeline = this.#json.pipelines.find((p) => p.name === gress);
      if (gress === "ingress" && this.options.bridges) this.#addBridge();
      if (pipeline !== undefined) this.#readPipeline(pipeline, gress);
      while (gresses.length < this.#units.length) gresses.push(gress);
    }
    const added = new Set<string>();
    for (const unit of this.#units) {
      for (const action of unit.actions) {
        for (const write of action.writes) {
          if (write.field.endsWith(".$valid$")) added.add(write.field.slice(0, -".$valid$".length));
        }
      }
    }
    for (const name of ["standard_metadata.priority"]) {
      const source = this.#uses.places.get(name);
      if (this.#uses.used.has(name)) this.#features.push({ kind: "intrinsic", field: name, source });
    }
    return {
      model: {
        name: this.#json.program ?? "program",
        fields: this.#fields,
        headers: this.#headers,
        units: this.#units,
        flow: makeFlow(this.#successors, gresses),
        parser: readParser(this.#json, this.#headers, added),
      },
      features: this.#features,
    };
  }

  #readPipeline(pipeline: bmv2.Pipeline, gress: Gress): void {
    const tables = new Map(pipeline.tables.map((table) => [table.name, table]));
    const conditions = new Map(pipeline.conditionals.map((condition) => [condition.name, condition]));
    const nextOf = (name: string): (string | null)[] => {
      const table = tables.get(name);
      if (table !== undefined) {
        const nexts = Object.values(table.next_tables);
        if (table.base_default_next !== undefined) nexts.push(table.base_default_next);
        return nexts.length === 0 ? [null] : [...new Set(nexts)];
      }
      const condition = conditions.get(name);
      return condition === undefined ? [] : [condition.true_next, condition.false_next];
    };

    const order: string[] = [];
    const state = new Map<string, "open" | "done">();
    // An explicit stack: pipelines of generated programs can be long.
    const stack: { name: string; nexts: (string | null)[]; at: number }[] = [];
    const enter = (name: string | null) => {
      if (name === null || state.has(name) || (!tables.has(name) && !conditions.has(name))) return;
      state.set(name, "open");
      stack.push({ name, nexts: nextOf(name).reverse(), at: 0 });
    };
    enter(pipeline.init_table);
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      if (top.at < top.nexts.length) enter(top.nexts[top.at++]!);
      else {
        state.set(top.name, "done");
        order.push(top.name);
        stack.pop();
      }
    }
    order.reverse();

    const parts = new Map<string, Omit<Unit, "id">[]>();
    for (const name of order) {
      const table = tables.get(name);
      const condition = conditions.get(name);
      if (table !== undefined) parts.set(name, this.#readTable(table, pipeline, gress));
      else if (condition !== undefined) parts.set(name, [this.#readCondition(condition, gress)]);
    }
    const first = new Map<string, number>();
    let id = this.#units.length;
    for (const name of order) {
      first.set(name, id);
      id += parts.get(name)!.length;
    }
    for (const name of order) {
      const units = parts.get(name)!;
      for (const [index, unit] of units.entries()) {
        this.#units.push({ ...unit, id: this.#units.length });
        if (index + 1 < units.length) this.#successors.push([this.#units.length]);
        else {
          this.#successors.push(
            nextOf(name).map((next) => (next === null ? null : (first.get(next) ?? null))),
          );
        }
      }
    }
  }

  /**
   * User metadata that egress reads travels with the packet as a header in front of it; a bare action at the start
   * of ingress makes that header valid.
   */
  #addBridge(): void {
    const ingress = this.#uses.writtenIn("ingress");
    const crossing = [...this.#uses.readIn("egress")].filter((name) => {
      const field = this.#fields.get(name);
      return field?.metadata === true && !field.intrinsic && ingress.has(name);
    });
    if (crossing.length === 0) return;
    this.#units.push({
      id: 0,
      name: "$bridge",
      gress: "ingress",
      kind: "action",
      table: undefined,
      key: [],
      actions: [
        {
          name: "$bridge",
          hit: true,
          data: [],
          reads: [],
          writes: [{ field: "$bridge", lo: 0, width: 1 }],
          arithmetic: [],
          source: undefined,
        },
      ],
      size: 1,
      implementation: undefined,
      algorithmic: undefined,
      attached: [],
      hashes: [],
      usesRandom: false,
      condition: undefined,
      source: undefined,
    });
    this.#successors.push([1]);
  }

  #readCondition(condition: bmv2.Conditional, gress: Gress): Omit<Unit, "id"> {
    const expr = readValue(condition.expression, { fields: this.#fields, argumentWidths: [] });
    this.#features.push({ kind: "condition", name: condition.name, expr, source: condition.source_info });
    return {
      name: condition.name,
      gress,
      kind: "condition",
      table: undefined,
      key: [],
      actions: [],
      size: 0,
      implementation: undefined,
      algorithmic: undefined,
      attached: [],
      hashes: [],
      usesRandom: false,
      condition: { reads: readsOf(expr), rows: gatewayCost(expr).rows, text: formatExpr(expr) },
      source: condition.source_info,
    };
  }

  #readTable(table: bmv2.Bmv2Table, pipeline: bmv2.Pipeline, gress: Gress): Omit<Unit, "id">[] {
    const info = this.#index.tables.byName(table.name);
    const key = table.key.flatMap((part) => this.#readKey(part));
    const actions = table.action_ids.map((id) => this.#json.actions.find((action) => action.id === id));
    const keyless = key.length === 0;
    const readers = actions.flatMap((action) => {
      if (action === undefined) return [];
      const statement = this.#isStatement(table, action);
      return [
        new ActionReader(
          action,
          {
            program: this.#json,
            fields: this.#fields,
            headerFields: new Map([...this.#headers].map(([name, header]) => [name, header.fields])),
            locals: this.#uses.localsOf(action.id),
            live: this.#uses.live,
            counts: this.#counts,
            features: this.#features,
            gress,
            constants: this.options.constants,
          },
          table.name,
          statement,
        ),
      ];
    });
    const scopeOf = (name: string) => {
      const action = this.#index.actions.byName(name);
      const use = action === undefined ? undefined : info?.actions.get(action.id);
      return use === undefined || use.scope !== DEFAULT_ONLY;
    };
    const size =
      this.options.sizes?.get(table.name) ?? (table.max_size > 0 ? table.max_size : DEFAULT_TABLE_SIZE);
    const common = {
      gress,
      table: table.name,
      size,
      condition: undefined,
      source: table.source_info,
    };
    const first = readers[0];
    if (keyless && first !== undefined && readers.length === 1 && first.statement) {
      const groups = groupStatements(first.steps);
      return groups.length === 0
        ? [this.#action(table.name, common, first, [])]
        : groups.map((steps, index) => this.#action(partName(table.name, index), common, first, steps));
    }
    // Levels of all actions side by side: level 0 with the match, later levels as bare actions after it.
    const levels = readers.map((reader) => levelsOf(reader.steps));
    const depth = Math.max(1, ...levels.flat().map((level) => level + 1));
    for (const [index, reader] of readers.entries()) {
      const own = Math.max(0, ...levels[index]!) + 1;
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
        reader.steps.filter((_, i) => levels[index]![i] === level),
      );
      const attached = uniqueByName(chosen.flat().flatMap((step) => step.attached));
      const models = readers.map((reader, index) =>
        toAction(reader, chosen[index]!, scopeOf(reader.action.name)),
      );
      units.push({
        ...common,
        name: partName(table.name, level),
        kind: keyless || level > 0 ? "action" : "match",
        key: level === 0 ? key : [],
        actions: models,
        algorithmic: undefined,
        implementation: level === 0 ? this.#implementation(table, pipeline, info) : undefined,
        attached: level === 0 ? [...attached, ...this.#direct(table, info)] : attached,
        hashes: chosen.flat().flatMap((step) => step.hashes),
        usesRandom: chosen.flat().some((step) => step.random),
      });
    }
    const meterTarget = this.#json.meter_arrays.find((m) => m.name === table.direct_meters)?.result_target;
    if (meterTarget !== undefined && units[0] !== undefined) {
      const field = `${meterTarget[0]}.${meterTarget[1]}`;
      const write = { field, lo: 0, width: this.#fields.get(field)?.width ?? 8 };
      units[0] = {
        ...units[0],
        actions: units[0].actions.map((action) => ({ ...action, writes: [...action.writes, write] })),
      };
    }
    return splitAlgorithmic(units, info?.message.preamble?.annotations ?? [], this.#fields);
  }

  #action(
    name: string,
    common: Pick<Unit, "gress" | "table" | "size" | "condition" | "source">,
    reader: ActionReader,
    steps: readonly Step[],
  ): Omit<Unit, "id"> {
    return {
      ...common,
      name,
      kind: "action",
      key: [],
      actions: [toAction(reader, steps, true)],
      implementation: undefined,
      algorithmic: undefined,
      attached: uniqueByName(steps.flatMap((step) => step.attached)),
      hashes: steps.flatMap((step) => step.hashes),
      usesRandom: steps.some((step) => step.random),
      source: steps[0]?.source ?? common.source,
    };
  }

  #readKey(part: bmv2.TableKey): KeyPart[] {
    const kind = part.match_type === "valid" ? "exact" : part.match_type;
    const name = typeof part.target === "string" ? `${part.target}.$valid$` : part.target.join(".");
    const width = this.#fields.get(name)?.width ?? 1;
    let lo = 0;
    let bits = width;
    if (part.mask !== null && part.mask !== undefined) {
      let mask = BigInt(part.mask.startsWith("0x") ? part.mask : `0x${part.mask}`);
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
    const profile = pipeline.action_profiles.find((p) => p.name === table.action_profile);
    if (profile === undefined) return undefined;
    const declared = this.#index.actionProfiles.byName(profile.name);
    const annotations = [
      ...(info?.message.preamble?.annotations ?? []),
      ...(declared?.message.preamble?.annotations ?? []),
    ];
    const named = annotations.map((text) => /^@(?:selector_)?max_group_size\((\d+)\)/.exec(text)?.[1]);
    const maxGroup =
      Number(named.find((value) => value !== undefined) ?? 0) || declared?.message.maxGroupSize || 0;
    const scope = { fields: this.#fields, argumentWidths: [] };
    return {
      name: profile.name,
      members:
        this.options.sizes?.get(profile.name) ??
        (profile.max_size > 0 ? profile.max_size : DEFAULT_TABLE_SIZE),
      selector:
        profile.selector === undefined
          ? undefined
          : {
              inputs: profile.selector.input.flatMap((value) => readsOf(readValue(value, scope))),
              maxGroup: maxGroup > 0 ? maxGroup : DEFAULT_GROUP_SIZE,
            },
    };
  }

  /** Direct counters and meters: the JSON says that there are some, P4Info what they count. */
  #direct(
    table: bmv2.Bmv2Table,
    info: { directCounter: { message: p4info.DirectCounter } | undefined } | undefined,
  ): Attached[] {
    const list: Attached[] = [];
    const common = { index: "direct" as const, size: 0, width: 0, updatesAndReturns: false };
    if (table.with_counters) {
      const counter = this.#json.counter_arrays.find((array) => array.binding === table.name);
      list.push({
        ...common,
        kind: "counter",
        name: counter?.name ?? `${table.name}$counter`,
        counts: countsOf(info?.directCounter?.message.spec),
        source: counter?.source_info,
      });
    }
    if (table.direct_meters !== null && table.direct_meters !== undefined) {
      const meter = this.#json.meter_arrays.find((array) => array.name === table.direct_meters);
      list.push({
        ...common,
        kind: "meter",
        name: table.direct_meters,
        counts: "both",
        source: meter?.source_info,
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

const DEFAULT_ONLY = 2;

/** Partitions of an algorithmic LPM table, and TCAM rows for each, where the annotation names none. */
const ALPM_PARTITIONS = 1024;
const ALPM_ROWS_PER_PARTITION = 2;

/**
 * `@alpm(1)` keeps an lpm table in SRAM: a TCAM table of partitions comes first and yields the number of the
 * partition, in which the second table searches.
 */
function splitAlgorithmic(
  units: Omit<Unit, "id">[],
  annotations: readonly string[],
  fields: Map<string, FieldInfo>,
): Omit<Unit, "id">[] {
  const [first, ...rest] = units;
  const wanted = annotations.some((text) => /^@alpm\s*\(\s*1\s*\)/.test(text));
  if (!wanted || first === undefined || first.kind !== "match") return units;
  if (first.key.filter((part) => part.kind === "lpm").length !== 1) return units;
  const field = `${first.name}$partition`;
  const bits = Math.ceil(Math.log2(ALPM_PARTITIONS));
  fields.set(field, {
    name: field,
    header: "$alpm",
    width: bits,
    offset: 0,
    metadata: true,
    intrinsic: false,
  });
  const access = { field, lo: 0, width: bits };
  const choose: ActionModel = {
    name: "$partition",
    hit: true,
    data: [{ bits, target: access }],
    reads: [],
    writes: [access],
    arithmetic: [],
    source: first.source,
  };
  const before = {
    ...first,
    name: `${first.name}$preclassifier`,
    actions: [choose],
    size: ALPM_PARTITIONS * ALPM_ROWS_PER_PARTITION,
    implementation: undefined,
    attached: [],
    hashes: [],
    usesRandom: false,
  };
  const search = {
    ...first,
    key: [{ access, kind: "exact" as const }, ...first.key],
    algorithmic: { partitions: ALPM_PARTITIONS, perPartition: Math.ceil(first.size / ALPM_PARTITIONS) },
  };
  return [before, search, ...rest];
}

function partName(name: string, index: number): string {
  return index === 0 ? name : `${name}#${index + 1}`;
}

function uniqueByName(list: readonly Attached[]): Attached[] {
  const byName = new Map<string, Attached>();
  for (const entry of list) {
    const known = byName.get(entry.name);
    byName.set(
      entry.name,
      known === undefined
        ? entry
        : { ...known, updatesAndReturns: known.updatesAndReturns || entry.updatesAndReturns },
    );
  }
  return [...byName.values()];
}

function toAction(reader: ActionReader, steps: readonly Step[], hit: boolean): ActionModel {
  return {
    name: reader.action.name,
    hit,
    data: steps.flatMap((step) => step.data),
    reads: steps.flatMap((step) => step.reads),
    writes: steps.flatMap((step) => step.writes),
    arithmetic: steps.flatMap((step) => step.arithmetic),
    source: steps[0]?.source,
  };
}

function countsOf(spec: p4info.CounterSpec | undefined): Attached["counts"] {
  if (spec?.unit === 1) return "bytes";
  return spec?.unit === 2 ? "packets" : "both";
}
