/** A kill at any time leaves no later effect; the same seed gives the same log, byte for byte. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ControllerContext, ControllerPlan } from "../../../src/fabric/controllers/index.js";
import { Bench, MS } from "./bench.js";

/** What a random controller does in each round. */
const stepArbitrary = fc.record({
  what: fc.constantFrom("read", "write", "sleep", "timer", "log", "many"),
  ns: fc.integer({ min: 50_000, max: 4 * MS }),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps over and over; `noted` is called each time that something reaches its code. */
function program(steps: readonly Step[], noted: (context: ControllerContext) => void) {
  return async (context: ControllerContext): Promise<void> => {
    const { clock, switches, log, random, watchLinks } = context;
    const note = () => noted(context);
    watchLinks(({ port, up }) => {
      note();
      log(`port ${port} ${up}`);
    });
    for (const { device } of switches) device.watch(note);
    clock.every(3 * MS, async () => {
      note();
      await Promise.allSettled([random.pick(switches).device.read([])]);
      note();
    });
    for (let round = 0; ; round++) {
      const { what, ns } = steps[round % steps.length]!;
      const { device } = random.pick(switches);
      if (what === "read") await device.read([]);
      else if (what === "write") await device.write([]);
      else if (what === "timer") clock.at(clock.now() + ns, note);
      else if (what === "many") await Promise.allSettled(switches.map((one) => one.device.read([])));
      else if (what === "log") log(`round ${round} ${random.int(1000)}`);
      note();
      await clock.sleep(ns);
      note();
    }
  };
}

/** Ports that go down and come up, events of switches, and a switch that ends for a while. */
function disturb(bench: Bench): void {
  const tor = bench.switches.get("tor0-0")!;
  for (let ms = 1; ms < 60; ms += 2) {
    bench.at(ms, () => tor.port(1 + (ms % 3), ms % 4 === 1));
    bench.at(ms + 0.5, () => tor.tell({ kind: "portState", port: 1, up: true }));
  }
  bench.at(20, () => bench.channels.get("leaf0-0")!.disconnect());
  bench.at(31, () => bench.channels.get("leaf0-0")!.connect());
}

const plansOf = (programs: ReturnType<typeof program>[]): Omit<ControllerPlan, "switches">[] =>
  programs.map((start, i) => ({ name: `c${i}`, controller: { start } }));

/** Requests to a switch that does not run are refused: they end a random controller as any error does. */
const tolerant = (start: ReturnType<typeof program>) => async (context: ControllerContext) => {
  const retry = async (): Promise<void> => {
    try {
      await start(context);
    } catch (error) {
      if ((error as { code?: string }).code !== "UNAVAILABLE") throw error;
      await context.clock.sleep(MS);
      await retry();
    }
  };
  await retry();
};

describe("controllers", () => {
  it("after a kill at any event receive nothing and send nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepArbitrary, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 2 * MS }),
        async (steps, events, delay) => {
          let wakes = 0;
          const killed = new Set<ControllerContext>();
          let afterKill = 0;
          let context: ControllerContext | undefined;
          const start = program(steps, (own) => {
            context = own;
            if (killed.has(own)) afterKill++;
            // The kill comes from an event of the simulation, not out of the controller's own code.
            if (++wakes === events)
              bench.simulation.at(bench.simulation.now, () => {
                bench.host.kill("c0");
                killed.add(own);
                sentAtKill = bench.requests.length;
              });
          });
          let sentAtKill = -1;
          const bench: Bench = new Bench(plansOf([tolerant(start)]), { delay });
          disturb(bench);
          void bench.host.startAll();
          await bench.run(70);
          if (sentAtKill < 0) return;
          expect(afterKill).toBe(0);
          expect(context).toBeDefined();
          // Only what was in flight: at most one delay long, from at most all loops of the controller.
          expect(bench.requests.length - sentAtKill).toBeLessThanOrEqual(4 + 2);
          expect(bench.log.at(-1)).toMatch(/ c0: killed$/);
          const before = bench.requests.length;
          await bench.run(50);
          expect(bench.requests.length).toBe(before);
          expect(bench.failures).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("log the same bytes for the same seed, kills and restarts included", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(stepArbitrary, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        fc.integer(),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom("kill", "restart", "stop")), {
          maxLength: 5,
        }),
        async (programs, seed, orders) => {
          const outcome = async () => {
            const bench = new Bench(plansOf(programs.map((steps) => tolerant(program(steps, () => {})))), {
              seed,
            });
            disturb(bench);
            for (const [ms, what] of orders) bench.at(ms, () => void bench.host[what as "stop"]("c0"));
            void bench.host.startAll();
            await bench.run(70);
            expect(bench.failures).toEqual([]);
            return [bench.log, bench.requests];
          };
          expect(await outcome()).toEqual(await outcome());
        },
      ),
      { numRuns: 30 },
    );
  });
});
