/** Documentation of words that P4 programs do not declare: annotations, table properties, preprocessor directives. */

export interface Word {
  readonly name: string;
  /** Its notation; `$1` marks the place of the cursor. */
  readonly form: string;
  readonly about: string;
}

function word(name: string, form: string, about: string): Word {
  return { name, form, about };
}

/** Annotations that the compiler, P4Info or the fit checker support (P4-16 section 20.3, P4Runtime section 6). */
export const ANNOTATIONS: readonly Word[] = [
  word(
    "name",
    'name("$1")',
    "The name of the element in the control plane, instead of its name in the program.",
  ),
  word("hidden", "hidden", "The control plane does not see the element."),
  word("id", "id($1)", "The id in P4Info, instead of one that the compiler computes."),
  word("tableonly", "tableonly", "The action cannot be the table's default action."),
  word("defaultonly", "defaultonly", "The action can only be the table's default action."),
  word("optional", "optional", "A call may omit the parameter."),
  word(
    "pure",
    "pure",
    "The function's result depends on its arguments only, and the function has no other effect.",
  ),
  word("noSideEffects", "noSideEffects", "The function has no effect except on its out parameters."),
  word("atomic", "atomic", "No other packet is processed between these statements."),
  word(
    "field_list",
    "field_list($1)",
    "The field is kept when a packet is cloned, resubmitted or recirculated with this list.",
  ),
  word(
    "controller_header",
    'controller_header("$1")',
    'Headers of packets to and from the controller: "packet_in" or "packet_out".',
  ),
  word("alias", 'alias("$1")', "The field's name in BMv2."),
  word("deprecated", 'deprecated("$1")', "Each use of the element causes a warning with this text."),
  word("noWarn", 'noWarn("$1")', 'Suppresses a warning of this kind, for example "unused".'),
  word("match", "match($1)", "The match kind of a field in a value set."),
  word("brief", 'brief("$1")', "A line of documentation, for P4Info."),
  word("description", 'description("$1")', "Documentation, for P4Info."),
  word(
    "format",
    "format($1)",
    "How a tool shows the value: IPV4_ADDRESS, IPV6_ADDRESS, MAC_ADDRESS or HEX_STRING.",
  ),
  word(
    "p4runtime_translation",
    'p4runtime_translation("$1", string)',
    "The control plane uses other values than the switch; a table translates them.",
  ),
  word("pkginfo", 'pkginfo(name="$1")', "Facts about the program, for P4Info."),
  word("priority", "priority($1)", "The priority of an entry."),
  word("oneshot", "oneshot", "The selector's groups are written with the table's entries."),
  word("max_group_size", "max_group_size($1)", "The largest sum of weights of one group."),
  word("pragma", "pragma $1", "An annotation that goes to the end of the line."),
];

/** Properties of tables (P4-16 section 14.2.1, and those of v1model). */
export const TABLE_PROPERTIES: readonly Word[] = [
  word("key", "key = {\n    $1\n}", "The expressions that are looked up, each with its match kind."),
  word("actions", "actions = {\n    $1\n}", "The actions that entries can name."),
  word(
    "default_action",
    "default_action = $1;",
    "The action if no entry matches; without this property, NoAction.",
  ),
  word(
    "entries",
    "const entries = {\n    $1\n}",
    "Entries that are part of the program; with const, the control plane cannot change them.",
  ),
  word("size", "size = $1;", "The maximum number of entries; 1024 without this property."),
  word(
    "implementation",
    "implementation = $1;",
    "The action_profile or action_selector that contains the actions of the entries.",
  ),
  word("counters", "counters = $1;", "A direct_counter, which counts the packets of each entry."),
  word("meters", "meters = $1;", "A direct_meter, which meters the packets of each entry."),
  word(
    "support_timeout",
    "support_timeout = true;",
    "The control plane is notified of entries that were idle for their timeout.",
  ),
  word(
    "largest_priority_wins",
    "largest_priority_wins = $1;",
    "Whether the matching entry with the largest priority is used; true without this property.",
  ),
  word(
    "priority_delta",
    "priority_delta = $1;",
    "The difference between the priorities of two entries without a priority.",
  ),
];

/** Preprocessor directives (P4-16 section 6.2). */
export const DIRECTIVES: readonly Word[] = [
  word("include", "include <$1>", "Inserts the text of another file."),
  word("define", "define $1", "A macro."),
  word("undef", "undef $1", "Removes the definition of a macro."),
  word("if", "if $1", "The lines up to #elif, #else or #endif are read if the expression is not 0."),
  word("ifdef", "ifdef $1", "The lines are read if the macro is defined."),
  word("ifndef", "ifndef $1", "The lines are read if the macro is not defined."),
  word("elif", "elif $1", "The lines are read if no earlier condition holds and this one does."),
  word("else", "else", "The lines are read if no condition holds."),
  word("endif", "endif", "The end of an #if."),
  word("error", "error $1", "Stops the compilation with this text."),
  word("warning", "warning $1", "Reports a warning with this text."),
  word("line", "line $1", "Sets the line number and the file of the next line in messages."),
];

/** Documentation of the built-in members and methods of headers, stacks, tables and types. */
export const BUILTINS: Readonly<Record<string, string>> = {
  isValid: "bool isValid(): whether the header is in the packet.",
  setValid: "void setValid(): makes the header part of the packet; the values of its fields are undefined.",
  setInvalid: "void setInvalid(): removes the header from the packet.",
  push_front:
    "void push_front(int count): moves the elements of a stack up by count; the first ones become invalid.",
  pop_front:
    "void pop_front(int count): moves the elements of a stack down by count; the last ones become invalid.",
  next: "The first element of the stack that no extract has filled. In a parser only.",
  last: "The element of the stack that the latest extract has filled. In a parser only.",
  lastIndex: "bit<32>: the index of `last`. In a parser only.",
  size: "bit<32>: the number of elements of the stack, known at compile time.",
  apply: "Runs the table, control or parser.",
  hit: "bool: whether an entry matched.",
  miss: "bool: whether no entry matched.",
  action_run: "The action that ran; only as the expression of a switch statement.",
  minSizeInBits: "int minSizeInBits(): the smallest size of a value of this type.",
  minSizeInBytes: "int minSizeInBytes(): the smallest size, in whole bytes.",
  maxSizeInBits: "int maxSizeInBits(): the largest size of a value of this type.",
  maxSizeInBytes: "int maxSizeInBytes(): the largest size, in whole bytes.",
};
