import type { bmv2 } from "../program/index.js";

/** Something that the symbolic execution does not follow: the path ends here, and its reason is reported. */
export class Unhandled extends Error {
  constructor(
    what: string,
    readonly place?: string,
  ) {
    super(place === undefined ? what : `${what} (${place})`);
  }
}

/** Runs a part of a program; what it does not follow gets the place of the part, if it has none of a smaller part. */
export function within<T>(place: string | undefined, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Unhandled) || error.place !== undefined || place === undefined) throw error;
    throw new Unhandled(error.message, place);
  }
}

/** A place in the source as reports show it. */
export function placeText(source: bmv2.SourceInfo | undefined): string | undefined {
  return source === undefined ? undefined : `${source.filename}:${source.line}`;
}
