/** Calls simple_switch_CLI, which uses BMv2's Thrift interface: it reads lines and prints a result for each. */
import { DeviceError, type StatusCode } from "../../../toolchain/device/index.js";
import { switchNamespace } from "../run/record.js";
import { command } from "../system/command.js";

const PROMPT = "RuntimeCmd: ";
const TIMEOUT_MS = 60_000;
/** Text that the CLI prints before the reason when it refuses a line. */
const REFUSED = /^(?:Error: |Invalid |\*\*\* )/;

const CODES: readonly [RegExp, StatusCode][] = [
  [/INVALID_INDEX|index/i, "OUT_OF_RANGE"],
  [/Invalid \S+ name|INVALID_\w*NAME|WRONG_RESOURCE_TYPE/, "NOT_FOUND"],
];

export class ThriftCli {
  /** Calls follow each other, because the switch serves one client at a time at full speed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly program: string,
    readonly runId: string,
    readonly port: number,
  ) {}

  /** The output for each line, or why it was refused. Rejects with UNAVAILABLE when the switch does not answer. */
  runEach(lines: readonly string[]): Promise<(string | DeviceError)[]> {
    const answer = this.#last.then(() => this.#run(lines));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** The output for each line. Rejects with DeviceError for the first line that was refused. */
  async run(lines: readonly string[]): Promise<string[]> {
    const answers = await this.runEach(lines);
    return answers.map((answer) => {
      if (answer instanceof DeviceError) throw answer;
      return answer;
    });
  }

  async #run(lines: readonly string[]): Promise<(string | DeviceError)[]> {
    const argv = [
      ...["ip", "netns", "exec", switchNamespace(this.runId)],
      ...[this.program, "--thrift-port", String(this.port)],
    ];
    const options = { input: `${lines.join("\n")}\n`, timeoutMs: TIMEOUT_MS };
    const { status, stdout, stderr } = await command(argv, options);
    const answers = splitAnswers(stdout);
    if (status !== 0 || answers.length < lines.length) {
      const said = `${stderr}\n${stdout}`.trim().split("\n").at(-1);
      throw new DeviceError("UNAVAILABLE", `simple_switch_CLI ended with status ${status}: ${said}`);
    }
    return lines.map((line, i) => {
      const refusal = answers[i]!.split("\n").find((text) => REFUSED.test(text));
      if (refusal === undefined) return answers[i]!;
      const code = CODES.find(([pattern]) => pattern.test(refusal))?.[1] ?? "INVALID_ARGUMENT";
      return new DeviceError(code, `simple_switch_CLI refused "${line}": ${refusal}`);
    });
  }
}

/** The CLI prints its prompt before it reads a line, so what follows the n-th prompt answers the n-th line. */
export function splitAnswers(stdout: string): string[] {
  return stdout
    .split(PROMPT)
    .slice(1)
    .map((text) => text.trim());
}
