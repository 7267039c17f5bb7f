/**
 * A smallest set by deletion: members are dropped while what remains is still refused. What is refused stays so with more members, so one
 * pass over single members is enough; larger pieces are tried before, to be quick.
 */
import type { Answer } from "./check.js";

export interface Smallest<T> {
  readonly members: readonly T[];
  /** Each member was dropped alone, and what remained was placed. */
  readonly isMinimal: boolean;
}

/**
 * @param members refused together; the ones to drop first come first
 * @param ask whether a part is refused
 * @param isGone an answer that lets a piece be dropped
 */
export async function smallest<T>(
  members: readonly T[],
  ask: (part: readonly T[]) => Answer | Promise<Answer>,
  isGone: (answer: Answer) => boolean = (answer) => answer === "refused",
): Promise<Smallest<T>> {
  let left = members;
  for (let piece = Math.floor(members.length / 2); piece > 1; piece = Math.floor(piece / 2)) {
    for (let at = 0; at < left.length; ) {
      const part = [...left.slice(0, at), ...left.slice(at + piece)];
      if (part.length > 0 && isGone(await ask(part))) left = part;
      else at += piece;
    }
  }
  let doubtful: T[] = [];
  /** Drops each of these that may go; keeps in doubt those without which the answer is neither. */
  const drop = async (candidates: readonly T[]) => {
    doubtful = [];
    for (const one of candidates) {
      const part = left.filter((member) => member !== one);
      // Nothing at all is placed.
      const answer = part.length === 0 ? "placed" : await ask(part);
      if (isGone(answer)) left = part;
      else if (answer !== "placed") doubtful.push(one);
    }
  };
  const before = left.length;
  await drop(left);
  // What was in doubt beside members that went since may be certain now: fewer are placed more easily.
  if (left.length < before) await drop(doubtful);
  return { members: left, isMinimal: doubtful.length === 0 };
}
