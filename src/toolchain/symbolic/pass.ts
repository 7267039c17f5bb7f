/** What controls and actions work with while a packet is in ingress or egress. */
import { defined } from "../../base/index.js";
import type { Bmv2Program, bmv2 } from "../program/index.js";
import type { Term, Terms } from "../solver/index.js";
import type { Chooser } from "./chooser.js";
import type { Environment } from "./environment.js";
import type { Calculated, Source } from "./hashes.js";
import type { Memory } from "./memory.js";
import type { Registers } from "./registers.js";
import type { Situation } from "./situation.js";
import { Unhandled } from "./unhandled.js";
import { ValueSets } from "./value-sets.js";

/** What a control asks for after it. */
export interface Requests {
  exit: boolean;
  /** The clone session. */
  clone: Term | undefined;
  cloneList: number;
  /** Numbers of field lists; 0: no request. */
  resubmit: number;
  recirculate: number;
  /** Of a Tofino's deparser: a copy to a session with bytes in front. */
  mirror: { readonly session: Term; readonly data: Term } | undefined;
  /** Of a Tofino's deparser: the bytes in front of the packet in its second pass. */
  resubmitData: Term | undefined;
}

export function noRequests(): Requests {
  return {
    exit: false,
    clone: undefined,
    cloneList: 0,
    resubmit: 0,
    recirculate: 0,
    mirror: undefined,
    resubmitData: undefined,
  };
}

/** Which actions of a table entries and the default action may have, as P4Info says. */
export interface TableRules {
  readonly entries: ReadonlySet<string>;
  readonly defaults: ReadonlySet<string>;
  readonly isConst: boolean;
}

/** A program, indexed once for all its paths. */
export class Plan {
  readonly actions: ReadonlyMap<number, bmv2.Bmv2Action>;
  readonly registers: ReadonlyMap<string, bmv2.RegisterArray>;
  readonly calculations: ReadonlyMap<string, bmv2.Calculation>;
  /** As in simple_switch: keys and hashes pass by the fields of invalid headers, and a header that becomes valid begins with zeros. */
  readonly looksAtValidity: boolean;

  constructor(
    readonly program: Bmv2Program,
    readonly rulesOf: (table: bmv2.Bmv2Table) => TableRules,
  ) {
    this.actions = new Map(program.actions.map((action) => [action.id, action]));
    this.registers = new Map(program.register_arrays.map((array) => [array.name, array]));
    this.looksAtValidity = program.architecture === undefined;
    this.calculations = new Map(program.calculations.map((one) => [one.name, one]));
  }
}

export interface Shared {
  readonly plan: Plan;
  readonly chooser: Chooser;
  readonly terms: Terms;
  readonly environment: Environment;
  readonly situation: Situation;
  readonly registers: Registers;
}

export function valueSetsOf({ plan, terms, environment, situation }: Shared): ValueSets {
  return new ValueSets(terms, plan.program, situation, environment.writesValueSets === true);
}

const RANDOM = "random ";

/** Whether a variable is a random number of the switch. */
export function isRandom(variable: string): boolean {
  return variable.startsWith(RANDOM);
}

export class Pass {
  requests = noRequests();
  /** The value of `egress_spec` that drops. */
  readonly dropPort = 511;

  constructor(
    readonly shared: Shared,
    readonly memory: Memory,
    /** First byte behind what the parser has passed, of the packet that came in. */
    readonly payload: number,
    /** `packet_length` of the next control, 32 bits: follows what headers take. */
    public length: Term,
    /** The bits that the parser has passed, from a byte on. */
    readonly parsed?: (from: number) => Term,
  ) {}

  get looksAtValidity(): boolean {
    return this.shared.plan.looksAtValidity;
  }
  /** Of calculations. */
  get source(): Source {
    const { memory, payload, looksAtValidity } = this;
    return { memory, payload, looksAtValidity };
  }

  get chooser(): Chooser {
    return this.shared.chooser;
  }
  get terms(): Terms {
    return this.shared.terms;
  }
  /** A value of the switch: {@link Environment.outside}. */
  outside(name: string, width: number): Term {
    const { environment, situation } = this.shared;
    if (environment.leftOut !== undefined) situation.leftOut.add(environment.leftOut.outside);
    return environment.outside(name, width);
  }
  get situation(): Situation {
    return this.shared.situation;
  }
  get registers(): Registers {
    return this.shared.registers;
  }

  grow(bytes: number): void {
    this.length = this.terms.add(this.length, this.terms.constant(bytes, 32));
  }

  action(id: number): bmv2.Bmv2Action {
    return defined(this.shared.plan.actions.get(id));
  }

  rulesOf(table: bmv2.Bmv2Table): TableRules {
    return this.shared.plan.rulesOf(table);
  }

  register(name: string): bmv2.RegisterArray {
    const found = this.shared.plan.registers.get(name);
    if (found === undefined) throw new Unhandled(`the register ${name}`);
    return found;
  }

  calculation(name: string): bmv2.Calculation {
    const found = this.shared.plan.calculations.get(name);
    if (found === undefined) throw new Unhandled(`the calculation ${name}`);
    return found;
  }

  calculated({ result, opaque }: Calculated): Term {
    if (opaque !== undefined && !this.situation.opaque.some(({ variable }) => variable === opaque.variable))
      this.situation.opaque.push(opaque);
    if (opaque?.payload !== undefined) this.situation.leftOut.add("decisions by hashes of the payload");
    return result;
  }

  /**
   * A number between two (64 bits), which nobody can choose. The same number of another program is one that is drawn at the same place in their order,
   * between the same bounds: others are independent of it.
   */
  random(low: Term, high: Term): Term {
    const { terms } = this;
    if (this.shared.environment.leftOut !== undefined)
      this.situation.leftOut.add("decisions by random numbers");
    const value = terms.variable(`${RANDOM}${this.situation.randoms++} ${low.id} ${high.id}`, 64);
    if (this.branch("random numbers, bounds of which the first is larger:", terms.less(high, low)))
      throw new Unhandled("random numbers between bounds of which the first is larger");
    this.chooser.require(terms.not(terms.or(terms.less(value, low), terms.less(high, value))));
    return value;
  }

  branch(label: string, condition: Term): boolean {
    const way = this.chooser.choose([
      { label: `${label} true`, condition },
      { label: `${label} false`, condition: this.terms.not(condition) },
    ]);
    return way === 0;
  }
}
