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

const UNTOLD = "open: no program was found that tells it from the code";

const REASONS: Reasons = {
  "toolchain/p4/lower/elaborate/arguments.ts pin": "equivalent: a written argument has a place",
  "toolchain/p4/lower/elaborate/constants.ts elementTypes":
    "equivalent: only structs, headers and tuples have elements with types of their own",
  "toolchain/p4/lower/elaborate/constants.ts defaultValue":
    "open: the default value of an array of structs inside of a constant",
  "toolchain/p4/lower/elaborate/context.ts inOrder": "equivalent: without effects, no index may have changed",
  "toolchain/p4/lower/elaborate/context.ts fillIn":
    "open: a type parameter that stands for a part of a literal with names",
  "toolchain/p4/lower/elaborate/entries.ts keysOf": "equivalent: the checker counts the keys of an entry",
  "toolchain/p4/lower/elaborate/expressions.ts pathValue":
    "open: the place of a message about a parameter that stands for a field",
  "toolchain/p4/lower/elaborate/expressions.ts resolvedKind":
    "open: a tuple with an element of type int whose other elements have a width",
  "toolchain/p4/lower/elaborate/externs.ts externMethod": UNTOLD,
  "toolchain/p4/lower/elaborate/externs.ts argumentValue": UNTOLD,
  "toolchain/p4/lower/elaborate/parsers.ts buildStates": UNTOLD,
  "toolchain/p4/lower/elaborate/parsers.ts isSelectable": UNTOLD,
  "toolchain/p4/lower/elaborate/program.ts globalEnv": UNTOLD,
  "toolchain/p4/lower/elaborate/tables.ts actionCall":
    "equivalent: the checker refuses an argument that is not constant",
  "toolchain/p4/lower/group-actions.ts hiddenName": UNTOLD,
  "toolchain/p4/lower/ir-types.ts TypeTranslator.#tuple": UNTOLD,
  "toolchain/p4/lower/ir-types.ts typeKey": UNTOLD,
  "toolchain/p4/lower/ir-types.ts scalarWidth": "equivalent: a function without a return gives undefined",
  "toolchain/p4/lower/settle-arguments.ts settleBody":
    "open: a hash whose base or size is a parameter of an action that no other pass has copied",
  "toolchain/p4/lower/simplify.ts trimTail": "equivalent: statements of other kinds have no blocks to trim",
  "toolchain/p4/lower/uninitialized.ts Search.#set":
    "open: a write to a place that is no path beside one that is",
  "toolchain/p4/lower/uninitialized.ts same":
    "open: two flows that differ in the kind of a missing value alone",
  "toolchain/p4/lower/unroll-loops.ts unroll": UNTOLD,
  "toolchain/p4/lower/elaborate/constants.ts constantExpr":
    "equivalent: without the checker's value, the initializer gives the same value",
  "toolchain/p4/lower/elaborate/constants.ts convert":
    "open: a tuple, and a literal with names in another order, where the checker has noted no type to convert to",
  "toolchain/p4/lower/elaborate/constants.ts partsOf":
    "open: a list whose elements need a conversion of their own inside of a list that is converted",
  "toolchain/p4/lower/elaborate/expressions.ts memberValue": [
    ["stack", "equivalent: the checker gives a field only of a struct, header or union"],
    ["error", "equivalent: the checker gives members of enums as constants, which are lowered elsewhere"],
    ["resolved.member", "equivalent: an assertion; the checker gives members of enums as constants"],
  ],
  "toolchain/p4/lower/elaborate/expressions.ts binaryOf":
    "equivalent: the checker notes the type of the left operand as that of a shift",
  "toolchain/p4/lower/elaborate/externs.ts isNext":
    "open: an extract into a local header or an element with a computed index",
  "toolchain/p4/lower/elaborate/parsers.ts selectCase":
    "equivalent: with one key, a list in its place has one element",
  "toolchain/p4/lower/elaborate/tables.ts actionAndArguments": "equivalent: the checker resolves every call",
  "toolchain/p4/lower/expand-aggregates.ts partType":
    "open: the element of a value of a header type as a whole",
  "toolchain/p4/lower/fold.ts foldNeutral": "equivalent: no other expression has the value 1",
  "toolchain/p4/lower/ir-types.ts TypeTranslator.translate":
    "open: a comparison of values that were cast to int",
  "toolchain/p4/lower/unroll-loops.ts leavesEarly": "open: the text of a loop without break that is unrolled",
};

export function reasonOf(survivor: Survivor): string {
  const { file, function: name, code, mutant } = survivor;
  const found = REASONS[`${file} ${name}`] ?? REASONS[file];
  const reason = typeof found === "string" ? found : found?.find(([part]) => code.includes(part))?.[1];
  if (reason === undefined)
    throw new Error(`${file}, ${name}: no reason why \`${code}\` → \`${mutant}\` survives`);
  return reason;
}
