/** The functions that answer the requests of the lab's page, by request. */
import type { LabAnswers, LabDiagnostic, LabOp, RequestOf } from "./protocol.js";

export type Handlers<Op extends LabOp = LabOp> = {
  [One in Op]: (
    request: RequestOf<One>,
  ) => LabAnswers[One] | WithDiagnostics<One> | Promise<LabAnswers[One] | WithDiagnostics<One>>;
};

/** A value with diagnostics: warnings, or errors in spite of which the request was carried out. */
export class WithDiagnostics<Op extends LabOp> {
  constructor(
    readonly value: LabAnswers[Op],
    readonly diagnostics: readonly LabDiagnostic[],
  ) {}
}
