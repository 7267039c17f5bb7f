/** Followed packets with their stories, and the changes that have not been sent to pages yet. */
import { fail } from "../../../base/index.js";
import type { PacketTrace } from "../../../toolchain/switch/index.js";
import { CODES } from "../codes.js";
import type { ProjectFiles } from "../files.js";
import type { DropCount, Motion, PacketEndView, PacketView, StoryView } from "../protocol.js";
import { Followed, type PacketOrigin } from "./story.js";

/** Maximum number of motions in one frame of the page; further motions are only counted. */
const MAX_MOTIONS = 400;
/** Maximum number of stories that are kept; the oldest are deleted first. */
const MAX_STORIES = 300;

/** The changes since the last call of {@link StoryBook.take}. */
export interface StoryChanges {
  readonly packets: readonly PacketView[];
  readonly motions: readonly Motion[];
  readonly ends: readonly { readonly packet: number; readonly end: PacketEndView }[];
  readonly drops: readonly DropCount[];
  readonly unseen: number;
}

export class StoryBook {
  #nextId = 1;
  readonly #stories = new Map<number, Followed>();
  #packets: Followed[] = [];
  #motions: Motion[] = [];
  #ends: { packet: number; end: PacketEndView }[] = [];
  #drops = new Map<string, { node?: string; link?: number; reason: string; packets: number }>();
  #unseen = 0;

  begin(origin: PacketOrigin): Followed {
    const packet = new Followed(this.#nextId++, origin);
    origin.parent?.copies.push(packet.id);
    this.#stories.set(packet.id, packet);
    if (this.#stories.size > MAX_STORIES) this.#stories.delete(this.#stories.keys().next().value!);
    this.#packets.push(packet);
    return packet;
  }

  story(id: number): Followed | undefined {
    return this.#stories.get(id);
  }

  /** The latest packets, the newest first. */
  latest(limit: number): PacketView[] {
    return [...this.#stories.values()]
      .slice(-limit)
      .reverse()
      .map(({ view }) => view);
  }

  /** Records how a packet ended; a second end of the same packet is ignored. */
  finish(packet: Followed, end: PacketEndView): void {
    if (packet.finish(end)) this.#ends.push({ packet: packet.id, end });
  }

  drop(place: { node?: string; link?: number }, reason: string, packets = 1): void {
    const key = `${place.node ?? place.link} ${reason}`;
    const known = this.#drops.get(key);
    if (known === undefined) this.#drops.set(key, { ...place, reason, packets });
    else known.packets += packets;
  }

  addMotion(motion: Motion): void {
    if (this.#motions.length < MAX_MOTIONS) this.#motions.push(motion);
    else this.#unseen++;
  }

  /** Counts a packet on a wire that is not followed. */
  countUnseen(): void {
    this.#unseen++;
  }

  take(): StoryChanges {
    const changes: StoryChanges = {
      packets: this.#packets.map(({ view }) => view),
      motions: this.#motions,
      ends: this.#ends,
      drops: [...this.#drops.values()],
      unseen: this.#unseen,
    };
    this.#packets = [];
    this.#motions = [];
    this.#ends = [];
    this.#drops = new Map();
    this.#unseen = 0;
    return changes;
  }
}

/** Fails with P46006 if the packet was not followed, or if its story was deleted. */
function followedIn(book: StoryBook, packet: number): Followed {
  return (
    book.story(packet) ??
    fail(
      CODES.noStory,
      undefined,
      `packet ${packet} was not followed, or its story was deleted because it is old`,
    )
  );
}

/** Fails with P46006 as {@link followedIn}. */
export function storyOf(book: StoryBook, packet: number, files: ProjectFiles): StoryView {
  return followedIn(book, packet).story((path) => files.text(path));
}

/**
 * The trace of a packet at the switch of one of its hops. Fails with P46006 as {@link followedIn}, if the hop is no switch, and
 * while the packet is in the switch.
 */
export function traceAt(book: StoryBook, packet: number, hop: number): { node: string; trace: PacketTrace } {
  const at = followedIn(book, packet).hops[hop];
  if (at?.kind !== "switch" || at.trace === undefined)
    return fail(CODES.noStory, undefined, `hop ${hop} of packet ${packet} is no switch that it has left`);
  return { node: at.node, trace: at.trace };
}
