import { block, page, type RunDocument, run } from "../../block.js";
import { meanOf, seedsOf } from "../../paired.js";
import { fixed, parsed, percent, pickKeys, table } from "../../text.js";

const KEYS = [
  "seeds",
  "rct_mean_ms",
  "rct_mean_ms_ci95",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "flows",
  "drops",
  "retransmissions",
  "timeouts",
  "trimmed",
  "trimmed_lost",
] as const;

type Figures = Partial<Record<(typeof KEYS)[number], number>>;
// biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
type AnyRow = any;

const QUEUES = ["drops", "trims", "trims, small queue", "trims, answers with data", "pauses"] as const;
type Queue = (typeof QUEUES)[number];

function queueOf(row: AnyRow): Queue {
  const { trim, pfc } = parsed(row.queues);
  if (pfc !== undefined) return "pauses";
  if (trim === undefined) return "drops";
  if (trim.answers === "data") return "trims, answers with data";
  return trim.header_queue === 200 ? "trims, small queue" : "trims";
}

interface IncastRow {
  readonly control: string;
  readonly early: boolean;
  readonly queue: Queue;
  readonly figures: Figures;
}

interface FabricRow {
  readonly network: string;
  readonly scheme: string;
  readonly queue: Queue;
  readonly figures: Figures;
}

const all = (document: RunDocument): AnyRow[] => document.rows.filter((row: AnyRow) => row.size === "all");

const incastRows = (document: RunDocument): IncastRow[] =>
  all(document).map((row) => ({
    control: row["transport.congestion_control"] === "swift" ? "Swift" : "48 KB",
    early: row["transport.reordering_packets"] === 3,
    queue: queueOf(row),
    figures: pickKeys(row, KEYS) as Figures,
  }));

const fabricRows = (document: RunDocument): FabricRow[] =>
  all(document).map((row) => ({
    network:
      row["faults.0.loss"] !== undefined
        ? "a gray link"
        : row["topology.links.0.rate"] === "5Gbps"
          ? "a link of half the rate"
          : "equal",
    scheme: row.scheme,
    queue: queueOf(row),
    figures: pickKeys(row, KEYS) as Figures,
  }));

/** The mean of a count over the runs: seeds differ between the points of a file with `until`. */
const inRun = ({ seeds }: Figures, sum = 0) => fixed(sum / seeds!, 1);

function incastRow(rows: readonly IncastRow[], control: string, early: boolean, queue: Queue): Figures {
  const found = rows.find((row) => row.control === control && row.early === early && row.queue === queue);
  if (found === undefined) throw new Error(`no row of ${control}, ${early}, ${queue}`);
  return found.figures;
}

function fabricRow(rows: readonly FabricRow[], network: string, scheme: string, queue: Queue): Figures {
  const found = rows.find((row) => row.network === network && row.scheme === scheme && row.queue === queue);
  if (found === undefined) throw new Error(`no row of ${scheme}, ${network}, ${queue}`);
  return found.figures;
}

/** Packets of a flow of 100 KB, and bytes of a whole frame and of a cut one, over IPv6. */
const [PACKETS, FRAME, CUT] = [70, 1526, 86];

