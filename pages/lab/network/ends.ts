import type { LinkView } from "../../../src/course/lab/index.js";

/** The ends of a link, for a text. */
export const endsOf = ({ a, b }: Pick<LinkView, "a" | "b">) => ({
  ...{ a: a.node, aPort: String(a.port), b: b.node, bPort: String(b.port) },
});
