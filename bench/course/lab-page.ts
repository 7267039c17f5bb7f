/**
 * The page of a lab under load, in a real Chromium: 8 switches in a ring, 10,000 packets a second in the simulator. Frames
 * a second that the page draws, and those that the lab sends, over ten seconds. Chromium has to be on PATH (or in
 * P4LOOM_CHROMIUM).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CHROMIUM, openPage, startBrowser, startLab } from "../../test/course/lab/browser/browser.js";
import type { Benchmark } from "../benchmark.js";

const SWITCHES = 8;
const PACKETS_PER_SECOND = 10_000;
const SECONDS = 10;
const WARM_UP_MS = 3000;

const program = resolve(import.meta.dirname, "../../examples/course/01-forwarding/solution/forwarding.p4");

const mac = (host: number): string => `08:00:00:00:00:${String(host).padStart(2, "0")}`;

/** A ring: port 1 to the host, port 2 to the next switch, port 3 to the previous one. */
function writeRing(folder: string): void {
  const all = Array.from({ length: SWITCHES }, (_, i) => i + 1);
  const next = (n: number) => (n % SWITCHES) + 1;
  const topology = {
    hosts: Object.fromEntries(
      all.map((n) => [
        `h${n}`,
        {
          ip: `10.0.0.${n}/24`,
          mac: mac(n),
          commands: all.filter((m) => m !== n).map((m) => `arp -i eth0 -s 10.0.0.${m} ${mac(m)}`),
        },
      ]),
    ),
    switches: Object.fromEntries(all.map((n) => [`s${n}`, { runtime_json: `s${n}-runtime.json` }])),
    links: [...all.map((n) => [`h${n}`, `s${n}-p1`]), ...all.map((n) => [`s${n}-p2`, `s${next(n)}-p3`])],
  };
  writeFileSync(join(folder, "topology.json"), JSON.stringify(topology));
  writeFileSync(join(folder, "forwarding.p4"), readFileSync(program));
  for (const n of all) {
    const entries = all.map((m) => {
      const ahead = (m - n + SWITCHES) % SWITCHES;
      const port = ahead === 0 ? 1 : ahead <= SWITCHES / 2 ? 2 : 3;
      return {
        table: "CourseIngress.stations",
        match: { "hdr.ethernet.dst": mac(m) },
        action_name: "CourseIngress.send_to",
        action_params: { port },
      };
    });
    const runtime = {
      target: "bmv2",
      p4info: "build/forwarding.p4.p4info.txtpb",
      bmv2_json: "build/forwarding.json",
    };
    writeFileSync(join(folder, `s${n}-runtime.json`), JSON.stringify({ ...runtime, table_entries: entries }));
  }
}

/** Frames a second of the page; a text, since the compiler of this file adds names that the page does not have. */
const COUNT_FRAMES = `new Promise((done) => {
  let count = 0;
  const start = performance.now();
  const draw = () => {
    count++;
    if (performance.now() - start < ${SECONDS * 1000}) requestAnimationFrame(draw);
    else done((count * 1000) / (performance.now() - start));
  };
  requestAnimationFrame(draw);
})`;

export const run: Benchmark = async (report) => {
  if (CHROMIUM === undefined) throw new Error("there is no chromium on PATH");
  const folder = mkdtempSync(join(tmpdir(), "p4loom-lab-page-"));
  writeRing(folder);
  const browser = await startBrowser();
  const lab = await startLab([folder]);
  try {
    const { page } = await openPage(browser);
    let frames = 0;
    let bytes = 0;
    let first: { at: number; now: number } | undefined;
    let last: { at: number; now: number } | undefined;
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        const text = String(payload);
        if (!text.startsWith('{"event":{"kind":"frame"')) return;
        frames++;
        bytes += text.length;
        const now = Number(/"now":([\d.]+)/.exec(text)![1]);
        last = { at: performance.now(), now };
        first ??= last;
      }),
    );
    await page.goto(lab.url);
    await page.getByRole("button", { name: "Host h1, up" }).waitFor();
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "real time" });
    await page.getByRole("tab", { name: "Hosts" }).click();
    await page.getByRole("combobox", { name: "Traffic" }).selectOption("UDP");
    // 1,000 bytes of payload each; three links and two switches away.
    const megabits = (PACKETS_PER_SECOND / SWITCHES) * 1000 * 8 * 1e-6;
    for (let n = 1; n <= SWITCHES; n++) {
      await page.getByRole("combobox", { name: "From", exact: true }).selectOption(`h${n}`);
      await page.getByRole("combobox", { name: "To", exact: true }).selectOption(`h${(n % SWITCHES) + 1}`);
      await page.getByRole("spinbutton", { name: "Rate, Mbit/s" }).fill(String(megabits));
      await page.getByRole("button", { name: "Start", exact: true }).click();
    }
    await page.waitForTimeout(WARM_UP_MS);
    frames = 0;
    bytes = 0;
    first = undefined;
    const drawn = await page.evaluate<number>(COUNT_FRAMES);
    const speed = (last!.now - first!.now) / 1e6 / (last!.at - first!.at);
    report({ name: "lab-page/drawn", unit: "frames/s", value: drawn });
    report({ name: "lab-page/sent", unit: "frames/s", value: frames / SECONDS });
    report({ name: "lab-page/frame", unit: "bytes", value: bytes / Math.max(1, frames) });
    report({ name: "lab-page/speed", unit: "of real time", value: speed });
  } finally {
    await browser.close();
    await lab.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
