/**
 * Colours that age (algorithm 2, line 9 and 17): a port that was yellow is preferred again when no packet has crossed it for
 * `colour_age`, and stays avoided as long as packets cross it and are yellow. On the compiled program.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { buildTopology, topologySchema } from "../../../../src/fabric/topology/index.js";
import type { MeterConfig } from "../../../../src/toolchain/device/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";
import { eventFrame } from "./frames.js";
import { agedPorts, FOR_TOFINO, planWith } from "./scenarios.js";

/** In microseconds, as the clock of the switch. */
const MS = 1000;

/** A ToR whose short flows prefer the port `a`, large ones `b`. All packets after the first are yellow at `a`. */
async function boot(parameters: object, meter?: MeterConfig) {
  const plan = planWith({ rate_control: false, flowlet_gap: "1000s", ...parameters });
  const { a, b, control, updates, data } = agedPorts(plan, meter);
  const diagnostics = new Diagnostics();
  const text = renderProgram(templates, plan.programs.find(({ name }) => name === "tor")!);
  const { program } = compile({ file: new SourceFile("tor.p4", text) }, diagnostics)!;
  diagnostics.throwIfErrors();
  const clock = new ManualClock();
  let out: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(undefined, {
    clock,
    seed: 1,
    transmit: (port, frame) => out.push({ port, frame: Uint8Array.from(frame) }),
    queue: {},
  });
  await device.load(program);
  await device.write(updates);
  clock.advance(1000 * MS);
  /** The port of a packet of a short flow; flows differ by their source port. */
  const send = (flow: number): number | undefined => {
    out = [];
    device.receive(data.port, data.frame(flow));
    clock.advance(clock.now());
    return out.find(({ port }) => port !== control)?.port;
  };
  return {
    a,
    b,
    send,
    pass: (ms: number) => clock.advance(clock.now() + Math.round(ms * MS)),
    /** What the last packet told the control plane. */
    told: () => out.filter(({ port }) => port === control).map(({ frame }) => frame),
  };
}

describe("the colour of a port (colour_age: 100ms)", () => {
  it("is forgotten when no packet has crossed the port for this time, and not before", async () => {
    const { a, b, send, pass } = await boot({ colour_age: "100ms" });
    expect([send(1), send(1)]).toEqual([a, a]);
    expect(send(2)).toBe(b);
    pass(99.999);
    expect(send(3)).toBe(b);
    pass(0.001);
    expect(send(4)).toBe(a);
    // That packet was yellow, too: the colour is reported again.
    expect(send(5)).toBe(b);
  });

  it("is kept while packets cross the port, by a report twice in this time", async () => {
    const { a, b, send, pass } = await boot({ colour_age: "100ms" });
    send(1);
    send(1);
    for (let flow = 2; flow < 30; flow++) {
      pass(40);
      expect(send(1)).toBe(a);
      pass(10);
      expect(send(flow)).toBe(b);
    }
    pass(100);
    expect(send(99)).toBe(a);
  });

  it("does not return when the clock of 32 bits has run through", async () => {
    const { a, b, send, pass } = await boot({ colour_age: "100ms" });
    send(1);
    send(1);
    expect(send(2)).toBe(b);
    pass(200);
    // Looks at the first port, and stays where its flowlet is.
    expect(send(2)).toBe(b);
    pass(2 ** 32 / 1000 - 150);
    expect(send(3)).toBe(a);
  });

  it("stays for ever with colour_age: never, the paper's rule", async () => {
    const { a, b, send, pass } = await boot({ colour_age: "never" });
    expect([send(1), send(1)]).toEqual([a, a]);
    pass(1_000_000);
    expect(send(2)).toBe(b);
  });

  it("is reported again to the controller where this writes the colours", async () => {
    const { a, send, pass, told } = await boot({
      ...FOR_TOFINO,
      rate_control: false,
      truncate: true,
      colour_age: "100ms",
    });
    const report = (rateEvent: number) => [eventFrame({ port: a, rateEvent, color: 1 })];
    send(1);
    expect(told()).toEqual([]);
    send(1);
    expect(told()).toEqual(report(1));
    // The first report again comes with the next packet, since none was made before.
    const later = [25, 24.999, 0.001, 49.999, 0.001].map((ms) => {
      pass(ms);
      send(1);
      return told().length;
    });
    expect(later).toEqual([0, 0, 1, 0, 1]);
    expect(told()).toEqual(report(0));
  });
});

it("reports nearly every packet of a full port: at 20 packets a second the paper's meters have room for one packet", async () => {
  const { send, pass, told } = await boot(
    { colour_age: "never" },
    { committedRate: 18n, committedBurst: 1n, peakRate: 20n, peakBurst: 1n },
  );
  let events = 0;
  for (let i = 0; i < 400; i++) {
    send(1);
    events += told().length;
    pass(50);
  }
  // 0.9 packets of a committed rate come to the bucket for each packet: every second one is yellow.
  expect(events).toBe(399);
});

describe("the default of colour_age", () => {
  const p4te = schemeNamed("p4te")!;
  const noteOf = (links: object, parameters: object = {}) =>
    p4te
      .plan(
        buildTopology(
          topologySchema.parse({
            kind: "leaf_spine",
            tors: 2,
            leaves: 2,
            homing: "single",
            hosts_per_rack: 1,
            host_link: { rate: "10Gbps", delay: "1us", ...links },
            fabric_link: { rate: "10Gbps", delay: "1us", ...links },
          }),
        ),
        p4te.parameters.parse(parameters),
      )
      .notes!.at(-1);

  it.each([
    // The buckets hold what the link carries in the burst.
    [{}, {}, "50 ms"],
    [{}, { burst: "100us" }, "0.1 ms"],
    // One packet at least: 1/18 s at 20 packets a second and a committed rate of 0.9.
    [{ rate_pps: 20 }, {}, "55.556 ms"],
    [{ rate_pps: 40 }, { cir: 0.5 }, "50 ms"],
    [{ rate_pps: 4 }, { cir: 0.25 }, "1000 ms"],
  ])("is the time in which the meters refill: links %j, %j: %s", (links, parameters, age) => {
    expect(noteOf(links, parameters)).toBe(
      `P4TE: the colour of a port that no packet crosses is forgotten after ${age}.`,
    );
  });

  it("a note says what holds", () => {
    expect(noteOf({}, { colour_age: "3ms" })).toContain("after 3 ms");
    expect(noteOf({}, { colour_age: "never" })).toContain(
      "stays until a packet crosses the port (the paper's rule)",
    );
  });

  it.each(["0s", "999ns", "5000s", "always", 7])("refuses %j", (colour_age) => {
    expect(p4te.parameters.safeParse({ colour_age }).error?.issues[0]?.message).toContain(
      "expected a time from 1us to 4294s",
    );
  });
});
