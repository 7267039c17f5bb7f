/** Steps that send packets: one packet with all packets that must arrive, and pings. */
import {
  differences,
  type ExerciseStep,
  frameText,
  inRange,
  type PacketPattern,
  patternText,
  rangeText,
} from "../../exercises/index.js";
import { StepFailure } from "../failure.js";
import type { TestNetwork } from "../network.js";

type Step<K extends ExerciseStep["kind"]> = Extract<ExerciseStep, { kind: K }>;

/** Maximum number of packets of a host that a message shows. */
const SHOWN = 5;

/** Sends a packet and compares all packets that arrive at hosts with the expected ones, in order. */
export async function playPacket(step: Step<"packet">, network: TestNetwork): Promise<void> {
  for (const host of network.hosts.values()) host.forget();
  const arrived = (): number => {
    let sum = 0;
    for (const { received } of network.hosts.values()) sum += received.length;
    return sum;
  };
  network.hosts.get(step.from)!.send(step.frame);
  const { length } = step.expect;
  await network.advance(step.withinNs, () => length > 0 && arrived() >= length);
  const sent = `${step.from} sends ${patternText(step.sent)}`;
  for (const host of network.hosts.values()) {
    const wanted = step.expect.filter(({ at }) => at === host.name).map(({ pattern }) => pattern);
    compareHost(
      host.name,
      wanted,
      host.received.map(({ frame }) => frame),
      sent,
      step.sent,
    );
  }
}

function compareHost(
  host: string,
  wanted: readonly PacketPattern[],
  got: readonly Uint8Array[],
  sent: string,
  pattern: PacketPattern,
): void {
  for (const [index, one] of wanted.entries()) {
    const frame = got[index];
    const expected = `at ${host}: ${patternText(one)}`;
    if (frame === undefined) {
      const seen = got.length === 0 ? `nothing arrives at ${host}` : `only ${packets(got.length)} at ${host}`;
      throw new StepFailure(expected, seen, [sent]);
    }
    const wrong = differences(one, frame);
    if (wrong.length > 0) throw new StepFailure(expected, `at ${host}: ${wrong.join("; ")}`, [sent]);
  }
  if (got.length === wanted.length) return;
  const shown = got.slice(wanted.length, wanted.length + SHOWN).map((frame) => frameText(pattern, frame));
  throw new StepFailure(
    wanted.length === 0 ? `nothing arrives at ${host}` : `${packets(wanted.length)} at ${host}`,
    `${packets(got.length)} ${got.length === 1 ? "arrives" : "arrive"} at ${host}`,
    [sent, ...shown.map((text) => `at ${host}: ${text}`)],
  );
}

function packets(count: number): string {
  return `${count} packet${count === 1 ? "" : "s"}`;
}

const PING_INTERVAL_NS = 10e6;
const PING_TIMEOUT_NS = 500e6;

/** Sends echo requests, and counts the replies. */
export async function playPing(step: Step<"ping">, network: TestNetwork, to: bigint): Promise<void> {
  const { from, count, ttl, answered } = step;
  const nothing = answered.high === 0;
  const timeoutNs = PING_TIMEOUT_NS + (nothing ? 0 : network.patienceNs);
  const replies = network.hosts.get(from)!.ping(to, count, ttl, PING_INTERVAL_NS, timeoutNs);
  await network.advance(
    count * PING_INTERVAL_NS + PING_TIMEOUT_NS,
    () => !nothing && replies() >= answered.low && replies() >= count,
  );
  if (inRange(answered, replies(), count)) return;
  throw new StepFailure(
    `${rangeText(answered)} of ${count} pings from ${from} to ${step.to} are answered`,
    `${replies()} are answered`,
  );
}
