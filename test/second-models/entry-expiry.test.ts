/** When entries of PNA expire, over drawn packets, writes of a controller, settings and times, against a second model without timers. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { DeviceError, type TableEntry } from "../../src/toolchain/device/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { ExpiringTable, type PacketKind } from "../models/entry-expiry.js";
import { ManualClock } from "../toolchain/switch/golden.js";

const KINDS: readonly PacketKind[] = ["hit only", "restart", "profile", "profile and restart"];
const TABLE = "Main.flows";
const FLOWS = 4;
/** Milliseconds of the profiles 0 to 5; drawn times and durations share divisors, so that packets also come exactly when an entry is due. */
const PROFILES = [10_000, 30_000, 60_000, 120_000, 300_000, 43_200_000];

const file = new SourceFile(
  "expiry.p4",
  readFileSync(resolve(import.meta.dirname, "../golden/pna/expiry.p4"), "utf8"),
);
const { program } = compile({ file }, new Diagnostics())!;

const flow = fc.nat({ max: FLOWS - 1 });
const step = fc.record({
  wait: fc.oneof(
    fc.constantFrom(0, 5000, 10_000, 20_000, 30_000, 60_000, 50_000_000),
    fc.integer({ min: 1, max: 40_000 }),
  ),
  what: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        does: fc.constant("packet" as const),
        flow,
        kind: fc.constantFrom(...KINDS),
        profile: fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 5),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        does: fc.constant("write" as const),
        flow,
        type: fc.constantFrom("insert", "modify", "delete"),
        lasts: fc.constantFrom(0, 5000, 10_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        does: fc.constant("set" as const),
        profile: fc.nat({ max: 1 }),
        lasts: fc.constantFrom(0, 1, 10_000, 15_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("failed batch" as const), flow }) },
  ),
});

function entryOf(flow: number, lasts: number): TableEntry {
  return {
    kind: "tableEntry",
    table: TABLE,
    match: [{ kind: "exact", field: "hdr.h.flow", value: BigInt(flow) }],
    priority: 0,
    action: { kind: "action", action: "Main.known", params: {} },
    idleTimeoutNs: BigInt(lasts) * 1_000_000n,
  };
}

/** Whether the switch did it. */
function done(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return false;
  }
}

function read(device: Switch): [number, number][] {
  return device
    .query([{ kind: "tableEntry", table: TABLE }])
    .flatMap((one): [number, number][] => {
      if (one.kind !== "tableEntry" || one.isDefault === true) return [];
      const [match] = one.match;
      return [
        [Number(match?.kind === "exact" ? match.value : -1), Number((one.idleTimeoutNs ?? 0n) / 1_000_000n)],
      ];
    })
    .sort(([a], [b]) => a - b);
}

describe("entries of PNA", () => {
  it("are found until their time, and read as long", async () => {
    let found = 0;
    let expired = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const clock = new ManualClock();
        const seen: number[] = [];
        const events: string[] = [];
        const device = new Switch(program, { clock, transmit: (_, frame) => seen.push(frame[4]!) });
        device.watch(({ kind }) => events.push(kind));
        const model = new ExpiringTable([...PROFILES]);
        const known = new Set<number>();
        let now = 0;
        for (const { wait, what } of steps) {
          now += wait;
          clock.advance(now * 1000);
          if (what.does === "packet") {
            const { flow: number, kind, profile } = what;
            device.receive(1, new Uint8Array([1 + KINDS.indexOf(kind), 0, number, profile, 0]));
            const isFound = model.packet(now, number, kind, profile);
            expect(seen.at(-1)).toBe(isFound ? 1 : 0xff);
            if (isFound) found++;
            else if (known.has(number)) expired++;
            known.add(number);
          } else if (what.does === "write") {
            const { flow: number, type, lasts } = what;
            const may = done(() => device.apply([{ type, entity: entryOf(number, lasts) }]));
            expect(may).toBe(model.write(now, number, type, lasts));
            if (type === "delete") known.delete(number);
          } else if (what.does === "set") {
            await device.settings.setExpireTime(what.profile, what.lasts * 1_000_000);
            model.profiles[what.profile] = what.lasts;
          } else {
            // The second update is refused, so the first one is undone: an entry keeps its time.
            const isThere = model.read(now).some(([one]) => one === what.flow);
            const first = { type: isThere ? "modify" : "insert", entity: entryOf(what.flow, 1) } as const;
            const refused = { type: "insert", entity: { ...entryOf(0, 0), match: [] } } as const;
            expect(done(() => device.apply([first, refused], "rollbackOnError"))).toBe(false);
          }
          expect(read(device)).toEqual(model.read(now));
        }
        // Nobody is told.
        expect(events).toEqual([]);
        await device.close();
      }),
    );
    expect(found).toBeGreaterThan(100);
    expect(expired).toBeGreaterThan(100);
  });

  it("go at once where many are due together", () => {
    const clock = new ManualClock();
    const device = new Switch(program, { clock, transmit: () => {} });
    const add = (number: number): void =>
      device.receive(1, new Uint8Array([1, number >> 8, number & 0xff, 0, 0]));
    for (let number = 0; number < 1024; number++) add(number);
    clock.advance(9_999_999);
    expect(read(device)).toHaveLength(1024);
    // The table is full: nothing is added.
    add(5000);
    expect(read(device)).toHaveLength(1024);
    clock.advance(10_000_000);
    expect(read(device)).toEqual([]);
    add(5000);
    expect(read(device)).toEqual([[5000, 10_000]]);
  });
});
