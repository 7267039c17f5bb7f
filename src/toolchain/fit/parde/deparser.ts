/**
 * A deparser's use: entries of its dictionary, which sends the containers of each header that is valid; validity bits; checksum units; what it
 * takes to digests, mirrors and resubmitted packets; pieces of the packet that go past the pipeline.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { FitModel, Gress } from "../model/model.js";
import { containerName, type PhvAllocation, TO_DEPARSER } from "../phv/allocation.js";
import type { ContainerSize } from "../phv/pack.js";
import type { Target } from "../target.js";

export type DeparserChip = NonNullable<Target["parde"]>["deparser"];

/** What a call of the deparser sends: a list of fields. */
export interface Sent {
  readonly kind: "mirror" | "digest" | "resubmit";
  readonly bytes: number;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface DeparserUse {
  /** Of the dictionary: entries of a container each, or chunks of neighbour bytes of one header. */
  readonly entries: number;
  readonly validityBits: number;
  readonly checksums: readonly { readonly field: string; readonly source: bmv2.SourceInfo | undefined }[];
  readonly sent: readonly Sent[];
  /** Pieces past the pipeline: of all packets, and a bound of those of one: the pieces of a header and of all that it does not exclude. */
  readonly past: number;
  readonly pastOfPacket: number;
  /** The headers with the most entries. */
  readonly byHeader: readonly { readonly header: string; readonly entries: number }[];
}

export function deparserUse(
  program: bmv2.Bmv2Program,
  deparser: bmv2.Bmv2Deparser,
  gress: Gress,
  {
    model,
    allocation,
    target,
    chip,
  }: {
    readonly model: FitModel;
    readonly allocation: PhvAllocation;
    readonly target: Target;
    readonly chip: DeparserChip;
  },
): DeparserUse {
  const sent = deparser.order.filter((header) => model.parser.isCarried(gress, header));
  const checksums = checksumsOf(program, deparser);
  const runs = sent.map((header) => ({ header, pieces: piecesOf(model, allocation, gress, header) }));
  const byHeader = runs.map(({ header, pieces }) => ({
    header,
    entries:
      chip.chunk_bytes === null
        ? pieces.length
        : chunksOf(
            pieces.map(({ bytes }) => bytes),
            chip.chunk_bytes,
          ),
  }));
  const past = allocation.bypasses.filter((one) => one.gress === gress);
  const entries =
    chip.chunk_bytes === null
      ? byHeader.reduce((sum, one) => sum + one.entries, 0) + conditional(checksums)
      : chunksUsed(
          runs.map(({ pieces }) => pieces),
          chip,
        );
  const values = [...model.forDeparser].filter((field) => touched(model, gress, field));
  return {
    entries,
    validityBits: sent.length + (target.phv.deparser_validity_shared ? values.length : 0),
    checksums: checksums.map(({ field, source }) => ({ field, source })),
    sent: sentBy(program, deparser, gress),
    past: past.length,
    pastOfPacket: Math.max(
      0,
      ...past.map(
        ({ header }) => past.filter((other) => !model.parser.exclusiveHeaders(header, other.header)).length,
      ),
    ),
    byHeader: [...byHeader].sort((a, b) => b.entries - a.entries),
  };
}

/** Neighbour bytes of a header that stand in one container, or go past the pipeline. */
interface SentPiece {
  readonly first: number;
  readonly bytes: number;
  readonly isPast: boolean;
}

function piecesOf(model: FitModel, allocation: PhvAllocation, gress: Gress, header: string): SentPiece[] {
  const pieces = new Map<string, SentPiece>();
  const own = new Set(model.headers.get(header)?.fields ?? []);
  for (const container of allocation.containers) {
    if (container.gress !== gress) continue;
    for (const { field, lo, width, at, live } of container.slices) {
      if (!own.has(field) || live.to !== TO_DEPARSER) continue;
      const info = defined(model.fields.get(field));
      const lowest = info.offset + info.width - lo;
      const first = Math.floor((lowest - width - (container.size - at - width)) / 8);
      // Two places of one header in a container are two entries.
      pieces.set(`${containerName(container)} ${first}`, {
        first,
        bytes: (container.size as ContainerSize) / 8,
        isPast: false,
      });
    }
  }
  const past = allocation.bypasses
    .filter((one) => one.gress === gress && one.header === header)
    .map(({ firstByte, bytes }) => ({ first: firstByte, bytes, isPast: true }));
  return [...pieces.values(), ...past].sort((a, b) => a.first - b.first);
}

const chunksOf = (pieces: readonly number[], size: number): number => {
  let chunks = 0;
  let room = 0;
  for (const bytes of pieces) {
    if (bytes > size) {
      chunks += Math.ceil(bytes / size);
      room = 0;
    } else if (bytes > room) {
      chunks++;
      room = size - bytes;
    } else room -= bytes;
  }
  return chunks;
};

/**
 * Chunks up to the last one in use. A chunk has neighbour bytes of one header; what goes past the pipeline has chunks of its own, does not
 * cross a group, and a group holds so many (p4c, bf-asm/jbay/deparser.cpp).
 */
export function chunksUsed(
  headers: readonly (readonly { readonly bytes: number; readonly isPast: boolean }[])[],
  { chunk_bytes: size, chunks_of_group: group, bypasses_of_group: most }: DeparserChip,
): number {
  if (size === null || group === null) return 0;
  let chunk = 0;
  let room = 0;
  let inGroup = 0;
  const close = () => {
    if (room > 0) chunk++;
    room = 0;
  };
  let last = 0;
  for (const pieces of headers) {
    for (const { bytes, isPast } of pieces) {
      if (isPast || bytes > room) close();
      const now = Math.floor(chunk / group);
      if (now !== last) inGroup = 0;
      last = now;
      if (!isPast) {
        room = (room === 0 ? size : room) - bytes;
        if (room === 0) chunk++;
        continue;
      }
      const chunks = Math.ceil(bytes / size);
      if ((chunk % group) + chunks > group || inGroup >= (most ?? Number.POSITIVE_INFINITY)) {
        chunk = (Math.floor(chunk / group) + 1) * group;
        last = Math.floor(chunk / group);
        inGroup = 0;
      }
      inGroup++;
      chunk += chunks;
    }
    close();
  }
  return chunk;
}

interface Update {
  readonly field: string;
  readonly source: bmv2.SourceInfo | undefined;
  readonly isConditional: boolean;
}

/** Under a condition, the unit's result and the field itself are two entries. */
const conditional = (updates: readonly Update[]): number =>
  updates.filter(({ isConditional }) => isConditional).length;

/** Checksums that the deparser computes: the results of calculations, and the fields that they go to. */
export function checksumsOf(program: bmv2.Bmv2Program, { primitives = [] }: bmv2.Bmv2Deparser): Update[] {
  const updates: Update[] = [];
  let until = 0;
  for (const [i, { op, parameters, source_info: source }] of primitives.entries()) {
    if (op === "_jump_if_zero" && parameters[1]?.type === "hexstr")
      until = Math.max(until, Number(parameters[1].value));
    if (op !== "modify_field_with_hash_based_offset") continue;
    const called = parameters.find((one) => one.type === "calculation")?.value;
    if (program.calculations.find(({ name }) => name === called)?.algo !== "csum16") continue;
    const target = primitives[i + 1]?.parameters[0];
    const field = target?.type === "field" ? target.value.join(".") : "";
    updates.push({ field, source, isConditional: i < until });
  }
  return updates;
}

export function sentBy(
  program: bmv2.Bmv2Program,
  { primitives = [] }: bmv2.Bmv2Deparser,
  gress: Gress,
): Sent[] {
  const listed = (parameters: readonly bmv2.Value[]): number => {
    const called = parameters.find((one) => one.type === "calculation")?.value;
    return bytesOf(program, program.calculations.find(({ name }) => name === called)?.input ?? []);
  };
  const sent: Sent[] = [];
  for (const { op, parameters, source_info: source } of primitives) {
    if (op === "mirror") sent.push({ kind: "mirror", bytes: listed(parameters), source });
    else if (op === "resubmit_data") sent.push({ kind: "resubmit", bytes: listed(parameters), source });
    else if (op === "generate_digest" && gress === "ingress") {
      const id = parameters[1]?.type === "hexstr" ? Number(parameters[1].value) : -1;
      const list = program.learn_lists.find((one) => one.id === id);
      sent.push({ kind: "digest", bytes: bytesOf(program, list?.elements ?? []), source });
    }
  }
  return sent;
}

/** Whole bytes of a list of values. */
function bytesOf(program: bmv2.Bmv2Program, values: readonly bmv2.CalculationInput[]): number {
  const bits = values.reduce(
    (sum, one) => sum + (one.type === "payload" ? 0 : bitsOf(program, one as bmv2.Value, one.bitwidth)),
    0,
  );
  return Math.ceil(bits / 8);
}

function bitsOf(program: bmv2.Bmv2Program, value: bmv2.Value, stated: number | undefined): number {
  if (stated !== undefined) return stated;
  if (value.type === "hexstr") return 4 * value.value.replace(/^-?0x/, "").length;
  if (value.type !== "field") return 0;
  const [header, name] = value.value;
  const type = program.headers.find((one) => one.name === header)?.header_type;
  const width = program.header_types
    .find((one) => one.name === type)
    ?.fields.find(([field]) => field === name)?.[1];
  return typeof width === "number" ? width : 1;
}

function touched(model: FitModel, gress: Gress, field: string): boolean {
  return model.units.some(
    (unit) =>
      unit.gress === gress && unit.actions.some(({ writes }) => writes.some((one) => one.field === field)),
  );
}
