/** Parsers and deparsers of a result: for a terminal, as JSON and as a part of a page. */
import { type Cell, escapeMarkup, formatTable } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { FitResult } from "../fit.js";
import type { DeparserUse, Sent } from "../parde/deparser.js";
import { extractorsOf, type HardwareState, rowsOf } from "../parde/machine.js";
import type { ParserUse } from "../parde/parde.js";
import type { Target } from "../target.js";

type Chip = NonNullable<Target["parde"]>;

const GRESSES = ["ingress", "egress"] as const;
const KINDS = ["digest", "mirror", "resubmit"] as const;

/** Two tables, of parsers and of deparsers; no lines for a program whose parsers are not counted. */
export function pardeText({ parde, target }: FitResult): string[] {
  const chip = target.parde;
  if (parde === undefined || chip === undefined) return [];
  const lines = ["", formatTable(PARSER_HEAD, [...parde.parsers.map(parserCells), parserLimits(chip)])];
  for (const { gress, reason, source } of parde.uncounted)
    lines.push(
      `parser of ${gress} is not counted: ${reason}${source === undefined ? "" : ` (line ${source.line})`}`,
    );
  for (const use of parde.parsers) {
    const { padding, gress } = use;
    if (padding.states > 0)
      lines.push(
        `${gress}: ${padding.states} of the states read up to ${padding.bytes} bytes more, since the chip reads at least ${chip.parser.min_egress_bytes} bytes of each packet`,
      );
    lines.push(...rateText(use, chip));
  }
  const deparsers = GRESSES.flatMap((gress) => {
    const use = parde.deparsers[gress];
    return use === undefined ? [] : [deparserCells(gress, use)];
  });
  lines.push("", formatTable(DEPARSER_HEAD, [...deparsers, deparserLimits(target, chip)]));
  return lines;
}

const PARSER_HEAD = ["parser", "rows", "states", "cycles", "bytes", "match", "checksums"];

function parserCells({ gress, rows, states, padding, ways, registers, engines }: ParserUse): Cell[] {
  const match = Math.max(0, ...registers.map(({ held }) => held));
  return [gress, rows, states.length + padding.states, ways.cycles, ways.bytes, match, engines.units];
}

const parserLimits = ({ parser }: Chip): Cell[] => [
  "of",
  parser.rows,
  "",
  "",
  parser.max_egress_bytes === null ? "" : `${parser.max_egress_bytes} (egress)`,
  parser.held_bytes,
  parser.checksum_units,
];

/** What the longest way means for a port. */
function rateText({ gress, rate, ways }: ParserUse, { parser }: Chip): string[] {
  if (rate === undefined || parser.port_gbps === null) return [];
  if (rate.isKept) return [];
  return [
    `${gress}: packets on the longest way (${ways.cycles} cycles) keep up with ${parser.port_gbps} Gbit/s from ${rate.leastBytes} bytes on the wire; ${rate.millionPackets.toFixed(1)} million of them a second`,
  ];
}

const DEPARSER_HEAD = [
  "deparser",
  "entries",
  "validity",
  "checksums",
  ...KINDS.map((kind) => `${kind}s`),
  "past",
];

function deparserCells(gress: string, use: DeparserUse): Cell[] {
  return [
    gress,
    use.entries,
    use.validityBits,
    use.checksums.length,
    ...KINDS.map((kind) => sentText(use.sent.filter((one) => one.kind === kind))),
    use.past,
  ];
}

const sentText = (list: readonly Sent[]): Cell =>
  list.length === 0 ? 0 : `${list.length} (${Math.max(...list.map(({ bytes }) => bytes))} B)`;

function deparserLimits({ phv }: Target, { deparser }: Chip): Cell[] {
  const kind = (count: number | null, bytes: number | null): Cell =>
    count === null ? "" : `${count}${bytes === null ? "" : ` (${bytes} B)`}`;
  return [
    "of",
    deparser.entries,
    deparser.validity_bits,
    deparser.checksum_units,
    kind(deparser.digests, deparser.digest_bytes),
    kind(deparser.mirrors, deparser.mirror_bytes),
    kind(deparser.resubmits, deparser.resubmit_bytes),
    `${deparser.bypasses}${(phv.arrangement?.bypasses ?? 0) > 0 ? ` (${phv.arrangement?.bypasses} a packet)` : ""}`,
  ];
}

/** What `--json` says of parsers and deparsers. */
export interface PardeDocument {
  parsers: {
    name: string;
    gress: string;
    /** Rows of the match memory, those of the padding among them. */
    tcam_rows: number;
    tcam_rows_limit: number;
    /** Cycles of the longest way through the states. */
    longest_path_cycles: number;
    longest_path: readonly string[];
    /** Bytes that the parser goes on in the packet at most, with those that the chip puts before it. */
    longest_path_bytes: number;
    padding: { states: number; tcam_rows: number; bytes: number };
    checksum_units: number;
    /** Null where no source states the port of a parser. */
    line_rate: { kept: boolean; least_wire_bytes: number; million_packets_per_second: number } | null;
    states: {
      name: string;
      line: number | null;
      /** Values that the rows compare: fields, variables, or the counter (null). */
      match: (string | null)[];
      match_bytes: number;
      held_bytes: number;
      tcam_rows: number;
      /** By size of the container; on a chip whose extractors have one size, of that size. */
      extractors: Record<string, number>;
      shift_bytes: number;
      checksums: number;
      next: (string | null)[];
    }[];
  }[];
  not_counted: { name: string; gress: string; reason: string; line: number | null }[];
  deparsers: {
    gress: string;
    fde_entries: number;
    fde_entries_limit: number | null;
    pov_bits: number;
    pov_bits_limit: number | null;
    checksum_units: number;
    digests: { bytes: number; line: number | null }[];
    mirrors: { bytes: number; line: number | null }[];
    resubmits: { bytes: number; line: number | null }[];
    clots: number;
    /** At most so many in one packet. */
    clots_of_packet: number;
    headers: readonly { header: string; entries: number }[];
  }[];
}

