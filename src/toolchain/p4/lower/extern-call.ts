/** What the passes know about a call of an extern: an architecture gives it for each function and method. */
export interface ExternCall {
  /** The call computes its results and changes nothing else. */
  readonly computes?: true;
  /** The argument, or the parts of it, that the target takes only as fields and constants. */
  readonly fields?: number;
  /** Arguments of aggregate type stay whole: the target takes the object, not its fields. */
  readonly whole?: true;
}
