/**
 * Groups of an action selector in SRAM. A word has a bit for each of 120 members, and a larger group takes several words, one of which a part of
 * the hash chooses: its remainder by at most 31, behind it up to five bits as they are (p4c, mau/resource_estimate.cpp, SelectorModBits,
 * SelectorShiftBits and SelectorHashModBits).
 */
import type { Implementation, SelectorModel } from "../model/model.js";
import type { Target } from "../target.js";

/** The largest number by which the remainder of a hash is taken. */
const MOST_REMAINDERS = 31;
/** The most bits behind it. */
const MOST_SHIFT = 5;
/** Bits of a hash of which the remainder is taken. */
const REMAINDER_BITS = 10;

/** Words of one group; 1 where the target states no members of a word. */
function groupWords({ maxGroup }: SelectorModel, target: Target): number {
  const perWord = target.selector.members_per_word;
  return perWord === null ? 1 : Math.max(1, Math.ceil(maxGroup / perWord));
}

/** Words of all groups. */
export function selectorLines(selector: SelectorModel, target: Target): number {
  return groupWords(selector, target) * selector.groups;
}

/** The most members of a group that has memory: so many words are chosen by a remainder with its bits behind it. */
export function mostMembers({ selector }: Target): number | undefined {
  const perWord = selector.members_per_word;
  return perWord === null ? undefined : perWord * MOST_REMAINDERS * 2 ** MOST_SHIFT;
}

/** A group that takes several words; undefined where none does. */
export function wideGroup(implementation: Implementation | undefined, target: Target): number | undefined {
  const selector = implementation?.selector;
  const words = selector === undefined ? 1 : groupWords(selector, target);
  return words === 1 ? undefined : words;
}

/** Groups of the selector take more than one word: a word of the table then has one entry, because it has one length of a group. */
export const hasWideGroups = (implementation: Implementation | undefined, target: Target): boolean =>
  wideGroup(implementation, target) !== undefined;

/** Bits of the hash that are no remainder. */
function shiftOf(words: number): number {
  let shift = 0;
  while (words >> shift > MOST_REMAINDERS) shift++;
  return shift;
}

/** Bits of an entry that say how many words its group has: the number, and how far it is moved. */
export function groupLengthBits(implementation: Implementation | undefined, target: Target): number {
  const words = wideGroup(implementation, target);
  if (words === undefined) return 0;
  const shift = shiftOf(words);
  return Math.ceil(Math.log2(Math.min(words, MOST_REMAINDERS) + 1)) + Math.ceil(Math.log2(shift + 1));
}

/** Bits of hash distribution that choose the word of a group. */
export function wordChoiceBits(implementation: Implementation | undefined, target: Target): number {
  const words = wideGroup(implementation, target);
  return words === undefined ? 0 : REMAINDER_BITS + shiftOf(words);
}

/** Bits of the hash that chooses a member. */
export function selectorHashBits({ isResilient }: SelectorModel, { selector }: Target): number {
  return (isResilient ? selector.resilient_hash_bits : selector.hash_bits) ?? 0;
}
