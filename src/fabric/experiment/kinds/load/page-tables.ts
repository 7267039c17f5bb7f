/** The tables of the page as HTML. */
import { escapeMarkup } from "../../../../base/index.js";
import type { FabricPlan } from "../../../schemes/index.js";
import { effectName, elementName } from "../../faults/fault.js";
import { flatten } from "../../page.js";
import type { SchemeRun } from "../../scheme-run.js";
import { wireText } from "../../wire.js";
import { type LoadPoint, type LoadSweep, pointName, type ShownScheme, unitOf } from "./figures/data.js";
import type { COMPARED, Comparison } from "./paired.js";
import type { LoadRow } from "./rows.js";

const RESULT_COLUMNS: readonly (readonly [key: string, head: string, digits: number])[] = [
  ["flows", "flows", 0],
  ["unfinished", "un&shy;finished", 0],
  ["fct_mean_ms", "FCT mean ms", 3],
  ["fct_p50_ms", "p50", 3],
  ["fct_p99_ms", "p99", 3],
  ["slowdown_mean", "slow&shy;down mean", 2],
  ["slowdown_p50", "p50", 2],
  ["slowdown_p99", "p99", 2],
  ["rct_p99_ms", "request p99 ms", 3],
  ["goodput_gbps", "goodput Gbps", 3],
  ["retransmissions", "retrans&shy;missions", 0],
  ["timeouts", "time&shy;outs", 0],
  ["reordered_share", "reordered", 4],
  ["drops", "drops", 0],
  ["held_flows", "held flows", 0],
  ["held_p50_ms", "held p50 ms", 3],
  ["held_p99_ms", "held p99 ms", 3],
  ["held_max_ms", "held max ms", 3],
  ["silence_max_ms", "longest silence ms", 3],
  ["goodput_before_gbps", "before the first command, Gbps", 3],
  ["goodput_since_gbps", "since then, Gbps", 3],
  ["link_cv", "link CV", 3],
  ["queue_p99_bytes", "queue p99 bytes", 0],
  ["queue_worst_port_p99_bytes", "worst port p99", 0],
];

export function resultTable({ points }: LoadSweep, schemes: readonly ShownScheme[]): string {
  const rows = points.flatMap((point) => schemes.flatMap((scheme) => unitOf(point, scheme)?.rows ?? []));
  const columns = RESULT_COLUMNS.filter(([key]) => rows.some((row) => row[key] !== undefined));
  const lines = points.flatMap((point) => {
    const sizes = new Set(point.units.flatMap(({ rows: own }) => own.map((row) => row.size)));
    return [...sizes].flatMap((size) => {
      const own = schemes.flatMap((scheme) => {
        const row = unitOf(point, scheme)?.rows.find((one) => one.size === size);
        return row === undefined ? [] : [{ row, scheme }];
      });
      return own.map(({ row, scheme }, i) =>
        resultLine(point, row, scheme, i === 0, columns, points.length > 1),
      );
    });
  });
  const heads = [
    ...(points.length > 1 ? [word("point", "th")] : []),
    word("size", "th"),
    word("scheme", "th"),
    ...columns.map(([, head]) => `<th>${head}</th>`),
  ];
  return table(heads, lines);
}

function resultLine(
  point: LoadPoint,
  row: LoadRow,
  scheme: ShownScheme,
  first: boolean,
  columns: typeof RESULT_COLUMNS,
  named: boolean,
  sized = true,
): string {
  const cells = columns.map(([key, , digits]) => {
    const value = row[key];
    if (typeof value !== "number") return "<td>&ndash;</td>";
    const interval = row[`${key}_ci95`];
    const shown =
      typeof interval === "number" && interval > 0 ? `<small>±${number(interval, digits)}</small>` : "";
    return `<td>${number(value, digits)}${shown}</td>`;
  });
  const name = named ? word(first ? pointName(point) : "") : "";
  return `<tr${first ? ' class="first"' : ""}>${name}${sized ? word(first ? row.size : "") : ""}${word(scheme.title)}${cells.join("")}</tr>`;
}

/** Offered and achieved load, and the figures of both halves of the window: see `transient.ts`. Undefined where no run has them. */
export function stateTable({ points }: LoadSweep, schemes: readonly ShownScheme[]): string | undefined {
  const rows = points.flatMap((point) =>
    schemes.flatMap((scheme) => {
      const row = unitOf(point, scheme)?.rows.find(({ size }) => size === "all");
      return row?.["offered_gbps"] === undefined ? [] : [{ point, scheme, row }];
    }),
  );
  if (rows.length === 0) return undefined;
  const columns = STATE_COLUMNS.filter(([key]) => rows.some(({ row }) => row[key] !== undefined));
  const lines = rows.map(({ point, scheme, row }, i) =>
    resultLine(
      point,
      row,
      scheme,
      i === 0 || rows[i - 1]!.point !== point,
      columns,
      points.length > 1,
      false,
    ),
  );
  const heads = [
    ...(points.length > 1 ? [word("point", "th")] : []),
    word("scheme", "th"),
    ...columns.map(([, head]) => `<th>${head}</th>`),
  ];
  return table(heads, lines);
}

const STATE_COLUMNS: typeof RESULT_COLUMNS = [
  ["offered_load", "offered load", 3],
  ["achieved_load", "achieved load", 3],
  ["offered_gbps", "offered Gbps", 3],
  ["goodput_gbps", "achieved Gbps", 3],
  ["slowdown_mean_first", "slow&shy;down mean, 1st half", 2],
  ["slowdown_mean_second", "2nd half", 2],
  ["fct_mean_ms_first", "FCT mean ms, 1st half", 3],
  ["fct_mean_ms_second", "2nd half", 3],
  ["link_utilisation_first", "utili&shy;sation of uplinks, 1st half", 3],
  ["link_utilisation_second", "2nd half", 3],
];

