/** The headers that the packet builder offers: the well-known ones, then the header types of the programs. */
import { HEADER_LAYOUTS, type HeaderLayout } from "../../exercises/index.js";
import type { HeaderView, ProgramView } from "../protocol.js";

/** The well-known headers, for the page. */
export const WELL_KNOWN_HEADERS: readonly HeaderView[] = [...HEADER_LAYOUTS].map(([name, layout]) => ({
  name,
  fields: [...layout].map(([field, bits]) => ({ name: field, bits })),
}));

/** By name; a program's header with the name of a well-known one is left out. */
export function formatsOf(
  programs: readonly Pick<ProgramView, "headers">[],
): ReadonlyMap<string, HeaderLayout> {
  const formats = new Map(HEADER_LAYOUTS);
  for (const { headers } of programs)
    for (const { name, fields } of headers)
      if (!HEADER_LAYOUTS.has(name)) formats.set(name, new Map(fields.map((one) => [one.name, one.bits])));
  return formats;
}
