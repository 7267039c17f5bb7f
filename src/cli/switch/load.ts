/** Reads all files that the command line names, and runs the switch. */
import { Diagnostics, given } from "../../base/index.js";
import { runSwitch, type Surroundings } from "../../toolchain/daemon/index.js";
import { loadProgram, readBytes, readSource } from "../../toolchain/loading/index.js";
import type { SwitchRequest } from "./check-options.js";

/**
 * Reads program, commands, certificate and key, then runs the switch to its end.
 * @throws DiagnosticError when a file or its contents are wrong, at the start or later
 */
export async function loadAndRunSwitch(request: SwitchRequest, surroundings: Surroundings): Promise<void> {
  const { program, commands, tls, ...rest } = request;
  const diagnostics = new Diagnostics();
  const loaded = program && {
    path: program.path,
    program: (await loadProgram(program, diagnostics, "warning")).program,
  };
  const read = tls && {
    certificate: readBytes(tls.certificate),
    privateKey: readBytes(tls.privateKey),
    ...(tls.clientCa === undefined ? {} : { clientCa: readBytes(tls.clientCa) }),
  };
  const lines = commands === undefined ? undefined : readSource(commands);
  surroundings.report(diagnostics.list.filter(({ severity }) => severity !== "info"));
  await runSwitch(
    {
      ...rest,
      ...given({ program: loaded, commands: lines, tls: read }),
    },
    surroundings,
  );
}
