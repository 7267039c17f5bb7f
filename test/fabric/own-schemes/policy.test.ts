/** A user's host policy: each member gets what the transport passes and gives what the user returns, or a diagnostic at its place. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { DiagnosticError, formatDiagnostic, type Json, Random, SourceFile } from "../../../src/base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../../src/base/packets/index.js";
import { CLIENT, type HostContext, restingHost } from "../../../src/fabric/hosts/index.js";
import type { OwnModule } from "../../../src/fabric/own-schemes/guard.js";
import { policyOf } from "../../../src/fabric/own-schemes/policy.js";
import { schemeKit } from "../../../src/fabric/schemes/index.js";

const path = resolve("own.mjs");
/** One member a line, so that a place names its member by its line. */
const MEMBERS = [
  "hosts",
  ...["open", "nic", "sourcePort", "onCarrier", "onMessage", "tell"],
  ...["selector", "selectorFor", "onTimeout", "onAck", "onData", "onFastRetransmit", "onRound", "onIdle"],
  ...["onReordering", "holds", "onDrained"],
];
const module: OwnModule = {
  url: pathToFileURL(path).href,
  file: new SourceFile(path, MEMBERS.map((name) => `${name}: 1,\n`).join("")),
};
const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };
const marks = { selector: 1, echo: 2 };

type Members = Record<string, unknown>;

const CHOOSER: Members = { selector: 0, onTimeout: () => [0], onAck() {}, onData: () => [0] };

const policy = (members: Members, context: HostContext = restingHost(), moduleField: string = "dscp") =>
  policyOf(module, () => ({ open: () => CHOOSER, ...members }), { kind: "own", moduleField }, context);

const chooser = (members: Members, moduleField?: string) =>
  policy(
    // The descriptors, so that getters stay getters.
    {
      open: () =>
        Object.create(
          {},
          { ...Object.getOwnPropertyDescriptors(CHOOSER), ...Object.getOwnPropertyDescriptors(members) },
        ),
    },
    restingHost(),
    moduleField,
  ).open(flow, new Random(1), CLIENT);

/** The one diagnostic, without the folder. */
function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(DiagnosticError);
    const [diagnostic, ...more] = (error as DiagnosticError).diagnostics;
    expect(more).toEqual([]);
    return formatDiagnostic(diagnostic!).replaceAll(path, "own.mjs");
  }
  throw new Error("the call was to fail");
}

const lineOf = (member: string) => MEMBERS.indexOf(member) + 1;

describe("the members of a policy", () => {
  it("get the arguments, and their results are passed on", () => {
    const seen: unknown[] = [];
    const made = policy({
      ecn: true,
      needs: ["idle"],
      open(...values: unknown[]) {
        seen.push(["open", ...values]);
        return CHOOSER;
      },
      nic(...values: unknown[]) {
        seen.push(["nic", ...values]);
        return 1;
      },
      sourcePort(...values: unknown[]) {
        seen.push(["sourcePort", ...values]);
        return 65_535;
      },
      onCarrier(...values: unknown[]) {
        seen.push(["onCarrier", ...values]);
      },
      onMessage(...values: unknown[]) {
        seen.push(["onMessage", ...values]);
        return { heard: values };
      },
    });
    const random = new Random(1);
    expect(made).toMatchObject({ ecn: true, needs: ["idle"] });
    made.open(flow, random, CLIENT);
    expect(made.nic(flow, 5, 2)).toBe(1);
    expect(made.sourcePort!(flow, CLIENT, random)).toBe(65_535);
    made.onCarrier!(1, false);
    expect(made.onMessage!("hello")).toEqual({ heard: ["hello"] });
    expect(seen).toEqual([
      ["open", flow, random, CLIENT],
      ["nic", flow, 5, 2],
      ["sourcePort", flow, CLIENT, random],
      ["onCarrier", 1, false],
      ["onMessage", "hello"],
    ]);
  });

  it("that are optional stay absent, and the NIC is then the hash of the flow", () => {
    const made = policy({});
    expect(Object.keys(made).sort()).toEqual(["nic", "open"]);
    for (let srcPort = 0; srcPort < 40; srcPort++) {
      const other = { ...flow, srcPort };
      expect(made.nic(other, 0, 3)).toBe(schemeKit.flowHash(other) % 3);
    }
  });

  it("are called as members, so that they can use `this`", () => {
    const made = policy({
      down: [] as number[],
      onCarrier(this: { down: number[] }, nic: number) {
        this.down.push(nic);
      },
      onMessage(this: { down: number[] }) {
        return this.down;
      },
    });
    made.onCarrier!(3, false);
    expect(made.onMessage!(null)).toEqual([3]);
  });

  it.each([0, -1, 65_536, 1.5, "80", undefined])("a source port of %j is refused", (port) => {
    const message = messageOf(() =>
      policy({ sourcePort: () => port }).sourcePort!(flow, CLIENT, new Random(1)),
    );
    expect(message).toContain(`own.mjs:${lineOf("sourcePort")}:1: error[P43403]: sourcePort returns`);
    expect(message).toContain("expected a whole number from 1 to 65535");
  });

  it.each([1, 65_535])("a source port of %j is right", (port) => {
    expect(policy({ sourcePort: () => port }).sourcePort!(flow, CLIENT, new Random(1))).toBe(port);
  });

  it.each([2, -1, 0.5, undefined])("a NIC of %j of two is refused", (nic) => {
    const message = messageOf(() => policy({ nic: () => nic }).nic(flow, 0, 2));
    expect(message).toContain(
      `own.mjs:${lineOf("nic")}:1: error[P43403]: nic returns ${nic}, which is no number`,
    );
    expect(message).toContain("expected a whole number from 0 to 1");
  });

  it("an answer that is no JSON is refused with its place in the answer", () => {
    const made = policy({ onMessage: () => ({ a: [1, Number.NaN] }) });
    const message = messageOf(() => made.onMessage!(1));
    expect(message).toMatch(
      new RegExp(
        `own.mjs:${lineOf("onMessage")}:1: error\\[P43403\\]: onMessage returns a message whose a.*is NaN`,
      ),
    );
    expect(messageOf(() => policy({ onMessage: () => 1n }).onMessage!(1))).toMatch(
      /onMessage returns (?!a message whose).*, which is no plain JSON/,
    );
  });

  it("exceptions have the place of the member", () => {
    const made = policy({
      nic() {
        throw "no";
      },
    });
    expect(messageOf(() => made.nic(flow, 0, 2))).toContain(
      `own.mjs:${lineOf("nic")}:1: error[P43404]: nic throws: no`,
    );
  });
});

