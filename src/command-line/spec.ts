/** An option or an argument of a command. Its key is what the help shows: `--page-size <n>`, `<target>`. */
export interface ValueSpec {
  readonly help: string;
  /** Parses a value. @throws InvalidArgumentError */
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
  /** Whether the option can be repeated. Its value is a list then. */
  readonly isRepeatable?: true;
  readonly isMandatory?: true;
  /** A flag with the default `undefined` has this value if it is not given; other flags are false. */
  readonly default?: unknown;
  /** The default in the help, if it is not the value. */
  readonly defaultText?: string;
  /** The environment variable of an option, if its name is not that of the option; null: only the command line can give it. */
  readonly variable?: string | null;
}

export interface ValueSpecs {
  readonly [usage: string]: ValueSpec;
}

/** A command as data. Every command also has `--json` and `--quiet`. */
export interface CommandSpec {
  readonly summary: string;
  readonly description: string;
  readonly args?: ValueSpecs;
  readonly options: ValueSpecs;
  /** When the text is the result that was asked for, which --quiet prints too: always, or not with an option. That of a dry run always is. */
  readonly result?: 'always' | { readonly without: string };
  /** When a command without --dry-run changes files: always, or with an option. It refuses PALIMPSEST_DRY_RUN then. */
  readonly writes?: 'always' | '--to' | '--end' | '--repair';
  readonly examples: readonly (readonly [command: string, effect: string])[];
}

/** Which options have a value that is not the default, and whether it is from the command line or from a variable. */
export type Given = ReadonlyMap<string, 'cli' | 'env'>;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type LongName<Usage> = Usage extends `--no-${infer Name}`
  ? Name
  : Usage extends `--${infer Name} ${string}` | `<${infer Name}...>` | `[${infer Name}...]`
    ? Name
    : Usage extends `--${infer Name}` | `<${infer Name}>` | `[${infer Name}]`
      ? Name
      : never;

type OneValue<Usage, Spec> = Spec extends { readonly parse: (text: string) => infer Value }
  ? Value
  : Spec extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Usage extends `${string}${'<' | '['}${string}`
      ? string
      : boolean;

type IsList<Usage, Spec> = Usage extends `${string}...${string}` ? true : Spec extends { readonly isRepeatable: true } ? true : false;

/** Whether an option or argument always has a value: a flag is false if it is not given. */
type IsDefined<Usage, Spec> = Spec extends { readonly default: infer Default }
  ? Default extends undefined
    ? false
    : true
  : Spec extends { readonly isMandatory: true }
    ? true
    : Usage extends `<${string}` | `[${string}...]`
      ? true
      : Usage extends `--${string}${'<' | '['}${string}` | `[${string}`
        ? false
        : true;

type ValueOf<Usage, Spec> =
  | (IsList<Usage, Spec> extends true ? OneValue<Usage, Spec>[] : OneValue<Usage, Spec>)
  | (Usage extends `--${string} [${string}` ? true : never)
  | (IsDefined<Usage, Spec> extends true ? never : undefined);

/** The values of options or arguments, by their names in camel case: `pageSize` for `--page-size <n>`. */
export type ValuesOf<Specs> = { readonly [Usage in keyof Specs as CamelCase<LongName<Usage>>]: ValueOf<Usage, Specs[Usage]> };
