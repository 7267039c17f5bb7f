/** What exercise 18 says of the lab's plots: TCP fills the queue of the starter, and early drops keep it short. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderProject, ROOT, TestLab } from "./wall.js";

/** The longest queue after the start of the flows, and their throughput together. */
async function twoFlows(program: string | undefined): Promise<{ longest: number; bitsPerSecond: number }> {
  const project = folderProject("examples/course/18-ecn");
  const files = { ...project.files, ...(program === undefined ? {} : { "ecn.p4": program }) };
  const lab = await TestLab.open({ ...project, files });
  for (const from of ["h1", "h2"])
    await lab.ask({ op: "traffic.start", traffic: { kind: "tcp", from, to: "h3", bytes: 100_000_000 } });
  await lab.run();
  await lab.wall.pass(2000);
  const before = (await lab.ask({ op: "describe" })).flows;
  const seen = lab.events.length;
  await lab.wall.pass(4000);
  const { flows } = await lab.ask({ op: "describe" });
  const depths = lab.events
    .slice(seen)
    .flatMap((event) => (event.kind === "frame" ? event.queues.map(({ peak }) => peak) : []));
  const bytes = flows.reduce((sum, flow, at) => sum + flow.receivedBytes - before[at]!.receivedBytes, 0);
  return { longest: Math.max(...depths), bitsPerSecond: (bytes * 8) / 4 };
}

it("is what a student sees", async () => {
  const solution = readFileSync(join(ROOT, "examples/course/18-ecn/solution/ecn.p4"), "utf8");
  const starter = await twoFlows(undefined);
  const solved = await twoFlows(solution);
  expect(starter.longest).toBeGreaterThanOrEqual(60);
  expect(solved.longest).toBeLessThanOrEqual(40);
  expect(solved.bitsPerSecond).toBeGreaterThan(0.85 * starter.bitsPerSecond);
}, 60_000);
