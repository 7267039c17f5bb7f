/** The page of `p4loom lab` in a real browser, from the start of the command: the steps of a student in the first exercise. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exerciseCopy, packets, ping, runProgram, SOLUTION, setSpeed, tab, write } from "./actions.js";
import { CHROMIUM, openPage, type StartedLab, startBrowser, startLab, WITHOUT } from "./browser.js";

describe.skipIf(CHROMIUM === undefined)(`the page of a lab${WITHOUT}`, () => {
  const exercise = exerciseCopy();
  let browser: Browser;
  let lab: StartedLab;
  let page: Page;
  let requests: URL[];
  let errors: string[];
  const card = () => page.getByRole("region", { name: "Selection" });

  beforeAll(async () => {
    browser = await startBrowser();
    ({ page, requests, errors } = await openPage(browser));
    lab = await startLab([exercise.folder]);
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    exercise.remove();
  });

  it("forwards a first packet, and shows its story with the P4 lines", async () => {
    await page.goto(lab.url);
    await page.getByRole("heading", { name: "Exercise 1: forwarding" }).waitFor();
    await runProgram(page, SOLUTION);
    await setSpeed(page, "real time");
    await ping(page, "h1", "h3");
    const request = packets(page, /ICMP echo request/, /delivered to h3/).first();
    await request.waitFor();
    const passed = Math.round(performance.now() - lab.startedAt);
    console.log(`first forwarded packet ${passed} ms after the start of the command`);
    await request.getByRole("button").click();
    const way = page.getByRole("list", { name: "Path of the packet" });
    await way.getByText("sends 98 B").waitFor();
    await way.getByRole("button", { name: /^s1/ }).click();
    const step = way.getByRole("button", { name: /standard_metadata\.egress_spec: .* -> 3/ });
    await step.click();
    const line = SOLUTION.split("\n").findIndex((text) => text.includes("egress_spec = port;")) + 1;
    expect(await step.locator(".line").textContent()).toBe(String(line));
    expect(await page.locator(".cm-lit-now").textContent()).toContain(
      "standard_metadata.egress_spec = port;",
    );
    expect(await page.locator(".cm-lit").count()).toBeGreaterThan(1);
    const all = way.getByRole("button", { name: "Every outcome" });
    await all.click();
    await way.getByRole("button", { name: "1 outcome: back to what it did", pressed: true }).waitFor();
    await page.getByText("what such a packet can go through now").waitFor();
    await way.getByText(/^sent on port 3: 98 bytes/).waitFor();
    await way.getByRole("button", { name: /back to what it did/ }).click();
    await page.getByText("what this packet went through").waitFor();
  });

  it("breaks a link by its card, shows the packets lost there, and repairs it", async () => {
    await page.getByRole("button", { name: /^Link s1 port 3 to s2 port 3/ }).click();
    await card().getByRole("button", { name: "Break link s1 – s2" }).click();
    await page.getByRole("button", { name: "Link s1 port 3 to s2 port 3, broken" }).waitFor();
    await ping(page, "h1", "h3");
    await tab(page, "Drops").click();
    const drops = page.getByRole("table", { name: "Drops by place and reason" });
    await drops.getByRole("row").nth(1).waitFor();
    expect(await drops.textContent()).toMatch(/s1/);
    await page.getByRole("button", { name: "Repair all" }).click();
    await page.getByRole("button", { name: "Link s1 port 3 to s2 port 3, up" }).waitFor();
    await tab(page, "Packets").click();
    const before = await packets(page, /echo reply/, /delivered to h1/).count();
    await ping(page, "h1", "h3");
    await expect
      .poll(() => packets(page, /echo reply/, /delivered to h1/).count(), { timeout: 20_000 })
      .toBe(before + 1);
  });

  it("steps from arrival to arrival while the clock is paused", async () => {
    await page.getByRole("button", { name: "Pause" }).click();
    const clock = page.getByRole("timer", { name: "Time in the network" });
    await ping(page, "h2", "h1");
    const times: string[] = [];
    for (let i = 0; i < 4; i++) {
      await page.getByRole("button", { name: "Step", exact: true }).click();
      const before = times.at(-1);
      await expect.poll(() => clock.textContent()).not.toBe(before);
      times.push((await clock.textContent())!);
    }
    expect([...times].sort()).toEqual(times);
    await packets(page, /echo reply/, /delivered to h2/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
  });

  it("shows an error at its line while it is typed, keeps the running program, and takes the corrected one", async () => {
    await tab(page, "Program").click();
    await write(page, SOLUTION.replace("egress_spec = port;", "egress_spek = port;"));
    const messages = page.getByRole("region", { name: /^Messages about/ });
    await messages.getByText("1 error").waitFor();
    const line = SOLUTION.split("\n").findIndex((text) => text.includes("egress_spec = port;")) + 1;
    expect(await messages.textContent()).toMatch(new RegExp(`${line}:\\d+ .*egress_spek`));
    await page.locator(".cm-lintRange-error").first().waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText("the last version without errors runs").waitFor();
    await page.getByRole("alert").getByRole("button", { name: "Close this message" }).click();
    const before = await packets(page, /echo reply/, /delivered to h1/).count();
    await ping(page, "h1", "h2");
    await expect
      .poll(() => packets(page, /echo reply/, /delivered to h1/).count(), { timeout: 20_000 })
      .toBe(before + 1);
    await runProgram(page, SOLUTION);
    expect(await messages.textContent()).toContain("No errors");
  });

  it("edits a table with statements of the shell, reports their errors, and undoes the edit", async () => {
    await tab(page, "Tables").click();
    const entries = page.getByRole("table", { name: "Entries of CourseIngress.stations" });
    await entries.getByRole("row", { name: /08:00:00:00:00:02/ }).waitFor();
    const rows = await entries.getByRole("row").count();
    const statement = page.getByRole("combobox", { name: /^Statement for s1/ });
    await statement.fill("delete statoins 08:00:00:00:00:02");
    await page.getByRole("button", { name: "Run", exact: true }).last().click();
    await page.getByText("did you mean `stations`?").waitFor();
    await entries
      .getByRole("row", { name: /08:00:00:00:00:02/ })
      .getByRole("button", { name: /^Delete/ })
      .click();
    await expect.poll(() => entries.getByRole("row").count()).toBe(rows - 1);
    await ping(page, "h1", "h2");
    await packets(page, /ICMP echo request/, /dropped at s1/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: /^Undo/ }).click();
    await expect.poll(() => entries.getByRole("row").count()).toBe(rows);
  });

  it("builds a packet from headers, sends it, and follows it", async () => {
    await tab(page, "Send").click();
    await page.getByRole("combobox", { name: "From", exact: true }).selectOption("h2");
    await page.getByRole("combobox", { name: "Start from" }).selectOption("Ethernet frame");
    await page.getByRole("textbox", { name: "dst" }).fill("08:00:00:00:00:99");
    await page.getByText(/^\d+ bytes$/).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("list", { name: "Path of the packet" }).waitFor();
    await expect
      .poll(() => page.getByRole("tabpanel", { name: "Packet", exact: true }).textContent())
      .toMatch(/dropped at s1/);
  });

  it("runs commands of a host, and prints their output", async () => {
    await tab(page, "Hosts").click();
    await page.getByRole("textbox", { name: "Command for h1" }).fill("ping -c 2 h2");
    await page.keyboard.press("Enter");
    const output = page.getByRole("log", { name: "Output of h1" });
    await expect.poll(() => output.textContent(), { timeout: 20_000 }).toMatch(/2 .*received/);
    await page.getByRole("textbox", { name: "Command for h1" }).fill("ip");
    await page.keyboard.press("Enter");
    await expect.poll(() => output.textContent()).toMatch(/inet 10[^\n]*\n/);
    const lines = (await output.textContent())!.split("\n");
    expect(lines.filter((line) => line.includes("$"))).toEqual(["$ ping -c 2 h2", "$ ip"]);
    expect(lines.filter((line) => /time=/.test(line))).toHaveLength(2);
  });

  it("runs a flow, and plots it", async () => {
    await tab(page, "Hosts").click();
    await page.getByRole("combobox", { name: "Traffic" }).selectOption("TCP");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const flows = page.getByRole("table", { name: /^Flows/ });
    await flows.getByRole("row", { name: /tcp .*completed.*FCT/ }).waitFor();
    await tab(page, "Plots").click();
    const chart = page.getByRole("img", { name: /^Throughput of flows; newest values:.*tcp/ });
    await chart.waitFor();
    expect(await chart.locator("canvas").count()).toBe(1);
  });

  it("has sent no request to another host, and has no error", () => {
    expect(new Set(requests.filter(({ protocol }) => protocol !== "data:").map(({ host }) => host))).toEqual(
      new Set([new URL(lab.url).host]),
    );
    expect(errors).toEqual([]);
  });
});
