/**
 * Cases of the fuzzer of pipelines: a program for TNA, PSA or PNA with random entries, groups, sessions and registers, and packets that
 * follow its parser or are noise. The switch must continue, must not run one packet for ever, and must do the same with the same seed: in a
 * second run, and with code that traces or counts. Every kind has the same program for a batch of cases.
 */
import { createHash } from "node:crypto";
import { DiagnosticError, Random } from "../../../src/base/index.js";
import { PacketMaker, randomEntries } from "../../../src/toolchain/advice/packets.js";
import type { PacketApp } from "../../../src/toolchain/device/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { CoverageCounts, type SwitchOptions } from "../../../src/toolchain/switch/index.js";
import { BATCH } from "./options.js";
import { pipelineAt, pipelineCount } from "./pipeline-programs.js";
import type { FuzzCase } from "./runner.js";
import { type Chooser, writesOf } from "./switch-cases.js";
import { apply, frameOf, type Running, refusal, start, stateOf } from "./switch-rig.js";
import { makeUpdate } from "./switch-updates.js";

/** Maximum processor time of one run, in milliseconds. */
const TIME_LIMIT = 30_000;
const PACKETS = 60;
/** Frames that one frame may become: passes are bounded, and a pass sends at most what a group has. */
const MOST_SENT = 400_000;
/** A run ends after a frame that became so many. */
const MANY_SENT = 5000;

/** CPU ports that programs use, and one that none does. */
const CPU_PORTS = [64, 192, 320, 510];
const RECIRCULATION = [68, 69, 70, 71, 196];

interface Played {
  readonly digest: string;
  readonly fault: string | undefined;
}

function somePort(random: Random, ports: readonly number[]): number {
  if (random.int(8) === 0) return random.int(512);
  return random.int(10) === 0 ? random.pick(RECIRCULATION) : random.pick(ports);
}

function someApps(random: Random): PacketApp[] {
  const some = (): PacketApp["trigger"] => {
    switch (random.int(3)) {
      case 0:
        return {
          kind: "timer",
          nanoseconds: 200_000 + random.int(2_000_000),
          isPeriodic: random.int(2) === 0,
        };
      case 1:
        return { kind: "portDown" };
      default:
        return { kind: "recirculation", value: 0, mask: random.pick([0, 1, 0xff]) };
    }
  };
  return Array.from({ length: random.int(3) }, (_, app) => ({
    app,
    trigger: some(),
    port: random.pick([68, 0]),
    bytes: Uint8Array.from({ length: random.int(80) }, () => random.int(256)),
    batches: 1 + random.int(3),
    packets: 1 + random.int(3),
  }));
}

/** One update, or a change of what is no entity. */
async function change(random: Random, { device }: Running): Promise<void> {
  if (random.int(8) === 0) device.setPortState(random.int(5), random.int(2) === 0);
  else if (random.int(12) === 0 && device.program?.bmv2.architecture !== undefined)
    await device.settings.setPacketApps(someApps(random));
  else if (device.internals.instance.tables.size > 0)
    apply(device, [makeUpdate(random, device)], "continueOnError");
}

/** Plays one case on a new switch. */
async function play(program: Program, seed: number, more: Partial<SwitchOptions>): Promise<Played> {
  const random = new Random(seed);
  const hash = createHash("sha256");
  let sent = 0;
  const queued = random.int(3) === 0;
  const running = start(program, queued, { cpuPort: random.pick(CPU_PORTS), ...more }, (line) => {
    hash.update(line);
    sent++;
  });
  const { device, pass } = running;
  for (const entity of randomEntries(program, seed))
    apply(device, [{ type: "insert", entity }], "continueOnError");
  for (let i = random.int(25); i > 0; i--) await change(random, running);
  const maker = new PacketMaker(program, seed);
  const ports = Array.from({ length: 4 }, () => random.int(512));
  const began = process.cpuUsage();
  let fault: string | undefined;
  for (let i = 0; i < PACKETS && fault === undefined; i++) {
    if (random.int(6) === 0) await change(random, running);
    const frame = random.int(4) === 0 ? frameOf(random, [maker.next()]) : maker.next();
    const port = somePort(random, ports);
    const before = sent;
    if (random.int(30) === 0) refusal(() => device.sendPacketOut({ payload: frame, metadata: {} }));
    else device.receive(port, frame);
    pass(random.pick([0, 0.001, 0.5, 3, 90, 1000]));
    hash.update(`${i} ${sent}`);
    const { user, system } = process.cpuUsage(began);
    if (sent - before > MOST_SENT) fault = `${sent - before} frames of one`;
    else if (user + system > 1000 * TIME_LIMIT) fault = "slow";
    if (sent - before > MANY_SENT || device.stats.drops.loop > 0) break;
  }
  if (device.program?.bmv2.architecture !== undefined) await device.settings.setPacketApps([]);
  pass(1e5);
  hash.update(stateOf(device));
  hash.update(JSON.stringify(device.stats));
  return { digest: hash.digest("hex"), fault };
}

/** A program for each batch of cases. */
const ofBatch: Chooser = (_random, number) => {
  const found = pipelineAt(Math.floor(number / BATCH) % pipelineCount);
  return found.program === undefined ? undefined : { ...found, program: found.program };
};

const compared =
  (other: () => Partial<SwitchOptions>, what: string): FuzzCase =>
  async (random, number, note) => {
    const chosen = ofBatch(random, number, () => true);
    if (chosen === undefined) return undefined;
    const { program, name } = chosen;
    const seed = random.uint32();
    try {
      const one = await play(program, seed, {});
      note(`${name} ${one.digest}`);
      const two = await play(program, seed, other());
      if (one.fault !== undefined) return `${one.fault} (${name})`;
      return one.digest === two.digest ? undefined : `${what} does something else (${name})`;
    } catch (error) {
      // A program that the switch cannot run is refused.
      if (error instanceof DiagnosticError) return undefined;
      if (error instanceof Error) error.message += ` (${name})`;
      throw error;
    }
  };

export const cases: Readonly<Record<string, FuzzCase>> = {
  again: compared(() => ({}), "a second run"),
  traced: compared(() => ({ trace: () => {} }), "code that traces"),
  counted: compared(() => ({ coverage: new CoverageCounts() }), "code that counts"),
  writes: writesOf(ofBatch),
};
