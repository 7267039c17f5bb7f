/** Words of P4 that no declaration explains: annotations, table properties, preprocessor directives. */

export interface Word {
  readonly name: string;
  /** How it is written; `$1` stands where the cursor goes. */
  readonly form: string;
  readonly about: string;
}

function word(name: string, form: string, about: string): Word {
  return { name, form, about };
}

/** Annotations that the compiler, P4Info or the fit checker know (P4-16 section 20.3, P4Runtime section 6). */
export const ANNOTATIONS: readonly Word[] = [
  word("name", 'name("$1")', "The name that the control plane sees instead of the one in the program."),
  word("hidden", "hidden", "The control plane does not see the element."),
  word("id", "id($1)", "The id in P4Info, instead of one that the compiler computes."),
  word("tableonly", "tableonly", "The action cannot be the table's default action."),
  word("defaultonly", "defaultonly", "The action can only be the table's default action."),
  word("optional", "optional", "The parameter may be left out."),
  word("pure", "pure", "The function's result depends on its arguments alone, and it changes nothing else."),
  word("noSideEffects", "noSideEffects", "The function changes nothing but its out parameters."),
  word("atomic", "atomic", "The statements run without another packet between them."),
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
  word("alias", 'alias("$1")', "The field's name inside of BMv2."),
  word("deprecated", 'deprecated("$1")', "A use of the element gets this text as a warning."),
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
    "The control plane writes other values than the switch; a table maps them.",
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
    "The action when no entry matches; NoAction where there is none.",
  ),
  word(
    "entries",
    "const entries = {\n    $1\n}",
    "Entries that the program itself gives; with const, the control plane cannot change them.",
  ),
  word("size", "size = $1;", "How many entries the table holds; 1024 where it is left out."),
  word(
    "implementation",
    "implementation = $1;",
    "An action_profile or action_selector that holds the actions of the entries.",
  ),
  word("counters", "counters = $1;", "A direct_counter, which counts by entry."),
  word("meters", "meters = $1;", "A direct_meter, which meters by entry."),
  word(
    "support_timeout",
    "support_timeout = true;",
    "The control plane hears of entries that were idle for their timeout.",
  ),
  word(
    "largest_priority_wins",
    "largest_priority_wins = $1;",
    "Whether the entry with the largest priority wins; true where it is left out.",
  ),
  word(
    "priority_delta",
    "priority_delta = $1;",
    "The difference between the priorities of entries that state none.",
  ),
];

/** Preprocessor directives (P4-16 section 6.2). */
export const DIRECTIVES: readonly Word[] = [
  word("include", "include <$1>", "The text of another file."),
  word("define", "define $1", "A macro."),
  word("undef", "undef $1", "Forgets a macro."),
  word("if", "if $1", "The lines up to #elif, #else or #endif are read if the expression is not 0."),
  word("ifdef", "ifdef $1", "The lines are read if the macro is defined."),
  word("ifndef", "ifndef $1", "The lines are read if the macro is not defined."),
  word("elif", "elif $1", "Another condition."),
  word("else", "else", "The lines that are read where no condition holds."),
  word("endif", "endif", "The end of an #if."),
  word("error", "error $1", "Stops the compilation with this text."),
  word("warning", "warning $1", "Warns with this text."),
  word("line", "line $1", "The number and file that messages give for the next line."),
];

/** What the parts that every P4 program can use do: methods of headers, stacks, tables and types. */
export const BUILTINS: Readonly<Record<string, string>> = {
  isValid: "bool isValid(): whether the header is in the packet.",
  setValid: "void setValid(): the header is part of the packet; its fields have no defined values.",
  setInvalid: "void setInvalid(): the header is not part of the packet.",
  push_front:
    "void push_front(int count): moves the elements of a stack up by count; the first ones become invalid.",
  pop_front:
    "void pop_front(int count): moves the elements of a stack down by count; the last ones become invalid.",
  next: "The first element of the stack that no extract has filled. In a parser only.",
  last: "The element of the stack that was filled last. In a parser only.",
  lastIndex: "bit<32>: the index of `last`. In a parser only.",
  size: "bit<32>: how many elements the stack has, known at compile time.",
  apply: "Runs the table, control or parser.",
  hit: "bool: whether an entry matched.",
  miss: "bool: whether no entry matched.",
  action_run: "The action that ran; only as the expression of a switch statement.",
  minSizeInBits: "int minSizeInBits(): the smallest size of a value of this type.",
  minSizeInBytes: "int minSizeInBytes(): the smallest size, in whole bytes.",
  maxSizeInBits: "int maxSizeInBits(): the largest size of a value of this type.",
  maxSizeInBytes: "int maxSizeInBytes(): the largest size, in whole bytes.",
};
