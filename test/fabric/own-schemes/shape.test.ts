/** Values of users in messages, and the first thing that is wrong with a value. */
import { describe, expect, it } from "vitest";
import {
  chooserShape,
  describeValue,
  issueOf,
  planShape,
  schemeShape,
} from "../../../src/fabric/own-schemes/shape.js";

describe("a value in a message", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [7.5, "7.5"],
    [Number.NaN, "NaN"],
    [true, "true"],
    [12n, "12"],
    [() => 1, "a function"],
    [Promise.resolve(1), "a promise"],
    [[1, "a"], '[1, "a"]'],
    [[1, 2, 3, 4], "[1, 2, 3, 4]"],
    [[1, 2, 3, 4, 5], "[1, 2, 3, 4, ...] (5 elements)"],
    [{ a: 1 }, "an object"],
    ["a\nb", '"a\\nb"'],
    ["x".repeat(38), `"${"x".repeat(38)}"`],
    ["x".repeat(39), `"${"x".repeat(36)}...`],
  ])("%o", (value, text) => {
    expect(describeValue(value)).toBe(text);
  });
});

describe("the first issue of a value", () => {
  it("is that it is no object", () => {
    expect(issueOf(chooserShape, Promise.resolve({}), "chooser")!.text).toBe(
      "a promise; it must return its chooser at once",
    );
    expect(issueOf(chooserShape, null, "chooser")!.text).toBe("no chooser: expected an object, got null");
    expect(issueOf(chooserShape, 5, "chooser")!.text).toBe("no chooser: expected an object, got 5");
  });

  it("names the member that is there and wrong, and none for one that is missing", () => {
    const plan = () => ({});
    expect(issueOf(schemeShape, { name: "a b", plan }, "scheme")).toMatchObject({ member: "name" });
    expect(issueOf(schemeShape, { name: "a" }, "scheme")).not.toHaveProperty("member");
    expect(issueOf(schemeShape, { name: "a", plan, parameters: 5 }, "scheme")).toMatchObject({
      member: "parameters",
    });
    expect(issueOf(schemeShape, { name: "a", plan, parameters: null }, "scheme")!.text).toContain(
      "parameters",
    );
    expect(issueOf(schemeShape, { name: "a", plan }, "scheme")).toBeUndefined();
  });

  it("is a member of a controller that is no function", () => {
    const programs = [{ name: "main", template: "t", values: {} }];
    const withController = (controller: unknown) => ({
      programs,
      switches: [],
      controllers: [{ name: "c", switches: [0], controller }],
    });
    const start = () => {};
    expect(issueOf(planShape, withController({ start }), "plan")).toBeUndefined();
    expect(issueOf(planShape, withController({ start, prepare: start }), "plan")).toBeUndefined();
    expect(issueOf(planShape, withController({ start, prepare: 5 }), "plan")!.text).toContain("prepare");
    expect(issueOf(planShape, withController({ start: 5 }), "plan")!.text).toContain("start");
    expect(issueOf(planShape, withController(null), "plan")!.text).toContain("start");
  });

  it("names the program that a switch of a plan does not have", () => {
    const programs = ["main", "other"].map((name) => ({ name, template: "t", values: {} }));
    const at = (program: string) => ({ node: 0, program, updates: [] });
    expect(issueOf(planShape, { programs, switches: [at("main"), at("other")] }, "plan")).toBeUndefined();
    expect(issueOf(planShape, { programs, switches: [at("main"), at("mian")] }, "plan")!.text).toContain(
      'no program is called "mian"',
    );
  });
});
