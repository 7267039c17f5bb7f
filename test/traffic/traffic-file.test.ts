import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { readIperf3 } from "../../src/testbed/index.js";
import { readTrafficFile } from "../../src/traffic/index.js";

const hosts = new Set(["h1", "h2", "h3"]);

function read(text: string, name = "flows.csv") {
  const diagnostics = new Diagnostics();
  const flows = readTrafficFile(new SourceFile(name, text), hosts, diagnostics);
  return { flows, messages: diagnostics.list.map(formatDiagnostic) };
}

describe("readTrafficFile", () => {
  it("reads flows in the file's order, columns in any", () => {
    const { flows, messages } = read(
      "# elephants and mice\nbytes, src ,dst,start,port\r\n\n20000,h1,h3,1.5ms,80\r\n 1,h2,h1,0s,\n",
    );
    expect(messages).toEqual([]);
    expect(flows).toEqual([
      { startNs: 1.5e6, src: "h1", dst: "h3", bytes: 20000, port: 80 },
      { startNs: 0, src: "h2", dst: "h1", bytes: 1, port: 5201 },
    ]);
    expect(read("start,src,dst,bytes\n2us,h1,h2,5\n").flows[0]!.port).toBe(5201);
  });

  it("keeps the good lines, and names every wrong value of the others", () => {
    const { flows, messages } = read("start,src,dst,bytes\n1,h9,h2,0\n1ms,h1,h2,7\n1ms,h1,h2\n");
    expect(flows).toEqual([{ startNs: 1e6, src: "h1", dst: "h2", bytes: 7, port: 5201 }]);
    expect(messages.map((message) => message.split("\n")[0])).toEqual([
      'flows.csv:2:1: error[P42322]: start: expected a time such as 1.5ms, got "1"',
      'flows.csv:2:3: error[P42323]: there is no host "h9"',
      'flows.csv:2:9: error[P42322]: bytes: expected a whole number from 1 to 9007199254740991, got "0"',
      "flows.csv:4:1: error[P42321]: expected 4 values, one a column, got 3",
    ]);
  });

  it("needs its columns", () => {
    expect(read("# nothing\n").messages[0]).toContain("the file has no line of column names");
    expect(read("start,src,dst\n").messages[0]).toContain("column bytes is missing");
    expect(read("start,src,dst,bytes,src\n").messages[0]).toContain('"src" stands there twice');
  });

  const bad = join(import.meta.dirname, "../bad/traffic");
  it.each(readdirSync(bad).filter((name) => name.endsWith(".csv")))("explains %s", (name) => {
    const { messages } = read(readFileSync(join(bad, name), "utf8"), name);
    expect(messages.length).toBe(1);
    expect(messages[0]).toContain(`error[${name.slice(0, 6)}]`);
    expect(messages[0]).toMatchSnapshot();
  });
});

describe("readIperf3", () => {
  const report = (sender: object, sent: object = {}) =>
    JSON.stringify({
      start: {},
      end: { sum_sent: { bytes: 131072, seconds: 0.25, ...sent }, streams: [{ sender }] },
    });

  it("takes bytes, time, retransmissions and round trips", () => {
    expect(readIperf3(report({ mean_rtt: 310, min_rtt: 290 }, { retransmits: 2 }))).toEqual({
      bytes: 131072,
      fctNs: 250e6,
      retransmissions: 2,
      rttUs: 310,
      minRttUs: 290,
    });
    expect(readIperf3(report({}))).toMatchObject({ retransmissions: null, rttUs: null, minRttUs: null });
  });

  it("passes on what iperf3 says is wrong", () => {
    expect(() => readIperf3('{"start": {}, "error": "unable to connect"}')).toThrow(
      "P43173]: iperf3: unable to connect",
    );
    expect(() => readIperf3("")).toThrow("P43173]: iperf3 gave no report: nothing");
    expect(() => readIperf3('{"end": {}}')).toThrow("P43173]: the report of iperf3 lacks something");
  });
});
