/** Every packet that BMv2 was given, and what came out. */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../src/base/index.js";
import type {
  CounterEntry,
  DirectCounterEntry,
  Entity,
  RegisterEntry,
  Update,
} from "../../../src/toolchain/device/index.js";
import { goldenJson, type Output, type Stimulus, startGolden } from "./golden.js";

const PROGRAMS = [
  "l3",
  "selector",
  "hash",
  "parse",
  "arith",
  "arith_signed",
  "arith_misc",
  "control",
  "memory",
  "cpu",
  "replicate",
  "queue",
];

describe.each(PROGRAMS)("%s", (name) => {
  it("sends what BMv2 sends, packet for packet", async () => {
    const { play, clock } = await startGolden(name);
    for (const stimulus of goldenJson<Stimulus[]>(name, "packets.json")) {
      clock.advance(clock.time + 100);
      expect(play(stimulus.in.port, stimulus.in.hex), JSON.stringify(stimulus.in)).toEqual(stimulus.out);
    }
  });
});

describe("variants", () => {
  it("hashes with the first CRC parameters when none are set", async () => {
    const { play } = await startGolden("hash", "none.txt");
    for (const { in: input, out } of goldenJson<Stimulus[]>("hash", "packets_unconfigured.json"))
      expect(play(input.port, input.hex)).toEqual(out);
  });

  it("makes the same copies where their order is open", async () => {
    const sorted = (list: Output[]) => [...list].sort((a, b) => a.port - b.port || (a.hex < b.hex ? -1 : 1));
    const { play } = await startGolden("replicate");
    for (const { in: input, out } of goldenJson<Stimulus[]>("replicate", "packets_unordered.json"))
      expect(sorted(play(input.port, input.hex))).toEqual(sorted(out));
  });
});

interface Counts {
  packets: number;
  bytes: number;
}

interface State {
  counters: Record<string, Counts[]>;
  direct_counters?: Record<string, Counts[]>;
  registers?: Record<string, number[]>;
}

async function played(name: string) {
  const started = await startGolden(name);
  for (const { in: input } of goldenJson<Stimulus[]>(name, "packets.json"))
    started.play(input.port, input.hex);
  return started.device;
}

const countsOf = (entity: Entity): Counts => {
  const { data } = entity as CounterEntry | DirectCounterEntry;
  return { packets: Number(data.packets), bytes: Number(data.bytes) };
};

describe("state after the last packet", () => {
  it.each(["l3", "memory"])("%s: counters", async (name) => {
    const device = await played(name);
    const { counters } = goldenJson<State>(name, "state.json");
    for (const [counter, expected] of Object.entries(counters))
      expect(
        device
          .query([{ kind: "counter", counter }])
          .slice(0, expected.length)
          .map(countsOf),
        counter,
      ).toEqual(expected);
  });

  it("l3: counters of table entries", async () => {
    const device = await played("l3");
    const recorded = goldenJson<State>("l3", "state.json").direct_counters!;
    const tables: Record<string, string> = {
      "TheIngress.route_hits": "TheIngress.routes4",
      "TheIngress.acl_hits": "TheIngress.acl",
    };
    for (const [counter, expected] of Object.entries(recorded))
      expect(
        device.query([{ kind: "directCounter", table: tables[counter]! }]).map(countsOf),
        counter,
      ).toEqual(expected);
  });

  it("memory: registers (the record cuts values at 2^63 - 1)", async () => {
    const device = await played("memory");
    const { registers } = goldenJson<State>("memory", "state.json");
    for (const [register, expected] of Object.entries(registers!)) {
      const values = device.query([{ kind: "register", register }]) as RegisterEntry[];
      expected.forEach((value, i) => {
        const ours = values[i]!.value;
        expect(ours < 2n ** 63n ? Number(ours) : 2 ** 63, `${register}[${i}]`).toBe(value);
      });
    }
  });
});

interface Weights {
  members_created: number[];
  groups: Record<string, [number, number][]>;
  slots: Record<string, number[]>;
}

describe("weights through P4Runtime", () => {
  it("orders the slots of a group by handle, copies included", async () => {
    const { members_created, groups, slots } = goldenJson<Weights>("selector", "p4runtime_weights.json");
    const { device } = await startGolden("selector", "none.txt");
    const profile = "TheIngress.sel_crc32";
    const member = (memberId: number): Update => ({
      type: "insert",
      entity: {
        kind: "member",
        profile,
        memberId,
        action: { action: "TheIngress.set_crc32", params: { [parameter]: BigInt(memberId) } },
      },
    });
    const parameter = device.program!.bmv2.actions.find(({ name }) => name === "TheIngress.set_crc32")!
      .runtime_data[0]!.name;
    device.apply(members_created.map(member));
    const store = device.internals.instance.profiles.get(profile)!.store;
    const byHandle = new Map(
      [...store.members.values()].flatMap(({ handles, memberId }) => handles.map((h) => [h, memberId])),
    );
    for (const [groupId, members] of Object.entries(groups)) {
      const group = (list: [number, number][]) => ({
        kind: "group" as const,
        profile,
        groupId: Number(groupId),
        members: list.map(([memberId, weight]) => ({ memberId, weight })),
        maxSize: 0,
      });
      // The record says that group 5 was inserted small and then modified.
      if (groupId === "5")
        device.apply([
          {
            type: "insert",
            entity: group([
              [10, 1],
              [20, 1],
            ]),
          },
        ]);
      device.apply([{ type: groupId === "5" ? "modify" : "insert", entity: group(members) }]);
      for (const { handles, memberId } of store.members.values())
        for (const h of handles) byHandle.set(h, memberId);
      const number = store.groups.get(Number(groupId))!.number;
      expect(
        [...store.slots[number]!].map((handle) => byHandle.get(handle)),
        groupId,
      ).toEqual(slots[groupId]);
    }
  });
});

describe("frames", () => {
  it("are new arrays of their exact length, and the received one is left alone", async () => {
    const { device, outputs } = await startGolden("l3");
    const [first] = goldenJson<Stimulus[]>("l3", "packets.json");
    const frame = fromHex(first!.in.hex)!;
    const before = frame.slice();
    device.receive(first!.in.port, frame);
    expect(frame).toEqual(before);
    expect(outputs).toEqual(first!.out);
  });
});
