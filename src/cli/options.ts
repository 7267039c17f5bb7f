/** Options of commands. */

export interface GenerateOptions {
  set: string[];
  out?: string;
  topology?: string;
  report?: boolean;
  json?: boolean;
  route?: string;
}

export interface PreprocessorOptions {
  I: string[];
  D: string[];
  U: string[];
  jsonDiagnostics?: boolean;
}

export interface CheckOptions extends PreprocessorOptions {
  Wdisable?: string | true;
  Werror?: string | true;
  maxErrorCount: string;
  arch?: string;
  strict?: boolean;
}

export interface CompileOptions extends CheckOptions {
  o?: string;
  p4runtimeFiles?: string;
  p4runtimeEntriesFiles?: string;
  bfrt?: string;
  pp?: string;
  E?: boolean;
  dump?: string;
}
