/**
 * Settings of a v1model target that P4Runtime does not have: depth and rate of output queues, parameters of hashes, and packet
 * generators.
 * BMv2 has them in its Thrift interface (`set_queue_depth` and so on).
 */

import { defined } from "../../../base/index.js";
import type {
  CrcParameters,
  PacketApp,
  PacketGenerator,
  QueueSelection,
  TargetSettings,
} from "../../device/index.js";
import { bmv2Hash, toeplitzHash } from "../../hash/index.js";
import type { QueueLimits } from "../flow/queue-limits.js";
import type { Queues } from "../flow/queues.js";
import { type ExpireTimes, PROFILES } from "./expire-times.js";
import type { Instance } from "./instance.js";
import { checkWidth, refuse } from "./keys.js";

const MAX_PORT = 511;
/** The clocks of switches count microseconds. */
const MIN_PERIOD_NS = 1000;
const PORTS_OF_PIPE = 128;
/** Batches of a trigger and packets of a batch: their numbers have 16 bits. */
const MOST_GENERATED = 2 ** 16;
/** An Ethernet header; the longest frame that an interface takes. */
const FRAME_BYTES = { min: 14, max: 65_535 };

/** What of a switch the settings change; `queues` makes the queues when the switch has none. */
export interface Settable {
  readonly limits: QueueLimits;
  readonly expireTimes: ExpireTimes;
  queues(): Queues;
  instance(): Instance;
  generate(generators: readonly PacketGenerator[]): void;
  runApps(apps: readonly PacketApp[]): void;
}

export class Settings implements TargetSettings {
  constructor(readonly target: Settable) {}

  /** 0 drops everything. */
  async setQueueDepth(packets: number, queues: QueueSelection = {}): Promise<void> {
    checkCount("a queue's depth", packets);
    this.#check(queues);
    this.target.limits.setDepth(packets, queues);
    if (queues.port !== undefined) this.target.queues().open(queues.port);
  }

  /** 0 removes the limit. */
  async setQueueRate(packetsPerSecond: number, queues: QueueSelection = {}): Promise<void> {
    checkCount("a queue's rate", packetsPerSecond);
    this.#check(queues);
    this.target.limits.setRate(packetsPerSecond, queues);
    if (queues.port !== undefined) this.target.queues().open(queues.port);
  }

  async setCrcParameters(name: string, width: 16 | 32, parameters: CrcParameters): Promise<void> {
    const algorithm = `crc${width}_custom`;
    const { instance, index } = this.#calculation(name, algorithm);
    const { polynomial, initial, finalXor, reflectData, reflectRemainder } = parameters;
    checkWidth(`the polynomial of ${name}`, polynomial, width);
    checkWidth(`the start value of ${name}`, initial, width);
    checkWidth(`the final XOR of ${name}`, finalXor, width);
    const hash = bmv2Hash(algorithm, {
      width,
      poly: Number(polynomial),
      init: Number(initial),
      xorout: Number(finalXor),
      refin: reflectData,
      refout: reflectRemainder,
    });
    instance.own.hashes = instance.own.hashes.with(index, hash);
  }

  async setToeplitzKey(name: string, key: Uint8Array): Promise<void> {
    const { instance, index } = this.#calculation(name, "toeplitz");
    if (key.length < 4 || key.length % 4 !== 0)
      refuse("INVALID_ARGUMENT", `the key of ${name} has ${key.length} bytes: it needs 4, 8, 12, ...`);
    instance.own.hashes = instance.own.hashes.with(index, toeplitzHash(key.slice()));
  }

  async setExpireTime(profile: number, nanoseconds: number): Promise<void> {
    if (!(Number.isInteger(profile) && profile >= 0 && profile < PROFILES))
      refuse("INVALID_ARGUMENT", `expire-time profile ${profile}: there are 0 to ${PROFILES - 1}`);
    checkCount("the nanoseconds of an expire-time profile", nanoseconds);
    this.target.expireTimes.set(profile, BigInt(nanoseconds));
  }

