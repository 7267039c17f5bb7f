/** The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B). */

/** Bits of the code of each byte, and of the end of the text, as digits of base 31. */
const LENGTHS =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca" +
  "d67777777777777777777777878djde6f56565666577666567655677777fbeds" +
  "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn" +
  "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq" +
  "u";
const SYMBOLS = LENGTHS.length;
const END = SYMBOLS - 1;

/**
 * The code as a tree: a node has two places, for the bits 0 and 1; a place has the number of the next node, or a symbol as
 * its complement. The code is canonical: codes of one length are assigned in the order of the symbols.
 */
function makeTree(): Int16Array {
  const tree = new Int16Array(2 * SYMBOLS);
  let nodes = 1;
  let code = 0;
  for (let length = 1; length < 31; length++) {
    code *= 2;
    for (let symbol = 0; symbol < SYMBOLS; symbol++) {
      if (Number.parseInt(LENGTHS[symbol]!, 31) !== length) continue;
      let node = 0;
      for (let bit = length - 1; bit > 0; bit--) {
        const place = 2 * node + ((code >>> bit) & 1);
        if (tree[place] === 0) tree[place] = nodes++;
        node = tree[place]!;
      }
      tree[2 * node + (code & 1)] = ~symbol;
      code++;
    }
  }
  return tree;
}

const TREE = makeTree();

/** Bits that may follow the last symbol: all 1, fewer than a byte. */
const MAX_PADDING = 7;

/** The text in Latin-1, or undefined when the bytes are not in this code. */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = "";
  let node = 0;
  /** Bits since the last symbol, and whether all of them are 1. */
  let bits = 0;
  let ones = true;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    for (let shift = 7; shift >= 0; shift--) {
      const bit = (byte >>> shift) & 1;
      bits++;
      ones &&= bit === 1;
      const next = TREE[2 * node + bit]!;
      if (next >= 0) {
        node = next;
        continue;
      }
      if (~next === END) return undefined;
      text += String.fromCharCode(~next);
      node = 0;
      bits = 0;
      ones = true;
    }
  }
  return bits <= MAX_PADDING && ones ? text : undefined;
}
