/** What the host of controllers guarantees, in virtual time. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../../../src/base/index.js";
import type { ControllerContext, LinkEvent } from "../../../src/fabric/controllers/index.js";
import { settle } from "../../../src/fabric/sim/packet/index.js";
import { nodeNamed } from "../../../src/fabric/topology/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import { Bench, diagnosticOf, MS, twoTors } from "./bench.js";

const controller = (start: (context: ControllerContext) => Promise<void> | void) => ({
  name: "c",
  controller: { start },
});

describe("a controller", () => {
  it("reads counters every 10 ms; a round of the control channel is part of a loop, not of every()", async () => {
    const bench = new Bench([
      controller(async ({ clock, device }) => {
        clock.every(10 * MS, async () => void (await device("tor0-0").read([])));
        for (;;) {
          await clock.sleep(10 * MS);
          await device("tor0-1").read([]);
        }
      }),
    ]);
    void bench.host.startAll();
    await bench.run(48);
    // A request reaches its switch 1 ms after it was made.
    const times = (name: string) =>
      bench.requests.filter((one) => one.includes(name)).map((one) => Number(one.split(" ")[0]));
    expect(times("tor0-0")).toEqual([11, 21, 31, 41]);
    expect(times("tor0-1")).toEqual([11, 23, 35, 47]);
  });

  it("leaves out a call of every() while the one before is still busy", async () => {
    const calls: [number, number][] = [];
    const bench = new Bench([
      controller(({ clock }) => {
        clock.every(10 * MS, async (missed) => {
          calls.push([clock.now() / MS, missed]);
          await clock.sleep(25 * MS);
        });
      }),
    ]);
    void bench.host.startAll();
    await bench.run(100);
    expect(calls).toEqual([
      [10, 0],
      [40, 2],
      [70, 2],
      [100, 2],
    ]);
  });

  it("continues after start has returned, until it is stopped", async () => {
    const ticks: number[] = [];
    const bench = new Bench([
      controller(({ clock }) => {
        clock.every(MS, () => void ticks.push(clock.now() / MS));
      }),
    ]);
    void bench.host.startAll();
    await bench.run(3);
    expect(bench.host.state("c")).toBe("returned");
    const stopped = bench.host.stop("c");
    await bench.run(3);
    expect(await stopped).toBe(true);
    expect(ticks).toEqual([1, 2, 3]);
    expect(bench.host.state("c")).toBe("ended");
  });

  it("cancels timers", async () => {
    const fired: string[] = [];
    const bench = new Bench([
      controller(({ clock }) => {
        const never = clock.at(2 * MS, () => void fired.push("at"));
        const some = clock.every(MS, () => {
          fired.push("every");
          if (clock.now() === 2 * MS) some();
        });
        clock.at(0, () => void fired.push("past"));
        never();
      }),
    ]);
    void bench.host.startAll();
    await bench.run(5);
    expect(fired).toEqual(["past", "every", "every"]);
  });

  it("refuses times that are none", async () => {
    const bench = new Bench([
      controller(({ clock }) => {
        expect(() => clock.sleep(-1)).toThrow("sleep of -1 ns");
        expect(() => clock.sleep(Number.NaN)).toThrow(RangeError);
        expect(() => clock.at(Number.POSITIVE_INFINITY, () => {})).toThrow(RangeError);
        expect(() => clock.every(0, () => {})).toThrow("the period of a timer is 0 ns");
      }),
    ]);
    void bench.host.startAll();
    await bench.run(1);
    expect(bench.failures).toEqual([]);
    expect(bench.host.state("c")).toBe("returned");
  });

  it("finds its switches by name", async () => {
    const bench = new Bench([
      {
        ...controller(({ device, switches }) => {
          expect(device("tor0-1").name).toBe("tor0-1");
          expect(switches.map(({ node }) => node.name)).toEqual(["tor0-0", "tor0-1"]);
          device("tor0-2");
        }),
        switches: [nodeNamed(twoTors, "tor0-0")!.index, nodeNamed(twoTors, "tor0-1")!.index],
      },
    ]);
    void bench.host.startAll();
    await bench.run(1);
    const [error] = bench.failures[0]!.diagnostics;
    expect(error!.code).toBe("P43303");
    expect(error!.message).toBe('controller "c" controls no switch called "tor0-2"; did you mean "tor0-0"?');
    expect(error!.notes.map(({ message }) => message)).toEqual([
      "its switches: tor0-0, tor0-1",
      'thrown by controller "c"',
    ]);
  });
});

describe("preparation", () => {
  it("is over before start is called, and before the host is ready", async () => {
    const order: string[] = [];
    const bench = new Bench([
      {
        name: "slow",
        controller: {
          prepare: async ({ clock, incarnation }) => {
            await clock.sleep(5 * MS);
            order.push(`prepared ${incarnation}`);
          },
          start: async ({ clock }) => {
            order.push("started");
            await clock.sleep(1e12);
          },
        },
      },
      controller(() => void order.push("other")),
    ]);
    const { simulation } = bench;
    const ready = bench.host.startAll().then(() => order.push(`ready at ${simulation.now / MS}`));
    await settle(simulation, ready);
    expect(order).toEqual(["other", "prepared 1", "started", "ready at 5"]);
    await settle(simulation, bench.host.restart("slow"));
    expect(order.slice(4)).toEqual(["prepared 2", "started"]);
    expect(simulation.now).toBe(10 * MS);
  });

  it("that takes more than a minute fails", async () => {
    const bench = new Bench([
      {
        name: "c",
        controller: {
          prepare: async ({ clock }) => {
            for (;;) await clock.sleep(1000 * MS);
          },
          start: () => expect.fail(),
        },
      },
    ]);
    const ready = bench.host.startAll();
    // The bench stops at a failure.
    await bench.run(70_000);
    await ready;
    expect(bench.simulation.now).toBe(60_000 * MS);
    expect(bench.failures[0]!.diagnostics[0]).toMatchObject({
      code: "P43307",
      message: 'controller "c" was not ready for traffic after 60 s: its prepare has not returned',
    });
  });

  it("that never ends is over when the controller is", async () => {
    const bench = new Bench([
      { name: "c", controller: { prepare: ({ clock }) => clock.sleep(1e12), start: () => expect.fail() } },
    ]);
    const ready = bench.host.startAll();
    bench.at(3, () => bench.host.kill("c"));
    await settle(bench.simulation, ready);
    expect(bench.simulation.now).toBe(3 * MS);
  });
});

describe("links and switches", () => {
  const told = ({ switch: { name }, port, up, link }: LinkEvent) =>
    `${name} ${port} ${up ? "up" : "down"} (link ${link.index})`;

  it("are reported with the delay of the control channel, links that are already down first", async () => {
    const heard: string[] = [];
    const bench = new Bench([
      controller(({ watchLinks, clock }) => {
        watchLinks((event) => void heard.push(`${clock.now() / MS}: ${told(event)}`));
      }),
    ]);
    const tor = bench.switches.get("tor0-0")!;
    tor.port(2, false);
    void bench.host.startAll();
    bench.at(5, () => tor.port(1, false));
    bench.at(6, () => tor.port(2, true));
    bench.at(6, () => tor.port(2, false));
    await bench.run(10);
    const link = (port: number) => nodeNamed(twoTors, "tor0-0")!.ports[port - 1]!.link;
    expect(heard).toEqual([
      `2: tor0-0 2 down (link ${link(2)})`,
      `6: tor0-0 1 down (link ${link(1)})`,
      `7: tor0-0 2 up (link ${link(2)})`,
      `7: tor0-0 2 down (link ${link(2)})`,
    ]);
  });

  it("a switch that ends refuses requests; its ports are reported again after its restart", async () => {
    const heard: string[] = [];
    const bench = new Bench([
      controller(async ({ watchLinks, watchSwitches, clock, device }) => {
        const say = (text: string) => void heard.push(`${clock.now() / MS}: ${text}`);
        watchLinks((event) => say(told(event)));
        watchSwitches(({ switch: { name }, running }) => say(`${name} ${running ? "runs" : "is gone"}`));
        await clock.sleep(9.5 * MS);
        const asked = device("tor0-0").read([]);
        await expect(asked).rejects.toThrow("switch tor0-0 is not running");
        say("refused after a while");
        await expect(device("tor0-0").write([])).rejects.toMatchObject({ code: "UNAVAILABLE" });
        say("refused at once");
      }),
    ]);
    const tor = bench.switches.get("tor0-0")!;
    const channel = bench.channels.get("tor0-0")!;
    void bench.host.startAll();
    bench.at(5, () => tor.port(1, false));
    bench.at(10, () => channel.disconnect());
    bench.at(12, () => tor.port(1, true));
    bench.at(12, () => tor.port(2, false));
    bench.at(20, () => channel.connect());
    await bench.run(30);
    const link = (port: number) => nodeNamed(twoTors, "tor0-0")!.ports[port - 1]!.link;
    expect(bench.failures).toEqual([]);
    expect(heard).toEqual([
      `6: tor0-0 1 down (link ${link(1)})`,
      "11: tor0-0 is gone",
      "11: refused after a while",
      "11: refused at once",
      "21: tor0-0 runs",
      `23: tor0-0 1 up (link ${link(1)})`,
      `23: tor0-0 2 down (link ${link(2)})`,
    ]);
    expect(bench.requests).toEqual([]);
  });
});

describe("an end", () => {
  it("by request: sleeps reject, devices still work", async () => {
    const bench = new Bench([
      controller(async ({ clock, device, stopped, log }) => {
        try {
          await clock.sleep(1e12);
        } catch (error) {
          expect(error).toBe(stopped.reason);
          await device("tor0-0").write([]);
          await clock.sleep(5 * MS);
          log("good bye");
          throw error;
        }
      }),
    ]);
    void bench.host.startAll();
    await bench.run(2);
    const stopped = bench.host.stop("c");
    await bench.run(10);
    expect(await stopped).toBe(true);
    expect(bench.requests).toEqual(["3 tor0-0 write 0"]);
    expect(bench.log).toEqual([
      "0.000000000 c: started",
      "0.009000000 c: good bye",
      "0.009000000 c: stopped",
    ]);
    expect(bench.failures).toEqual([]);
  });

  it("by force, when the limit of a request is over", async () => {
    const bench = new Bench([
      controller(async ({ clock }) => {
        for (;;) await clock.sleep(MS).catch(() => {});
      }),
    ]);
    void bench.host.startAll();
    await bench.run(2);
    const stopped = bench.host.stopAll(7 * MS);
    await bench.run(20);
    expect(await stopped).toBe(false);
    expect(bench.log.at(-1)).toBe("0.009000000 c: killed");
    expect(await bench.host.stop("c")).toBe(true);
  });

  it("by a kill: promises, timers and listeners stop, and code that still runs has no effect", async () => {
    const after: string[] = [];
    let context: ControllerContext | undefined;
    const bench = new Bench([
      controller(async (given) => {
        context = given;
        const { clock, device, watchLinks, stopped } = given;
        watchLinks(() => void after.push("link"));
        device("tor0-0").watch(() => void after.push("event"));
        clock.at(4 * MS, () => void after.push("timer"));
        stopped.addEventListener("abort", () => after.push("abort"));
        void clock.sleep(4 * MS).finally(() => after.push("sleep"));
        await clock.sleep(2.5 * MS);
        await device("tor0-0")
          .write([])
          .finally(() => after.push("answer"));
      }),
    ]);
    void bench.host.startAll();
    await bench.run(3);
    bench.host.kill("c");
    bench.switches.get("tor0-0")!.port(1, false);
    bench.switches.get("tor0-0")!.tell({ kind: "portState", port: 1, up: false });
    const { clock, device, log, watchLinks } = context!;
    void device("tor0-0").packetOut({ payload: new Uint8Array(), metadata: {} });
    void clock.sleep(0).finally(() => after.push("late sleep"));
    watchLinks(() => void after.push("late link"));
    clock.at(0, () => void after.push("late timer"));
    log("late");
    await bench.run(20);
    expect(after).toEqual([]);
    // What was sent before the kill has reached its switch.
    expect(bench.requests).toEqual(["3.5 tor0-0 write 0"]);
    expect(bench.log).toEqual(["0.000000000 c: started", "0.003000000 c: killed"]);
  });

  it("and a new start, with a fresh context and other random numbers", async () => {
    const contexts: ControllerContext[] = [];
    const drawn: number[] = [];
    const bench = new Bench([
      controller((context) => {
        contexts.push(context);
        drawn.push(context.random.uint32());
      }),
    ]);
    void bench.host.startAll();
    await bench.run(1);
    void bench.host.restart("c");
    await bench.run(1);
    expect(contexts[0]).not.toBe(contexts[1]);
    expect(drawn[0]).not.toBe(drawn[1]);
    expect(bench.log.at(-1)).toBe("0.001000000 c: started again (2)");
    const again = new Bench([controller(({ random }) => void drawn.push(random.uint32()))]);
    void again.host.startAll();
    await again.run(1);
    expect(drawn[2]).toBe(drawn[0]);
  });
});

describe("a failure", () => {
  const readSource = (path: string) => readFileSync(path, "utf8");

  it.each([
    ["start", (_context: ControllerContext) => fault()],
    ["a promise of start", async ({ clock }: ControllerContext) => clock.sleep(MS).then(fault)],
    ["a timer", ({ clock }: ControllerContext) => void clock.at(MS, fault)],
    ["a promise of a timer", ({ clock }: ControllerContext) => void clock.every(MS, async () => fault())],
    ["a listener", ({ watchLinks }: ControllerContext) => void watchLinks(() => fault())],
  ])("of %s has the controller's name and its place", async (_, start) => {
    const bench = new Bench([controller(start), { name: "other", controller: { start() {} } }], {
      readSource,
    });
    bench.switches.get("leaf0-0")!.port(1, false);
    void bench.host.startAll();
    await bench.run(10);
    expect(bench.failures).toHaveLength(1);
    const text = formatDiagnostic(bench.failures[0]!.diagnostics[0]!);
    expect(text).toMatch(
      /host\.test\.ts:\d+:\d+: error\[P43301\]: controller "c" has failed: TypeError: went wrong\n {4}.*throw new TypeError/,
    );
    expect(bench.host.state("c")).toBe("failed");
    expect(bench.log.at(-1)).toMatch(/ c: failed: controller "c" has failed: TypeError: went wrong$/);
    await bench.run(1);
    expect(bench.host.state("other")).toBe("returned");
    void bench.host.restart("c");
    expect(bench.host.state("c")).toBe("running");
  });

  it("of a request that a switch refuses has the place of the request", async () => {
    const bench = new Bench(
      [
        controller(({ device }) =>
          device("tor0-0")
            .read([])
            .then(() => {}),
        ),
      ],
      { readSource },
    );
    bench.switches.get("tor0-0")!.answer = new DeviceError("NOT_FOUND", "no such entry");
    void bench.host.startAll();
    await bench.run(10);
    expect(formatDiagnostic(bench.failures[0]!.diagnostics[0]!)).toMatch(
      /host\.test\.ts:\d+:\d+: error\[P43301\]: controller "c" has failed: DeviceError: no such entry\n.*read\(\[\]\)/,
    );
  });

  it("without a source file has its place in a note; a thrown value that is no error has none", async () => {
    const bench = new Bench([controller(fault)]);
    void bench.host.startAll();
    await bench.run(1);
    expect(bench.failures[0]!.diagnostics[0]!.notes[0]!.message).toMatch(
      /^thrown at .*host\.test\.ts:\d+:\d+$/,
    );
    const odd = new Bench([
      controller(() => {
        throw "no error";
      }),
    ]);
    void odd.host.startAll();
    await odd.run(1);
    expect(odd.failures[0]!.diagnostics[0]).toMatchObject({
      message: 'controller "c" has failed: no error',
      notes: [],
    });
  });

  it.each([
    ["sleeps of 0 ns", MS, ({ clock }: ControllerContext) => clock.sleep(0)],
    ["timers", MS, ({ clock }: ControllerContext) => new Promise<void>((done) => void clock.at(0, done))],
    [
      "a channel without delay",
      0,
      ({ device }: ControllerContext) =>
        device("tor0-0")
          .read([])
          .then(() => {}),
    ],
  ])(
    "of one that prevents time from advancing, by %s, is found",
    async (_, delay, step) => {
      const bench = new Bench(
        [
          controller(async (context) => {
            for (;;) await step(context);
          }),
        ],
        { delay },
      );
      void bench.host.startAll();
      await bench.run(1);
      const [error] = bench.failures[0]!.diagnostics;
      expect(error!.code).toBe("P43302");
      expect(error!.message).toBe('controller "c" was woken 100000 times at one instant, 0 ns');
    },
    60_000,
  );

  it("is a duplicate name, no switch, or an unknown controller", () => {
    const idle = { controller: { start() {} } };
    const plan = (name: string, switches: readonly number[] = []) => ({ name, switches, ...idle });
    const messages = [
      () => new Bench([plan("a"), plan("a")]),
      () => new Bench([plan("a", [nodeNamed(twoTors, "host0-0-0")!.index])]),
      () => new Bench([plan("a", [999])]),
      () => new Bench([plan("alpha")]).host.kill("alhpa"),
    ].map(diagnosticOf);
    expect(messages.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'P43304 two controllers are called "a"',
      'P43304 controller "a" controls the host host0-0-0',
      'P43304 controller "a" controls node 999, which is not there',
      'P43305 no controller is called "alhpa"; did you mean "alpha"?',
    ]);
  });
});

function fault(): never {
  throw new TypeError("went wrong");
}
