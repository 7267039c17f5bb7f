/** How the units, the parser and the deparser of a gress use its fields, as far as their containers depend on it. */
import { defined } from "../../../base/index.js";
import type { Access, FieldInfo, FitModel, Gress, Operation, Unit } from "../model/model.js";
import { actionReads, keyReads, writesOf } from "../model/model.js";
import type { Target } from "../target.js";

/** How the units of a gress use fields. */
export interface GressUse {
  readonly gress: Gress;
  readonly units: readonly Unit[];
  readonly touched: ReadonlySet<string>;
  /** What stands on the crossbar: keys, conditions, what is hashed, indices and operands of memories. */
  readonly matched: ReadonlySet<string>;
  /** Results of sums, and operands that are narrower than these or end at a largest or smallest value (p4c, phv/cluster_phv_operations.cpp). */
  readonly alone: ReadonlySet<string>;
  /** Operands and results of logic and sums, which stand at the same bits of their containers. */
  readonly aligned: ReadonlySet<string>;
  /** Times at which the packet came, of which the parser fills whole containers (p4c, phv/phv_fields.cpp, MarkTimestampAndVersion). */
  readonly stamps: ReadonlySet<string>;
  /** What an instruction takes from the packet or gives to it together with another field, or what its deparser takes. */
  readonly tied: ReadonlySet<string>;
  /** What mirrors, resubmissions and digests have stands apart, in containers that they reach (p4c, phv/make_clusters.cpp, break_cond_digest_field). */
  readonly listed: ReadonlySet<string>;
  /** By field: the bits that tables name. */
  readonly ranges: ReadonlyMap<string, readonly Access[]>;
  readonly operations: readonly { readonly unit: Unit; readonly action: number; readonly op: Operation }[];
  /** Tests for being equal, as if they were logic: a gateway has both fields at the same bits of containers of one size (p4c, phv/make_clusters.cpp). */
  readonly comparisons: readonly { readonly op: Operation }[];
  /** Fields of a header of the packet that something reads, or whose bytes the deparser sends. */
  readonly kept: (header: string) => readonly FieldInfo[];
  /** By header and byte: the list in which the byte stands before lists are cut for containers, of as many bits and fields. */
  readonly lists: Map<string, HeaderList>;
}

/** Neighbouring bytes of a header that get their containers together. */
export interface HeaderList {
  readonly bits: number;
  readonly fields: number;
}

/**
 * Values for the traffic manager and the deparser whose container tells by itself whether they were written, so that nothing else stands in
 * it (p4c, parde/add_metadata_pov.cpp, INVALIDATE_FROM_ARCH): on chips whose values have no bit that says so.
 */
const VALID_BY_CONTAINER: ReadonlySet<string> = new Set([
  "mcast_grp_a",
  "mcast_grp_b",
  "ucast_egress_port",
  "resubmit_type",
  "digest_type",
  "mirror_type",
]);

export const isValidByContainer = (field: string): boolean =>
  VALID_BY_CONTAINER.has(field.split(".").at(-1)!);

/** Reads the use of a gress. */
export function useOf(model: FitModel, target: Target, gress: Gress): GressUse {
  const units = model.units.filter((unit) => unit.gress === gress);
  const touched = new Set<string>();
  const matched = new Set<string>();
  const alone = new Set<string>();
  const aligned = new Set<string>();
  const tied = new Set(model.forDeparser);
  const ranges = new Map<string, Access[]>();
  for (const unit of units) {
    const ofMemories = unit.attached.flatMap(({ address, operands }) => [...address.inputs, ...operands]);
    for (const { field } of [...keyReads(unit), ...ofMemories]) matched.add(field);
    for (const access of [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)]) {
      touched.add(access.field);
      const list = ranges.get(access.field);
      if (list === undefined) ranges.set(access.field, [access]);
      else list.push(access);
    }
    for (const { operations } of unit.actions)
      for (const { kind, write, sources, saturates, keepsOthers } of operations) {
        for (const { field } of sources.length > 0 ? [write, ...sources] : []) tied.add(field);
        if (kind === "set" || keepsOthers === true) continue;
        for (const { field } of [write, ...sources]) aligned.add(field);
        if (kind !== "arithmetic") continue;
        alone.add(write.field);
        for (const { field, width } of sources)
          if (saturates === true || width < write.width) alone.add(field);
      }
  }
  if (model.hasEgressParser && !target.phv.deparser_validity_shared)
    for (const field of [...touched, ...model.parser.sets(gress)])
      if (model.forDeparser.has(field) && isValidByContainer(field)) alone.add(field);
  const operations = units.flatMap((unit) =>
    unit.actions.flatMap((one, action) => one.operations.map((op) => ({ unit, action, op }))),
  );
  const comparisons = units.flatMap(({ condition, source }) =>
    (condition?.pairs ?? []).map(([write, other]) => ({
      op: { kind: "logic", write, sources: [other], data: false, source } satisfies Operation,
    })),
  );
  for (const { op } of comparisons) for (const { field } of [op.write, ...op.sources]) aligned.add(field);
  const known = new Map<string, readonly FieldInfo[]>();
  const kept = (header: string) => {
    const fields = known.get(header) ?? keptOf(model, gress, touched, header);
    known.set(header, fields);
    return fields;
  };
  const stamp = model.program.architecture?.pipes[0]?.[gress].fields["parser.global_tstamp"];
  const stamps = new Set(stamp === undefined ? [] : [stamp.join(".")]);
  return {
    gress,
    units,
    touched,
    matched,
    alone,
    aligned,
    stamps,
    tied,
    listed: new Set([
      ...model.parser.carries(gress),
      ...((target.phv.arrangement?.bypasses ?? 0) > 0 ? [] : model.parser.digests(gress)),
    ]),
    ranges,
    operations,
    comparisons,
    kept,
    lists: new Map(),
  };
}

/** Of a header that is not sent, the compiler places what tables, the parser or the deparser read, and the port with its mark of a second pass. */
function keptOf(model: FitModel, gress: Gress, touched: ReadonlySet<string>, header: string): FieldInfo[] {
  const fields = defined(model.headers.get(header)).fields.map((name) => defined(model.fields.get(name)));
  if (!model.hasEgressParser || model.parser.isSent(gress, header)) return fields;
  const given = intrinsicHeader(model, gress) === header ? givenFields(gress) : [];
  return fields.filter(
    ({ name }) =>
      touched.has(name) ||
      model.parser.reads(gress).has(name) ||
      given.some((one) => name === `${header}.${one}`),
  );
}

/** What the chip's own header gives to the deparser whatever the program does. */
const givenFields = (gress: Gress): readonly string[] => (gress === "ingress" ? [] : ["egress_port"]);

/** The header that the chip puts before each packet of a gress, where the parser extracts it. */
export function intrinsicHeader(model: FitModel, gress: Gress): string | undefined {
  const [port, other] =
    gress === "ingress" ? ["ingress_port", "resubmit_flag"] : ["egress_port", "enq_qdepth"];
  return [...model.headers.values()].find(
    ({ name, metadata, fields }) =>
      !metadata &&
      model.parser.isParsed(gress, name) &&
      fields.includes(`${name}.${port}`) &&
      fields.includes(`${name}.${other}`),
  )?.name;
}