const COMPARED_TITLES: Readonly<Record<(typeof COMPARED)[number], string>> = {
  slowdown_mean: "mean slowdown",
  slowdown_p99: "p99 slowdown",
};

export function testTable(tests: readonly Comparison[]): string {
  const named = tests.some(({ point }) => point !== "");
  const lines = tests.map((one, i) => {
    const change = (one.value - one.baseline) / one.baseline;
    const [p] = [one.pT, one.pSigns, one.pRanks].sort((a, b) => b - a) as [number, number, number];
    const verdict = p < 0.05 ? (change < 0 ? "good" : "bad") : "";
    const first = i === 0 || tests[i - 1]!.point !== one.point || tests[i - 1]!.scheme !== one.scheme;
    const cells = [
      number(one.baseline, 2),
      number(one.value, 2),
      `<span class="${verdict}">${change > 0 ? "+" : ""}${(100 * change).toFixed(1)} %</span>`,
      ...[one.pT, one.pSigns, one.pRanks].map((value) => (value < 0.001 ? "&lt; 0.001" : value.toFixed(3))),
    ];
    return `<tr${first ? ' class="first"' : ""}>${named ? word(first ? one.point : "") : ""}${word(first ? one.scheme.title : "")}${word(one.size)}${word(COMPARED_TITLES[one.figure])}${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const heads = [...(named ? ["point"] : []), "scheme", "size", "figure"].map((name) => word(name, "th"));
  const [{ against }] = tests as [Comparison];
  const numbers = [escapeMarkup(against.title), "scheme", "change", "p (t)", "p (signs)", "p (ranks)"];
  return table([...heads, ...numbers.map((name) => `<th>${name}</th>`)], lines);
}

/** What each scheme adds to the network, from its plan. */
export function mechanismTable(schemes: readonly SchemeRun[]): string {
  const lines = schemes.map(({ title, scheme, parameters, plan }) => {
    const controllers = (plan.controllers ?? []).length;
    const cells = [
      plan.programs.map(({ name }) => name).join(", "),
      afterTimeout(plan),
      controllers === 0 ? "none while it runs" : `${controllers} that run${controllers === 1 ? "s" : ""}`,
      flatten(parameters).join(", ") || "none",
      (plan.notes ?? []).join(" "),
    ];
    return `<tr>${word(title)}${word(scheme)}${cells.map((cell) => `<td class="text">${escapeMarkup(cell)}</td>`).join("")}</tr>`;
  });
  const heads = [
    "scheme",
    "name",
    "programs of switches",
    "after a timeout",
    "controllers",
    "settings",
    "notes",
  ];
  return table(
    heads.map((name) => word(name, "th")),
    lines,
  );
}

/** What leads a flow to another path after a timeout, as the plan says. */
function afterTimeout({ repaths, field }: Pick<FabricPlan, "repaths" | "field">): string {
  if (repaths === false) return "flows keep their path";
  return repaths === "hosts"
    ? `hosts choose another path, by a selector in ${field}`
    : "hosts do nothing; switches may lead the flow to another path, since it has paused";
}

/** Topology, traffic, transport, queues, faults and times of the experiment. */
export function factsTable({ points, seeds, engine, keys }: LoadSweep): string {
  const [{ experiment }] = points as [LoadPoint, ...LoadPoint[]];
  const { settings, faults, controllerFaults, topology } = experiment;
  const facts: [string, string][] = [
    ["experiment, engine, seeds", `${settings.name}, ${engine}, ${seeds.join(" ")}`],
    ["swept", keys.join(", ") || "nothing"],
    ["topology", flatten(settings.topology).join(", ")],
    ["load", settings.load === undefined ? "set by the traffic" : String(settings.load)],
    ["traffic", flatten(settings.traffic).join(", ")],
    ["warm_up, drain", `${settings.warm_up / 1e6} ms, ${settings.drain / 1e6} ms`],
    ["transport", flatten(settings.transport).join(", ")],
    ["queues", flatten(settings.queues).join(", ")],
    ...(engine === "sim" ? [["wire", wireText(settings.wire)] as [string, string]] : []),
    ["control channel", flatten(settings.control_channel).join(", ")],
    ...faults.map((fault): [string, string] => {
      const until = fault.until === undefined ? "" : ` to ${fault.until / 1e6} ms`;
      return [
        `fault, ${fault.at / 1e6} ms${until}`,
        `${elementName(topology, fault.element)}, ${effectName(fault)}`,
      ];
    }),
    ...controllerFaults.map(({ at, controller, kind }): [string, string] => [
      `fault, ${at / 1e6} ms`,
      `controller ${controller}, ${kind}`,
    ]),
  ];
  const lines = facts.map(
    ([name, value]) => `<tr>${word(name)}<td class="text">${escapeMarkup(value)}</td></tr>`,
  );
  return table([word("key", "th"), word("value", "th")], lines);
}

function table(heads: readonly string[], lines: readonly string[]): string {
  return `<div class="wide"><table><thead><tr>${heads.join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table></div>`;
}

function word(text: string, tag: "td" | "th" = "td"): string {
  return `<${tag} class="word">${escapeMarkup(text)}</${tag}>`;
}

function number(value: number, digits: number): string {
  return value.toLocaleString("en-US", {
    maximumFractionDigits: digits,
    minimumFractionDigits: Math.min(digits, 2),
  });
}
