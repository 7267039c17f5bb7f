/** Random packets that resemble those of an exercise's tests. */
import type { Random } from "../../base/index.js";
import { Diagnostics } from "../../base/index.js";
import { readStf } from "../../toolchain/stf/index.js";
import {
  buildFrame,
  type Exercise,
  type ExerciseHost,
  HEADER_LAYOUTS,
  type StackPart,
  senderOf,
  trafficStack,
} from "../exercises/index.js";

/** Packets of a step of traffic that serve as models. */
const OF_TRAFFIC = 4;
/** Values of single bytes at which programs decide more often than at others: ends of ranges, of a TTL, of flags. */
const NOTABLE = [0, 1, 2, 127, 128, 255];
/** Bytes of a frame that are changed: headers. */
const HEADERS = 80;
const MAX_CHANGES = 4;

/** The frames that hosts send in the tests, and a ping of each pair of hosts. */
export function modelFrames({ tests, topology }: Exercise): Uint8Array[] {
  const { hosts } = topology;
  const frames: Uint8Array[] = hosts.flatMap((from) =>
    hosts.filter((to) => to !== from).map((to) => pingFrame(from, to, hosts)),
  );
  for (const { what } of tests) {
    if (what.kind === "stf") {
      for (const command of readStf(what.script, new Diagnostics()))
        if (command.kind === "packet") frames.push(command.bytes);
    }
    for (const step of what.kind === "steps" ? what.steps : []) {
      if (step.kind === "packet") frames.push(step.frame);
      if (step.kind !== "traffic") continue;
      const from = hosts.find(({ name }) => name === step.from)!;
      const to = hosts.find(({ name }) => name === step.to)!;
      for (let flow = 0; flow < Math.min(step.flows, OF_TRAFFIC); flow++)
        frames.push(
          buildFrame(trafficStack(step, { from: from.ipv4, to: to.ipv4 }, flow, 0), senderOf(from, hosts)),
        );
    }
  }
  return frames;
}

function pingFrame(from: ExerciseHost, to: ExerciseHost, hosts: readonly ExerciseHost[]): Uint8Array {
  const header = (name: string, fields: Readonly<Record<string, bigint>>): StackPart => ({
    header: name,
    layout: HEADER_LAYOUTS.get(name)!,
    fields: new Map(Object.entries(fields)),
  });
  const parts = [header("ethernet", {}), header("ipv4", { dst: to.ipv4 }), header("icmp", {})];
  return buildFrame([...parts, { bytes: new Uint8Array(32) }], senderOf(from, hosts));
}

/**
 * A frame that has a few bytes of another model, notable bytes or random ones; sometimes it is shorter. A third of the frames are
 * models as they are, so that state follows as in the tests.
 */
export function randomFrame(models: readonly Uint8Array[], random: Random): Uint8Array {
  const frame = random.pick(models).slice();
  const kind = random.int(12);
  if (kind < 4) return frame;
  for (let left = 1 + random.int(MAX_CHANGES); left > 0; left--) {
    const at = random.int(Math.min(frame.length, HEADERS));
    const how = random.int(3);
    if (how === 0) {
      const other = random.pick(models);
      const end = Math.min(frame.length, other.length, at + 1 + random.int(6));
      if (end > at) frame.set(other.subarray(at, end), at);
    } else frame[at] = how === 1 ? random.pick(NOTABLE) : random.int(256);
  }
  return kind === 11 ? frame.subarray(0, 1 + random.int(frame.length)) : frame;
}
