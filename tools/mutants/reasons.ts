/** Why no test detects the survivors of tools/mutants/survivors.json. docs/mutants.md cannot be made while one has no reason. */

export interface Survivor {
  /** Below src. */
  readonly file: string;
  /** Function, class and method, or constant around it; "": the module. */
  readonly function: string;
  readonly code: string;
  readonly mutant: string;
  /** A test reaches it. */
  readonly reached: boolean;
}

/**
 * By file and function, `"FILE FUNCTION"`: one reason for all mutants, or a list of texts of the mutated code with the reason, of which
 * the first that fits holds; "" fits all. `"FILE"` is for functions that are not named.
 */
type Reasons = Readonly<Record<string, string | readonly (readonly [code: string, reason: string])[]>>;

const ADDED = "open: a case was added since, and the mutant not tried again";

const REASONS: Reasons = {
  "toolchain/p4/lower/elaborate/calls.ts callFunction": "equivalent: the checker fills in all type arguments",
  "toolchain/p4/lower/elaborate/constants.ts constantExpr":
    "equivalent: without the checker's value, the initializer gives the same value",
  "toolchain/p4/lower/elaborate/constants.ts convert":
    "open: a tuple, and a literal with names in another order, where the checker has noted no type to convert to",
  "toolchain/p4/lower/elaborate/constants.ts partsOf":
    "open: a list whose elements need a conversion of their own inside of a list that is converted",
  "toolchain/p4/lower/elaborate/entries.ts annotatedPriority":
    "equivalent: an annotation with parentheses has values",
  "toolchain/p4/lower/elaborate/expressions.ts memberValue": [
    ["stack", "equivalent: the checker gives a field only of a struct, header or union"],
    ["error", "equivalent: the checker gives members of enums as constants, which are lowered elsewhere"],
  ],
  "toolchain/p4/lower/elaborate/expressions.ts binaryOf":
    "open: a comparison with a list whose type the checker has not noted; a case was added since, and the mutant not tried again",
  "toolchain/p4/lower/elaborate/expressions.ts structValue":
    "equivalent: without a type, the literal is converted by names where it is assigned",
  "toolchain/p4/lower/elaborate/externs.ts builtinCall":
    "open: the size of a header that the checker does not give as a constant",
  "toolchain/p4/lower/elaborate/externs.ts externFunction": ADDED,
  "toolchain/p4/lower/elaborate/externs.ts targetCall":
    "equivalent: functions of v1model have no optional arguments",
  "toolchain/p4/lower/elaborate/externs.ts argumentValues":
    "equivalent: functions of v1model have no optional arguments",
  "toolchain/p4/lower/elaborate/externs.ts isNext":
    "open: an extract into a local header or an element with a computed index",
  "toolchain/p4/lower/elaborate/instances.ts makeInstance":
    "open: the place of a message about a control that is constructed without a name",
  "toolchain/p4/lower/elaborate/key-names.ts fieldAnnotation": "open: a key that is a property of a stack",
  "toolchain/p4/lower/elaborate/parsers.ts applyParser": ADDED,
  "toolchain/p4/lower/elaborate/parsers.ts selectCase":
    "equivalent: with one key, a list in its place has one element",
  "toolchain/p4/architectures/v1model/architecture.ts checkVersion":
    "equivalent: v1model.p4 declares its version before anything without a name",
  "toolchain/p4/lower/elaborate/program.ts userEnums": "equivalent: every program has standard metadata",
  "toolchain/p4/lower/elaborate/statements.ts compoundAssignment": ADDED,
  "toolchain/p4/lower/elaborate/statements.ts collectionOf":
    "equivalent: a list that is cast to another type has the same elements",
  "toolchain/p4/lower/elaborate/tables.ts applyResult": ADDED,
  "toolchain/p4/lower/elaborate/tables.ts actionAndArguments": "equivalent: the checker resolves every call",
  "toolchain/p4/lower/expand-aggregates.ts partType":
    "open: the element of a value of a header type as a whole",
  "toolchain/p4/lower/expand-aggregates.ts scalarsOf": ADDED,
  "toolchain/p4/lower/expand-indexes.ts indexIs": ADDED,
  "toolchain/p4/architectures/v1model/field-lists.ts declared":
    "equivalent: a text in place of an annotation has no name",
  "toolchain/p4/architectures/v1model/field-lists.ts scalarsOf":
    "open: a union of the metadata with @field_list",
  "toolchain/p4/lower/fold.ts foldCast": "equivalent: sameBits is false for other types, which have no width",
  "toolchain/p4/lower/fold.ts foldNeutral": "equivalent: no other expression has the value 1",
  "toolchain/p4/lower/group-actions.ts isFlow": "equivalent: undefined counts as false",
  "toolchain/p4/lower/ir-types.ts TypeTranslator.translate":
    "open: a comparison of values that were cast to int",
  "toolchain/p4/lower/ir-types.ts nameAnnotation": "equivalent: an annotation with parentheses has values",
  "toolchain/p4/lower/ir-types.ts totalWidth": "open: the size of a struct with a stack",
  "toolchain/p4/lower/places.ts samePlace":
    "equivalent: other places have no name, or the later cases say the same",
  "toolchain/p4/lower/print.ts printStmt": "open: the text of an emit that stands in a block",
  "toolchain/p4/lower/simplify.ts simplifyStmt":
    "equivalent: a value without bits is folded where it is used",
  "toolchain/p4/lower/uninitialized.ts Search.#apply": "open: a read on a miss, with and without a profile",
  "toolchain/p4/lower/uninitialized.ts bitsOf":
    "open: a slice of a slice that is set and another part that is read",
  "toolchain/p4/lower/unroll-loops.ts leavesEarly": "open: the text of a loop without break that is unrolled",
  "toolchain/p4/lower/unroll-loops.ts copyBody":
    "open: a loop with continue in a loop that is unrolled, where both labels matter",
  "toolchain/p4/architectures/v1model/warnings.ts warnOfPorts":
    "open: P40650 with a statement that sets a local variable",
  "toolchain/p4/architectures/v1model/warnings.ts isFalse": "open: P40653 with a verify that can hold",
  "toolchain/p4/architectures/v1model/warnings.ts warnOfDirect":
    "equivalent: every instance has a place in the text",
  "toolchain/p4/architectures/v1model/warnings.ts attachedInstances":
    "equivalent: a text in place of a span is at no file",
  "toolchain/formatting/braces.ts bracketProblem":
    "open: a bracket that is open in one branch of an #if alone; branches that open one each are the same as in sequence",
  "toolchain/formatting/braces.ts bracesOf": [
    ["[]", "equivalent: a text is no index of an element"],
    ["", ADDED],
  ],
  "toolchain/formatting/columns.ts cellOf": "open: neighbouring lines of which one is not a whole statement",
  "toolchain/formatting/columns.ts isBetween": ADDED,
  "toolchain/formatting/columns.ts shifted": "equivalent: spaces that stay count as spaces of the column",
  "toolchain/formatting/elements.ts trimmedEnd":
    "equivalent: the end of a line is trimmed again when it is written",
  "toolchain/formatting/elements.ts commentEnd": "equivalent: nothing is found before the start",
  "toolchain/formatting/elements.ts lineEnd": "equivalent: nothing is found before the start",
  "toolchain/formatting/elements.ts meaningOf": ADDED,
  "toolchain/formatting/format.ts sameMeaning": "equivalent: an assertion against our own bugs",
  "toolchain/formatting/layout.ts Layout.#reindented": "equivalent: a comment has no spaces around it",
  "toolchain/formatting/layout.ts Layout.#isAligned":
    "equivalent: the end is not reached, since a bracket that is never closed is refused before",
  "toolchain/formatting/layout.ts Layout.#afterClose": [
    ["token", "equivalent: no brace closes at the depth of an annotation"],
    ["", ADDED],
  ],
  "toolchain/formatting/layout.ts Layout.#afterToken": [
    ["next.gap", "open: @ and pragma with a space between them"],
    ["", ADDED],
  ],
  "toolchain/formatting/layout.ts Layout.#isMacroCall":
    "open: a brace on the line below a macro's call, where both ways give the same columns",
  "toolchain/formatting/layout.ts Layout.#breakBefore": ADDED,
  "toolchain/formatting/layout.ts Layout.#column": [
    ["block", "equivalent: every brace is in the map"],
    ["", ADDED],
  ],
  "toolchain/formatting/layout.ts Layout.#startLine": "equivalent: a text is no cell of any kind",
  "toolchain/formatting/layout.ts Layout.#space": ADDED,
  "toolchain/formatting/layout.ts Layout.#noteCell": [
    ["line.text", "equivalent: a line that begins with the cell is no whole statement"],
    ["", ADDED],
  ],
  "toolchain/formatting/layout.ts isTypeEnd": ADDED,
  "toolchain/formatting/spacing.ts rolesOf": ADDED,
  "toolchain/formatting/spacing.ts closingAngle": [
    ["MAX_ANGLE", "open: exactly as many tokens between angles as the limit"],
    ["", ADDED],
  ],
  "toolchain/formatting/spacing.ts spaceBetween":
    "open: an operator directly behind type arguments; a case for a brace there was added since",
  "toolchain/formatting/spacing.ts afterParenthesis": ADDED,
  "toolchain/formatting/spacing.ts beforeParenthesis": ADDED,
  "toolchain/formatting/wrapping.ts isLong": ADDED,
  "toolchain/formatting/wrapping.ts bracketsOf":
    "open: a long line in a block on one line that begins beyond the limit",
  "toolchain/formatting/wrapping.ts placesOf": [
    ["element.token === ", "open: a shift at the place where a long line is broken, behind another operator"],
    ["element.token.starts", "open: a shift that assigns in a line that is too long"],
    ["", ADDED],
  ],
  "toolchain/formatting/wrapping.ts bestOf":
    "open: a long line with brackets at two depths and an assignment",
  "toolchain/formatting/wrapping.ts cutAt":
    "open: a bracket that is broken exactly before the place of the cut",
};

export function reasonOf(survivor: Survivor): string {
  const { file, function: name, code, mutant } = survivor;
  const found = REASONS[`${file} ${name}`] ?? REASONS[file];
  const reason = typeof found === "string" ? found : found?.find(([part]) => code.includes(part))?.[1];
  if (reason === undefined)
    throw new Error(`${file}, ${name}: no reason why \`${code}\` → \`${mutant}\` survives`);
  return reason;
}
