import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { readIperf3 } from "../../../src/fabric/testbed/index.js";
import { readTrafficFile, streamTrafficFile } from "../../../src/fabric/traffic/index.js";

const hosts = new Set(["h1", "h2", "h3"]);

function read(text: string, name = "flows.csv") {
  const diagnostics = new Diagnostics();
  const flows = readTrafficFile(new SourceFile(name, text), hosts, diagnostics);
  return { flows, messages: diagnostics.list.map(formatDiagnostic) };
}

describe("readTrafficFile", () => {
  it("reads flows in the order of the file, with columns in any order", () => {
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

  it("points at the value, after the spaces before it and in later lines too", () => {
    const lines = (text: string) => read(text).messages.map((message) => message.split("\n")[0]);
    expect(lines("start,src,dst,bytes,port\n# one\n\n1ms,  h8 ,h1,5,\n1ms,h1,h2,,80\n")).toEqual([
      'flows.csv:4:7: error[P42323]: there is no host "h8"',
      'flows.csv:5:11: error[P42322]: bytes: expected a whole number from 1 to 9007199254740991, got ""',
    ]);
    expect(lines("start,src,dst,bytes,sport\n")).toEqual([
      'flows.csv:1:21: error[P42320]: "sport" is no column',
    ]);
    expect(lines("start,dst\n")).toEqual(["flows.csv:1:1: error[P42320]: column src, bytes is missing"]);
    // A `#` after the start of a line is no comment.
    expect(lines("start,src,dst,bytes\n  # indented\n   \n1ms,h1,h2,5 # no\n")).toEqual([
      'flows.csv:4:11: error[P42322]: bytes: expected a whole number from 1 to 9007199254740991, got "5 # no"',
    ]);
  });

  it("underlines the whole value, and one place where there is none", () => {
    const diagnostics = new Diagnostics();
    const text = "start,src,dst,bytes\n1ms,h1,h2,many\n1ms,h1,h2,\n";
    readTrafficFile(new SourceFile("flows.csv", text), hosts, diagnostics);
    expect(diagnostics.list.map(({ span }) => text.slice(span!.start, span!.end))).toEqual(["many", "\n"]);
    const head = new Diagnostics();
    expect(readTrafficFile(new SourceFile("flows.csv", "# x\nstart,src,dst\n"), hosts, head)).toEqual([]);
    expect(head.list.map(({ span }) => [span!.start, span!.end])).toEqual([[4, 17]]);
  });

  it.each([
    ["1", 1],
    ["65535", 65535],
    ["0", undefined],
    ["65536", undefined],
    ["-1", undefined],
    ["1e3", undefined],
  ])("takes ports from 1 to 65535: %s", (port, expected) => {
    const { flows, messages } = read(`start,src,dst,bytes,port\n0s,h1,h2,1,${port}\n`);
    expect(flows[0]?.port).toBe(expected);
    expect(messages.length).toBe(expected === undefined ? 1 : 0);
  });

  it("refuses a flow from an unknown host to itself once, and lists at most eight hosts", () => {
    expect(read("start,src,dst,bytes\n0s,h7,h7,1\n").messages.map((m) => m.split("\n")[0])).toEqual([
      'flows.csv:2:4: error[P42323]: there is no host "h7"',
      'flows.csv:2:7: error[P42323]: there is no host "h7"',
    ]);
    const hint = (count: number) => {
      const diagnostics = new Diagnostics();
      const names = new Set(Array.from({ length: count }, (_, i) => `n${i}`));
      readTrafficFile(new SourceFile("x.csv", "start,src,dst,bytes\n0s,x,n1,1\n"), names, diagnostics);
      return diagnostics.list[0]!.notes[0]!.message;
    };
    expect(hint(8)).toBe("hosts are n0, n1, n2, n3, n4, n5, n6, n7");
    expect(hint(9)).toBe("hosts are n0, n1, n2, n3, n4, n5, n6, n7, ...");
  });

  it("requires the four columns, each once", () => {
    expect(read("# nothing\n").messages[0]).toContain("the file has no line of column names");
    expect(read("start,src,dst\n").messages[0]).toContain("column bytes is missing");
    expect(read("start,src,dst,bytes,src\n").messages[0]).toContain('"src" is listed twice');
  });

  const bad = join(import.meta.dirname, "../../bad/traffic");
  it.each(readdirSync(bad).filter((name) => name.endsWith(".csv")))("explains %s", (name) => {
    const { messages } = read(readFileSync(join(bad, name), "utf8"), name);
    expect(messages.length).toBe(1);
    expect(messages[0]).toContain(`error[${name.slice(0, 6)}]`);
    expect(messages[0]).toMatchSnapshot();
  });
});

describe("streamTrafficFile", () => {
  function stream(pieces: readonly string[]) {
    const diagnostics = new Diagnostics();
    const flows = [...streamTrafficFile("flows.csv", pieces, hosts, diagnostics)];
    return { flows, messages: diagnostics.list.map(formatDiagnostic) };
  }

  it("gives the flows and the errors of the whole text, wherever the pieces are cut", () => {
    const text = `# trace
start,src,dst,bytes
1us,h1,h2,5
2us,h1,h9,5

2us,h2,h3,7
3us,h3,h1
4us,h3,h1,0`;
    const expected = read(text);
    expect(expected.flows.length).toBe(2);
    expect(expected.messages.length).toBe(3);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((to, i) => text.slice(places[i], to));
        expect(stream(pieces)).toEqual(expected);
      }),
    );
  });

  it("refuses a flow that starts before the one above, with its place in the file", () => {
    const { flows, messages } = stream(["start,src,dst,bytes\n2us,h1,h2,5\n", "1us,h1,h2,6\n2us,h1,h2,7\n"]);
    expect(flows.map(({ bytes }) => bytes)).toEqual([5, 7]);
    expect(messages).toEqual([
      "flows.csv:3:1: error[P42324]: start: 1us is before the start of the flow above\n    1us,h1,h2,6\n    ^^^\nnote: sort the lines by their start",
    ]);
  });

  it("says that there are no columns, and stops at wrong ones", () => {
    expect(stream([]).messages[0]).toContain(
      "flows.csv:1:1: error[P42320]: the file has no line of column names",
    );
    expect(stream(["# one\n# two\n"]).messages[0]).toContain("flows.csv:3:1: error[P42320]");
    expect(stream(["start,src\n1us,h1\n", "2us\n"]).messages.length).toBe(1);
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

  it("reports the error that iperf3 wrote", () => {
    expect(() => readIperf3('{"start": {}, "error": "unable to connect"}')).toThrow(
      "P43173]: iperf3: unable to connect",
    );
    expect(() => readIperf3("")).toThrow("P43173]: iperf3 gave no report: nothing");
    expect(() => readIperf3('{"end": {}}')).toThrow("P43173]: the report of iperf3 lacks something");
  });
});
