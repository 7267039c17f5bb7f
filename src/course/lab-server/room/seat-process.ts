/** The process of one student: the lab of the exercise with the student's files. It ends when its server goes away. */
import { mkdirSync } from "node:fs";
import { DiagnosticError } from "../../../base/index.js";
import { answerCall, type LabEvent } from "../../lab/index.js";
import { parsed } from "../connection.js";
import { openSimulatedLab } from "../open-lab.js";
import type { FromSeat, ToSeat } from "./seat-messages.js";
import { seatProject } from "./seat-project.js";

const ALIVE_MS = 2000;

/** Runs until the channel to the server is closed. */
export async function serveSeat(): Promise<void> {
  const send = (message: FromSeat): void => void (process.connected && process.send?.(message));
  const ended = new Promise<void>((resolve) => process.once("disconnect", resolve));
  const opened = await new Promise<Extract<ToSeat, { kind: "open" }>>((resolve) =>
    process.once("message", (message) => resolve(message as Extract<ToSeat, { kind: "open" }>)),
  );
  const alive = setInterval(() => send({ kind: "alive", bytes: process.memoryUsage.rss() }), ALIVE_MS);
  try {
    mkdirSync(opened.folder, { recursive: true });
    const lab = await openSimulatedLab(await seatProject(opened.exercise, opened.folder), opened.seed);
    lab.service.subscribe((event: LabEvent) => {
      send({ kind: "event", text: JSON.stringify({ event }), frame: event.kind === "frame" });
      if (event.kind !== "test" || event.result.state === "running") return;
      const { name, state, points, of } = event.result;
      send({ kind: "test", result: { name, state, points, of } });
    });
    process.on("message", (message: ToSeat) => {
      if (message.kind !== "call") return;
      const { page, text } = message;
      void answerCall(lab.service, parsed(text)).then((reply) =>
        send({ kind: "reply", page, text: JSON.stringify(reply) }),
      );
    });
    send({ kind: "ready" });
    await ended;
    await lab.close();
  } catch (error) {
    const reason = error instanceof DiagnosticError ? (error.diagnostics[0]?.message ?? "") : String(error);
    send({ kind: "failed", reason });
  } finally {
    clearInterval(alive);
  }
}
