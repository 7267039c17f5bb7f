/** docs/tna/designs.md from the outcomes of all designs. */
import type { Design, Outcome } from "./design.js";

function section(design: Design, { rows, checks }: Outcome): string[] {
  const { title, repo, commit, program, licence, paper, settings, remark } = design;
  const compared = checks.reduce((sum, one) => sum + one.compared, 0);
  const differ = checks.reduce((sum, one) => sum + one.disagreements.length, 0);
  return [
    `## ${title}`,
    "",
    `${repo} at ${commit} (${licence}), \`${program}\`.`,
    "",
    "<!-- not measured: settings -->",
    settings,
    "",
    "<!-- not measured: results of the simulation with fixed seeds, by the command above -->",
    "| property | in the simulator | second model or closed form | paper |",
    "|---|---:|---:|---:|",
    ...rows.map(
      ({ property, measured, expected = "", paper: figure = "" }) =>
        `| ${property} | ${measured} | ${expected} | ${figure} |`,
    ),
    "",
    `The paper: ${paper}.`,
    "",
    "<!-- not measured: what the comparison is worth -->",
    remark,
    "",
    "<!-- not measured: counts of comparisons -->",
    `Comparisons: ${compared}; ${differ === 0 ? "none differs" : `${differ} differ`}.`,
    "",
  ];
}

export function page(outcomes: readonly (readonly [Design, Outcome])[]): string {
  return [
    "# Known TNA designs with traffic",
    "",
    "This page is written by `CORPUS=DIR npx tsx tools/tna/designs/run.ts`. CORPUS holds the repositories as `OWNER+NAME`; nothing of them is in this repository. Each program runs in the",
    "simulator, unchanged, as the switch between hosts that send the design's own packets; tables, groups and registers are set through the control plane as the design's controller sets them.",
    "A second model in the tool, which has no code of the switch, says what has to arrive for each frame; frames are compared whole. A difference makes the command fail.",
    "",
    "Figures of papers are quoted. They come from hardware, other traffic and other hosts: they say what a property is like, not what the simulator has to give.",
    "",
    ...outcomes.flatMap(([design, outcome]) => section(design, outcome)),
  ].join("\n");
}
