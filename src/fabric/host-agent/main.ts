/** The process on a host: JSON lines on stdin and stdout (docs/host-agent.md). */
import { Agent } from "./agent.js";
import { EventOutput, readLines } from "./lines.js";

/** Exit status of an agent that failed by a defect of its own. */
const FAULT = 70;

const output = new EventOutput(1, () => end(1));
const agent = new Agent(output.send, end);
let ending = false;

/** Restores the host, and ends the process when all events are read. Only the first call has an effect. */
function end(status: number): void {
  if (ending) return;
  ending = true;
  try {
    agent.close();
  } catch (error) {
    console.error(error);
    status = FAULT;
  }
  output.finish(() => process.exit(status));
}

process.on("uncaughtException", (error) => {
  console.error(error);
  end(FAULT);
});
process.on("SIGTERM", () => end(0));
process.on("SIGINT", () => end(0));
readLines(
  process.stdin,
  (line) => {
    if (!ending) agent.take(line);
  },
  () => end(0),
);