describe("the context of a policy", () => {
  it("passes clock, timers, random numbers and messages on", () => {
    const told: Json[] = [];
    const timers: [number, () => void][] = [];
    let cancelled = 0;
    const context: HostContext = {
      ...restingHost("h7", 3),
      clock: {
        now: () => 42,
        at(time, fn) {
          timers.push([time, fn]);
          return () => cancelled++;
        },
      },
      tell: (message) => told.push(message),
    };
    let rang = 0;
    let given: HostContext | undefined;
    policyOf(
      module,
      (description, own) => {
        expect(description).toEqual({ kind: "own", gap: 5 });
        given = own;
        return { open: () => CHOOSER };
      },
      { kind: "own", gap: 5, module: module.url, moduleField: "dscp" },
      context,
    );
    expect(given).toMatchObject({ name: "h7", nics: 3, random: context.random });
    expect(given!.clock.now()).toBe(42);
    const cancel = given!.clock.at(50, () => {
      rang++;
    });
    expect(timers.map(([time]) => time)).toEqual([50]);
    timers[0]![1]();
    expect(rang).toBe(1);
    cancel();
    expect(cancelled).toBe(1);
    given!.tell({ uses: 1 });
    expect(told).toEqual([{ uses: 1 }]);
    const message = messageOf(() => given!.tell({ uses: undefined } as unknown as Json));
    expect(message).toContain(
      `own.mjs:${lineOf("tell")}:1: error[P43403]: tell gets a message whose uses is`,
    );
    expect(told).toHaveLength(1);
    given!.clock.at(60, () => {
      throw new Error("late");
    });
    expect(messageOf(timers[1]![1])).toContain("error[P43404]: hosts throws: Error: late");
  });
});

