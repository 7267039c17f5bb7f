import { bench, block, page } from "../block.js";
import { table } from "../text.js";

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Of ns-3, or of the kernel. */
  readonly rival: number | null;
  /** What theory says, and whether it is a bound. */
  readonly expected: number | null;
  readonly bound: boolean;
}

type Measured = Readonly<Record<string, string | number | null | undefined>>;

const nameOf = (one: Measured) => String(one["name"]).replace(/^[\w-]+\//, "");

const rowsOf = (document: readonly Measured[]): readonly Row[] =>
  document.map((one) => ({
    name: nameOf(one),
    unit: String(one["unit"]),
    value: Number(one["value"]),
    rival: one["rival_value"] == null ? null : Number(one["rival_value"]),
    expected: one["expected"] === undefined ? null : Number(one["expected"]),
    bound: one["holds"] === "at most",
  }));

const PERCENTILES = ["p10", "p25", "p50", "p75", "p90", "p99"] as const;

/** One control and size of flows. */
interface Group {
  readonly name: string;
  readonly flows: number;
  readonly load: number;
  /** Kernel and p4loom, in ms. */
  readonly times: readonly (readonly [number, number])[];
}

function groupsOf(document: readonly Measured[]): readonly Group[] {
  const groups = new Map<string, Group & { times: (readonly [number, number])[] }>();
  for (const one of document) {
    const name = nameOf(one).replace(/, p\d+$/, "");
    const [flows, load] = [Number(one["flows"]), Number(one["load_of_machine"])];
    const group = groups.get(name) ?? { name, flows, load, times: [] };
    groups.set(name, group);
    group.times.push([Number(one["rival_value"]), Number(one["value"])]);
  }
  return [...groups.values()];
}

const figure = (number: number) => `${Number(number.toPrecision(3))}`;

/** A figure, and its ratio to what theory says. */
const beside = (number: number | null, expected: number | null) =>
  number === null
    ? "-"
    : `${figure(number)}${expected === null ? "" : ` (${(number / expected).toFixed(2)})`}`;

export default page("docs/transport.md", {
  validation: block({
    runs: { rows: bench("transport") },
    pick: { rows: rowsOf },
    // ns-3 is not installed where CI runs.
    slow: true,
    render: ({ rows }) =>
      table(
        ["case", "closed form", "p4loom (to closed form)", "ns-3 3.37 (to closed form)"],
        rows.map(({ name, unit, value, rival, expected, bound }) => [
          `${name}${unit === "" ? "" : `, ${unit}`}`,
          expected === null ? "-" : `${bound ? "at most " : ""}${figure(expected)}`,
          beside(value, expected),
          beside(rival, expected),
        ]),
      ),
  }),
  tail: block({
    runs: { rows: bench("tail-loss-kernel") },
    inputs: ["bench/fabric/transport/tail-losses.ts"],
    pick: { rows: rowsOf },
    timed: true,
    render: ({ rows }) =>
      table(
        ["segments", "RFC 8985, ms", "kernel to p4loom, ms", "p4loom to kernel, ms"],
        rows.map(({ name, expected, rival, value }) => [
          name,
          figure(expected!),
          `${Math.round(rival!)}`,
          `${Math.round(value)}`,
        ]),
      ),
  }),
  kernel: block({
    runs: { groups: bench("transport-kernel") },
    pick: { groups: groupsOf },
    timed: true,
    render: ({ groups }) =>
      table(
        [
          "control, size",
          "flows",
          ...PERCENTILES.map((percent) => `${percent}: kernel / p4loom`),
          "load of the machine",
        ],
        groups.map(({ name, flows, load, times }) => [
          name,
          `${flows}`,
          ...times.map(
            ([kernel, ours]) => `${kernel.toFixed(1)} / ${ours.toFixed(1)} (${(ours / kernel).toFixed(2)})`,
          ),
          load.toFixed(1),
        ]),
      ),
  }),
});
