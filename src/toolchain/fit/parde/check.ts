/**
 * What a program asks of parsers and deparsers that the chip does not have, whatever containers its fields get: rows of the match memory, bytes
 * that a select compares, bytes ahead, units of checksums, lists and validity bits of deparsers. What depends on the containers is in `exceeded`.
 */
import { defined } from "../../../base/index.js";
import type { CheckContext } from "../check/check-context.js";
import { CODES } from "../codes.js";
import { fieldLabel } from "../model/expressions.js";
import type { FieldInfo, Gress } from "../model/model.js";
import type { Target } from "../target.js";
import { engineUse } from "./checksums.js";
import { checksumsOf, type Sent, sentBy } from "./deparser.js";
import { type HardwareState, NO_WORK, rowsOf } from "./machine.js";
import { mergeChains } from "./merge.js";
import type { KeyPart, PacketState } from "./packet.js";
import { packetStates } from "./packet-states.js";
import type { PardeUse } from "./parde.js";
import { registerUse } from "./registers.js";
import { splitState } from "./split.js";

type Chip = NonNullable<Target["parde"]>;

export function checkParde(context: CheckContext): void {
  const { model, target } = context;
  const { program } = model;
  const pipe = program.architecture?.pipes[0];
  if (target.parde === undefined || pipe === undefined) return;
  for (const gress of ["ingress", "egress"] as const) {
    for (const at of pipe[gress].parsers) {
      const parser = defined(program.parsers[at]);
      const graph = packetStates(program, parser);
      if ("states" in graph) checkParser(context, target.parde, parser.name, mergeChains(graph.states));
    }
    if (program.deparsers[pipe[gress].deparser] !== undefined)
      checkDeparser(context, target.parde, gress, pipe[gress].deparser);
  }
}

function checkParser(
  context: CheckContext,
  { parser: chip }: Chip,
  name: string,
  states: readonly PacketState[],
): void {
  const { refuse, model } = context;
  const keyed = states.filter(({ key }) => key.length > 0);
  const branching = keyed.map(asRows);
  const rows = rowsOf(branching);
  const [most] = [...branching].sort((a, b) => rowsOf([b]) - rowsOf([a]));
  if (rows > chip.rows && most !== undefined)
    refuse(
      CODES.parserRows,
      most.source,
      `the parser ${name} has at least ${rows} branches and entries of value sets, where header stacks are unrolled; state ${most.name} has ${rowsOf([most])}`,
      `its match memory has ${chip.rows} rows: tell fewer values apart in the parser and the rest in a table, or make stacks and value sets smaller`,
    );
  for (const state of keyed) {
    const bytes = matchedBytes(state, model.fields);
    if (bytes <= chip.match_bytes) continue;
    const parts = state.key.filter(({ isCounter }) => !isCounter).map(({ slot }) => fieldLabel(slot));
    refuse(
      CODES.parserSelect,
      state.source,
      `the select of state ${state.names.join(" + ")} compares ${bytes} bytes (${parts.join(", ")})`,
      `a state compares ${chip.match_bytes} bytes: mask what is not needed, or compare a part here and the rest in the next state`,
    );
  }
  for (const state of states)
    if (splitState({ ...state, key: testedKey(state) }, [], [], chip) === undefined)
      refuse(
        CODES.parserLookahead,
        state.source,
        `state ${state.names.join(" + ")} looks further ahead than a cycle of the parser sees`,
        `a cycle sees ${chip.buffer_bytes} bytes: advance first, or compare the value in the state that extracts it`,
      );
  const engines = engineUse(states);
  if (chip.checksum_units !== null && engines.units > chip.checksum_units)
    refuse(
      CODES.parserChecksums,
      engines.source,
      `the parser ${name} has ${engines.units} checksums in work at once in state ${engines.state}`,
      `a parser has ${chip.checksum_units} units: ask for a sum before the next one begins, or leave one to the other gress`,
    );
}

/** The branches of a state alone. */
function asRows({ names, source, key, branches }: PacketState): HardwareState {
  return {
    name: names.join(" + "),
    source,
    match: key.map(({ slot, width, isCounter }) => ({ slot, width, isCounter })),
    rows: branches.map(({ values, masks, set }) => ({
      ...NO_WORK,
      values,
      masks,
      set,
      saves: [],
      shift: 0,
      to: undefined,
    })),
  };
}

/** By part of the key: the bits that some branch tests. */
const testedMasks = ({ key, branches }: PacketState): bigint[] =>
  key.map(({ width }, i) =>
    branches.reduce(
      (mask, { masks, set }) => mask | (set === undefined ? (masks[i] ?? 0n) : (1n << BigInt(width)) - 1n),
      0n,
    ),
  );

