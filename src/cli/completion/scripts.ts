/**
 * Completion scripts for bash, zsh and fish. They contain all words, so that completing a line starts no process.
 */
import { type Completable, type CompletableCommand, completablePlaces, isOffered } from "./model.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, commands: readonly CompletableCommand[]): string {
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return zshScript(commands);
    case "fish":
      return fishScript(commands);
  }
}

/** For a POSIX shell: between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Lines that bash and zsh share. `_p4loom_place COMMAND WHERE` sets `offer_words`, `offer_files` and `offer_folders` for an option's value
 * or the argument of a number; `_p4loom_parse WORD...` finds the command and the place of the last word.
 */
function commonFunctions(commands: readonly CompletableCommand[]): string {
  const places = completablePlaces(commands).map(([place, { words, files, folders }]) => {
    const settings = [
      ...(words.length > 0 ? [`offer_words=${quoted(words.join(" "))}`] : []),
      ...(files ? ["offer_files=1"] : []),
      ...(folders ? ["offer_folders=1"] : []),
    ];
    return `    ${quoted(place)}) ${settings.join(" ") || ":"} ;;`;
  });
  const options = commands.map(
    ({ name, options }) =>
      `    ${quoted(name)}) offer_words=${quoted(options.flatMap(({ flags }) => flags).join(" "))} ;;`,
  );
  return `# What can stand at a place: the value of an option, or the argument of a number.
_p4loom_place() {
  offer_words='' offer_files='' offer_folders=''
  case "$1 $2" in
${places.join("\n")}
    *) return 1 ;;
  esac
}

_p4loom_options() {
  offer_words='' offer_files='' offer_folders=''
  case "$1" in
${options.join("\n")}
  esac
}

# Of the words of a line up to the one that is completed, which is the last: sets offer_words, offer_files and offer_folders.
_p4loom_parse() {
  local command='' place=0 option=''
  shift
  while [ $# -gt 1 ]; do
    if [ -n "$option" ]; then option=''
    elif [ -z "$command" ]; then case "$1" in -*) ;; *) command=$1 ;; esac
    else case "$1" in
      -*) if _p4loom_place "$command" "$1"; then option=$1; fi ;;
      *) place=$((place + 1)) ;;
    esac
    fi
    shift
  done
  if [ -n "$option" ]; then _p4loom_place "$command" "$option"; return 0; fi
  if [ -z "$command" ]; then
    offer_words=${quoted(commands.map(({ name }) => name).join(" "))} offer_files='' offer_folders=''
    return 0
  fi
  case "$1" in
    -*) _p4loom_options "$command" ;;
    *) _p4loom_place "$command" "$place" || offer_words='' offer_files='' offer_folders='' ;;
  esac
}
`;
}

function bashScript(commands: readonly CompletableCommand[]): string {
  return `# bash completion for p4loom. To use it: eval "$(p4loom completion bash)"
${commonFunctions(commands)}
_p4loom() {
  local offer_words offer_files offer_folders line current=\${COMP_WORDS[COMP_CWORD]}
  _p4loom_parse "\${COMP_WORDS[@]:0:COMP_CWORD+1}"
  COMPREPLY=()
  if [ -n "$offer_words" ]; then
    while IFS='' read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$offer_words" -- "$current")
  fi
  if [ -n "$offer_files" ]; then
    compopt -o filenames 2>/dev/null
    while IFS='' read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
  elif [ -n "$offer_folders" ]; then
    compopt -o filenames 2>/dev/null
    while IFS='' read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current")
  fi
}
complete -F _p4loom p4loom
`;
}

function zshScript(commands: readonly CompletableCommand[]): string {
  return `#compdef p4loom
# zsh completion for p4loom. To use it: eval "$(p4loom completion zsh)", after compinit.
${commonFunctions(commands)}
_p4loom() {
  local -a line
  line=("\${(@)words[1,CURRENT]}")
  local offer_words offer_files offer_folders
  _p4loom_parse "\${line[@]}"
  [ -n "$offer_words" ] && compadd -- \${=offer_words}
  if [ -n "$offer_files" ]; then _files
  elif [ -n "$offer_folders" ]; then _files -/
  fi
}
compdef _p4loom p4loom
`;
}

function fishScript(commands: readonly CompletableCommand[]): string {
  const text = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const names = commands.map(({ name }) => name).join(" ");
  const lines = [
    "# fish completion for p4loom. To use it: p4loom completion fish | source",
    "complete -c p4loom -f",
    ...commands.map(
      ({ name, summary }) =>
        `complete -c p4loom -n ${text(`not __fish_seen_subcommand_from ${names}`)} -a ${name} -d ${text(summary)}`,
    ),
  ];
  for (const { name, options, values } of commands) {
    const condition = `-n ${text(`__fish_seen_subcommand_from ${name}`)}`;
    for (const value of values.filter(isOffered))
      lines.push(`complete -c p4loom ${condition} ${offered(value)}`);
    for (const { flags, summary, value } of options) {
      const words = flags.map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const takes = value === undefined ? "" : ` -r ${offered(value)}`;
      lines.push(`complete -c p4loom ${condition} ${words.join(" ")} -d ${text(summary)}${takes}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The options of fish's `complete` for a value; without files when only words are possible. */
function offered({ words, files, folders }: Completable): string {
  const list = words.join(" ");
  if (files) return list === "" ? "-F" : `-F -a '${list}'`;
  if (folders) return "-a '(__fish_complete_directories)'";
  return list === "" ? "-f" : `-f -a '${list}'`;
}
