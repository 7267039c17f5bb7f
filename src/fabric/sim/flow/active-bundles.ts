/** The bundles that have flows, their paths, and what they have sent in the current epoch. */
import { fail } from "../../../base/index.js";
import { MAX_LINKS } from "../../paths/index.js";
import { Bundles } from "./bundles.js";
import { CODES } from "./codes.js";
import type { FlowNetwork } from "./network.js";
import type { FlowRouter, RouterMaker } from "./router.js";

/** Number of resources of a path in addition to links between switches: the sender's and the receiver's. */
const ENDS = 2;

export class ActiveBundles {
  readonly bundles: Bundles;
  readonly router: FlowRouter;
  /** Maximum number of links of a path. */
  readonly maxLinks: number;
  /** Bundles with flows: those whose weight is above 0. */
  count = 0;
  /** Number of path changes so far, each times the flows of its bundle. */
  moved = 0;
  /** Version of the routes by which the path of a bundle was found. */
  #routed = new Int32Array(0);
  #version = 1;
  /** Bytes in this epoch by bundle, and the bundles that have some. */
  #sent = new Float64Array(0);
  #senders = new Int32Array(1024);
  #senderCount = 0;
  /** Bundles without flows whose numbers may be reused after the epoch. */
  readonly #ended: number[] = [];
  readonly #links = new Int32Array(MAX_LINKS);

  constructor(
    readonly network: FlowNetwork,
    makeRouter: RouterMaker,
    /** A bundle keeps the path of its first flow, as long as its links are up. */
    private readonly keepPaths = false,
    /** Links fail: paths may be longer than in the intact network, and a bundle may have none. */
    private readonly linksFail = false,
  ) {
    // The router reads the columns of the bundles, and defines the maximum length of their paths.
    const table: { bundles: Bundles | undefined } = { bundles: undefined };
    this.router = makeRouter({
      get from() {
        return table.bundles!.from;
      },
      get to() {
        return table.bundles!.to;
      },
      get hash() {
        return table.bundles!.hash;
      },
    });
    this.maxLinks = linksFail ? MAX_LINKS : this.router.maxLinks;
    table.bundles = new Bundles(this.maxLinks + ENDS);
    this.bundles = table.bundles;
  }