/** The key with its bits of this state from the first to the last one that some branch tests. */
function testedKey(state: PacketState): KeyPart[] {
  const masks = testedMasks(state);
  return state.key.flatMap((part, i) => {
    const mask = defined(masks[i]);
    if (part.at === undefined) return [part];
    if (mask === 0n) return [];
    const highest = mask.toString(2).length;
    const lowest = (mask & -mask).toString(2).length - 1;
    return [{ ...part, at: part.at + part.width - highest, width: highest - lowest }];
  });
}

/** Bytes that the branches of a state compare: those of the packet where the place is known, else of the values. */
function matchedBytes(state: PacketState, fields: ReadonlyMap<string, FieldInfo>): number {
  const masks = testedMasks(state);
  const bytes = new Set<number>();
  for (const [i, { at, width }] of state.key.entries())
    for (let bit = 0; at !== undefined && bit < width; bit++)
      if (((defined(masks[i]) >> BigInt(width - 1 - bit)) & 1n) === 1n) bytes.add((at + bit) >> 3);
  const rows = asRows(state);
  const isBefore = (_: unknown, i: number) => state.key[i]?.at === undefined;
  const before: HardwareState = {
    ...rows,
    match: rows.match.filter(isBefore),
    rows: rows.rows.map((row) => ({ ...row, masks: row.masks.filter(isBefore) })),
  };
  return bytes.size + (registerUse([before], fields)[0]?.matched ?? 0);
}

function checkDeparser(
  { refuse, model }: CheckContext,
  { deparser: chip }: Chip,
  gress: Gress,
  at: number,
): void {
  const { program } = model;
  const deparser = defined(program.deparsers[at]);
  const updates = checksumsOf(program, deparser);
  const fields = new Set(updates.map(({ field }) => field));
  if (chip.checksum_units !== null && fields.size > chip.checksum_units)
    refuse(
      CODES.deparserChecksums,
      updates.at(-1)?.source,
      `the deparser of ${gress} computes ${fields.size} checksums`,
      `it has ${chip.checksum_units} units: compute some in the other gress`,
    );
  const sent = sentBy(program, deparser, gress);
  checkLists({ refuse }, "mirror", sent, chip.mirrors, chip.mirror_bytes);
  checkLists({ refuse }, "digest", sent, chip.digests, chip.digest_bytes);
  checkLists({ refuse }, "resubmit", sent, chip.resubmits, chip.resubmit_bytes);
  const headers = deparser.order.filter((header) => model.parser.isCarried(gress, header));
  if (chip.validity_bits !== null && headers.length > chip.validity_bits)
    refuse(
      CODES.deparserValidity,
      deparser.source_info,
      `the deparser of ${gress} sends ${headers.length} headers, elements of stacks among them, each with a validity bit`,
      `it sees ${chip.validity_bits} bits: send headers that always come together as one`,
    );
}

const WORDS = { mirror: "mirrors", digest: "digests", resubmit: "resubmissions" } as const;

function checkLists(
  { refuse }: Pick<CheckContext, "refuse">,
  kind: Sent["kind"],
  sent: readonly Sent[],
  kinds: number | null,
  bytes: number | null,
): void {
  const own = sent.filter((one) => one.kind === kind);
  if (kinds !== null && own.length > kinds)
    refuse(
      CODES.deparserLists,
      own[kinds]?.source,
      `the deparser has ${own.length} ${WORDS[kind]}`,
      `the chip has ${kinds} kinds: let two of them send one header, with a field that tells them apart`,
    );
  for (const one of own)
    if (bytes !== null && one.bytes > bytes)
      refuse(
        CODES.deparserLists,
        one.source,
        `the ${kind} takes ${one.bytes} bytes`,
        `the chip takes ${bytes} bytes: send fewer fields, or a number by which the control plane finds the rest`,
      );
}

/** What the parsers and deparsers take beyond the chip with the containers that were found, in words. */
export function pardeExceeded(parde: PardeUse | undefined, { parde: chip }: Target): string[] {
  if (parde === undefined || chip === undefined) return [];
  const found: string[] = [];
  for (const { name, rows, registers, states } of parde.parsers) {
    if (rows > chip.parser.rows)
      found.push(`parser ${name}: ${rows} of ${chip.parser.rows} rows of the match memory`);
    const at = registers.findIndex(({ held }) => held > chip.parser.held_bytes);
    if (at >= 0)
      found.push(
        `parser ${name}: state ${states[at]?.name} needs ${registers[at]?.held} of ${chip.parser.held_bytes} bytes of match registers`,
      );
  }
  for (const gress of ["ingress", "egress"] as const) {
    const { entries } = parde.deparsers[gress] ?? { entries: 0 };
    const most = chip.deparser.entries;
    if (most !== null && entries > most)
      found.push(`deparser of ${gress}: ${entries} of ${most} entries of the dictionary`);
  }
  return found;
}