export default page("docs/papers/trimming.md", {
  incast: block({
    runs: { rows: run("examples/compare/trimming.yaml") },
    pick: { rows: incastRows },
    render: ({ rows }) =>
      table(
        [
          "window",
          "losses found",
          "a full queue",
          "incast, ms",
          "mean slowdown",
          "lost in a run",
          "cut",
          "sent again",
          "timeouts",
        ],
        rows.map(({ control, early, queue, figures }) => [
          ...[control, early ? "early" : "late", queue],
          `${fixed(figures.rct_mean_ms!, 3)} ± ${fixed(figures.rct_mean_ms_ci95!, 3)}`,
          meanOf(figures.slowdown_mean!, figures.slowdown_mean_ci95!),
          ...[
            inRun(figures, figures.drops),
            figures.trimmed === undefined ? "" : inRun(figures, figures.trimmed),
          ],
          ...[inRun(figures, figures.retransmissions), inRun(figures, figures.timeouts)],
        ]),
      ),
    values: ({ rows }) => {
      const ms = (control: string, early: boolean, queue: Queue) =>
        incastRow(rows, control, early, queue).rct_mean_ms!;
      const times = (control: string, early: boolean, queue: Queue) =>
        `${fixed(ms(control, early, queue) / ms(control, early, "trims"), 2)} times`;
      const storm = (control: string) => {
        const { trimmed, flows } = incastRow(rows, control, false, "trims");
        const share = (trimmed! * CUT) / (flows! * PACKETS * FRAME);
        const bare = ms(control, false, "pauses");
        return { each: fixed(trimmed! / (flows! * PACKETS), 1), share, ms: bare * (1 + share) };
      };
      const smallQueue = incastRow(rows, "48 KB", false, "trims, small queue");
      const early = incastRow(rows, "48 KB", true, "pauses");
      const [fixedWindow, swift] = [storm("48 KB"), storm("Swift")];
      return {
        late: times("48 KB", false, "drops"),
        early: times("48 KB", true, "drops"),
        swiftLate: times("Swift", false, "drops"),
        swiftEarly: times("Swift", true, "drops"),
        pauses: `${fixed(ms("48 KB", false, "pauses"), 3)} ms`,
        each: `${fixedWindow.each} times`,
        share: percent(fixedWindow.share, 0),
        predicted: `${fixed(fixedWindow.ms, 3)} ms`,
        measured: `${fixed(ms("48 KB", false, "trims"), 3)} ms`,
        swiftEach: `${swift.each} times`,
        swiftPredicted: `${fixed(swift.ms, 3)} ms`,
        swiftMeasured: `${fixed(ms("Swift", false, "trims"), 3)} ms`,
        small: times("48 KB", false, "trims, small queue"),
        smallLost: inRun(smallQueue, smallQueue.trimmed_lost),
        seeds: seedsOf(rows.map(({ figures }) => ({ seeds: figures.seeds! }))),
        smallSwift: times("Swift", true, "trims, small queue"),
        pausesEarly: `${fixed(ms("48 KB", true, "pauses"), 3)} ms in place of ${fixed(ms("48 KB", false, "pauses"), 3)} ms`,
        spurious: inRun(early, early.retransmissions),
      };
    },
  }),
  fabric: block({
    runs: { rows: run("examples/compare/trimming-fabric.yaml") },
    pick: { rows: fabricRows },
    render: ({ rows }) =>
      table(
        [
          "network",
          "a full queue",
          "ECMP",
          "spraying",
          "REPS",
          "lost in a run: ECMP",
          "spraying",
          "REPS",
          "cut: ECMP",
          "spraying",
          "REPS",
        ],
        rows
          .filter(({ scheme }) => scheme === "ecmp")
          .map(({ network, queue }) => {
            const own = ["ecmp", "spray", "reps"].map((scheme) => fabricRow(rows, network, scheme, queue));
            return [
              ...[network, queue],
              ...own.map((one) => meanOf(one.slowdown_mean!, one.slowdown_mean_ci95!)),
              ...own.map((one) => inRun(one, one.drops)),
              ...own.map((one) => (one.trimmed === undefined ? "" : inRun(one, one.trimmed))),
            ];
          }),
      ),
    values: ({ rows }) => {
      const ratio = (network: string, scheme: string, a: Queue, b: Queue) =>
        `${fixed(fabricRow(rows, network, scheme, a).slowdown_mean! / fabricRow(rows, network, scheme, b).slowdown_mean!, 2)} times`;
      const gray = fabricRow(rows, "a gray link", "spray", "trims");
      const answers = fabricRow(rows, "a link of half the rate", "ecmp", "trims, answers with data");
      return {
        ecmp: ratio("equal", "ecmp", "drops", "trims"),
        slowSpray: ratio("a link of half the rate", "spray", "drops", "trims"),
        slowReps: ratio("a link of half the rate", "reps", "drops", "trims"),
        answers: ratio("a link of half the rate", "ecmp", "trims, answers with data", "trims"),
        seeds: seedsOf(rows.map(({ figures }) => ({ seeds: figures.seeds! }))),
        answersLost: inRun(answers, answers.drops),
        gray: ratio("a gray link", "spray", "drops", "trims"),
        grayTimeouts: [
          ["drops", "with drops"],
          ["trims", "with trimming"],
          ["trims, answers with data", "with answers among the data"],
        ]
          .map(([queue, text]) => {
            const row = fabricRow(rows, "a gray link", "spray", queue as Queue);
            return `${inRun(row, row.timeouts)} ${text}`;
          })
          .join(", "),
        grayLost: `${inRun(gray, gray.drops)} packets in a run, and of them ${inRun(gray, gray.trimmed)} are cut`,
      };
    },
    slow: true,
  }),
});