  /** Adds `count` consecutive bundles without flows between two racks; returns the first. The caller sets hash and limit. */
  add(sender: number, receiver: number, fromRack: number, toRack: number, count = 1): number {
    const { bundles, network } = this;
    const first = bundles.add(count);
    if (bundles.from.length > this.#routed.length) this.#grow(bundles.from.length);
    for (let bundle = first; bundle < first + count; bundle++) {
      bundles.from[bundle] = network.switchOfRack[fromRack]!;
      bundles.to[bundle] = network.switchOfRack[toRack]!;
      bundles.path[bundle * bundles.stride] = sender;
      bundles.path[bundle * bundles.stride + 1] = receiver;
      bundles.length[bundle] = ENDS;
      bundles.version[bundle]!++;
      this.#routed[bundle] = 0;
    }
    return first;
  }

  /** The path that a bundle would get now, without assigning it: as {@link FlowRouter.linksOf}. Without one it stalls where links fail. */
  wayOf(bundle: number, links: Int32Array): number {
    const count = this.router.linksOf(bundle, links);
    if (count >= 0) return count;
    if (!this.linksFail) this.#unreachable(bundle);
    links[0] = this.network.nowhere;
    return 1;
  }

  /** A bundle gets its first flow, with this weight; it gets a path if its own is outdated. */
  start(bundle: number, weight: number): void {
    this.count++;
    this.bundles.weight[bundle] = weight;
    this.bundles.rate[bundle] = 0;
    if (this.#routed[bundle] !== this.#version) this.#route(bundle);
  }

  /** The last flow of a bundle has ended. */
  end(bundle: number): void {
    this.count--;
    this.bundles.weight[bundle] = 0;
  }

  /** The number of an ended bundle may be used again. */
  remove(bundle: number): void {
    this.#ended.push(bundle);
  }

  sent(bundle: number, bytes: number): void {
    if (this.#sent[bundle] === 0) {
      if (this.#senderCount === this.#senders.length) this.#senders = doubled(this.#senders);
      this.#senders[this.#senderCount++] = bundle;
    }
    this.#sent[bundle]! += bytes;
  }

  /** Calls back with the bytes of each bundle in the epoch; `path[from]` to `path[end - 1]` are links between switches. */
  eachSender(
    call: (bundle: number, bytes: number, path: Int32Array, from: number, end: number) => void,
  ): void {
    const { path, stride, length } = this.bundles;
    for (let i = 0; i < this.#senderCount; i++) {
      const bundle = this.#senders[i]!;
      const from = bundle * stride;
      call(bundle, this.#sent[bundle]!, path, from + ENDS, from + length[bundle]!);
    }
  }

  /** What bundles have sent so far has been counted. */
  forgetSent(): void {
    for (let i = 0; i < this.#senderCount; i++) this.#sent[this.#senders[i]!] = 0;
    this.#senderCount = 0;
  }

  /** The epoch ends; `changed`: paths may differ from now on. */
  endEpoch(changed: boolean): void {
    this.forgetSent();
    for (const bundle of this.#ended) this.bundles.remove(bundle);
    this.#ended.length = 0;
    if (changed && !this.keepPaths) this.#routeAll();
  }

  /** Links have changed. `isDown`: by port. Bundles that keep their paths leave only those with a failed link, or with none. */
  routeAgain(isDown: (port: number) => boolean): void {
    if (!this.keepPaths) {
      this.#routeAll();
      return;
    }
    this.#version++;
    const { weight, size, path, length, stride } = this.bundles;
    const { portOfLink, nowhere } = this.network;
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      const end = bundle * stride + length[bundle]!;
      for (let at = bundle * stride + ENDS; at < end; at++) {
        const port = portOfLink[path[at]!]!;
        if (path[at] !== nowhere && !isDown(port)) continue;
        this.#route(bundle);
        break;
      }
    }
  }

  /** The weight of the flows that get nothing. */
  get stalled(): number {
    const { weight, rate, size } = this.bundles;
    let sum = 0;
    for (let bundle = 0; bundle < size; bundle++) if (rate[bundle] === 0) sum += weight[bundle]!;
    return sum;
  }

  #routeAll(): void {
    this.#version++;
    const { weight, size } = this.bundles;
    for (let bundle = 0; bundle < size; bundle++) if (weight[bundle]! > 0) this.#route(bundle);
  }

  /** Fails with P45403 where the router finds no path. */
  #route(bundle: number): void {
    const links = this.#links;
    this.give(bundle, links, 0, this.wayOf(bundle, links));
  }

  /** Gives a bundle a path of now: `count` links from `links[first]` on. */
  give(bundle: number, links: Int32Array, first: number, count: number): void {
    const { bundles } = this;
    const { path, length, stride } = bundles;
    const base = bundle * stride + ENDS;
    let same = length[bundle] === count + ENDS;
    for (let i = 0; same && i < count; i++) same = path[base + i] === links[first + i];
    if (!same) {
      for (let i = 0; i < count; i++) path[base + i] = links[first + i]!;
      length[bundle] = count + ENDS;
      bundles.version[bundle]!++;
      if (this.#routed[bundle]! > 0) this.moved += bundles.weight[bundle]!;
    }
    this.#routed[bundle] = this.#version;
  }

  #unreachable(bundle: number): never {
    const { topology, nodeOf } = this.network;
    const [from, to] = [this.bundles.from, this.bundles.to].map(
      (end) => topology.nodes[nodeOf[end[bundle]!]!]!,
    );
    return fail(
      CODES.unreachable,
      undefined,
      `there is no path from "${from!.name}" to "${to!.name}": no links that are up connect the two`,
      "add a link, or remove one from `missing_links`",
    );
  }

  #grow(room: number): void {
    const grown = <T extends Int32Array | Float64Array>(wide: T, old: T): T => {
      wide.set(old);
      return wide;
    };
    this.#routed = grown(new Int32Array(room), this.#routed);
    this.#sent = grown(new Float64Array(room), this.#sent);
  }
}

function doubled(list: Int32Array): Int32Array<ArrayBuffer> {
  const wide = new Int32Array(2 * list.length);
  wide.set(list);
  return wide;
}
