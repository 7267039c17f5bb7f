/**
 * Runs known designs of public repositories with traffic in the simulator, measures one property of each, and writes docs/tna/designs.md.
 *
 *     CORPUS=DIR npx tsx tools/tna/designs/run.ts [NAME ...]
 *
 * CORPUS holds the repositories as `OWNER+NAME`. Every answer of a switch is compared with a second model in the design's file; a difference
 * makes the command exit with 1. With names, only these designs run, and no page is written.
 */
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { chipDefines } from "../corpus.js";
import { balancer } from "./balancer.js";
import { cache } from "./cache.js";
import type { Design, Outcome } from "./design.js";
import { lock } from "./lock.js";
import { programOf } from "./network.js";
import { page } from "./page.js";
import { router } from "./router.js";
import { sketch } from "./sketch.js";
import { telemetry } from "./telemetry.js";

const DESIGNS: readonly Design[] = [router, cache, sketch, balancer, telemetry, lock];

async function play(corpus: string, design: Design): Promise<Outcome | undefined> {
  const repository = join(corpus, design.repo.replace("/", "+"));
  const path = join(repository, design.program);
  if (!existsSync(path)) return undefined;
  const program = await programOf({
    path,
    include: [...(design.includeFolders ?? []).map((folder) => join(repository, folder)), dirname(path)],
    define: [...chipDefines(design.chip), ...(design.defines ?? [])],
  });
  return design.run(program);
}

function print(design: Design, { rows, checks }: Outcome): void {
  const lines = [design.title];
  for (const { property, measured, expected, paper } of rows)
    lines.push(`  ${property}: ${measured}; expected ${expected ?? "-"}; paper ${paper ?? "-"}`);
  for (const { what, compared, disagreements } of checks) {
    lines.push(`  ${what}: ${compared} compared, ${disagreements.length} differ`);
    for (const one of disagreements.slice(0, 3)) lines.push(`    ${one}`);
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function main(): Promise<void> {
  const { CORPUS: corpus } = process.env;
  const names = process.argv.slice(2);
  if (corpus === undefined || !existsSync(corpus)) {
    process.stdout.write("skipped: CORPUS names no folder with the repositories\n");
    return;
  }
  const unknown = names.filter((name) => !DESIGNS.some((design) => design.name === name));
  if (unknown.length > 0) {
    const known = DESIGNS.map(({ name }) => name).join(", ");
    process.stderr.write(`no design ${unknown.join(", ")}: expected ${known}\n`);
    process.exitCode = 2;
    return;
  }
  const outcomes: [Design, Outcome][] = [];
  for (const design of DESIGNS) {
    if (names.length > 0 && !names.includes(design.name)) continue;
    const outcome = await play(corpus, design);
    if (outcome === undefined) {
      process.stdout.write(`${design.title}: skipped, ${design.repo} is not in CORPUS\n`);
      continue;
    }
    print(design, outcome);
    if (outcome.checks.some(({ disagreements }) => disagreements.length > 0)) process.exitCode = 1;
    outcomes.push([design, outcome]);
  }
  if (names.length === 0 && outcomes.length === DESIGNS.length)
    writeFileSync(resolve(import.meta.dirname, "../../../docs/tna/designs.md"), page(outcomes));
}

await main();
