/**
 * Where the bytes of all headers of a gress are cut for containers: each list of bytes for itself (cuts.ts), or together with those to
 * which operations tie it (together.ts).
 */
import type { AllocationInput } from "./allocation.js";
import { type Cut, cutBytes } from "./cuts.js";
import type { GressUse } from "./gress-use.js";
import { type HeaderLists, isIn, listsOf, type Request } from "./header-pieces.js";
import { type IsBroken, Together } from "./together.js";

/** The lists of a header and where they are cut. */
interface HeaderCuts {
  readonly own: HeaderLists;
  readonly cuts: readonly Cut[];
}

/** By header; and what else is cut with them. */
export interface AllCuts {
  readonly headers: ReadonlyMap<string, HeaderCuts>;
  readonly together: Together | undefined;
}

export function headerCuts(
  input: AllocationInput,
  use: GressUse,
  request: Request,
  isPast: (header: string, byte: number) => boolean,
  isBroken: IsBroken,
): AllCuts {
  const { model, target } = input;
  const found = new Map<string, HeaderLists>();
  for (const { name, metadata } of model.headers.values())
    if (!metadata && model.parser.isCarried(use.gress, name))
      found.set(name, listsOf(input, use, name, request, isPast));
  const all = [...found.values()].flatMap(({ lists }) => lists);
  const together = target.phv.deparser_validity_shared ? new Together(model, use, all, isBroken) : undefined;
  const headers = new Map<string, HeaderCuts>();
  for (const [header, own] of found) {
    const cuts = own.lists.flatMap((list) => together?.cutsOf(list) ?? cutBytes(list, list.shape));
    for (const { from, to } of new Set([...own.asked, ...cuts.map(({ list }) => list)])) {
      const list = {
        bits: 8 * (to - from),
        fields: own.fields.filter((one) => isIn(one, { from, to })).length,
      };
      for (let byte = from; byte < to; byte++) use.lists.set(`${header} ${byte}`, list);
    }
    headers.set(header, { own, cuts });
  }
  return { headers, together };
}
