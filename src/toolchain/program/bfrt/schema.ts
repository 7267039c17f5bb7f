/**
 * The schema of BF Runtime, `bf-rt.json` (version 1.0.0): which tables a controller of a Tofino program may write and read. The
 * match-action tables of the program are among them, and so are its counters, meters, registers, profiles, hashes, port metadata,
 * and what the device adds to each program.
 */

export interface BfrtSchema {
  readonly schema_version: "1.0.0";
  readonly tables: readonly BfrtTable[];
  readonly learn_filters: readonly BfrtLearnFilter[];
}

export interface BfrtTable {
  readonly name: string;
  readonly id: number;
  readonly table_type: string;
  /** Entries. */
  readonly size: number | bigint;
  readonly annotations?: readonly BfrtAnnotation[];
  /** Ids of tables whose entries must exist before an entry of this one can name them. */
  readonly depends_on: readonly number[];
  readonly has_const_default_action?: boolean;
  readonly key: readonly BfrtKeyField[];
  readonly action_specs?: readonly BfrtActionSpec[];
  readonly data: readonly BfrtData[];
  readonly supported_operations: readonly string[];
  readonly attributes: readonly string[];
  readonly read_only?: boolean;
}

/** What a digest sends. */
export interface BfrtLearnFilter {
  readonly name: string;
  readonly id: number;
  readonly annotations: readonly BfrtAnnotation[];
  readonly fields: readonly BfrtField[];
}

export interface BfrtAnnotation {
  /** The whole annotation as text, such as `@stage(3)`. */
  readonly name: string;
  readonly value?: string;
}

export interface BfrtKeyField {
  readonly id: number;
  readonly name: string;
  readonly repeated: boolean;
  readonly annotations: readonly BfrtAnnotation[];
  readonly mandatory: boolean;
  readonly match_type: string;
  readonly type: BfrtType;
}

export interface BfrtActionSpec {
  readonly id: number;
  readonly name: string;
  readonly action_scope: string;
  readonly annotations: readonly BfrtAnnotation[];
  readonly data: readonly BfrtActionField[];
}

/** A parameter of an action. */
export interface BfrtActionField {
  readonly id: number;
  readonly name: string;
  readonly repeated: boolean;
  readonly mandatory: boolean;
  readonly read_only: boolean;
  readonly annotations: readonly BfrtAnnotation[];
  readonly type: BfrtType;
}

/** One field, or one of several. */
export interface BfrtData {
  readonly mandatory: boolean;
  readonly read_only: boolean;
  readonly singleton?: BfrtField;
  readonly oneof?: readonly BfrtField[];
}

export interface BfrtField {
  readonly id: number;
  readonly name: string;
  readonly repeated: boolean;
  readonly annotations: readonly BfrtAnnotation[];
  readonly type?: BfrtType;
  /** Fields that belong together, in the place of a type. */
  readonly container?: readonly BfrtData[];
}

export interface BfrtType {
  /** `bytes`, `bool`, `string`, `float`, `uint32`, `uint64`. */
  readonly type: string;
  /** Bits, of `bytes`. */
  readonly width?: number;
  readonly choices?: readonly string[];
  readonly default_value?: number | bigint | boolean | string;
  /** Of a key that the program masks, such as `0xc`. */
  readonly mask?: string;
}
