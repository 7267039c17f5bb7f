/** The parts of a node of the syntax tree, for those who visit all of it. */

/** Fields that the checker filled: they lead to other parts of the tree. */
const CHECKED_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "declaration",
  "resolved",
  "constant",
  "implicitCast",
  "span",
]);

/** What a node consists of in the text. A statement that declares a variable contains its declaration; elsewhere the checker filled it. */
export function partsOf(node: object): unknown[] {
  const isStatement = "kind" in node && node.kind === "declaration";
  return Object.entries(node).flatMap(([key, child]) =>
    CHECKED_FIELDS.has(key) && !(isStatement && key === "declaration") ? [] : [child],
  );
}
