/** What the cases of switches need: a switch with a clock of its own, frames, updates that may be refused, the whole state as text. */
import type { Random } from "../../../src/base/index.js";
import {
  type Atomicity,
  DeviceError,
  type ReadQuery,
  type Update,
} from "../../../src/toolchain/device/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { Switch, type SwitchOptions } from "../../../src/toolchain/switch/index.js";
import { usedIndexes } from "./switch-updates.js";

export interface Running {
  device: Switch;
  sent: string[];
  /** Advances the clock by microseconds and runs the due timers, unless a program makes copies endlessly: each timer may start that anew. */
  pass(time: number): void;
}

/** @param tell gets what leaves, in place of `sent` */
export function start(
  program: Program,
  queued: boolean,
  more: Partial<SwitchOptions> = {},
  tell?: (line: string) => void,
): Running {
  let now = 0;
  let due: { time: number; run: () => void }[] = [];
  const sent: string[] = [];
  const note = tell ?? ((line: string) => sent.push(line));
  const device = new Switch(program, {
    seed: 1,
    cpuPort: 510,
    clock: {
      now: () => now,
      at: (time, run) => {
        const item = { time, run };
        due.push(item);
        return () => {
          due = due.filter((other) => other !== item);
        };
      },
    },
    transmit: (port, frame) => note(`${port} ${Buffer.from(frame).toString("hex")}`),
    log: () => {},
    ...(queued ? { queue: { depthPackets: 4, priorities: 2, ratePacketsPerSecond: () => 1e5 } } : {}),
    ...more,
  });
  device.watch((event) => {
    if (event.kind === "packetIn") note(`cpu ${Buffer.from(event.packet.payload).toString("hex")}`);
    else note(plain(event));
  });
  const pass = (time: number) => {
    const until = now + time;
    for (;;) {
      const next = due.filter((item) => item.time <= until).sort((a, b) => a.time - b.time)[0];
      if (next === undefined || device.stats.drops.loop > 0) break;
      due = due.filter((item) => item !== next);
      now = Math.max(now, next.time);
      next.run();
    }
    now = until;
  };
  return { device, sent, pass };
}

/** Random bytes, or a valid frame with some changed bytes and a shorter or longer end. */
export function frameOf(random: Random, good: readonly Uint8Array[]): Uint8Array {
  if (good.length === 0 || random.int(4) === 0)
    return Uint8Array.from({ length: random.int(random.int(50) === 0 ? 3000 : 120) }, () => random.int(256));
  const frame = random.pick(good).slice();
  for (let changes = random.int(5); changes > 0 && frame.length > 0; changes--)
    frame[random.int(frame.length)] = random.int(256);
  if (random.int(3) === 0) return frame.slice(0, random.int(frame.length + 1));
  if (random.int(6) === 0) return Uint8Array.from([...frame, ...frame, ...frame]);
  return frame;
}

/** The error of an operation of the switch; undefined if it succeeded. Any error that is not a DeviceError is thrown again. */
export function refusal(run: () => void): DeviceError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
}

const EVERYTHING: readonly ReadQuery[] = [
  { kind: "tableEntry", counter: true, meter: true },
  { kind: "tableEntry", isDefault: true },
  { kind: "member" },
  { kind: "group" },
  { kind: "directCounter" },
  { kind: "directMeter" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "digest" },
  { kind: "valueSet" },
];

export function plain(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === "bigint" ? `${part}n` : part instanceof Uint8Array ? [...part] : part,
  );
}

/**
 * The whole readable state of a switch, and the numbers that decide between equal entries and members. The order of entities is
 * ignored where the specification does not define it.
 */
export function stateOf(device: Switch): string {
  const { tables, profiles } = device.internals.instance;
  const hidden = [
    ...[...tables.values()].map(({ name, store }) => [
      name,
      [...store.entries.values()].map(({ number, name }) => `${name} ${number}`).sort(),
    ]),
    ...[...profiles.values()].map(({ name, store }) => [
      name,
      [...store.members.values()]
        .filter((member) => !member.hidden)
        .map(({ memberId, handles, uses }) => `${memberId} ${handles} ${uses}`)
        .sort(),
      [...store.groups.values()]
        .filter((group) => !group.hidden)
        .map(({ number, uses }) => `${[...store.slots[number]!]} ${uses}`)
        .sort(),
    ]),
  ];
  const { counters, meters, registers } = device.internals.instance;
  const arrays: ReadQuery[] = [
    ...[...counters.values()].flatMap(({ name, size }) =>
      usedIndexes(size).map((index) => ({ kind: "counter" as const, counter: name, index })),
    ),
    ...[...meters.values()].flatMap(({ name, size }) =>
      usedIndexes(size).map((index) => ({ kind: "meter" as const, meter: name, index })),
    ),
    ...[...registers.values()].flatMap(({ name, size }) =>
      usedIndexes(size).map((index) => ({ kind: "register" as const, register: name, index })),
    ),
  ];
  return [
    ...device.query(arrays).map(plain),
    ...EVERYTHING.map((query) => device.query([query]).map(plain).sort().join("\n")),
    ...hidden.map(plain),
  ].join("\n\n");
}

export function apply(
  device: Switch,
  updates: readonly Update[],
  atomicity: Atomicity,
): DeviceError | undefined {
  return refusal(() => device.apply(updates, atomicity));
}