describe("the members of a chooser", () => {
  it("get the arguments, and their results are passed on", () => {
    const seen: unknown[] = [];
    const note =
      (name: string, result?: unknown) =>
      (...values: unknown[]) => {
        seen.push([name, ...values]);
        return result;
      };
    const made = chooser({
      get selector() {
        return 7;
      },
      onTimeout: note("onTimeout", [1, 2]),
      onAck: note("onAck"),
      onData: note("onData", [3]),
      selectorFor: note("selectorFor", 4),
      onFastRetransmit: note("onFastRetransmit", [5, 6]),
      onRound: note("onRound"),
      onIdle: note("onIdle"),
      onReordering: note("onReordering"),
      holds: true,
      onDrained: note("onDrained"),
    });
    const segment = { position: 0, bytes: 9, nowNs: 1 };
    const round = { ackedBytes: 1, markedBytes: 0, durationNs: 5 };
    expect(made.selector).toBe(7);
    expect(made.onTimeout(2)).toEqual([1, 2]);
    made.onAck(marks, 88);
    expect(made.onData(marks, true)).toEqual([3]);
    expect(made.selectorFor!(segment)).toBe(4);
    expect(made.onFastRetransmit!()).toEqual([5, 6]);
    made.onRound!(round);
    made.onIdle!(77);
    made.onReordering!(1460);
    expect(made.holds).toBe(true);
    made.onDrained!();
    expect(seen).toEqual([
      ["onTimeout", 2],
      ["onAck", marks, 88],
      ["onData", marks, true],
      ["selectorFor", segment],
      ["onFastRetransmit"],
      ["onRound", round],
      ["onIdle", 77],
      ["onReordering", 1460],
      ["onDrained"],
    ]);
  });

  it("that are optional stay absent", () => {
    expect(Object.keys(chooser({})).sort()).toEqual(["onAck", "onData", "onTimeout", "selector"]);
  });

  it("are called as members, so that they can use `this`", () => {
    const made = chooser({
      count: 0,
      ...Object.fromEntries(
        ["selectorFor", "onRound", "onIdle", "onReordering", "onDrained", "onAck"].map((name) => [
          name,
          function (this: { count: number }) {
            return ++this.count;
          },
        ]),
      ),
      onFastRetransmit(this: { count: number }) {
        return [++this.count];
      },
      onData(this: { count: number }) {
        return [this.count];
      },
    });
    made.onRound!({ ackedBytes: 1, markedBytes: 0, durationNs: 5 });
    made.onIdle!(1);
    made.onReordering!(1);
    made.onDrained!();
    made.onAck(marks);
    expect(made.selectorFor!({ position: 0, bytes: 1, nowNs: 0 })).toBe(6);
    expect(made.onFastRetransmit!()).toEqual([7]);
    expect(made.onData(marks, false)).toEqual([7]);
  });

  it("`holds` counts only as true, and changes with the chooser", () => {
    let holds = false;
    const made = chooser({
      get holds() {
        return holds;
      },
    });
    expect(made.holds).toBe(false);
    holds = true;
    expect(made.holds).toBe(true);
  });

  it.each(SELECTOR_FIELDS)("selectors have the width of %s", (field) => {
    const most = 2 ** FIELD_BITS[field] - 1;
    expect(chooser({ selector: most }, field).selector).toBe(most);
    const message = messageOf(() => chooser({ selector: most + 1 }, field).selector);
    expect(message).toContain(
      `own.mjs:${lineOf("selector")}:1: error[P43403]: selector of a chooser is ${most + 1}`,
    );
    expect(message).toContain(`selectors are whole numbers from 0 to ${most}, the values of ${field}`);
  });

  it("of a description without a field have the width of the widest one", () => {
    const bits = Math.max(...SELECTOR_FIELDS.map((field) => FIELD_BITS[field]));
    expect(chooser({ selector: 2 ** bits - 1 }, "none").selector).toBe(2 ** bits - 1);
    expect(messageOf(() => chooser({ selector: 2 ** bits }, "none").selector)).toContain("dscp_flow_label");
  });

  it("selectorFor is checked as a selector", () => {
    const made = chooser({ selectorFor: () => -1 });
    expect(messageOf(() => made.selectorFor!({ position: 0, bytes: 1, nowNs: 0 }))).toContain(
      `own.mjs:${lineOf("selectorFor")}:1: error[P43403]: selectorFor of a chooser returns -1, which is no selector`,
    );
  });

  const eight = [0, 1, 2, 3, 4, 5, 6, 7];
  it.each(["onTimeout", "onData", "onFastRetransmit"])("%s gives one to eight selectors", (member) => {
    const call = (value: unknown) => {
      const made = chooser({ [member]: () => value }) as unknown as Record<string, () => unknown>;
      return made[member]!();
    };
    expect(call([63])).toEqual([63]);
    expect(call(eight)).toEqual(eight);
    for (const wrong of [[], [...eight, 8], [0, 64], [0, -1], 3, undefined, { 0: 1, length: 1 }]) {
      const message = messageOf(() => call(wrong));
      expect(message).toContain(`own.mjs:${lineOf(member)}:1: error[P43403]: ${member} of a chooser returns`);
      expect(message).toContain("expected a list of 1 to 8 selectors");
    }
  });

  it("the value of open is checked", () => {
    expect(messageOf(() => policy({ open: () => ({}) }).open(flow, new Random(1), CLIENT))).toContain(
      `own.mjs:${lineOf("open")}:1: error[P43403]: open returns no chooser`,
    );
  });
});