/** Undefined for a program whose parsers are not counted. */
export function pardeJson({ parde, target }: FitResult): PardeDocument | undefined {
  const chip = target.parde;
  if (parde === undefined || chip === undefined) return undefined;
  return {
    parsers: parde.parsers.map((use) => ({
      name: use.name,
      gress: use.gress,
      tcam_rows: use.rows,
      tcam_rows_limit: chip.parser.rows,
      longest_path_cycles: use.ways.cycles,
      longest_path: use.ways.longest,
      longest_path_bytes: use.ways.bytes,
      padding: { states: use.padding.states, tcam_rows: use.padding.rows, bytes: use.padding.bytes },
      checksum_units: use.engines.units,
      line_rate:
        use.rate === undefined
          ? null
          : {
              kept: use.rate.isKept,
              least_wire_bytes: use.rate.leastBytes,
              million_packets_per_second: Math.round(10 * use.rate.millionPackets) / 10,
            },
      states: use.states.map((state, id) => ({
        name: state.name,
        line: lineOf(state.source),
        match: state.match.map(({ slot, isCounter }) => (isCounter ? null : slot)),
        match_bytes: use.registers[id]?.matched ?? 0,
        held_bytes: use.registers[id]?.held ?? 0,
        tcam_rows: rowsOf([state]),
        extractors: extractorsOf(state, chip.parser.extractors),
        shift_bytes: Math.max(0, ...state.rows.map(({ shift }) => shift)),
        checksums: new Set(state.rows.flatMap(({ sums }) => sums.map(({ engine }) => engine))).size,
        next: nextsOf(state, use.states),
      })),
    })),
    not_counted: parde.uncounted.map(({ name, gress, reason, source }) => ({
      name,
      gress,
      reason,
      line: lineOf(source),
    })),
    deparsers: GRESSES.flatMap((gress) => {
      const use = parde.deparsers[gress];
      if (use === undefined) return [];
      const sent = (kind: Sent["kind"]) =>
        use.sent
          .filter((one) => one.kind === kind)
          .map(({ bytes, source }) => ({ bytes, line: lineOf(source) }));
      return [
        {
          gress,
          fde_entries: use.entries,
          fde_entries_limit: chip.deparser.entries,
          pov_bits: use.validityBits,
          pov_bits_limit: chip.deparser.validity_bits,
          checksum_units: use.checksums.length,
          digests: sent("digest"),
          mirrors: sent("mirror"),
          resubmits: sent("resubmit"),
          clots: use.past,
          clots_of_packet: use.pastOfPacket,
          headers: use.byHeader,
        },
      ];
    }),
  };
}

const lineOf = (source: bmv2.SourceInfo | undefined): number | null => source?.line ?? null;

/** Names of the next states, each once; null: the end. */
const nextsOf = ({ rows }: HardwareState, states: readonly HardwareState[]): (string | null)[] => [
  ...new Set(rows.map(({ to }) => (to === undefined ? null : states[to]!.name))),
];

/** The section of the page; empty for a program whose parsers are not counted. */
export function pardeHtml(
  result: FitResult,
  link: (source: bmv2.SourceInfo | undefined, text: string) => string,
): string {
  const { parde, target } = result;
  const chip = target.parde;
  if (parde === undefined || chip === undefined) return "";
  const sizes = ([8, 16, 32] as const).filter((size) => chip.parser.extractors[size] > 0);
  const parsers = parde.parsers.map((use) => {
    const head = `<tr><th>State</th><th>Rows</th>${sizes.map((size) => `<th>${size} bit<br><small>of ${chip.parser.extractors[size]}</small></th>`).join("")}<th>Shift<br><small>of ${chip.parser.buffer_bytes} B</small></th><th>Match<br><small>of ${chip.parser.match_bytes} B</small></th><th>Looks at</th></tr>`;
    const rows = use.states.map((state, id) => {
      const extractors = extractorsOf(state, chip.parser.extractors);
      const cells = sizes.map((size) => `<td>${extractors[size]}</td>`).join("");
      const shift = Math.max(0, ...state.rows.map((row) => row.shift));
      const looks = state.match.map(({ slot, isCounter }) => (isCounter ? "counter" : slot)).join(", ");
      return `<tr><th>${link(state.source, state.name)}</th><td>${rowsOf([state])}</td>${cells}<td>${shift}</td><td>${use.registers[id]?.matched ?? 0}</td><td class="names">${escapeMarkup(looks)}</td></tr>`;
    });
    return `<h3>${use.gress}: ${use.rows} of ${chip.parser.rows} rows, at most ${use.ways.cycles} cycles</h3><div class="wide"><table>${head}${rows.join("")}</table></div>`;
  });
  return `<h2>Parsers and deparsers</h2><p>A state is a cycle of the parser. The rows of all states share the match memory of a parser.</p>${parsers.join("")}<pre>${escapeMarkup(pardeText(result).join("\n").trim())}</pre>`;
}
