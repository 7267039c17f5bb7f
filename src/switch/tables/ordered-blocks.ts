/**
 * Entry numbers in an order that the caller decides, in blocks of bounded length: to insert or to remove one among n
 * takes two binary searches and moves at most {@link BLOCK} numbers, and n / BLOCK when a block comes or goes.
 */

/** Numbers in a block, at most. */
const BLOCK = 512;

export class OrderedBlocks {
  /** None is empty; all of one block come before all of the next. */
  readonly #blocks: number[][] = [];

  /** @param before whether number a comes before number b; a total order */
  constructor(readonly before: (a: number, b: number) => boolean) {}

  /** Adds a number that is not there yet; gives the one that it follows, or -1 when it is the first. */
  insert(number: number): number {
    const blocks = this.#blocks;
    if (blocks.length === 0) {
      blocks.push([number]);
      return -1;
    }
    const at = this.#blockOf(number);
    const block = blocks[at]!;
    const place = this.#place(block, number);
    const previous = place > 0 ? block[place - 1]! : at > 0 ? blocks[at - 1]!.at(-1)! : -1;
    block.splice(place, 0, number);
    if (block.length > BLOCK) blocks.splice(at + 1, 0, block.splice(BLOCK / 2));
    return previous;
  }

  /** Removes a number that is there; gives the one that it followed, or -1 when it was the first. */
  remove(number: number): number {
    const blocks = this.#blocks;
    const at = this.#blockOf(number);
    const block = blocks[at]!;
    const place = this.#place(block, number);
    const previous = place > 0 ? block[place - 1]! : at > 0 ? blocks[at - 1]!.at(-1)! : -1;
    block.splice(place, 1);
    if (block.length === 0) blocks.splice(at, 1);
    return previous;
  }

  /** The last block that begins with the number or one before it; the first block if there is none. */
  #blockOf(number: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.before(number, this.#blocks[middle]![0]!)) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** Where the number stands in a block, or belongs. */
  #place(block: readonly number[], number: number): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.before(block[middle]!, number)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
