/**
 * Zeros that a program writes before anything else: the parser has cleared the containers of metadata, so that the compiler drops such
 * an assignment (p4c, backends/tofino/bf-p4c/phv/auto_init_metadata.cpp, RemoveMetadataInits). A field that some packet reads without a
 * write before is not cleared, unless the architecture clears it.
 */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { readValue } from "../expressions.js";
import { actionsOf, clearedBy, type Editing, fieldsIn, nextNodes, nodeOrder, partsOf } from "./graph.js";
import { liveAtStart } from "./liveness.js";

/** Values of Tofino 1 whose container tells by itself whether it was written (p4c, parde/add_metadata_pov.cpp, INVALIDATE_FROM_ARCH). */
const INVALID_FIRST = {
  ingress: [
    "tm.mcast_grp_a",
    "tm.mcast_grp_b",
    "tm.ucast_egress_port",
    "deparser.resubmit_type",
    "deparser.digest_type",
  ],
  egress: ["deparser.mirror_type"],
} as const;
/** Values that the architecture clears, whoever reads them (INIT_BY_ARCH). */
const CLEARED = { ingress: ["deparser.drop_ctl", "deparser.mirror_type"], egress: [] } as const;

/** Which fields of a pipeline hold zero until something writes them. */
export class ClearedFields {
  private constructor(
    private readonly editing: Editing,
    private readonly pipeline: bmv2.Pipeline,
    readonly isCleared: (name: string) => boolean,
  ) {}

  /**
   * Undefined where the pipeline is none of the architecture's.
   * @param hasValidity values for the deparser have a bit that says that they were written, so that their zeros stay (Tofino 2)
   */
  static of(
    editing: Editing,
    pipeline: bmv2.Pipeline,
    atEnd: ReadonlySet<string>,
    hasValidity: boolean,
  ): ClearedFields | undefined {
    const gress = pipeline.name === "ingress" ? "ingress" : pipeline.name === "egress" ? "egress" : undefined;
    const fields = gress === undefined ? undefined : editing.program.architecture?.pipes[0]?.[gress].fields;
    if (gress === undefined || fields === undefined) return undefined;
    const named = (roles: readonly string[]) =>
      roles.flatMap((role) => (fields[role] === undefined ? [] : [fields[role].join(".")]));
    const kept = new Set(named(hasValidity ? Object.keys(fields) : INVALID_FIRST[gress]));
    const cleared = new Set(named(CLEARED[gress]));
    const readUnset = liveAtStart(editing, pipeline, atEnd);
    const set = writtenByParser(editing, gress);
    return new ClearedFields(
      editing,
      pipeline,
      (name) =>
        editing.fields.get(name)?.metadata === true &&
        !name.endsWith("$") &&
        !kept.has(name) &&
        !set.has(name) &&
        !editing.uncleared.has(name) &&
        (cleared.has(name) || !readUnset.has(name)),
    );
  }

  setBy(primitive: bmv2.Primitive): readonly string[] {
    return partsOf(this.editing, primitive).sets;
  }

  /** By node: fields that something has written on some way to it. */
  writtenBefore(order: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
    const next = nextNodes(this.pipeline);
    const tables = new Map(this.pipeline.tables.map((table) => [table.name, table]));
    const written = new Map(order.map((name) => [name, new Set<string>()]));
    for (const name of order) {
      const after = new Set(defined(written.get(name)));
      const table = tables.get(name);
      for (const action of table === undefined ? [] : actionsOf(this.editing, table))
        for (const primitive of action.primitives)
          for (const field of this.setBy(primitive)) after.add(field);
      for (const node of new Set(defined(next.get(name))))
        if (node !== null) for (const field of after) defined(written.get(node)).add(field);
    }
    return written;
  }
}

/** Removes such assignments of a pipeline. True when something changed. */
export function removeZeros(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  atEnd: ReadonlySet<string>,
  hasValidity: boolean,
): boolean {
  const order = nodeOrder(pipeline);
  const cleared = ClearedFields.of(editing, pipeline, atEnd, hasValidity);
  if (order === undefined || cleared === undefined) return false;
  return sweepZeros(editing, pipeline, order, cleared.isCleared);
}

/** Removes zeros of fields that nothing has written on any way to them. */
function sweepZeros(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  order: readonly string[],
  mayGo: (name: string) => boolean,
): boolean {
  const next = nextNodes(pipeline);
  const tables = new Map(pipeline.tables.map((table) => [table.name, table]));
  const written = new Map(order.map((name) => [name, new Set<string>()]));
  let changed = false;
  for (const name of order) {
    const before = defined(written.get(name));
    const after = new Set(before);
    const table = tables.get(name);
    for (const action of table === undefined ? [] : actionsOf(editing, table)) {
      const here = new Set(before);
      // Numbers of primitives are the targets of jumps.
      const jumps = action.primitives.some(({ op }) => op.startsWith("_jump"));
      const isStatement = table !== undefined && editing.isStatement(table, action);
      const rest = action.primitives.flatMap((primitive) => {
        const target = zeroed(editing, primitive);
        if (!jumps && target !== undefined && mayGo(target) && !here.has(target)) {
          // Each table runs its own copy of an action, which only here is known to come first.
          if (editing.users.get(action.id) === 1) {
            changed = true;
            editing.zeros.add(target);
            return isStatement ? [clearedBy(target, primitive.source_info)] : [];
          }
        }
        for (const field of partsOf(editing, primitive).sets) here.add(field);
        return [primitive];
      });
      action.primitives = rest;
      for (const field of here) after.add(field);
    }
    for (const node of new Set(defined(next.get(name))))
      if (node !== null) for (const field of after) defined(written.get(node)).add(field);
  }
  return changed;
}

/** The field that an assignment sets to zero. */
function zeroed({ fields }: Editing, { op, parameters }: bmv2.Primitive): string | undefined {
  const [target, value] = parameters;
  if (op !== "assign" || target?.type !== "field" || value === undefined) return undefined;
  const expr = readValue(value, { fields, parameters: [] });
  return expr.kind === "constant" && expr.value === 0n ? target.value.join(".") : undefined;
}

/** A parser that sets zero does what the hardware does anyway. */
function writtenByParser({ program }: Editing, gress: "ingress" | "egress"): ReadonlySet<string> {
  const parsers = program.architecture?.pipes[0]?.[gress].parsers ?? [];
  const names = new Set<string>();
  for (const at of parsers)
    for (const { parser_ops: ops } of defined(program.parsers[at]).parse_states)
      for (const { op, parameters } of ops)
        if (op === "set" && !isZero(parameters[1])) fieldsIn(parameters[0], names);
  return names;
}

function isZero(value: unknown): boolean {
  const node = value as { type?: unknown; value?: unknown };
  if (node?.type === "expression") return isZero(node.value);
  return node?.type === "hexstr" && typeof node.value === "string" && BigInt(node.value) === 0n;
}
