import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DiagnosticError, Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { compileMatrices, fanOutsOf, groupSizes } from "../../../../src/fabric/schemes/pecmp/compile.js";
import { compileFabric, modelOf } from "../../../../src/fabric/schemes/pecmp/fabric.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import { demandOf, usableSpace } from "../../../../src/fabric/schemes/pecmp/sram.js";
import { buildTopology, nodeNamed, topologySchema } from "../../../../src/fabric/topology/index.js";
import { loadDocument } from "../../../../src/toolchain/documents/index.js";
import { build, example, messagesOf } from "../../topology/load.js";

const bad = resolve(import.meta.dirname, "../../../bad/schemes");
const nowhere = () => undefined;

describe("wrong parameters", () => {
  const schema = z.strictObject({ topology: topologySchema, parameters: pecmpParameters });

  it.each(readdirSync(bad))("%s is refused where it is wrong", (name) => {
    const message = messagesOf(() => {
      const diagnostics = new Diagnostics();
      const file = new SourceFile(name, readFileSync(join(bad, name), "utf8"));
      const document = loadDocument(file, schema, diagnostics);
      if (document === undefined) throw new DiagnosticError(diagnostics.list);
      const { topology, parameters } = document.value;
      pecmp.plan(buildTopology(topology), parameters, (path) => document.locate(["parameters", ...path]));
    });
    expect(message).toContain(`error[${name.slice(0, 6)}]`);
    expect(message).toMatchSnapshot();
  });
});

describe("room in switches", () => {
  it("is halved by transactional updates", () => {
    const model = { name: "m", groups: 9, members: 100 };
    expect(usableSpace(model, false)).toEqual({ groups: 9, members: 100 });
    expect(usableSpace(model, true)).toEqual({ groups: 4, members: 50 });
  });

  it("is that of Trident 5 unless the role names another model", () => {
    const parameters = pecmpParameters.parse({
      switches: { leaf: "bmv2", spine: { groups: 1, members: 2 } },
    });
    expect(modelOf(parameters, "tor")).toMatchObject({ groups: 8192, members: 65536 });
    expect(modelOf(parameters, "leaf").name).toBe("bmv2");
    expect(modelOf(parameters, "spine")).toMatchObject({ groups: 1, members: 2 });
  });

  it("bounds the pods at 8192 / 2 / 8 = 512 with offsets, half as many with both (section 5.1)", () => {
    const trident = usableSpace(modelOf(pecmpParameters.parse({}), "spine"), true);
    const spine = (control: "offset" | "both") => {
      const topology = build({
        ...{
          kind: "clos",
          pods: 2,
          tors_per_pod: 2,
          leaves_per_pod: 8,
          spines_per_plane: 8,
          hosts_per_rack: 1,
        },
        wiring: "mesh",
      });
      const node = nodeNamed(topology, "spine0")!.index;
      const { matrices } = compileMatrices(topology, control).find((compiled) => compiled.node === node)!;
      return demandOf([matrices[0]!.matrix]).groups;
    };
    expect(trident.groups / spine("offset")).toBe(512);
    expect(trident.groups / spine("both")).toBe(256);
  });

  it("counts up and down apart: 8 groups and 512 members fit exactly", () => {
    // The use of today's switches in section 2.3: at most 8 groups and 512 members.
    const topology = build({
      ...{
        kind: "clos",
        pods: 2,
        tors_per_pod: 4,
        leaves_per_pod: 8,
        spines_per_plane: 8,
        hosts_per_rack: 1,
      },
    });
    const fits = (groups: number, members: number) =>
      compileFabric(topology, pecmpParameters.parse({ switches: { leaf: { groups, members } } }), nowhere);
    expect(() => fits(8, 64)).not.toThrow();
    expect(messagesOf(() => fits(7, 64))).toContain(
      "needs 8 ECMP groups for its uplinks, but its model has 7",
    );
    expect(messagesOf(() => fits(8, 63))).toContain("needs 64 ECMP members for its uplinks");
  });
});

describe("compiled fabrics", () => {
  it("know the fan-out of every kind of hop", () => {
    const topology = example("clos");
    const same = (n: number) => ({ least: n, most: n });
    expect(fanOutsOf(topology, compileMatrices(topology, "offset"))).toEqual({
      nic: same(2),
      tor: same(4),
      leaf: same(4),
      legs: same(2),
    });
  });

  it("have figure 4's base groups where links are missing", () => {
    const topology = example("asymmetric");
    const switches = compileMatrices(topology, "offset");
    expect(groupSizes(topology, switches)).toEqual([2, 3, 4]);
    const tor = nodeNamed(topology, "tor0-0")!;
    const { matrices } = switches.find(({ node }) => node === tor.index)!;
    const names = matrices.map(({ ports }) =>
      ports.map((port) => topology.nodes[tor.ports[port - 1]!.peer]!.name),
    );
    expect(names).toContainEqual(["leaf0-0", "leaf0-2", "leaf0-3"]);
    expect(matrices.every(({ rows, ports }) => rows.length === ports.length)).toBe(true);
  });

  it("choose primes where groups are no powers of two", () => {
    const rule = (name: string) =>
      compileFabric(example(name), pecmpParameters.parse({}), nowhere).offsets.rule;
    expect(rule("clos")).toBe("odd");
    expect(rule("asymmetric")).toBe("primes");
  });

  it("take WCMP weights into the base group", () => {
    const topology = build({
      ...{
        kind: "clos",
        pods: 2,
        tors_per_pod: 2,
        leaves_per_pod: 2,
        spines_per_plane: 2,
        hosts_per_rack: 1,
      },
    });
    const weights = new Map([["tor0-0", new Map([["leaf0-1", 3]])]]);
    const tor = nodeNamed(topology, "tor0-0")!.index;
    const { matrices } = compileMatrices(topology, "offset", weights).find(({ node }) => node === tor)!;
    expect([...matrices[0]!.matrix.base].sort()).toEqual([0, 1, 1, 1]);
  });
});
