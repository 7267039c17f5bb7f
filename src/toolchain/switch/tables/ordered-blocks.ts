/**
 * Items in an order that the caller decides, in blocks of bounded length: to insert or to remove one among n
 * takes two binary searches and moves at most {@link BLOCK} items, and n / BLOCK when a block comes or goes.
 */

/** Maximum number of items in a block. */
const BLOCK = 512;

export class OrderedBlocks<T> {
  readonly #blocks: T[][] = [];

  /**
   * @param before whether item a comes before item b; a total order, which does not change while both are here
   * @param most maximum number of items in a block
   */
  constructor(
    readonly before: (a: T, b: T) => boolean,
    readonly most = BLOCK,
  ) {}

  /** All items in order. No block is empty. */
  get blocks(): readonly (readonly T[])[] {
    return this.#blocks;
  }

  /** Adds an item that is not there yet; returns the one that it follows, or undefined when it is the first. */
  insert(item: T): T | undefined {
    const blocks = this.#blocks;
    if (blocks.length === 0) {
      blocks.push([item]);
      return undefined;
    }
    const at = this.#blockOf(item);
    const block = blocks[at]!;
    const place = this.#place(block, item);
    const previous = place > 0 ? block[place - 1] : blocks[at - 1]?.at(-1);
    block.splice(place, 0, item);
    if (block.length > this.most) blocks.splice(at + 1, 0, block.splice(this.most / 2));
    return previous;
  }

  /** Removes an item that is there; returns the one that it followed, or undefined when it was the first. */
  remove(item: T): T | undefined {
    const blocks = this.#blocks;
    const at = this.#blockOf(item);
    const block = blocks[at]!;
    const place = this.#place(block, item);
    const previous = place > 0 ? block[place - 1] : blocks[at - 1]?.at(-1);
    block.splice(place, 1);
    if (block.length === 0) blocks.splice(at, 1);
    return previous;
  }

  /** The last block that begins with the item or one before it; the first block if there is none. */
  #blockOf(item: T): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.before(item, this.#blocks[middle]![0]!)) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** The place of the item in a block, whether it is there or not. */
  #place(block: readonly T[], item: T): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.before(block[middle]!, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
