/**
 * TNA and T2NA, the native architectures of both Tofino generations. Their programs keep their structure in the lowered form: the
 * hardware's compiler, its models and the control plane see statements, blocks and properties as they are written.
 */
import type { Architecture } from "../../lower/architecture.js";
import { dropUnapplied } from "../../lower/drop-unapplied.js";
import { forwardResults } from "../../lower/forward-results.js";
import type { Pass } from "../../lower/passes.js";
import { simplify } from "../../lower/simplify.js";
import { unrollLoops } from "../../lower/unroll-loops.js";
import { checkAddresses } from "./checks/addresses.js";
import { checkAttached } from "./checks/attached.js";
import { checkOperations } from "./checks/operations.js";
import { checkParserWrites } from "./checks/parser-writes.js";
import { checkParsers } from "./checks/parsers.js";
import { checkPlaces } from "./checks/places.js";
import { checkRegisters } from "./checks/registers.js";
import { checkStatefulAlu } from "./checks/stateful-alu.js";
import { checkTables } from "./checks/tables.js";
import { ABSTRACT_TYPES, EXTERN_FUNCTIONS, EXTERN_METHODS } from "./externs.js";
import { PACKAGES } from "./packages.js";
import { checkParseDepth } from "./parse-depth.js";
import { checkRegisterActions } from "./register-actions.js";

const PASSES: readonly Pass[] = [
  { name: "simplify", run: simplify },
  { name: "unroll-loops", run: unrollLoops },
  { name: "forward-results", run: forwardResults },
  { name: "simplify-again", run: simplify },
  { name: "drop-unapplied", run: dropUnapplied },
];

const SHARED: Omit<Architecture, "name" | "includes"> = {
  packages: PACKAGES,
  externs: { functions: EXTERN_FUNCTIONS, methods: EXTERN_METHODS },
  abstractTypes: ABSTRACT_TYPES,
  keepsBlocks: true,
  keepsProperties: true,
  copiesParameters: true,
  keepsUnassigned: true,
  readsDeparserActions: true,
  passes: PASSES,
  warn: (program, _unit, diagnostics) => checkRegisterActions(program, diagnostics),
};

/** What the units of a chip can do. Of the whole program as the hardware's compiler sees it after its first passes. */
function checkUnits(chip: "tna" | "t2na", stages: number): NonNullable<Architecture["check"]> {
  return (program, diagnostics) => {
    checkPlaces(program, diagnostics);
    checkTables(program, stages, diagnostics);
    checkAttached(program, diagnostics);
    checkAddresses(program, diagnostics);
    checkRegisters(program, diagnostics);
    checkStatefulAlu(program, chip, diagnostics);
    checkOperations(program, chip, diagnostics);
    checkParsers(program, diagnostics);
    checkParserWrites(program, chip, diagnostics);
  };
}

/**
 * The files are those of the chips, which `__TARGET_TOFINO__` chooses: `tna.p4` is for both. The macros are those of the vendor's
 * compiler driver (p4c, `backends/tofino/bf-p4c/driver`).
 */
export const tna: Architecture = {
  ...SHARED,
  name: "tna",
  includes: ["tofino1_specs.p4"],
  macros: { __TARGET_TOFINO__: "1" },
  check: checkUnits("tna", 12),
  warn: (program, unit, diagnostics) => {
    SHARED.warn(program, unit, diagnostics);
    checkParseDepth(program, unit, diagnostics);
  },
};

export const t2na: Architecture = {
  ...SHARED,
  name: "t2na",
  includes: ["tofino2_specs.p4"],
  macros: { __TARGET_TOFINO__: "2", __TOFINO2_VARIANT__: "1" },
  check: checkUnits("t2na", 20),
};
