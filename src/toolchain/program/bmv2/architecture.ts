/**
 * Checks the part of a program that says which parsers, pipelines and deparsers a packet passes in a Tofino (`architecture`). No compiler
 * writes it into a file: it comes with a program that one p4loom sends to another's switch.
 */
import { CODES } from "../codes.js";
import type { Checker, JsonObject } from "./checker.js";
import type { JsonPath } from "./json-place.js";
import type { ValueChecker } from "./values.js";

/** Lengths of the lists whose positions the architecture names. */
interface Lengths {
  readonly parsers: number;
  readonly pipelines: number;
  readonly deparsers: number;
}

export class ArchitectureChecker {
  constructor(
    readonly checker: Checker,
    readonly values: ValueChecker,
    readonly lengths: Lengths,
  ) {}

  check(value: unknown): void {
    const { checker } = this;
    const path = ["architecture"];
    const architecture = checker.object(value, path);
    if (architecture === undefined) return;
    checker.oneOf(architecture.name, [...path, "name"], ["tna", "t2na"]);
    const pipes = checker.array(architecture.pipes, [...path, "pipes"]);
    if (pipes.length === 0)
      checker.complain(CODES.bmv2Shape, path, "the architecture needs at least one pipe");
    for (const [i, value] of pipes.entries()) {
      const at = [...path, "pipes", i];
      const pipe = checker.object(value, at);
      if (pipe === undefined) continue;
      checker.string(pipe.name, [...at, "name"]);
      for (const gress of ["ingress", "egress"]) this.#gress(pipe[gress], [...at, gress]);
      if (pipe.ghost !== undefined) this.#ghost(pipe.ghost, [...at, "ghost"]);
    }
  }

  #gress(value: unknown, at: JsonPath): void {
    const { checker, lengths } = this;
    const gress = checker.object(value, at);
    if (gress === undefined) return;
    const parsers = checker.array(gress.parsers, [...at, "parsers"]);
    if (parsers.length === 0) checker.complain(CODES.bmv2Shape, at, "a gress needs at least one parser");
    for (const [i, parser] of parsers.entries())
      this.#position(parser, [...at, "parsers", i], lengths.parsers);
    this.#position(gress.pipeline, [...at, "pipeline"], lengths.pipelines);
    this.#position(gress.deparser, [...at, "deparser"], lengths.deparsers);
    checker.boolean(gress.skipsIntrinsic, [...at, "skipsIntrinsic"]);
    checker.boolean(gress.seesErrors, [...at, "seesErrors"]);
    this.#fields(gress.fields, [...at, "fields"]);
    if (gress.portMetadata !== undefined) this.#portMetadata(gress, [...at, "portMetadata"]);
  }

  /** A parser without metadata of ports is `null` in JSON. */
  #portMetadata(gress: JsonObject, at: JsonPath): void {
    const { checker } = this;
    gress.portMetadata = checker.array(gress.portMetadata, at).map((register, i) => {
      if (register === null) return undefined;
      checker.reference(register, [...at, i], "register", this.values.names.registers);
      return register;
    });
  }

  #ghost(value: unknown, at: JsonPath): void {
    const ghost = this.checker.object(value, at);
    if (ghost === undefined) return;
    this.#position(ghost.pipeline, [...at, "pipeline"], this.lengths.pipelines);
    this.#fields(ghost.fields, [...at, "fields"]);
  }

  #fields(value: unknown, at: JsonPath): void {
    for (const [name, field] of Object.entries(this.checker.object(value, at) ?? {}))
      this.values.field(field, [...at, name]);
  }

  #position(value: unknown, at: JsonPath, length: number): void {
    this.checker.integer(value, at, 0, length - 1);
  }
}
