/**
 * The state that changes with every frame: loads, queues, fading drops. The drawing reads it 60 times a second, not
 * through the store.
 */
import type { FrameEvent, LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import type { Lane, SceneDrop, SceneLink } from "../network/scene.js";
import type { DropTotal, NetworkPoint } from "./lab-state.js";
import { Motions } from "./motion.js";

/** Time in which the mark of a drop fades, in milliseconds of real time. */
const FADE_MS = 1800;
/** Queue length that is drawn as full, in packets, because the lab does not report the capacity of its queues. */
const FULL_PACKETS = 64;
/** Weight of the new value in a smoothed value. */
const SMOOTH = 0.35;
const MOST_DROPS = 12;
const HISTORY = 600;

interface Load {
  share: [number, number];
  queue: [number, number];
}

interface Fading {
  node: string;
  reason: string;
  packets: number;
  wall: number;
}

const queueName = (node: string, port: number): string => `${node}:${port}`;

export class Live {
  readonly motions = new Motions();
  #lab: LabView | undefined;
  readonly #loads = new Map<number, Load>();
  /** Queue by name -> link and direction. */
  readonly #queues = new Map<string, [number, 0 | 1]>();
  #fading: Fading[] = [];
  #totals = new Map<string, DropTotal>();
  #history: NetworkPoint[] = [];
  #pending: { bits: number; since: number; queues: Record<string, number> } | undefined;
  unseen = 0;

  /** To be called when the network was created, or created again. */
  reset(lab: LabView): void {
    this.#lab = lab;
    this.motions.clear();
    this.#loads.clear();
    this.#queues.clear();
    this.#fading = [];
    this.#totals = new Map();
    this.#history = [];
    this.#pending = undefined;
    this.#last = 0;
    for (const { id, a, b } of lab.links) {
      this.#loads.set(id, { share: [0, 0], queue: [0, 0] });
      this.#queues.set(queueName(a.node, a.port), [id, 0]);
      this.#queues.set(queueName(b.node, b.port), [id, 1]);
    }
  }

  /** To be called when nodes or links of the same network were broken or repaired. */
  update(lab: LabView): void {
    this.#lab = lab;
  }

  frame(event: FrameEvent, wall: number): void {
    this.motions.frame(event, wall);
    this.unseen = event.unseen;
    for (const load of this.#loads.values()) {
      for (const lane of [0, 1] as const) {
        load.share[lane] *= 1 - SMOOTH;
        load.queue[lane] = 0;
      }
    }
    for (const { link, share } of event.links) {
      const load = this.#loads.get(link);
      if (load === undefined) continue;
      for (const lane of [0, 1] as const) load.share[lane] += SMOOTH * share[lane];
    }
    for (const { switch: node, port, packets } of event.queues) {
      const place = this.#queues.get(queueName(node, port));
      if (place !== undefined) this.#loads.get(place[0])!.queue[place[1]] = packets / FULL_PACKETS;
    }
    this.#drop(event, wall);
    this.#remember(event);
  }

  #drop(event: FrameEvent, wall: number): void {
    for (const { node, link, reason, packets } of event.drops) {
      const place = node ?? (link === undefined ? "?" : this.#linkName(link));
      const key = `${place}\n${reason}`;
      const total = (this.#totals.get(key)?.packets ?? 0) + packets;
      this.#totals.set(key, { place, reason, packets: total, at: event.clock.now });
      const at = node ?? this.#lab?.links.find(({ id }) => id === link)?.a.node;
      if (at === undefined) continue;
      const same = this.#fading.find((drop) => drop.node === at && drop.reason === reason);
      if (same === undefined) this.#fading.push({ node: at, reason, packets, wall });
      else {
        same.packets += packets;
        same.wall = wall;
      }
    }
    this.#fading = this.#fading.filter((drop) => wall - drop.wall < FADE_MS).slice(-MOST_DROPS);
  }

  /** Adds to the history: one point for each tenth of a second of real time, which is three frames. */
  #remember(event: FrameEvent): void {
    const { now } = event.clock;
    this.#pending ??= { bits: 0, since: now, queues: {} };
    const pending = this.#pending;
    for (const { switch: node, port, peak } of event.queues) {
      const name = queueName(node, port);
      pending.queues[name] = Math.max(pending.queues[name] ?? 0, peak);
    }
    const passed = now - pending.since;
    const last = this.#history.at(-1)?.at ?? 0;
    for (const { link, share } of event.links) {
      const view = this.#lab?.links[link];
      if (view === undefined) continue;
      const hosts = [view.b.node, view.a.node].map((name) => this.#isHost(name));
      for (const lane of [0, 1] as const)
        if (hosts[lane] && this.#last > 0)
          pending.bits += (share[lane] * view.rateBps * (now - this.#last)) / 1e9;
    }
    this.#last = now;
    if (passed <= 0 || ++this.#frames < 3) return;
    this.#frames = 0;
    if (now > last)
      this.#history.push({ at: now, bitsPerSecond: (pending.bits * 1e9) / passed, queues: pending.queues });
    if (this.#history.length > HISTORY) this.#history.splice(0, this.#history.length - HISTORY);
    this.#pending = { bits: 0, since: now, queues: {} };
  }
  #last = 0;
  #frames = 0;

  #isHost(name: string): boolean {
    return this.#lab?.nodes.find((node) => node.name === name)?.kind === "host";
  }

  #linkName(link: number): string {
    const view = this.#lab?.links[link];
    return view === undefined
      ? t("element.linkNumber", { id: String(link) })
      : `${view.a.node} - ${view.b.node}`;
  }

  get totals(): DropTotal[] {
    return [...this.#totals.values()].sort((a, b) => b.at - a.at);
  }

  get history(): NetworkPoint[] {
    return [...this.#history];
  }

  lanes(link: number): readonly [Lane, Lane] {
    const load = this.#loads.get(link);
    const lane = (index: 0 | 1): Lane => ({ load: load?.share[index] ?? 0, queue: load?.queue[index] ?? 0 });
    return [lane(0), lane(1)];
  }

  /** Links with their loads, for a picture. */
  links(): SceneLink[] {
    return (this.#lab?.links ?? []).map(({ id, a, b, up }) => ({
      ...{ id, from: a.node, to: b.node, fromPort: portText(this.#isHost(a.node), a.port) },
      ...{ toPort: portText(this.#isHost(b.node), b.port), up, lanes: this.lanes(id) },
    }));
  }

  drops(wall: number): SceneDrop[] {
    return this.#fading
      .map(({ node, reason, packets, wall: at }) => ({
        node,
        reason: packets === 1 ? reason : `${packets} × ${reason}`,
        strength: 1 - (wall - at) / FADE_MS,
      }))
      .filter(({ strength }) => strength > 0);
  }
}

/** The text of a port; ports of hosts are not shown. */
const portText = (host: boolean, port: number): string => (host ? "" : String(port));
