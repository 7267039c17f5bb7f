/** The passes that bring a program into the form of BMv2 JSON, in order: scalars, whole fields, tables and conditions only. */
import { dropOverwritten } from "./drop-overwritten.js";
import { expandAggregates } from "./expand-aggregates.js";
import { expandIndexes } from "./expand-indexes.js";
import { expandSwitches } from "./expand-switches.js";
import { groupActions } from "./group-actions.js";
import { lowerSlices } from "./lower-slices.js";
import { numberApplications } from "./number-applications.js";
import type { Pass } from "./passes.js";
import { selectMasks } from "./select-masks.js";
import { settleArguments } from "./settle-arguments.js";
import { simplify } from "./simplify.js";
import { splitStates } from "./split-states.js";
import { unrollLoops } from "./unroll-loops.js";

export const BMV2_PASSES: readonly Pass[] = [
  { name: "simplify", run: simplify },
  { name: "unroll-loops", run: unrollLoops },
  { name: "expand-switches", run: expandSwitches },
  { name: "expand-aggregates", run: expandAggregates },
  { name: "expand-indexes", run: expandIndexes },
  { name: "settle-arguments", run: settleArguments },
  { name: "simplify-again", run: simplify },
  { name: "lower-slices", run: lowerSlices },
  { name: "drop-overwritten", run: dropOverwritten },
  { name: "split-states", run: splitStates },
  { name: "select-masks", run: selectMasks },
  { name: "number-applications", run: numberApplications },
  { name: "group-actions", run: groupActions },
];