  async setGenerators(generators: readonly PacketGenerator[]): Promise<void> {
    for (const { port, periodNs, startNs = 0, frame } of generators) {
      checkPort(port);
      if (!(Number.isSafeInteger(periodNs) && periodNs >= MIN_PERIOD_NS))
        refuse(
          "INVALID_ARGUMENT",
          `a packet generator's period is ${periodNs} ns: at least ${MIN_PERIOD_NS}`,
        );
      checkCount("the nanoseconds to a generator's first packet", startNs);
      if (frame.length < FRAME_BYTES.min || frame.length > FRAME_BYTES.max)
        refuse(
          "INVALID_ARGUMENT",
          `a generated frame of ${frame.length} bytes: ${FRAME_BYTES.min} to ${FRAME_BYTES.max} are possible`,
        );
    }
    this.target.generate(generators);
  }

  async setPacketApps(apps: readonly PacketApp[]): Promise<void> {
    const name = this.target.instance().program.bmv2.architecture?.name;
    if (name === undefined) refuse("FAILED_PRECONDITION", "only a Tofino has a packet generator");
    const most = name === "tna" ? 8 : 16;
    const known = new Set<number>();
    for (const one of apps) {
      const { app, port, bytes, trigger, batches = 1, packets = 1, batchGapNs = 0, packetGapNs = 0 } = one;
      // Each pipe has applications of its own.
      const place = app + most * Math.floor(port / PORTS_OF_PIPE);
      if (!(Number.isInteger(app) && app >= 0 && app < most) || known.has(place))
        refuse(
          "INVALID_ARGUMENT",
          `a packet generator's application ${app}: each of a pipe has a number below ${most}`,
        );
      known.add(place);
      checkPort(port);
      checkCount("the batches of a trigger", batches);
      checkCount("the packets of a batch", packets);
      checkCount("the nanoseconds between batches", batchGapNs);
      checkCount("the nanoseconds between packets", packetGapNs);
      if (batches > MOST_GENERATED || packets > MOST_GENERATED)
        refuse(
          "INVALID_ARGUMENT",
          `${batches} batches of ${packets} packets: at most ${MOST_GENERATED} of each`,
        );
      if (bytes.length > FRAME_BYTES.max)
        refuse("INVALID_ARGUMENT", `a generated packet of ${bytes.length} bytes`);
      if (trigger.kind === "timer" && !(trigger.nanoseconds >= MIN_PERIOD_NS))
        refuse("INVALID_ARGUMENT", `a timer of ${trigger.nanoseconds} ns: at least ${MIN_PERIOD_NS}`);
    }
    this.target.runApps(apps);
  }

  #calculation(name: string, algorithm: string): { instance: Instance; index: number } {
    const instance = this.target.instance();
    const { calculations } = instance.program.bmv2;
    const index = calculations.findIndex((calculation) => calculation.name === name);
    if (index < 0) {
      const known = calculations.map((calculation) => calculation.name).join(", ");
      refuse("NOT_FOUND", `the program has no calculation ${name}; it has ${known || "none"}`);
    }
    const { algo } = defined(calculations[index]);
    if (algo !== algorithm)
      refuse(
        "INVALID_ARGUMENT",
        `calculation ${name} is ${algo}, not ${algorithm}: it has no such parameters`,
      );
    return { instance, index };
  }

  /** Checks a selection, and makes the queues of a switch that has none. */
  #check({ port, priority }: QueueSelection): void {
    const { priorities } = this.target.queues();
    if (port !== undefined) checkPort(port);
    if (priority === undefined) return;
    if (port === undefined) refuse("INVALID_ARGUMENT", `priority ${priority} of which port?`);
    if (!(Number.isInteger(priority) && priority >= 0 && priority < priorities))
      refuse(
        "OUT_OF_RANGE",
        `priority ${priority}; a port of this switch has ${priorities === 1 ? "the one queue 0" : `the queues 0 to ${priorities - 1}`}`,
      );
  }
}

function checkPort(port: number): void {
  if (!(Number.isInteger(port) && port >= 0 && port <= MAX_PORT))
    refuse("OUT_OF_RANGE", `port ${port}; ports are 0 to ${MAX_PORT}`);
}

function checkCount(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    refuse("INVALID_ARGUMENT", `${what} is ${value}: it is a whole number from 0 on`);
}
