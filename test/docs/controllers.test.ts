/** The example "From a program" of docs/controllers.md runs; `test/fabric/controllers/processes.test.ts` runs the first one. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { transform } from "esbuild";
import { expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import { type Controller, ControllerHost } from "../../src/fabric/controllers/index.js";
import { controlClock, Simulation } from "../../src/fabric/sim/packet/index.js";
import { buildTopology, topologySchema } from "../../src/fabric/topology/index.js";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/controllers.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]!);

it("starts a controller from a program", async () => {
  const topology = buildTopology(
    topologySchema.parse({
      kind: "graph",
      nodes: [
        { name: "s1", role: "tor" },
        { name: "h1", role: "host" },
      ],
      links: [{ a: "h1", b: "s1" }],
    }),
  );
  const simulation = new Simulation({ turn: () => new Promise((done) => setImmediate(done)) });
  const printed: string[] = [];
  const mover: Controller = { start: ({ log, device }) => log(`controls ${device("s1").name}`) };
  const { code } = await transform(blocks.at(-1)!.replace(/^import .*\n/gm, ""), {
    loader: "ts",
    target: "es2022",
  });
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor;
  const scope = {
    Random,
    ControllerHost,
    mover,
    topology,
    clock: controlClock(simulation),
    device: { name: "s1" },
    console: { log: (line: string) => printed.push(line), error: (line: string) => printed.push(line) },
  };
  const running = new AsyncFunction(...Object.keys(scope), code)(...Object.values(scope)) as Promise<void>;
  await simulation.runAsync(1000);
  await running;
  expect(printed).toEqual(["0.000000000 mover: started", "0.000000000 mover: controls s1"]);
});
