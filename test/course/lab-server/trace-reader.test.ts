/** What a lab reads of the traces of its switches, also when one is killed while it writes. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { TraceReader } from "../../../src/course/lab-server/testbed/trace-reader.js";

it("takes whole documents, leaves out a cut one that ends with a brace, and connects again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-trace-reader-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "s1");
  const lines = [
    '{"trace_stream":1,"epoch_us":900,"monotonic_us":5}',
    '{"input":{"packet_id":1}}',
    '{"input":{"packet_id":2}',
  ];
  const server = createServer((socket) => socket.end(lines.join("\n")));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  const seen: unknown[] = [];
  const reader = new TraceReader(new Map([["s1", path]]), (...all) => seen.push(all));
  const whole = ["s1", { input: { packet_id: 1 } }, 5];
  await expect
    .poll(() => {
      reader.connect(true);
      return seen.slice(0, 2);
    })
    .toEqual([whole, whole]);
  reader.close();
});
