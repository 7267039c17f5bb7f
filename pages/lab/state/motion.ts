/**
 * Packets on wires between the frames of a lab. The page shows an instant a little before the newest frame, so that it
 * knows every packet that was on a wire then. Where a packet was on a wire only between two pictures, it is shown once, in
 * the middle of its way: at real time most packets cross a link faster than a screen can show.
 */
import type { ClockView, FrameEvent, Motion, PacketView } from "../../../src/lab/index.js";
import { FLOW_COLOURS, type ScenePacket } from "../network/scene.js";

/** Wall milliseconds that the picture is behind the lab: a frame and a half. */
const BEHIND_MS = 50;
/** Pictures show at most so many packets. */
const MOST = 3000;
/** Of so many packets what a packet is (label, flow) is kept. */
const KEPT = 4000;

interface Seen {
  readonly label: string;
  readonly colour: number;
}

export class Motions {
  #motions: Motion[] = [];
  readonly #packets = new Map<number, Seen>();
  #frameNow = 0;
  #frameAt = 0;
  #clock: ClockView = { now: 0, running: false, speed: 1, skipIdle: false };
  #shown = 0;

  /** A new network: nothing moves. */
  clear(): void {
    this.#motions = [];
    this.#packets.clear();
    this.#shown = 0;
    this.#frameNow = 0;
  }

  /** @param wall milliseconds of the page's clock */
  frame(event: FrameEvent, wall: number): void {
    for (const packet of event.packets)
      this.#packets.set(packet.id, { label: packet.label, colour: colourOf(packet) });
    if (this.#packets.size > KEPT) {
      let spare = this.#packets.size - KEPT;
      for (const id of this.#packets.keys()) {
        if (spare-- <= 0) break;
        this.#packets.delete(id);
      }
    }
    this.#motions.push(...event.motions);
    this.clock(event.clock, wall);
  }

  clock(clock: ClockView, wall: number): void {
    this.#clock = clock;
    this.#frameNow = clock.now;
    this.#frameAt = wall;
  }

  /** The instant that a picture at this wall time shows, in nanoseconds of the lab's clock. */
  instant(wall: number): number {
    const { running, speed, reached } = this.#clock;
    if (!running) return this.#frameNow;
    const passed = Math.min(wall - this.#frameAt, 2 * BEHIND_MS) - BEHIND_MS;
    const at = this.#frameNow + passed * 1e6 * (reached ?? speed);
    // Time does not go back when a frame comes late.
    return Math.max(this.#shown, Math.min(at, this.#frameNow));
  }

  /** The packets of a picture. Motions that are over are forgotten. */
  picture(wall: number): ScenePacket[] {
    const now = this.instant(wall);
    const before = this.#shown;
    this.#shown = now;
    const packets: ScenePacket[] = [];
    const rest: Motion[] = [];
    for (const motion of this.#motions) {
      const { departs, arrives } = motion;
      if (arrives > now) rest.push(motion);
      if (departs > now || packets.length >= MOST) continue;
      if (arrives > now) packets.push(this.#show(motion, (now - departs) / (arrives - departs)));
      // It was on the wire after the last picture, and no picture has shown it.
      else if (departs > before) packets.push(this.#show(motion, 0.5));
    }
    this.#motions = rest.length > 4 * MOST ? rest.slice(-4 * MOST) : rest;
    return packets;
  }

  #show({ packet, link, direction }: Motion, at: number): ScenePacket {
    const seen = this.#packets.get(packet);
    return {
      id: packet,
      link,
      lane: direction,
      at,
      flow: seen?.colour ?? 0,
      label: seen?.label ?? `packet ${packet}`,
    };
  }
}

/** Packets of one flow, or of both directions of one conversation, have one colour. */
export function colourOf({ flow, protocol, from }: PacketView): number {
  if (flow !== undefined) return flow % FLOW_COLOURS;
  if (protocol === "arp") return FLOW_COLOURS - 1;
  let hash = 0;
  for (const letter of `${protocol} ${from}`) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash % FLOW_COLOURS;
}
