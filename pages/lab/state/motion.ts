/**
 * Packets on wires between the frames of a lab. The page shows an instant shortly before the newest frame, so that it knows
 * every packet that was on a wire then. A packet that was on a wire only between two pictures is shown once, in the middle of
 * the link: in real time, most packets cross a link faster than a screen can show.
 */
import type { ClockView, FrameEvent, Motion, PacketView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { FLOW_COLOURS, type ScenePacket } from "../network/scene.js";

/** Delay of the picture after the lab, in milliseconds of real time: one and a half frames. */
const DELAY_MS = 50;
/** Maximum number of packets in a picture. */
const MAX_PACKETS = 3000;
/** Maximum number of packets whose label and flow are kept. */
const MAX_KEPT = 4000;

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

  /** Deletes all motions, for a new network. */
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
    if (this.#packets.size > MAX_KEPT) {
      let spare = this.#packets.size - MAX_KEPT;
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
    const passed = Math.min(wall - this.#frameAt, 2 * DELAY_MS) - DELAY_MS;
    const at = this.#frameNow + passed * 1e6 * (reached ?? speed);
    // A late frame must not move the time backwards.
    return Math.max(this.#shown, Math.min(at, this.#frameNow));
  }

  /** The packets of a picture. Deletes the motions that have ended. */
  picture(wall: number): ScenePacket[] {
    const now = this.instant(wall);
    const before = this.#shown;
    this.#shown = now;
    const packets: ScenePacket[] = [];
    const rest: Motion[] = [];
    for (const motion of this.#motions) {
      const { departs, arrives } = motion;
      if (arrives > now) rest.push(motion);
      if (departs > now || packets.length >= MAX_PACKETS) continue;
      if (arrives > now) packets.push(this.#show(motion, (now - departs) / (arrives - departs)));
      // It was on the wire only after the last picture, so no picture has shown it.
      else if (departs > before) packets.push(this.#show(motion, 0.5));
    }
    this.#motions = rest.length > 4 * MAX_PACKETS ? rest.slice(-4 * MAX_PACKETS) : rest;
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
      label: seen?.label ?? t("packets.number", { id: String(packet) }),
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
