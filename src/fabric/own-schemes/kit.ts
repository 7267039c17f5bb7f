/** The kit that a user's scheme gets in place of imports: the same functions that the schemes of the package use. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { fail, Random, SourceFile, systemErrorReason } from "../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../base/packets/index.js";
import {
  directionValues,
  NO_SELECTOR,
  type ProgramPlan,
  selectorValues,
} from "../../toolchain/generate/index.js";
import { fixedPath, MovingPath, ProbingPath } from "../hosts/index.js";
import { fixedHosts, SCHEMES, schemeKit } from "../schemes/index.js";
import { computeRoutes, hostsOf, nodeNamed, switchesOf } from "../topology/index.js";
import { CODES } from "./codes.js";
import { type OwnModule, placeOf } from "./guard.js";

/** The kit of one module: relative paths start at the folder of the module. */
export function makeKit(module: OwnModule) {
  const own = (path: string, kind: "template" | "source") => {
    const file = fileURLToPath(new URL(path, module.url));
    try {
      return { file: new SourceFile(file, readFileSync(file, "utf8")), kind };
    } catch (error) {
      return fail(
        CODES.unloadable,
        placeOf(module, "plan"),
        `cannot read ${file}: ${systemErrorReason(error)}`,
      );
    }
  };
  return {
    /** The schema library, for `parameters`. */
    z,
    /** Ends the run with a diagnostic at the module's `plan`. */
    fail: (message: string, ...notes: string[]): never =>
      fail(CODES.threw, placeOf(module, "plan"), message, ...notes),
    /** A program from a template in the module's folder, which may use the partials of the package. */
    template: (name: string, path: string, values: object): ProgramPlan => ({
      name,
      template: path,
      values,
      own: own(path, "template"),
    }),
    /** A program from P4 source in the module's folder. */
    source: (name: string, path: string): ProgramPlan => ({
      name,
      template: path,
      values: {},
      own: own(path, "source"),
    }),
    /** Values that the partials of the package need. */
    partials: { directionValues, selectorValues, NO_SELECTOR },
    /** Reading a topology. */
    topology: { computeRoutes, hostsOf, nodeNamed, switchesOf },
    /** Updates for the tables of the package's partials, and the state of plain ECMP. */
    tables: schemeKit,
    /** The schemes of the package by name, to build upon. */
    schemes: SCHEMES,
    /** Choosers and host policies. */
    hosts: { fixedHosts, fixedPath, MovingPath, ProbingPath, SELECTOR_FIELDS, FIELD_BITS },
    Random,
  } as const;
}
